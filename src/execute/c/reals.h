/* Operations on reals that the language has for any number of lanes, or that are a few instructions. Those on singles have an f. */

typedef int32_t i32_w __attribute__((vector_size(W * sizeof(int32_t))));

LANES f32_w allf_w(f32_1 x) { return x - (f32_w){0}; }
LANES i64_w wider_mask(i32_w mask) { return __builtin_convertvector(mask, i64_w); }
LANES i32_w narrower_mask(i64_w mask) { return __builtin_convertvector(mask, i32_w); }
LANES i64_1 eqf_1(f32_1 a, f32_1 b) { return -(i64_1)(a == b); }
LANES i64_1 ltf_1(f32_1 a, f32_1 b) { return -(i64_1)(a < b); }
LANES i64_1 lef_1(f32_1 a, f32_1 b) { return -(i64_1)(a <= b); }
LANES i64_w eqf_w(f32_w a, f32_w b) { return wider_mask(a == b); }
LANES i64_w ltf_w(f32_w a, f32_w b) { return wider_mask(a < b); }
LANES i64_w lef_w(f32_w a, f32_w b) { return wider_mask(a <= b); }
LANES f32_1 self_1(i64_1 when, f32_1 a, f32_1 b) { return when ? a : b; }
LANES f32_w self_w(i64_w when, f32_w a, f32_w b)
{
    const i32_w mask = narrower_mask(when);
    return (f32_w)(((i32_w)a & mask) | ((i32_w)b & ~mask));
}
LANES f32_1 absf_1(f32_1 x) { return __builtin_fabsf(x); }
LANES f32_w absf_w(f32_w x) { return (f32_w)((i32_w)x & INT32_MAX); }
LANES f32_1 sqrtf_1(f32_1 x) { return __builtin_sqrtf(x); }
LANES f32_1 fmaf_1(f32_1 a, f32_1 b, f32_1 c) { return __builtin_fmaf(a, b, c); }
#if defined __AVX512F__ && W == 16
LANES f32_w sqrtf_w(f32_w x) { return _mm512_sqrt_ps(x); }
LANES f32_w fmaf_w(f32_w a, f32_w b, f32_w c) { return _mm512_fmadd_ps(a, b, c); }
#elif defined __FMA__ && defined __AVX__ && W == 8
LANES f32_w sqrtf_w(f32_w x) { return _mm256_sqrt_ps(x); }
LANES f32_w fmaf_w(f32_w a, f32_w b, f32_w c) { return _mm256_fmadd_ps(a, b, c); }
#else
LANES f32_w sqrtf_w(f32_w x) { for (int k = 0; k < W; k++) x[k] = sqrtf_1(x[k]); return x; }
LANES f32_w fmaf_w(f32_w a, f32_w b, f32_w c) { for (int k = 0; k < W; k++) a[k] = fmaf_1(a[k], b[k], c[k]); return a; }
#endif
#if FUSED
LANES f32_1 maddf_1(f32_1 a, f32_1 b, f32_1 c) { return fmaf_1(a, b, c); }
LANES f32_w maddf_w(f32_w a, f32_w b, f32_w c) { return fmaf_w(a, b, c); }
#else
LANES f32_1 maddf_1(f32_1 a, f32_1 b, f32_1 c) { return a * b + c; }
LANES f32_w maddf_w(f32_w a, f32_w b, f32_w c) { return a * b + c; }
#endif

/* The sum of all lanes: of one half with the other, again and again. */
#if defined __has_builtin
#if __has_builtin(__builtin_shufflevector) && (W == 4 || W == 8)
#define HALVES 1
#endif
#endif
#define SUM(T, F)                                                                                                       \
    LANES T##_1 sum##F##_w(T##_w x)                                                                                     \
    {                                                                                                                   \
        SUM_HALVES(x)                                                                                                   \
        return x[0];                                                                                                    \
    }
#if defined HALVES && W == 8
#define SUM_HALVES(x)                                                                                                   \
    x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);                                                         \
    x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);                                                         \
    x += __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
#elif defined HALVES
#define SUM_HALVES(x)                                                                                                   \
    x += __builtin_shufflevector(x, x, 2, 3, 0, 1);                                                                     \
    x += __builtin_shufflevector(x, x, 1, 0, 3, 2);
#else
#define SUM_HALVES(x)                                                                                                   \
    for (int half = W / 2; half > 0; half /= 2)                                                                         \
        for (int k = 0; k < half; k++) x[k] += x[k + half];
#endif
SUM(f64, )
SUM(f32, f)

