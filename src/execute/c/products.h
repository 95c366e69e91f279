/* Products of matrices, of which one has a column or a row for each lane. T is in memory as it is in registers. They are part of the loops that
   have them, where it is known whose lines are in which memory. */

/* Many processors take a hundred times as long to multiply a subnormal number, which is below NORMAL. What it adds to a sum of at least LEAST
   changes nothing, if what it is multiplied with is no more than MODERATE. No sum changes by less than NEGLIGIBLE times itself. */
#define NORMAL 0x1p-1022
#define MODERATE 0x1p200
#define LEAST 0x1p-700
#define NEGLIGIBLE 0x1p-54
#define NORMALf 0x1p-126f
#define MODERATEf 0x1p20f
#define LEASTf 0x1p-70f
#define NEGLIGIBLEf 0x1p-25f
/* What is seldom called stays out of loops. */
#define SELDOM static __attribute__((noinline, cold, unused))

#define PRODUCTS(T, F)                                                                                                                     \
    /* Numbers of the lanes, a line after the other: in memory of their own, or in a row of an array. */                                   \
    struct line_##T {                                                                                                                      \
        T##_w *own;                                                                                                                        \
        T *shared;                                                                                                                         \
        i64_1 length, start, by;                                                                                                           \
    };                                                                                                                                     \
    LANES T##_w line_##T(struct line_##T it, i64_1 k) {                                                                                    \
        const i64_1 at = addi_1(it.start, muli_1(it.by, k));                                                                               \
        return it.own ? own_##T(it.own, it.length, at) : row_##T(it.shared, it.length, at);                                                \
    }                                                                                                                                      \
    LANES void setline_##T(struct line_##T it, i64_1 k, T##_w x, int n) {                                                                  \
        const i64_1 at = addi_1(it.start, muli_1(it.by, k));                                                                               \
        if (it.own)                                                                                                                        \
            setown_##T(it.own, it.length, at, x);                                                                                          \
        else                                                                                                                               \
            setrow_##T(it.shared, it.length, at, x, n);                                                                                    \
    }                                                                                                                                      \
    /* rows = matrix · columns */                                                                                                          \
    LANES void product_##T(i64_1 m, i64_1 count, const T *b, i64_1 length, i64_1 base, i64_1 down, i64_1 across,                           \
                                   struct line_##T rows, struct line_##T columns, int n) {                                                 \
        i64_1 i = 0;                                                                                                                       \
        const i64_1 last = base + (m - 1) * down + (count - 1) * across;                                                                   \
        if (m > 0 && count > 0 && down >= 0 && across >= 0 && base >= 0 && last < length) {                                                \
            /* Eight sums at a time, as many as keep two units of multiply-adds busy that take four cycles each. */                        \
            for (; i + 8 <= m; i += 8) {                                                                                                   \
                const T *r0 = b + base + i * down, *r1 = r0 + down, *r2 = r1 + down, *r3 = r2 + down;                                      \
                const T *r4 = r3 + down, *r5 = r4 + down, *r6 = r5 + down, *r7 = r6 + down;                                                \
                T##_w s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};                                      \
                for (i64_1 j = 0; j < count; j++) {                                                                                        \
                    const T##_w x = line_##T(columns, j);                                                                                  \
                    s0 = madd##F##_w(all##F##_w(r0[j * across]), x, s0);                                                                   \
                    s1 = madd##F##_w(all##F##_w(r1[j * across]), x, s1);                                                                   \
                    s2 = madd##F##_w(all##F##_w(r2[j * across]), x, s2);                                                                   \
                    s3 = madd##F##_w(all##F##_w(r3[j * across]), x, s3);                                                                   \
                    s4 = madd##F##_w(all##F##_w(r4[j * across]), x, s4);                                                                   \
                    s5 = madd##F##_w(all##F##_w(r5[j * across]), x, s5);                                                                   \
                    s6 = madd##F##_w(all##F##_w(r6[j * across]), x, s6);                                                                   \
                    s7 = madd##F##_w(all##F##_w(r7[j * across]), x, s7);                                                                   \
                }                                                                                                                          \
                const T##_w s[8] = {s0, s1, s2, s3, s4, s5, s6, s7};                                                                       \
                for (int k = 0; k < 8; k++) setline_##T(rows, i + k, s[k], n);                                                             \
            }                                                                                                                              \
            for (; i + 4 <= m; i += 4) {                                                                                                   \
                const T *r0 = b + base + i * down, *r1 = r0 + down, *r2 = r1 + down, *r3 = r2 + down;                                      \
                T##_w s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                                                              \
                for (i64_1 j = 0; j < count; j++) {                                                                                        \
                    const T##_w x = line_##T(columns, j);                                                                                  \
                    s0 = madd##F##_w(all##F##_w(r0[j * across]), x, s0);                                                                   \
                    s1 = madd##F##_w(all##F##_w(r1[j * across]), x, s1);                                                                   \
                    s2 = madd##F##_w(all##F##_w(r2[j * across]), x, s2);                                                                   \
                    s3 = madd##F##_w(all##F##_w(r3[j * across]), x, s3);                                                                   \
                }                                                                                                                          \
                setline_##T(rows, i, s0, n);                                                                                               \
                setline_##T(rows, i + 1, s1, n);                                                                                           \
                setline_##T(rows, i + 2, s2, n);                                                                                           \
                setline_##T(rows, i + 3, s3, n);                                                                                           \
            }                                                                                                                              \
        }                                                                                                                                  \
        for (; i < m; i++) {                                                                                                               \
            T##_w s = {0};                                                                                                                 \
            for (i64_1 j = 0; j < count; j++) {                                                                                            \
                const T##_1 x = load_##T(b, length, addi_1(base, addi_1(muli_1(i, down), muli_1(j, across))));                             \
                s = madd##F##_w(all##F##_w(x), line_##T(columns, j), s);                                                                   \
            }                                                                                                                              \
            setline_##T(rows, i, s, n);                                                                                                    \
        }                                                                                                                                  \
    }                                                                                                                                      \
    /* Where the lanes have a subnormal number. */                                                                                         \
    LANES i64_w subnormal_##T(T##_w x) {                                                                                                   \
        return lt##F##_w(abs##F##_w(x), all##F##_w(NORMAL##F)) & ~eq##F##_w(x, all##F##_w(0));                                             \
    }                                                                                                                                      \
    /* Whether all numbers of the lanes that are there are moderate. Infinity and NaN are not. */                                          \
    SELDOM int are_moderate_##T(i64_1 m, i64_1 count, struct line_##T rows, struct line_##T columns, i64_w live) {                         \
        i64_w all = ~(i64_w){0};                                                                                                           \
        for (i64_1 i = 0; i < m; i++) all &= le##F##_w(abs##F##_w(line_##T(rows, i)), all##F##_w(MODERATE##F));                            \
        for (i64_1 j = 0; j < count; j++) all &= le##F##_w(abs##F##_w(line_##T(columns, j)), all##F##_w(MODERATE##F));                     \
        return !any(live & ~all);                                                                                                          \
    }                                                                                                                                      \
    /* matrix += rows · columnsᵀ, of products with a subnormal number, where they change a sum. They are made MODERATE times as large. */  \
    SELDOM void subnormal_sums_##T(i64_1 m, i64_1 count, T *b, i64_1 down, struct line_##T rows, struct line_##T columns, i64_w live) {    \
        const T##_w zero = {0}, more = all##F##_w(MODERATE##F);                                                                            \
        for (i64_1 j = 0; j + W <= count; j += W) {                                                                                        \
            T##_w turned[W], subnormal[W];                                                                                                 \
            EACH_LANE(k) {                                                                                                                 \
                const T##_w y = sel##F##_w(live, line_##T(columns, j + k), zero);                                                          \
                const T##_w of_y = sel##F##_w(subnormal_##T(y), y, zero) * more;                                                           \
                EACH_LANE(l) turned[l][k] = y[l], subnormal[l][k] = of_y[l];                                                               \
            }                                                                                                                              \
            for (i64_1 i = 0; i < m; i++) {                                                                                                \
                T##_elements *to = (T##_elements *)(void *)(b + i * down + j);                                                             \
                if (!any(lt##F##_w(abs##F##_w(*to), all##F##_w(LEAST##F)))) continue;                                                      \
                const T##_w x = sel##F##_w(live, line_##T(rows, i), zero);                                                                 \
                const i64_w is = subnormal_##T(x);                                                                                         \
                const T##_w of_x = sel##F##_w(is, x * more, x);                                                                            \
                T##_w s = {0};                                                                                                             \
                EACH_LANE(l) s = madd##F##_w(all##F##_w(of_x[l]), is[l] ? turned[l] : subnormal[l], s);                                    \
                const i64_w counts = ~lt##F##_w(abs##F##_w(s), abs##F##_w(*to) * all##F##_w(NEGLIGIBLE##F * MODERATE##F));                 \
                *to += sel##F##_w(counts, s, zero) * all##F##_w(1 / MODERATE##F);                                                          \
            }                                                                                                                              \
        }                                                                                                                                  \
    }                                                                                                                                      \
    /* The lanes that are there, without the subnormal numbers of some. */                                                                 \
    LANES T##_w normal_##T(T##_w x, i64_w aside, i64_w live) {                                                                             \
        return sel##F##_w(live & ~(aside & lt##F##_w(abs##F##_w(x), all##F##_w(NORMAL##F))), x, all##F##_w(0));                            \
    }                                                                                                                                      \
    /* matrix += rows · columnsᵀ, of the lanes that are there */                                                                           \
    LANES void sums_##T(i64_1 m, i64_1 count, T *b, i64_1 length, i64_1 base, i64_1 down, i64_1 across, struct line_##T rows,              \
                                struct line_##T columns, i64_w live) {                                                                     \
        const i64_1 last = base + (m - 1) * down + (count - 1) * across;                                                                   \
        const int is_inside = m > 0 && count > 0 && down >= 0 && across == 1 && base >= 0 && last < length;                                \
        /* In small sums to look for them takes longer. */                                                                                 \
        const int is_large = is_inside && W <= count && count * m >= 1024;                                                                 \
        i64_w found = {0};                                                                                                                 \
        for (i64_1 i = 0; is_large && i < m; i++) found |= subnormal_##T(line_##T(rows, i));                                               \
        for (i64_1 k = 0; is_large && k < count; k++) found |= subnormal_##T(line_##T(columns, k));                                        \
        const int apart = any(live & found) && are_moderate_##T(m, count, rows, columns, live);                                            \
        const i64_w aside = apart ? ~(i64_w){0} : (i64_w){0};                                                                              \
        i64_1 j = 0;                                                                                                                       \
        /* W columns of the matrix at a time: what the lanes have for them, the other way round. Two times as many, as long as there are, so\
           that what is spread over a vector is used twice. */                                                                             \
        for (; is_inside && j + 2 * W <= count; j += 2 * W) {                                                                              \
            T##_w turned[W], beside[W];                                                                                                    \
            EACH_LANE(k) {                                                                                                                 \
                const T##_w x = normal_##T(line_##T(columns, j + k), aside, live);                                                         \
                const T##_w y = normal_##T(line_##T(columns, j + W + k), aside, live);                                                     \
                EACH_LANE(l) turned[l][k] = x[l], beside[l][k] = y[l];                                                                     \
            }                                                                                                                              \
            for (i64_1 i = 0; i < m; i++) {                                                                                                \
                const T##_w x = normal_##T(line_##T(rows, i), aside, live);                                                                \
                T##_elements *to = (T##_elements *)(void *)(b + base + i * down + j);                                                      \
                T##_w s = {0}, t = {0};                                                                                                    \
                EACH_LANE(l) {                                                                                                             \
                    const T##_w of_lane = all##F##_w(x[l]);                                                                                \
                    s = madd##F##_w(of_lane, turned[l], s);                                                                                \
                    t = madd##F##_w(of_lane, beside[l], t);                                                                                \
                }                                                                                                                          \
                to[0] += s;                                                                                                                \
                to[1] += t;                                                                                                                \
            }                                                                                                                              \
        }                                                                                                                                  \
        for (; is_inside && j + W <= count; j += W) {                                                                                      \
            T##_w turned[W];                                                                                                               \
            EACH_LANE(k) {                                                                                                                 \
                const T##_w x = normal_##T(line_##T(columns, j + k), aside, live);                                                         \
                EACH_LANE(l) turned[l][k] = x[l];                                                                                          \
            }                                                                                                                              \
            for (i64_1 i = 0; i < m; i++) {                                                                                                \
                const T##_w x = normal_##T(line_##T(rows, i), aside, live);                                                                \
                T##_elements *to = (T##_elements *)(void *)(b + base + i * down + j);                                                      \
                T##_w s = {0};                                                                                                             \
                EACH_LANE(l) s = madd##F##_w(all##F##_w(x[l]), turned[l], s);                                                              \
                *to += s;                                                                                                                  \
            }                                                                                                                              \
        }                                                                                                                                  \
        if (apart) subnormal_sums_##T(m, j, b + base, down, rows, columns, live);                                                          \
        for (i64_1 i = 0; i < m; i++) {                                                                                                    \
            for (i64_1 k = j; k < count; k++) {                                                                                            \
                const i64_1 at = addi_1(base, addi_1(muli_1(i, down), muli_1(k, across)));                                                 \
                const T##_w x = line_##T(rows, i), y = line_##T(columns, k);                                                               \
                const T##_1 s = sum##F##_w(sel##F##_w(live, x * y, all##F##_w(0)));                                                        \
                store_##T(b, length, at, load_##T(b, length, at) + s);                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
    }
#define OWN_LINE(T, b, n, start, by) ((struct line_##T){b, 0, n, start, by})
#define SHARED_LINE(T, b, n, start, by) ((struct line_##T){0, b, n, start, by})
