/* Numbers one at a time, `_1`, and W of them side by side, `_w`, with one vocabulary for both; for GCC and Clang.
   Truth values are masks of integers, 0 or -1. Nothing here or built on it calls a library, but `fma_*` where the processor
   has no such instruction, and products and sums must stay what they are: compile with -ffp-contract=off, or -std=c11. */
#ifndef CATADIFF_LANES_H
#define CATADIFF_LANES_H

#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif
/* The instructions of AVX. Compilers take longer to read all of <immintrin.h> than to compile most programs. So of compilers whose parts
   of it need no others these are the parts for what the processor has; each of them only asks whether it is there. */
#if defined __AVX__ && !defined __IMMINTRIN_H && !defined _IMMINTRIN_H_INCLUDED
#if defined __clang__ ? !defined __apple_build_version__ && __clang_major__ >= 13 && __clang_major__ <= 21 : __GNUC__ >= 11 && __GNUC__ <= 15
#define __IMMINTRIN_H
#define _IMMINTRIN_H_INCLUDED
#include <smmintrin.h>
#include <avxintrin.h>
#ifdef __AVX2__
#include <avx2intrin.h>
#endif
#if defined __FMA__ || defined __AVX512F__
#include <fmaintrin.h>
#endif
#ifdef __AVX512F__
#include <avx512fintrin.h>
#endif
/* Who wants the rest can have it. */
#undef __IMMINTRIN_H
#undef _IMMINTRIN_H_INCLUDED
#else
#include <immintrin.h>
#endif
#endif

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
/* How vectors wider than the processor's are passed matters to no one: no function of them leaves this file. GCC notes it all the
   same, but with -Wno-psabi. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* As many lanes as fill a vector of the processor, and on those with two lanes in one two vectors. */
/* What is printed is not all used: a value that the program drops, or the number of lanes where all have one value. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-function"

#ifndef W
#ifdef __AVX512F__
#define W 8
#else
#define W 4
#endif
#endif

/* Whether `madd_*` rounds once. */
#if defined __FMA__ || defined __AVX512F__ || defined __aarch64__
#define FUSED 1
#else
#define FUSED 0
#endif

#define LANES static inline __attribute__((always_inline, unused))

typedef double f64_1;
typedef float f32_1;
typedef int64_t i64_1;
typedef uint64_t u64_1;
typedef double f64_w __attribute__((vector_size(W * sizeof(double))));
typedef float f32_w __attribute__((vector_size(W * sizeof(float))));
typedef int64_t i64_w __attribute__((vector_size(W * sizeof(int64_t))));
typedef uint64_t u64_w __attribute__((vector_size(W * sizeof(uint64_t))));

/* The vectors that the processor has: ours are one of them, or two, or lanes that are taken one by one. */
#if defined __AVX512F__ && W % 8 == 0
#define PART 8
typedef __m512d part_f64;
#define PART_FMA _mm512_fmadd_pd
#define PART_SQRT _mm512_sqrt_pd
#define PART_MIN _mm512_min_pd
#define PART_MAX _mm512_max_pd
#elif defined __AVX__ && W % 4 == 0
#define PART 4
typedef __m256d part_f64;
#if FUSED
#define PART_FMA _mm256_fmadd_pd
#endif
#define PART_SQRT _mm256_sqrt_pd
#define PART_SELECT(when, a, b) _mm256_blendv_pd(b, a, when)
#define PART_MIN _mm256_min_pd
#define PART_MAX _mm256_max_pd
#elif defined __SSE2__ && W % 2 == 0
#define PART 2
typedef __m128d part_f64;
#if FUSED
#define PART_FMA _mm_fmadd_pd
#endif
#define PART_SQRT _mm_sqrt_pd
#define PART_MIN _mm_min_pd
#define PART_MAX _mm_max_pd
#elif defined __aarch64__ && W % 2 == 0
#define PART 2
typedef float64x2_t part_f64;
#define PART_FMA(a, b, c) vfmaq_f64(c, a, b)
#define PART_SQRT vsqrtq_f64
#endif

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#if PART == 2
#define LOW(x) __builtin_shufflevector(x, x, 0, 1)
#define HIGH(x) __builtin_shufflevector(x, x, 2, 3)
#define BOTH(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)
#elif PART == 4
#define LOW(x) __builtin_shufflevector(x, x, 0, 1, 2, 3)
#define HIGH(x) __builtin_shufflevector(x, x, 4, 5, 6, 7)
#define BOTH(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#endif
#endif
#endif