/* To whole numbers: down, up, and to the nearest, halves away from 0. */
#define WHOLE(name)                                                                                                     \
    LANES f64_1 name##_1(f64_1 x) { return __builtin_##name(x); }                                                       \
    LANES f32_1 name##f_1(f32_1 x) { return __builtin_##name##f(x); }                                                   \
    LANES f64_w name##_w(f64_w x) { for (int k = 0; k < W; k++) x[k] = __builtin_##name(x[k]); return x; }              \
    LANES f32_w name##f_w(f32_w x) { for (int k = 0; k < W; k++) x[k] = __builtin_##name##f(x[k]); return x; }
WHOLE(floor)
WHOLE(ceil)
WHOLE(round)

#define REALS(T, F)                                                                                                     \
    /* A number wins over what is none; of two that are equal the first. */                                             \
    static inline T##_1 lesser##F##_1(T##_1 a, T##_1 b) { return a <= b || b != b ? a : b; }                            \
    static inline T##_1 greater##F##_1(T##_1 a, T##_1 b) { return a >= b || b != b ? a : b; }                           \
    static inline T##_w lesser##F##_w(T##_w a, T##_w b) { return sel##F##_w(le##F##_w(a, b) | ~eq##F##_w(b, b), a, b); }\
    static inline T##_w greater##F##_w(T##_w a, T##_w b) { return sel##F##_w(le##F##_w(b, a) | ~eq##F##_w(b, b), a, b); }\
    static inline T##_1 ge##F##_1(T##_1 a, T##_1 b) { return a >= b ? 1 : 0; }                                          \
    static inline T##_w ge##F##_w(T##_w a, T##_w b) { return sel##F##_w(le##F##_w(b, a), all##F##_w(1), all##F##_w(0)); }\
    static inline T##_1 scale##F##_1(T##_1 a, T##_1 b) { return a == 0 ? 0 : a * b; }                                   \
    static inline T##_w scale##F##_w(T##_w a, T##_w b) {                                                                \
        return sel##F##_w(eq##F##_w(a, all##F##_w(0)), all##F##_w(0), a * b);                                           \
    }                                                                                                                   \
    static inline T##_1 signum##F##_1(T##_1 a) { return a > 0 ? 1 : a < 0 ? -1 : a; }                                   \
    static inline T##_w signum##F##_w(T##_w a) {                                                                        \
        T##_w down = sel##F##_w(lt##F##_w(a, all##F##_w(0)), all##F##_w(-1), a);                                        \
        return sel##F##_w(lt##F##_w(all##F##_w(0), a), all##F##_w(1), down);                                            \
    }                                                                                                                   \
    static inline T##_1 power##F##_1(T##_1 a, int n) {                                                                  \
        T##_1 all = 1;                                                                                                  \
        for (int left = n;; a *= a) {                                                                                   \
            if (left & 1) all *= a;                                                                                     \
            left /= 2;                                                                                                  \
            if (left == 0) return n < 0 ? 1 / all : all;                                                                \
        }                                                                                                               \
    }                                                                                                                   \
    static inline T##_w power##F##_w(T##_w a, int n) {                                                                  \
        T##_w all = all##F##_w(1);                                                                                      \
        for (int left = n;; a *= a) {                                                                                   \
            if (left & 1) all *= a;                                                                                     \
            left /= 2;                                                                                                  \
            if (left == 0) return n < 0 ? all##F##_w(1) / all : all;                                                    \
        }                                                                                                               \
    }                                                                                                                   \
    /* Towards 0, the nearest that there is; what is no number becomes 0. */                                            \
    static inline i64_1 trunc##F##_1(T##_1 a, i64_1 low, i64_1 high) {                                                  \
        if (a != a) return 0;                                                                                           \
        if (a >= (T##_1)9223372036854775807.0) return high;                                                             \
        if (a < (T##_1)-9223372036854775808.0) return low;                                                              \
        i64_1 n = (i64_1)a;                                                                                             \
        return n < low ? low : n > high ? high : n;                                                                     \
    }                                                                                                                   \
    static inline i64_1 truncu64##F##_1(T##_1 a) {                                                                      \
        return !(a > 0) ? 0 : a >= (T##_1)18446744073709551615.0 ? -1 : (i64_1)(uint64_t)a;                             \
    }                                                                                                                   \
    static inline i64_w trunc##F##_w(T##_w a, i64_1 low, i64_1 high) {                                                  \
        i64_w n = {0};                                                                                                  \
        EACH_LANE(k) n[k] = trunc##F##_1(a[k], low, high);                                                              \
        return n;                                                                                                       \
    }                                                                                                                   \
    static inline i64_w truncu64##F##_w(T##_w a) {                                                                      \
        i64_w n = {0};                                                                                                  \
        EACH_LANE(k) n[k] = truncu64##F##_1(a[k]);                                                                      \
        return n;                                                                                                       \
    }                                                                                                                   \
    static inline T##_1 realof##F##_1(i64_1 n) { return (T##_1)n; }                                                     \
    static inline T##_1 realofu##F##_1(i64_1 n) { return (T##_1)(uint64_t)n; }                                          \
    static inline T##_w realof##F##_w(i64_w n) { return __builtin_convertvector(n, T##_w); }                            \
    static inline T##_w realofu##F##_w(i64_w n) { return __builtin_convertvector((u64_w)n, T##_w); }

REALS(f64, )
REALS(f32, f)

static inline f64_1 single_1(f64_1 x) { return (f32_1)x; }
static inline f64_w single_w(f64_w x) { return __builtin_convertvector(__builtin_convertvector(x, f32_w), f64_w); }
static inline f64_1 realsingle_1(i64_1 n) { return (f32_1)n; }
static inline f64_1 realsingleu_1(i64_1 n) { return (f32_1)(uint64_t)n; }
static inline f64_w realsingle_w(i64_w n) { return __builtin_convertvector(__builtin_convertvector(n, f32_w), f64_w); }
static inline f64_w realsingleu_w(i64_w n) { return __builtin_convertvector(__builtin_convertvector((u64_w)n, f32_w), f64_w); }

/* To half precision: what is added has the digits of the result for its last ones, so that the sum is rounded to them. */
static inline f64_1 half_1(f64_1 x) {
    i64_1 exponent = (i64_1)bits_1(x) & INT64_C(0x7ff0000000000000);
    exponent = exponent < (INT64_C(0x3f1) << 52) ? INT64_C(0x3f1) << 52 : exponent;
    exponent = exponent > (INT64_C(0x40f) << 52) ? INT64_C(0x40f) << 52 : exponent;
    f64_1 shift = real_1((u64_1)(exponent + (INT64_C(42) << 52))), rounded = (abs_1(x) + shift) - shift;
    rounded = rounded > 65504.0 ? __builtin_inf() : rounded;
    return real_1((bits_1(rounded) & INT64_MAX) | (bits_1(x) & (u64_1)INT64_MIN));
}
static inline f64_w half_w(f64_w x) {
    EACH_LANE(k) x[k] = half_1(x[k]);
    return x;
}

/* The bits of reals of a kind, in registers of any, and the reals of bits; those of single numbers in registers of singles have an f. */
LANES i64_1 tobits_f64_1(f64_1 x) { return (i64_1)bits_1(x); }
LANES f64_1 frombits_f64_1(i64_1 n) { return real_1((u64_1)n); }
LANES i64_w tobits_f64_w(f64_w x) { return (i64_w)x; }
LANES f64_w frombits_f64_w(i64_w n) { return (f64_w)n; }
LANES i64_1 tobits_f32f_1(f32_1 x) { uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
LANES f32_1 frombits_f32f_1(i64_1 n) { uint32_t bits = (uint32_t)n; f32_1 x; memcpy(&x, &bits, sizeof x); return x; }
LANES i64_1 tobits_f32_1(f64_1 x) { return tobits_f32f_1((f32_1)x); }
LANES f64_1 frombits_f32_1(i64_1 n) { return frombits_f32f_1(n); }
/* A half is here as the double that it is; scaled by the difference of their exponents it has the bits of the half, behind 42 others. */
static inline i64_1 tobits_f16_1(f64_1 x) {
    return (i64_1)((bits_1(abs_1(half_1(x)) / 0x1p1008) >> 42) & 0x7fff) | (i64_1)(bits_1(x) >> 63 << 15);
}
static inline f64_1 frombits_f16_1(i64_1 n) {
    const u64_1 bits = (u64_1)(n & 0x7fff) << 42;
    const f64_1 size = (n & 0x7c00) < 0x7c00 ? real_1(bits) * 0x1p1008 : real_1(bits | UINT64_C(0x7ff0000000000000));
    return n & 0x8000 ? -size : size;
}
#define BITS_BY_LANE(name, T)                                                                                           \
    LANES i64_w tobits_##name##_w(T##_w x) { i64_w n = {0}; EACH_LANE(k) n[k] = tobits_##name##_1(x[k]); return n; }     \
    LANES T##_w frombits_##name##_w(i64_w n) { T##_w x = {0}; EACH_LANE(k) x[k] = frombits_##name##_1(n[k]); return x; }
BITS_BY_LANE(f32, f64)
BITS_BY_LANE(f16, f64)
BITS_BY_LANE(f32f, f32)
