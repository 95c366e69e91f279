/* Sine, cosine and tangent of any angle. Where the elementary functions have no value, whole turns are taken away first, by those bits
   of 2/pi that matter (M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983). */

/* Functions that may be needed: short ones, long ones, and those that are seldom called and stay out of those that call them. */
#define SHORT static inline __attribute__((unused))
#define LONG static __attribute__((unused))
#define SELDOM static __attribute__((noinline, cold, unused))

/* What rounding a*b to p left: exactly, where it does not underflow; without FMA by halves of the digits (T. J. Dekker, 1971), which for
   factors from 2^996 on makes it NaN. */
SHORT f64_1 left_of_product_1(f64_1 a, f64_1 b, f64_1 p) {
#if FUSED
    return fma_1(a, b, -p);
#else
    const f64_1 up = 134217729.0, a_big = a * up, b_big = b * up;
    const f64_1 a_high = a_big - (a_big - a), b_high = b_big - (b_big - b), a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - p) + (a_high * b_low + a_low * b_high)) + a_low * b_low;
#endif
}

/* An angle as a number of right angles, modulo 4, and what is left, of a modulus of at most pi/4, in two parts. */
struct angle {
    f64_1 right, rest, low;
};

/* This part of a right angle, in two parts, as an angle. */
SHORT struct angle part_of_right_angle(f64_1 part, f64_1 low) {
    const f64_1 half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17, product = part * half_pi;
    const f64_1 less = left_of_product_1(part, half_pi, product) + (part * half_pi_low + low * half_pi), rest = product + less;
    return (struct angle){0, rest, less - (rest - product)};
}

/* The bits of 2/pi after the point, behind 64 zeros. */
static const u64_1 TWO_OVER_PI[20] = {
    0x0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x6492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};

/* 64 of them. */
SHORT u64_1 two_over_pi_from(int bit) {
    const u64_1 *word = TWO_OVER_PI + bit / 64;
    return word[0] << bit % 64 | word[1] >> 1 >> (63 - bit % 64);
}

/* The upper half of a product of two words. */
SHORT u64_1 upper_product(u64_1 a, u64_1 b) {
    const u64_1 low = 0xffffffff, cross = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32), other = (a & low) * (b >> 32) + (cross & low);
    return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

/* A finite x >= 1 as an angle. Of its right angles 126 bits after the point are right, and no double is within 2^-62 of a whole number
   of them, but 0. */
SELDOM struct angle angle_of_1(f64_1 x) {
    const u64_1 bits = bits_1(x), m = (bits & 0xfffffffffffff) | (u64_1)1 << 52;
    /* x is m times a power of 2; earlier bits of 2/pi make multiples of four right angles of it. */
    const int first = (int)(bits >> 52) - 1075 + 62;
    const u64_1 second = two_over_pi_from(first + 64), lower = m * second;
    u64_1 low = lower + upper_product(m, two_over_pi_from(first + 128));
    u64_1 high = m * two_over_pi_from(first) + upper_product(m, second) + (low < lower);
    const u64_1 right = high >> 62;
    high = high << 2 | low >> 62;
    low <<= 2;
    const int is_past = high >> 63 != 0;
    if (is_past) {
        high = ~high;
        low = ~low;
    }
    const f64_1 upper = (f64_1)(high >> 32) * 0x1p-32, lowest = (f64_1)(high & 0xffffffff) * 0x1p-64, most = upper + lowest;
    const f64_1 less = (lowest - (most - upper)) + (f64_1)low * 0x1p-128, part = most + less;
    struct angle angle = part_of_right_angle(part, less - (part - most));
    angle.right = (f64_1)(right + (u64_1)is_past);
    if (is_past) {
        angle.rest = -angle.rest;
        angle.low = -angle.low;
    }
    return angle;
}

SELDOM f64_1 far_sin_1(f64_1 x) {
    const struct angle angle = angle_of_1(abs_1(x));
    const f64_1 value = sin_from_1(angle.right, angle.rest, angle.low);
    return x < 0 ? -value : value;
}
SELDOM f64_1 far_cos_1(f64_1 x) {
    const struct angle angle = angle_of_1(abs_1(x));
    return sin_from_1(angle.right + 1, angle.rest, angle.low);
}
SELDOM f64_1 far_tan_1(f64_1 x) {
    const struct angle angle = angle_of_1(abs_1(x));
    const f64_1 value = tan_from_1(angle.right, angle.rest, angle.low);
    return x < 0 ? -value : value;
}

/* The function of this name of numbers of kind T, whose names end in F. Lanes that are near are done side by side. */
#define ANGLES(name, T, F)                                                                                                  \
    LANES T##_1 any##name##F##_1(T##_1 x) { return trig_is_fast##F##_1(x) ? name##F##_1(x) : (T##_1)far_##name##_1(x); }    \
    SELDOM void far_##name##F##_w(T##_w *to, const T##_w *from) {                                                           \
        EACH_LANE(k) (*to)[k] = trig_is_fast##F##_1((*from)[k]) ? (*to)[k] : (T##_1)far_##name##_1((*from)[k]);             \
    }                                                                                                                       \
    LANES T##_w any##name##F##_w(T##_w x) {                                                                                 \
        T##_w value = name##F##_w(x);                                                                                       \
        if (any(~trig_is_fast##F##_w(x))) {                                                                                 \
            T##_w from = x, to = value;                                                                                     \
            far_##name##F##_w(&to, &from);                                                                                  \
            value = to;                                                                                                     \
        }                                                                                                                   \
        return value;                                                                                                       \
    }
