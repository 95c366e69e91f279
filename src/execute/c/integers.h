/* Integers, in registers of 64 bits, and truth values, which are 0 or all ones. They wrap around, and every operation has a value for all
   operands: what has none in the program has been checked, or is not used. An operation that depends on the kind of its operands is
   given how many bits that has, and whether it has a sign. */

#define IS_THERE(at, length) ((uint64_t)(at) < (uint64_t)(length))
#define ARE_THERE(at, count, length) ((at) >= 0 && (at) <= (length) - (count))
/* Products that wrap around have no meaning of their own in C. */
#define WRAP(op, a, b) ((int64_t)((uint64_t)(a) op (uint64_t)(b)))
#define EACH_LANE(k) for (int k = 0; k < W; k++)

static inline i64_w lane_numbers(i64_1 first) {
    i64_w all = {0};
    EACH_LANE(k) all[k] = first + k;
    return all;
}

static inline int any(i64_w mask) {
#if defined __AVX512F__ && W == 8
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined __AVX__ && W == 4
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined __AVX__ && defined LOW && W == 8
    const __m256i either = (__m256i)(LOW(mask) | HIGH(mask));
    return !_mm256_testz_si256(either, either);
#elif defined __SSE2__ && defined LOW && W == 4
    return _mm_movemask_epi8((__m128i)(LOW(mask) | HIGH(mask))) != 0;
#else
    i64_1 found = 0;
    EACH_LANE(k) found |= mask[k];
    return found != 0;
#endif
}

#define addi_1(a, b) WRAP(+, a, b)
#define subi_1(a, b) WRAP(-, a, b)
#define muli_1(a, b) WRAP(*, a, b)
#define negi_1(a) WRAP(-, 0, a)
#define wrap_i8_1(a) ((i64_1)(int8_t)(a))
#define wrap_i16_1(a) ((i64_1)(int16_t)(a))
#define wrap_i32_1(a) ((i64_1)(int32_t)(a))
#define wrap_u8_1(a) ((i64_1)(uint8_t)(a))
#define wrap_u16_1(a) ((i64_1)(uint16_t)(a))
#define wrap_u32_1(a) ((i64_1)(uint32_t)(a))

static inline i64_w addi_w(i64_w a, i64_w b) { return (i64_w)((u64_w)a + (u64_w)b); }
static inline i64_w subi_w(i64_w a, i64_w b) { return (i64_w)((u64_w)a - (u64_w)b); }
static inline i64_w muli_w(i64_w a, i64_w b) { return (i64_w)((u64_w)a * (u64_w)b); }
static inline i64_w negi_w(i64_w a) { return (i64_w)(0 - (u64_w)a); }
static inline i64_w apart_w(i64_1 first, i64_1 apart) { return addi_w(alli_w(first), muli_w(lane_numbers(0), alli_w(apart))); }
#define SHIFTED(a, bits) ((i64_w)((u64_w)(a) << (64 - (bits))) >> (64 - (bits)))
static inline i64_w wrap_i8_w(i64_w a) { return SHIFTED(a, 8); }
static inline i64_w wrap_i16_w(i64_w a) { return SHIFTED(a, 16); }
static inline i64_w wrap_i32_w(i64_w a) { return SHIFTED(a, 32); }
static inline i64_w wrap_u8_w(i64_w a) { return a & 0xff; }
static inline i64_w wrap_u16_w(i64_w a) { return a & 0xffff; }
static inline i64_w wrap_u32_w(i64_w a) { return a & 0xffffffff; }

static inline i64_1 eqi_1(i64_1 a, i64_1 b) { return -(i64_1)(a == b); }
static inline i64_1 lti_1(i64_1 a, i64_1 b) { return -(i64_1)(a < b); }
static inline i64_1 lei_1(i64_1 a, i64_1 b) { return -(i64_1)(a <= b); }
static inline i64_1 ltui_1(i64_1 a, i64_1 b) { return -(i64_1)((uint64_t)a < (uint64_t)b); }
static inline i64_1 leui_1(i64_1 a, i64_1 b) { return -(i64_1)((uint64_t)a <= (uint64_t)b); }
static inline i64_w eqi_w(i64_w a, i64_w b) { return (i64_w)(a == b); }
static inline i64_w lti_w(i64_w a, i64_w b) { return (i64_w)(a < b); }
static inline i64_w lei_w(i64_w a, i64_w b) { return (i64_w)(a <= b); }
static inline i64_w ltui_w(i64_w a, i64_w b) { return (i64_w)((u64_w)a < (u64_w)b); }
static inline i64_w leui_w(i64_w a, i64_w b) { return (i64_w)((u64_w)a <= (u64_w)b); }
/* Whether an index is not below a length. */
static inline i64_1 outside_1(i64_1 at, i64_1 length) { return ~(lei_1(0, at) & lti_1(at, length)); }
static inline i64_w outside_w(i64_w at, i64_w length) { return ~(lei_w(alli_w(0), at) & lti_w(at, length)); }

static inline i64_1 mini_1(i64_1 a, i64_1 b) { return a < b ? a : b; }
static inline i64_1 maxi_1(i64_1 a, i64_1 b) { return a > b ? a : b; }
static inline i64_1 minui_1(i64_1 a, i64_1 b) { return (uint64_t)a < (uint64_t)b ? a : b; }
static inline i64_1 maxui_1(i64_1 a, i64_1 b) { return (uint64_t)a > (uint64_t)b ? a : b; }
static inline i64_w mini_w(i64_w a, i64_w b) { return seli_w(lti_w(a, b), a, b); }
static inline i64_w maxi_w(i64_w a, i64_w b) { return seli_w(lti_w(b, a), a, b); }
static inline i64_w minui_w(i64_w a, i64_w b) { return seli_w(ltui_w(a, b), a, b); }
static inline i64_w maxui_w(i64_w a, i64_w b) { return seli_w(ltui_w(b, a), a, b); }

