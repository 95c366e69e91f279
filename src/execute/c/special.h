/* ln|Gamma|, psi and its derivatives, of doubles. psi and its derivatives do what primitives/special.rs does, with its constants, which are
   printed before: ROOT, INV_ROOT1, SLOPE, PSI_TAIL, EULER_MACLAURIN, STIRLING, INV_E, EXACT_FACTORIALS. */

/* A positive number, or one in two parts. */
struct parts {
    f64_1 high, low;
};

/* a + b, and what rounding it left. */
SHORT struct parts two_sum_1(f64_1 a, f64_1 b) {
    const f64_1 sum = a + b, of_b = sum - a;
    return (struct parts){sum, (a - (sum - of_b)) + (b - of_b)};
}

/* a/b for a, b > 0: q and d with a/b = q*(1 + d), or d = 0 where q overflows and has no error to speak of. */
SHORT struct parts ratio_1(struct parts a, struct parts b) {
    const f64_1 q = a.high / b.high, product = q * b.high;
    const f64_1 rest = ((a.high - product) - left_of_product_1(q, b.high, product)) + (a.low - q * b.low), error = rest / a.high;
    return (struct parts){q, abs_1(error) < __builtin_inf() ? error : 0};
}

/* c[0] + c[1]*t + c[2]*t^2 + ... */
#define POLYNOMIAL(c, t) polynomial_1(c, sizeof(c) / sizeof *(c), t)
SHORT f64_1 polynomial_1(const f64_1 *c, size_t count, f64_1 t) {
    f64_1 sum = c[--count];
    while (count > 0) sum = sum * t + c[--count];
    return sum;
}

/* The nearest whole number, and the next one down, by sums that have no digits after the point: without SSE4.1 the others are calls. */
SHORT f64_1 nearest_whole_1(f64_1 x) {
    const f64_1 whole = x < 0 ? -0x1p52 : 0x1p52;
    return abs_1(x) < 0x1p52 ? (x + whole) - whole : x;
}
SHORT f64_1 whole_below_1(f64_1 x) {
    const f64_1 n = nearest_whole_1(x);
    return n > x ? n - 1 : n;
}

/* Whether x is 0 or a negative integer. */
SHORT int is_pole_1(f64_1 x) { return x <= 0 && x > -__builtin_inf() && nearest_whole_1(x) == x; }

/* B(2k)/(2k*(2k - 1)): the tail of ln Gamma. */
static const f64_1 LGAMMA_TAIL[] = {
    0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417,
    -0.0019175269175269176, 0.00641025641025641, -0.029550653594771242, 0.17964437236883057,
};
/* ln Gamma(1 + y)/(y*(y - 1)) in powers of y - 1/2 for 0 <= y <= 1. */
static const f64_1 LGAMMA_FROM_1[] = {
    0.4831289505409809, -0.14595989591430594, 0.06291140107456485, -0.03130848750105327, 0.01679709863121395,
    -0.009425622444829649, 0.005446457842219553, -0.0032120742206072908, 0.0019229162321227923, -0.001164411377219605,
    0.0007115202752051298, -0.00043803516132580534, 0.00027130273545114005, -0.0001685717945035172, 0.00010541715222185904,
    -6.793733027397047e-05, 4.281642862794779e-05, -2.148770252062576e-05, 1.3584275459130943e-05, -1.8527803997032962e-05,
    1.1820969445467145e-05,
};
/* ln Gamma(2 + y)/y in powers of y - 1/2 for 0 <= y <= 1. */
static const f64_1 LGAMMA_FROM_2[] = {
    0.5693657409458384, 0.2675817993988097, -0.0448058426973846, 0.0108770015141976, -0.0030951822936174096,
    0.0009610979285520405, -0.00031505925035239633, 0.00010710021010234954, -3.735336940027229e-05, 1.3275711130257407e-05,
    -4.786379987514225e-06, 1.745641275403404e-06, -6.421417451955873e-07, 2.353723932844072e-07, -8.772358424774663e-08,
    3.8720781951940836e-08, -1.4586003484400256e-08,
};