/* Returns what instructions on the vectors of the processor make of ours, or else what a function of one number makes of lanes. */
#if defined PART && W == PART
#define PARTS_1(part, one, a) return part(a)
#define PARTS_2(part, one, a, b) return part(a, b)
#define PARTS_3(part, one, a, b, c) return part(a, b, c)
#elif defined LOW && W == 2 * PART
#define PARTS_1(part, one, a) return BOTH(part(LOW(a)), part(HIGH(a)))
#define PARTS_2(part, one, a, b) return BOTH(part(LOW(a), LOW(b)), part(HIGH(a), HIGH(b)))
#define PARTS_3(part, one, a, b, c) return BOTH(part(LOW(a), LOW(b), LOW(c)), part(HIGH(a), HIGH(b), HIGH(c)))
#else
#define PARTS_1(part, one, a) LANE_BY_LANE(one(a[k]))
#define PARTS_2(part, one, a, b) LANE_BY_LANE(one(a[k], b[k]))
#define PARTS_3(part, one, a, b, c) LANE_BY_LANE(one(a[k], b[k], c[k]))
#endif
/* GCC would compare vectors that the processor does not have lane by lane. */
#if defined LOW && W == 2 * PART
#define COMPARED(a, sign, b) ((i64_w)BOTH((part_f64)(LOW(a) sign LOW(b)), (part_f64)(HIGH(a) sign HIGH(b))))
#else
#define COMPARED(a, sign, b) ((i64_w)(a sign b))
#endif
#define LANE_BY_LANE(value) f64_w lanes; for (int k = 0; k < W; k++) lanes[k] = value; return lanes

/* The same number in all lanes. */
LANES f64_w all_w(f64_1 x) { return x - (f64_w){}; }
LANES i64_w alli_w(i64_1 x) { return x - (i64_w){}; }

/* What was so many lanes before, in this block and the last lanes of the one before. */
#define EARLIER(T)                                                                                     \
    LANES T##_w earlier_##T(T##_w before, T##_w now, int by) {                                         \
        T##_w x = now;                                                                                 \
        for (int k = 0; k < W; k++) x[k] = k < by ? before[W - by + k] : now[k - by];                  \
        return x;                                                                                      \
    }
EARLIER(f64)
EARLIER(f32)
EARLIER(i64)

/* The bits of numbers, and numbers of bits. */
LANES u64_1 bits_1(f64_1 x) { u64_1 bits; memcpy(&bits, &x, sizeof bits); return bits; }
LANES f64_1 real_1(u64_1 bits) { f64_1 x; memcpy(&x, &bits, sizeof x); return x; }
LANES u64_w bits_w(f64_w x) { return (u64_w)x; }
LANES f64_w real_w(u64_w bits) { return (f64_w)bits; }

/* Whether a < b, a <= b, a = b; and whether no bit is set. */
LANES i64_1 lt_1(f64_1 a, f64_1 b) { return -(i64_1)(a < b); }
LANES i64_1 le_1(f64_1 a, f64_1 b) { return -(i64_1)(a <= b); }
LANES i64_1 eq_1(f64_1 a, f64_1 b) { return -(i64_1)(a == b); }
LANES i64_1 zero_1(u64_1 bits) { return -(i64_1)(bits == 0); }
LANES i64_w lt_w(f64_w a, f64_w b) { return COMPARED(a, <, b); }
LANES i64_w le_w(f64_w a, f64_w b) { return COMPARED(a, <=, b); }
LANES i64_w eq_w(f64_w a, f64_w b) { return COMPARED(a, ==, b); }
LANES i64_w zero_w(u64_w bits) { u64_w zero = {0}; return COMPARED(bits, ==, zero); }

