/* Numbers one at a time, `_1`, and W of them side by side, `_w`, with one vocabulary for both; for GCC and Clang.
   Truth values are masks of integers, 0 or -1. Nothing here or built on it calls a library, but `fma_*` where the processor
   has no such instruction, and products and sums must stay what they are: compile with -ffp-contract=off, or -std=c11. */
#ifndef CATADIFF_LANES_H
#define CATADIFF_LANES_H

#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
/* How vectors wider than the processor's are passed matters to no one: no function of them leaves this file. */
#pragma GCC diagnostic ignored "-Wpsabi"

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
#define EACH(lane) for (int lane = 0; lane < W; lane++)

typedef double f64_1;
typedef float f32_1;
typedef int64_t i64_1;
typedef uint64_t u64_1;
typedef double f64_w __attribute__((vector_size(W * sizeof(double))));
typedef float f32_w __attribute__((vector_size(W * sizeof(float))));
typedef int64_t i64_w __attribute__((vector_size(W * sizeof(int64_t))));
typedef uint64_t u64_w __attribute__((vector_size(W * sizeof(uint64_t))));

/* The vectors that the processor has, as parts of ours. */
#if defined __AVX512F__ && W % 8 == 0
#define PART 8
typedef __m512d part_f64;
#define PART_FMA _mm512_fmadd_pd
#define PART_SQRT _mm512_sqrt_pd
#elif defined __AVX__ && W % 4 == 0
#define PART 4
typedef __m256d part_f64;
#if FUSED
#define PART_FMA _mm256_fmadd_pd
#endif
#define PART_SQRT _mm256_sqrt_pd
#elif defined __SSE2__ && W % 2 == 0
#define PART 2
typedef __m128d part_f64;
#if FUSED
#define PART_FMA _mm_fmadd_pd
#endif
#define PART_SQRT _mm_sqrt_pd
#elif defined __aarch64__ && W % 2 == 0
#define PART 2
typedef float64x2_t part_f64;
#define PART_FMA(a, b, c) vfmaq_f64(c, a, b)
#define PART_SQRT vsqrtq_f64
#endif
#ifdef PART
#define EACH_PART(part) for (int part = 0; part < W / PART; part++)
typedef union { f64_w all; part_f64 part[W / PART]; } parts_f64;
#endif

/* The same number in all lanes. */
LANES f64_w all_w(f64_1 x) { return x - (f64_w){}; }
LANES i64_w alli_w(i64_1 x) { return x - (i64_w){}; }

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
LANES i64_w lt_w(f64_w a, f64_w b) { return (i64_w)(a < b); }
LANES i64_w le_w(f64_w a, f64_w b) { return (i64_w)(a <= b); }
LANES i64_w eq_w(f64_w a, f64_w b) { return (i64_w)(a == b); }
LANES i64_w zero_w(u64_w bits) { return (i64_w)(bits == 0); }

/* Where it holds a, elsewhere b. */
LANES f64_1 sel_1(i64_1 when, f64_1 a, f64_1 b) { return when ? a : b; }
LANES i64_1 seli_1(i64_1 when, i64_1 a, i64_1 b) { return when ? a : b; }
LANES i64_w seli_w(i64_w when, i64_w a, i64_w b) { return (when & a) | (~when & b); }
LANES f64_w sel_w(i64_w when, f64_w a, f64_w b) { return (f64_w)seli_w(when, (i64_w)a, (i64_w)b); }

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

LANES f64_w sqrt_w(f64_w x)
{
#ifdef PART
    parts_f64 of = {x};
    EACH_PART(k) of.part[k] = PART_SQRT(of.part[k]);
    return of.all;
#else
    EACH(k) x[k] = sqrt_1(x[k]);
    return x;
#endif
}

/* a*b + c, rounded once. */
LANES f64_1 fma_1(f64_1 a, f64_1 b, f64_1 c) { return __builtin_fma(a, b, c); }
LANES f64_w fma_w(f64_w a, f64_w b, f64_w c)
{
#ifdef PART_FMA
    parts_f64 of_a = {a}, of_b = {b}, of_c = {c};
    EACH_PART(k) of_c.part[k] = PART_FMA(of_a.part[k], of_b.part[k], of_c.part[k]);
    return of_c.all;
#else
    EACH(k) c[k] = fma_1(a[k], b[k], c[k]);
    return c;
#endif
}

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