/* ln Gamma(x) for x > 0: by Stirling's series, and below 8 from the interval between 1 and 3. */
LONG f64_1 lgamma_right_1(f64_1 x) {
    if (x >= 8) {
        const f64_1 inverse = 1 / x;
        return (x - 0.5) * (ln_1(x) - 1) + (0.4189385332046727 + inverse * POLYNOMIAL(LGAMMA_TAIL, inverse * inverse));
    }
    if (x < 2) {
        const f64_1 y = x < 1 ? x : x - 1, near = y * (y - 1) * POLYNOMIAL(LGAMMA_FROM_1, y - 0.5);
        return x < 1 ? near - ln_1(x) : near;
    }
    f64_1 z = x, product = 1;
    while (z >= 3) {
        z -= 1;
        product *= z;
    }
    const f64_1 near = (z - 2) * POLYNOMIAL(LGAMMA_FROM_2, z - 2.5);
    return x < 3 ? near : ln_1(product) + near;
}

/* |sin(pi*x)| for x that is no integer. */
SHORT f64_1 sine_of_turns_1(f64_1 x) {
    const f64_1 turn = abs_1(x - nearest_whole_1(x));
    const int is_far = turn > 0.25;
    const struct angle angle = part_of_right_angle(2 * (is_far ? 0.5 - turn : turn), 0);
    return sin_from_1(is_far, angle.rest, angle.low);
}

/* ln|Gamma(x)|. */
LONG f64_1 lgamma_1(f64_1 x) {
    if (abs_1(x) == __builtin_inf() || is_pole_1(x)) return __builtin_inf();
    if (abs_1(x) < 1e-17) return -ln_1(abs_1(x));
    if (x < 0) return (1.1447298858494002 - ln_1(sine_of_turns_1(x))) - lgamma_right_1(1 - x);
    return lgamma_right_1(x);
}

/* y - root, and (psi(2 + y) - psi(2 + root))/(y - root), for 0 <= y <= 1. */
SHORT struct parts from_root_1(f64_1 y) { return (struct parts){(y - ROOT[0]) - ROOT[1], POLYNOMIAL(SLOPE, y - 0.5)}; }

/* psi(x) for x > 0. */
LONG f64_1 digamma_right_1(f64_1 x) {
    if (x >= 10) {
        const f64_1 inverse = 1 / x, square = inverse * inverse;
        return ln_1(x) - (0.5 * inverse + square * POLYNOMIAL(PSI_TAIL, square));
    }
    if (x < 2) {
        const f64_1 y = x < 1 ? x : x - 1;
        const struct parts from = from_root_1(y);
        const f64_1 near = from.high * (INV_ROOT1[0] / (1 + y) + from.low);
        return x < 1 ? near - 1 / x : near;
    }
    f64_1 z = x, sum = 0;
    while (z >= 3) {
        z -= 1;
        sum += 1 / z;
    }
    const struct parts from = from_root_1(z - 2);
    return sum + (INV_ROOT1[0] + (from.high * from.low + INV_ROOT1[1]));
}

/* pi*cot(pi*x) for x that is no integer. */
SHORT f64_1 pi_cot_pi_1(f64_1 x) {
    const f64_1 pi = 3.141592653589793, r = x - nearest_whole_1(x);
    if (abs_1(r) <= 0.25) return pi / tan_1(pi * r);
    const f64_1 value = pi * tan_1(pi * (0.5 - abs_1(r)));
    return r < 0 ? -value : value;
}

/* psi(x). */
LONG f64_1 digamma_1(f64_1 x) {
    if (is_pole_1(x)) return __builtin_nan("");
    if (abs_1(x) < 1e-17) return -1 / x;
    if (x < 0) return digamma_right_1(1 - x) - pi_cot_pi_1(x);
    return digamma_right_1(x);
}

