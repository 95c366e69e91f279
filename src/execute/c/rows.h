/* Rows of 2 to 4 elements that are side by side, one for each lane, as vectors of the lanes: a row is loaded or stored as one vector, and the
   vectors are turned. T has 64 bits, in memory as in registers. Lanes that are not active have what lane 0 has. */

/* GCC takes vectors apart that the processor does not have. */
#if (W == 4 || W == 8) && (defined __AVX__ || defined __clang__)
#define TURNED 1
/* Of two vectors, in each half that belongs to four lanes. */
#if W == 8
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define QUARTERS(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define UPPER(x) __builtin_shufflevector(x, x, 4, 5, 6, 7)
#define LOWER(x) __builtin_shufflevector(x, x, 0, 1, 2, 3)
#else
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ODD(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define QUARTERS(x, y) (x)
#define UPPER(x) (x)
#define LOWER(x) (x)
#endif
#if !defined __has_builtin
#undef TURNED
#elif !__has_builtin(__builtin_shufflevector)
#undef TURNED
#endif
#endif

#ifdef TURNED
typedef f64 four_f64 __attribute__((vector_size(32)));
typedef f64 near_four_f64 __attribute__((vector_size(32), aligned(8), may_alias));
typedef f64 near_two_f64 __attribute__((vector_size(16), aligned(8), may_alias));

/* A row of m elements; what is after them is anything. */
LANES four_f64 shortrow(const void *b, int m) {
    if (m == 4) return *(const near_four_f64 *)b;
#ifdef __AVX__
    if (m == 3) return _mm256_maskload_pd((const double *)b, _mm256_set_epi64x(0, -1, -1, -1));
#endif
    const near_two_f64 two = *(const near_two_f64 *)b;
    four_f64 row = __builtin_shufflevector(two, two, 0, 1, 0, 1);
    if (m == 3) row[2] = ((const near_two_f64 *)((const char *)b + 8))[0][1];
    return row;
}

LANES void setshortrow(void *b, int m, four_f64 row) {
    if (m == 4) {
        *(near_four_f64 *)b = row;
        return;
    }
    *(near_two_f64 *)b = __builtin_shufflevector(row, row, 0, 1);
    if (m == 3) {
        const f64 last = row[2];
        memcpy((char *)b + 16, &last, 8);
    }
}

/* A vector that is put together is one: stored in parts it could not be loaded as a whole right after. */
#if defined __AVX__ && PART == W
#define AS_ONE(x) __asm__("" : "+x"(x))
#else
#define AS_ONE(x) (void)(x)
#endif

/* Vectors of rows as vectors of lanes, and back. */
LANES void turn(const f64_w *rows, f64_w *to) {
    const f64_w a = EVEN(rows[0], rows[1]), b = ODD(rows[0], rows[1]), c = EVEN(rows[2], rows[3]), d = ODD(rows[2], rows[3]);
    to[0] = FIRST(a, c), to[1] = FIRST(b, d), to[2] = SECOND(a, c), to[3] = SECOND(b, d);
}
#endif

#define ROWS(T)                                                                                                                            \
    /* The m elements at `at[k]` and after it, for each lane k. */                                                                         \
    LANES void rowsat_##T(const T *b, i64_1 length, i64_w at, int m, T##_w *to, int n) {                                                   \
        for (int k = 0; k < W && k < n; k++) IN(at[k], length);                                                                            \
        for (int k = 0; k < W && k < n; k++) IN(at[k] + m - 1, length);                                                                    \
        ROWS_OF(T, b + (k < n ? at[k] : at[0]))                                                                                            \
    }                                                                                                                                      \
    LANES void rowsapart_##T(const T *b, i64_1 length, i64_1 at, i64_1 apart, int m, T##_w *to, int n) {                                   \
        for (int k = 0; k < W && k < n; k++) IN(at + apart * k, length);                                                                   \
        for (int k = 0; k < W && k < n; k++) IN(at + apart * k + m - 1, length);                                                           \
        ROWS_OF(T, b + at + (k < n ? apart * k : 0))                                                                                       \
    }                                                                                                                                      \
    LANES void setrowsapart_##T(T *b, i64_1 length, i64_1 at, i64_1 apart, int m, const T##_w *from, int n) {                              \
        for (int k = 0; k < W && k < n; k++) IN(at + apart * k, length);                                                                   \
        for (int k = 0; k < W && k < n; k++) IN(at + apart * k + m - 1, length);                                                           \
        SET_ROWS_OF(T, b + at + apart * k)                                                                                                 \
    }
#ifdef TURNED
#define ROWS_OF(T, row)                                                                                                                    \
    f64_w rows[4], turned[4];                                                                                                              \
    four_f64 of[W];                                                                                                                        \
    EACH_LANE(k) of[k] = shortrow(row, m);                                                                                                 \
    for (int k = 0; k < 4; k++) rows[k] = QUARTERS(of[k], of[k + W - 4]);                                                                  \
    turn(rows, turned);                                                                                                                    \
    for (int j = 0; j < m; j++) {                                                                                                          \
        AS_ONE(turned[j]);                                                                                                                 \
        to[j] = (T##_w)turned[j];                                                                                                          \
    }
#define SET_ROWS_OF(T, row)                                                                                                                \
    f64_w rows[4], turned[4];                                                                                                              \
    for (int j = 0; j < 4; j++) turned[j] = (f64_w)from[j < m ? j : 0];                                                                    \
    turn(turned, rows);                                                                                                                    \
    EACH_LANE(k) if (k < n) setshortrow(row, m, k < 4 ? LOWER(rows[k % 4]) : UPPER(rows[k % 4]));
#else
#define ROWS_OF(T, row) EACH_LANE(k) for (int j = 0; j < m; j++) to[j][k] = (row)[j];
#define SET_ROWS_OF(T, row) for (int k = 0; k < W && k < n; k++) for (int j = 0; j < m; j++) (row)[j] = from[j][k];
#endif
