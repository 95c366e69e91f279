/* Elements in memory, as lanes load and store them. Memory holds elements of kind T (f64, f32, i64, i32, ...); registers hold reals, or
   integers as i64. A load outside of a buffer gives 0, and a store there does nothing: the program has checked before what it is not
   to get wrong, and loads may run earlier than its checks. The number of active lanes is n; the last block of a loop has fewer.
   Of elements that are said to be in, all that active lanes have are inside of their buffer: that is looked at with -DPROVE alone. */

typedef double f64;
typedef float f32;
typedef int64_t i64;
typedef uint64_t u64;
typedef int32_t i32;
typedef uint32_t u32;
typedef int16_t i16;
typedef uint16_t u16;
typedef int8_t i8;
typedef uint8_t u8;

#ifdef PROVE
#include <stdio.h>
#include <stdlib.h>
#define IN(at, length)                                                                                                                     \
    do {                                                                                                                                   \
        if (!IS_THERE(at, length)) {                                                                                                       \
            fprintf(stderr, "what is said to be inside of a buffer is there: line %d\n", __LINE__);                                        \
            abort();                                                                                                                       \
        }                                                                                                                                  \
    } while (0)
#else
#define IN(at, length) (void)(length)
#endif

/* Some of W elements of 64 bits at once, where the processor does so. Before AVX-512 such stores are slow on some. */
#if defined __AVX512F__ && W == 8
#define HAS_SOME 1
#define SETS_SOME 1
#define SOME(b, n) (i64_w)_mm512_maskz_loadu_epi64((__mmask8)((1u << (n)) - 1), b)
#define SET_SOME(b, x, n) _mm512_mask_storeu_epi64(b, (__mmask8)((1u << (n)) - 1), (__m512i)(x))
#elif defined __AVX2__ && W == 4
#define HAS_SOME 1
#define SOME(b, n) (i64_w)_mm256_maskload_epi64((const long long *)(const void *)(b), (__m256i)lti_w(lane_numbers(0), alli_w(n)))
#endif
#ifndef HAS_SOME
#define HAS_SOME 0
#define SOME(b, n) alli_w(0)
#endif
#ifndef SETS_SOME
#define SETS_SOME 0
#define SET_SOME(b, x, n) (void)(n)
#endif