/* Where it holds a, elsewhere b. */
LANES f64_1 sel_1(i64_1 when, f64_1 a, f64_1 b) { return when ? a : b; }
LANES i64_1 seli_1(i64_1 when, i64_1 a, i64_1 b) { return when ? a : b; }
LANES i64_w seli_w(i64_w when, i64_w a, i64_w b) { return (when & a) | (~when & b); }
#ifdef PART_SELECT
LANES f64_1 sel_mask_1(f64_1 when, f64_1 a, f64_1 b) { return bits_1(when) ? a : b; }
LANES f64_w sel_w(i64_w when, f64_w a, f64_w b) { f64_w mask = (f64_w)when; PARTS_3(PART_SELECT, sel_mask_1, mask, a, b); }
#else
LANES f64_w sel_w(i64_w when, f64_w a, f64_w b) { return (f64_w)seli_w(when, (i64_w)a, (i64_w)b); }
#endif

/* a where a < b, a where a > b, and elsewhere b: of two zeros and beside NaN the second. */
LANES f64_1 min_1(f64_1 a, f64_1 b) { return a < b ? a : b; }
LANES f64_1 max_1(f64_1 a, f64_1 b) { return a > b ? a : b; }
#ifdef PART_MIN
LANES f64_w min_w(f64_w a, f64_w b) { PARTS_2(PART_MIN, min_1, a, b); }
LANES f64_w max_w(f64_w a, f64_w b) { PARTS_2(PART_MAX, max_1, a, b); }
#else
LANES f64_w min_w(f64_w a, f64_w b) { return sel_w(lt_w(a, b), a, b); }
LANES f64_w max_w(f64_w a, f64_w b) { return sel_w(lt_w(b, a), a, b); }
#endif

LANES f64_1 abs_1(f64_1 x) { return __builtin_fabs(x); }
LANES f64_w abs_w(f64_w x) { return (f64_w)((i64_w)x & INT64_MAX); }

/* The square root, without the call that would say in errno that there is none. */
LANES f64_1 sqrt_1(f64_1 x)
{
#if defined __SSE2__
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#elif defined __aarch64__
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
    return __builtin_sqrt(x);
#endif
}

#ifdef PART_SQRT
LANES f64_w sqrt_w(f64_w x) { PARTS_1(PART_SQRT, sqrt_1, x); }
#else
LANES f64_w sqrt_w(f64_w x) { LANE_BY_LANE(sqrt_1(x[k])); }
#endif

/* a*b + c, rounded once. */
LANES f64_1 fma_1(f64_1 a, f64_1 b, f64_1 c) { return __builtin_fma(a, b, c); }
#ifdef PART_FMA
LANES f64_w fma_w(f64_w a, f64_w b, f64_w c) { PARTS_3(PART_FMA, fma_1, a, b, c); }
#else
LANES f64_w fma_w(f64_w a, f64_w b, f64_w c) { LANE_BY_LANE(fma_1(a[k], b[k], c[k])); }
#endif

/* a*b + c, rounded once where that is no slower and else twice. */
#if FUSED
LANES f64_1 madd_1(f64_1 a, f64_1 b, f64_1 c) { return fma_1(a, b, c); }
LANES f64_w madd_w(f64_w a, f64_w b, f64_w c) { return fma_w(a, b, c); }
#else
LANES f64_1 madd_1(f64_1 a, f64_1 b, f64_1 c) { return a * b + c; }
LANES f64_w madd_w(f64_w a, f64_w b, f64_w c) { return a * b + c; }
#endif

/* Numbers in 32 bits and back. */
LANES f32_1 narrow_1(f64_1 x) { return (f32_1)x; }
LANES f64_1 widen_1(f32_1 x) { return x; }
LANES f32_w narrow_w(f64_w x) { return __builtin_convertvector(x, f32_w); }
LANES f64_w widen_w(f32_w x) { return __builtin_convertvector(x, f64_w); }

#endif