static inline uint64_t low_bits(i64_1 a, int bits) { return (uint64_t)a & (~UINT64_C(0) >> (64 - bits)); }

static inline i64_1 quoti_1(i64_1 a, i64_1 b, int bits, int has_sign) {
    if (b == 0) return 0;
    if (bits == 64 && !has_sign) return (i64_1)((uint64_t)a / (uint64_t)b);
    return b == -1 ? negi_1(a) : a / b;
}
static inline i64_1 remi_1(i64_1 a, i64_1 b, int bits, int has_sign) {
    if (b == 0) return 0;
    if (bits == 64 && !has_sign) return (i64_1)((uint64_t)a % (uint64_t)b);
    return b == -1 ? 0 : a % b;
}
static inline i64_1 divi_1(i64_1 a, i64_1 b, int bits, int has_sign) {
    i64_1 q = quoti_1(a, b, bits, has_sign);
    return has_sign && (a < 0) != (b < 0) && remi_1(a, b, bits, has_sign) != 0 ? subi_1(q, 1) : q;
}
static inline i64_1 modi_1(i64_1 a, i64_1 b, int bits, int has_sign) {
    i64_1 r = remi_1(a, b, bits, has_sign);
    return has_sign && (a < 0) != (b < 0) && r != 0 ? addi_1(r, b) : r;
}
static inline i64_1 absi_1(i64_1 a, int bits, int has_sign) { return (void)bits, has_sign && a < 0 ? negi_1(a) : a; }
static inline i64_1 signumi_1(i64_1 a, int bits, int has_sign) {
    (void)bits;
    return has_sign ? (a > 0) - (a < 0) : a != 0;
}
static inline i64_1 power_of(i64_1 a, i64_1 b) {
    i64_1 all = 1;
    for (uint64_t left = (uint64_t)b; left > 0; left >>= 1) {
        if (left & 1) all = muli_1(all, a);
        a = muli_1(a, a);
    }
    return all;
}
static inline i64_1 powi_1(i64_1 a, i64_1 b, int bits, int has_sign) { return (void)bits, has_sign && b < 0 ? 0 : power_of(a, b); }
static inline i64_1 shli_1(i64_1 a, i64_1 by, int bits, int has_sign) {
    return (void)has_sign, (uint64_t)by >= (uint64_t)bits ? 0 : (i64_1)((uint64_t)a << by);
}
static inline i64_1 shri_1(i64_1 a, i64_1 by, int bits, int has_sign) {
    if ((uint64_t)by >= (uint64_t)bits) return has_sign && a < 0 ? -1 : 0;
    return has_sign ? a >> by : (i64_1)((uint64_t)a >> by);
}
static inline i64_1 onesi_1(i64_1 a, int bits, int has_sign) { return (void)has_sign, __builtin_popcountll(low_bits(a, bits)); }
static inline i64_1 leading_zerosi_1(i64_1 a, int bits, int has_sign) {
    uint64_t low = low_bits(a, bits);
    return (void)has_sign, low == 0 ? bits : __builtin_clzll(low) - (64 - bits);
}
static inline i64_1 trailing_zerosi_1(i64_1 a, int bits, int has_sign) {
    uint64_t low = low_bits(a, bits);
    return (void)has_sign, low == 0 ? bits : __builtin_ctzll(low);
}
static inline i64_1 mul_highi_1(i64_1 a, i64_1 b, int bits, int has_sign) {
    if (bits < 64) return has_sign ? (a * b) >> bits : (i64_1)(((uint64_t)a * (uint64_t)b) >> bits);
    /* By halves: the upper half of the product without signs, less what each sign stands for. */
    uint64_t x = (uint64_t)a, y = (uint64_t)b, low = 0xffffffff;
    uint64_t cross = (x >> 32) * (y & low) + (((x & low) * (y & low)) >> 32), other = (x & low) * (y >> 32) + (cross & low);
    uint64_t high = (x >> 32) * (y >> 32) + (cross >> 32) + (other >> 32);
    if (has_sign) high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
    return (i64_1)high;
}

#define BY_LANE_1(name)                                                      \
    static inline i64_w name##_w(i64_w a, int bits, int has_sign) {          \
        EACH_LANE(k) a[k] = name##_1(a[k], bits, has_sign);                  \
        return a;                                                            \
    }
#define BY_LANE_2(name)                                                      \
    static inline i64_w name##_w(i64_w a, i64_w b, int bits, int has_sign) { \
        EACH_LANE(k) a[k] = name##_1(a[k], b[k], bits, has_sign);            \
        return a;                                                            \
    }
BY_LANE_1(absi)
BY_LANE_1(signumi)
BY_LANE_1(onesi)
BY_LANE_1(leading_zerosi)
BY_LANE_1(trailing_zerosi)
BY_LANE_2(quoti)
BY_LANE_2(remi)
BY_LANE_2(divi)
BY_LANE_2(modi)
BY_LANE_2(powi)
BY_LANE_2(shli)
BY_LANE_2(shri)
BY_LANE_2(mul_highi)