/* T in memory is R in registers. */
#define MEMORY(T, R)                                                                                                                       \
    typedef T T##_elements __attribute__((vector_size(W * sizeof(T)), aligned(1), may_alias));                                                \
    static inline R##_1 load_##T(const T *b, i64_1 length, i64_1 at) { return IS_THERE(at, length) ? (R##_1)b[at] : (R##_1)0; }              \
    static inline void store_##T(T *b, i64_1 length, i64_1 at, R##_1 x) {                                                                  \
        if (IS_THERE(at, length)) b[at] = (T)x;                                                                                            \
    }                                                                                                                                      \
    static __attribute__((noinline, cold, unused)) R##_w some_##T(const T *b, i64_1 length, i64_1 at, i64_1 apart) {                        \
        R##_w x = {0};                                                                                                                     \
        EACH_LANE(k) x[k] = load_##T(b, length, WRAP(+, at, WRAP(*, apart, k)));                                                           \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    static inline R##_w whole_##T(const T *b, i64_1 at) { return __builtin_convertvector(*(const T##_elements *)(const void *)(b + at), R##_w); }\
    static inline void setwhole_##T(T *b, i64_1 at, R##_w x) {                                                                             \
        *(T##_elements *)(void *)(b + at) = __builtin_convertvector(x, T##_elements);                                                      \
    }                                                                                                                                      \
    /* The first n elements, and 0 in other lanes. */                                                                                      \
    LANES R##_w first_##T(const T *b, int n) {                                                                                             \
        R##_w x = {0};                                                                                                                     \
        if (HAS_SOME && sizeof(T) == 8 && sizeof(R##_1) == 8) {                                                                            \
            const i64_w bits = SOME(b, n);                                                                                                 \
            memcpy(&x, &bits, sizeof x);                                                                                                   \
        } else {                                                                                                                           \
            EACH_LANE(k) if (k < n) x[k] = (R##_1)b[k];                                                                                    \
        }                                                                                                                                  \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    LANES void setfirst_##T(T *b, R##_w x, int n) {                                                                                        \
        if (SETS_SOME && sizeof(T) == 8 && sizeof(R##_1) == 8) {                                                                           \
            i64_w bits = {0};                                                                                                              \
            memcpy(&bits, &x, sizeof x);                                                                                                   \
            SET_SOME(b, bits, n);                                                                                                          \
        } else {                                                                                                                           \
            EACH_LANE(k) if (k < n) b[k] = (T)x[k];                                                                                        \
        }                                                                                                                                  \
    }                                                                                                                                      \
    static inline R##_w row_##T(const T *b, i64_1 length, i64_1 at) {                                                                      \
        if (__builtin_expect(ARE_THERE(at, W, length), 1))                                                                                 \
            return whole_##T(b, at);                                                                                                       \
        return some_##T(b, length, at, 1);                                                                                                 \
    }                                                                                                                                      \
    static inline R##_w apart_##T(const T *b, i64_1 length, i64_1 at, i64_1 apart) {                                                       \
        if (apart == 1) return row_##T(b, length, at);                                                                                     \
        i64_1 last = WRAP(+, at, WRAP(*, apart, W - 1));                                                                                   \
        if (__builtin_expect(IS_THERE(at, length) && IS_THERE(last, length), 1)) {                                                         \
            R##_w x = {0};                                                                                                                 \
            EACH_LANE(k) x[k] = (R##_1)b[at + apart * k];                                                                                  \
            return x;                                                                                                                      \
        }                                                                                                                                  \
        return some_##T(b, length, at, apart);                                                                                             \
    }                                                                                                                                      \
    static __attribute__((noinline, cold, unused)) R##_w someof_##T(const T *b, i64_1 length, i64_w at) {                                   \
        R##_w x = {0};                                                                                                                     \
        EACH_LANE(k) x[k] = load_##T(b, length, at[k]);                                                                                    \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    static inline R##_w gather_##T(const T *b, i64_1 length, i64_w at) {                                                                   \
        if (__builtin_expect(any((i64_w)((at < 0) | (at >= length))), 0)) return someof_##T(b, length, at);                                \
        R##_w x = {0};                                                                                                                     \
        EACH_LANE(k) x[k] = (R##_1)b[at[k]];                                                                                               \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    static inline void setrow_##T(T *b, i64_1 length, i64_1 at, R##_w x, int n) {                                                          \
        if (__builtin_expect(n == W && ARE_THERE(at, W, length), 1)) {                                                                     \
            setwhole_##T(b, at, x);                                                                                                        \
            return;                                                                                                                        \
        }                                                                                                                                  \
        for (int k = 0; k < W && k < n; k++) store_##T(b, length, WRAP(+, at, k), x[k]);                                                   \
    }                                                                                                                                      \
    static inline void setapart_##T(T *b, i64_1 length, i64_1 at, i64_1 apart, R##_w x, int n) {                                           \
        if (apart == 1) {                                                                                                                  \
            setrow_##T(b, length, at, x, n);                                                                                               \
            return;                                                                                                                        \
        }                                                                                                                                  \
        i64_1 last = WRAP(+, at, WRAP(*, apart, W - 1));                                                                                   \
        if (__builtin_expect(n == W && IS_THERE(at, length) && IS_THERE(last, length), 1)) {                                               \
            EACH_LANE(k) b[at + apart * k] = (T)x[k];                                                                                      \
            return;                                                                                                                        \
        }                                                                                                                                  \
        for (int k = 0; k < W && k < n; k++) store_##T(b, length, WRAP(+, at, WRAP(*, apart, k)), x[k]);                                   \
    }                                                                                                                                      \
    static inline void scatter_##T(T *b, i64_1 length, i64_w at, R##_w x, i64_w where) {                                                   \
        EACH_LANE(k) if (where[k]) store_##T(b, length, at[k], x[k]);                                                                      \
    }                                                                                                                                      \
    static inline R##_1 loadin_##T(const T *b, i64_1 length, i64_1 at) {                                                                   \
        IN(at, length);                                                                                                                    \
        return (R##_1)b[at];                                                                                                               \
    }                                                                                                                                      \
    static inline void storein_##T(T *b, i64_1 length, i64_1 at, R##_1 x) {                                                                \
        IN(at, length);                                                                                                                    \
        b[at] = (T)x;                                                                                                                      \
    }                                                                                                                                      \
    LANES R##_w rowin_##T(const T *b, i64_1 length, i64_1 at, int n) {                                                                     \
        for (int k = 0; k < W && k < n; k++) IN(at + k, length);                                                                           \
        if (__builtin_expect(n < W, 0)) return first_##T(b + at, n);                                                                       \
        return whole_##T(b, at);                                                                                                           \
    }                                                                                                                                      \
    static inline R##_w apartin_##T(const T *b, i64_1 length, i64_1 at, i64_1 apart, int n) {                                              \
        if (apart == 1) return rowin_##T(b, length, at, n);                                                                                \
        for (int k = 0; k < W && k < n; k++) IN(at + apart * k, length);                                                                   \
        if (__builtin_expect(n < W, 0)) return some_##T(b, length, at, apart);                                                             \
        R##_w x = {0};                                                                                                                     \
        EACH_LANE(k) x[k] = (R##_1)b[at + apart * k];                                                                                      \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    static inline R##_w gatherin_##T(const T *b, i64_1 length, i64_w at, int n) {                                                          \
        for (int k = 0; k < W && k < n; k++) IN(at[k], length);                                                                            \
        if (__builtin_expect(n < W, 0)) return someof_##T(b, length, at);                                                                  \
        R##_w x = {0};                                                                                                                     \
        EACH_LANE(k) x[k] = (R##_1)b[at[k]];                                                                                               \
        return x;                                                                                                                          \
    }                                                                                                                                      \
    static inline void setrowin_##T(T *b, i64_1 length, i64_1 at, R##_w x, int n) {                                                        \
        for (int k = 0; k < W && k < n; k++) IN(at + k, length);                                                                           \
        if (__builtin_expect(n == W, 1))                                                                                                   \
            setwhole_##T(b, at, x);                                                                                                        \
        else                                                                                                                               \
            setfirst_##T(b + at, x, n);                                                                                                    \
    }                                                                                                                                      \
    static inline void setapartin_##T(T *b, i64_1 length, i64_1 at, i64_1 apart, R##_w x, int n) {                                         \
        if (apart == 1) {                                                                                                                  \
            setrowin_##T(b, length, at, x, n);                                                                                             \
            return;                                                                                                                        \
        }                                                                                                                                  \
        if (__builtin_expect(n == W, 1)) {                                                                                                 \
            EACH_LANE(k) storein_##T(b, length, at + apart * k, x[k]);                                                                     \
            return;                                                                                                                        \
        }                                                                                                                                  \
        for (int k = 0; k < W && k < n; k++) storein_##T(b, length, at + apart * k, x[k]);                                                 \
    }                                                                                                                                      \
    static inline void scatterin_##T(T *b, i64_1 length, i64_w at, R##_w x, i64_w where) {                                                 \
        EACH_LANE(k) if (where[k]) storein_##T(b, length, at[k], x[k]);                                                                    \
    }