/* x^s*zeta(s, x), the sum of (x/(x + k))^s over k >= 0, for integers s >= 2 and x > 0. */
LONG f64_1 relative_hurwitz_1(f64_1 s, struct parts x) {
    if (x.high < 1e-9) return 1;
    const f64_1 start = s + 12;
    f64_1 sum = 0, low = 0, power = 1, k = 0;
    struct parts z = x;
    while (z.high < start) {
        const struct parts total = two_sum_1(sum, power);
        sum = total.high;
        low += total.low;
        if (power * (1 + z.high / (s - 1)) < 1e-18 * sum) return sum + low;
        k += 1;
        z = two_sum_1(x.high, k);
        z.low += x.low;
        const struct parts ratio = ratio_1(x, z);
        const f64_1 t = s * ratio.low;
        power = pow_1(ratio.high, s);
        power += power * t * (1 + 0.5 * t);
    }
    const f64_1 inverse = 1 / z.high;
    f64_1 tail = 0.5, factor = s * inverse, order = s;
    for (size_t j = 0; j < sizeof EULER_MACLAURIN / sizeof *EULER_MACLAURIN; j++) {
        tail += EULER_MACLAURIN[j] * factor;
        factor *= ((order + 1) * inverse) * ((order + 2) * inverse);
        order += 2;
    }
    const struct parts most = two_sum_1(sum, power * (z.high / (s - 1))), all = two_sum_1(most.high, power * tail);
    return all.high + ((low + most.low) + all.low);
}

/* n! times the sum of 1/(x + k)^(n + 1) over k >= 0, for n >= 1 and x > 0. */
LONG f64_1 lattice_sum_1(uint32_t n, struct parts x) {
    if (x.high == __builtin_inf()) return 0;
    const f64_1 m = n, s = m + 1, sum = relative_hurwitz_1(s, x);
    f64_1 half, rest = 1;
    if (n <= EXACT_FACTORIALS) {
        for (uint32_t k = 2; k <= n; k++) rest *= k;
        half = pow_1(x.high, -0.5 * s);
        rest *= 1 - s * (x.low / x.high);
    } else {
        const f64_1 q = m * INV_E[0], inverse = 1 / m;
        const struct parts numerator = {q, left_of_product_1(m, INV_E[0], q) + m * INV_E[1]}, base = ratio_1(numerator, x);
        half = pow_1(base.high, 0.5 * m);
        rest = sqrt_1(6.283185307179586 * m) / x.high * exp_1(inverse * POLYNOMIAL(STIRLING, inverse * inverse) + m * base.low);
    }
    return half * (rest * sum) * half;
}

/* The n-th derivative of psi. */
LONG f64_1 polygamma_1(uint32_t n, f64_1 x) {
    if (n == 0) return digamma_1(x);
    const int odd = n % 2 == 1;
    if (is_pole_1(x)) return odd ? __builtin_inf() : __builtin_nan("");
    if (x > 0) {
        const f64_1 sum = lattice_sum_1(n, (struct parts){x, 0});
        return odd ? sum : -sum;
    }
    const f64_1 infinity = __builtin_inf(), a = -x - whole_below_1(-x);
    const f64_1 left = lattice_sum_1(n, (struct parts){a, 0}), right = lattice_sum_1(n, two_sum_1(1, -a));
    const f64_1 beyond = lattice_sum_1(n, two_sum_1(1, -x));
    if (odd) return (left == infinity ? left : left - beyond) + right;
    if (left == infinity && right == infinity) return a < 0.5 ? infinity : a > 0.5 ? -infinity : -beyond;
    return (left - right) - beyond;
}

/* Of singles, and lane by lane: what varies is how many terms there are. */
SHORT f32_1 lgammaf_1(f32_1 x) { return narrow_1(lgamma_1(x)); }
SHORT f32_1 digammaf_1(f32_1 x) { return narrow_1(digamma_1(x)); }
SHORT f32_1 polygammaf_1(uint32_t n, f32_1 x) { return narrow_1(polygamma_1(n, x)); }
#define SPECIAL(T, F)                                                                                           \
    LANES T##_w lgamma##F##_w(T##_w x) { EACH_LANE(k) x[k] = lgamma##F##_1(x[k]); return x; }                   \
    LANES T##_w digamma##F##_w(T##_w x) { EACH_LANE(k) x[k] = digamma##F##_1(x[k]); return x; }                 \
    LANES T##_w polygamma##F##_w(uint32_t n, T##_w x) { EACH_LANE(k) x[k] = polygamma##F##_1(n, x[k]); return x; }
SPECIAL(f64, )
SPECIAL(f32, f)
