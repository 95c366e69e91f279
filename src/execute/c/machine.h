/* What all functions here need: the run, memory, and the lanes' own elements. */

/* An argument or a result: a scalar, or elements in memory and sizes. */
struct port {
    void *elements;
    i64_1 *sizes;
    i64_1 length, integer;
    f64_1 real;
};

/* A run. */
struct context {
    void *self;
    /* Memory for this many elements of this size and kind, in the place of other memory; that alone for 0 elements. NULL if there is none. */
    void *(*memory)(struct context *context, void *before, i64_1 elements, i64_1 size, i64_1 kind);
    /* Counts the steps taken since the last call, and says whether the run is to end. */
    int (*spend)(struct context *context);
    i64_1 left, failed, operands[4];
    struct port *in, *out;
};

/* Kinds of memory: anything, and elements that are exchanged as they are. */
enum { KIND_any, KIND_f64, KIND_f32, KIND_i64, KIND_u64 = KIND_i64 };
#define KIND_i32 KIND_any
#define KIND_u32 KIND_any
#define KIND_i16 KIND_any
#define KIND_u16 KIND_any
#define KIND_i8 KIND_any
#define KIND_u8 KIND_any
#define KIND_f64_w KIND_any
#define KIND_f32_w KIND_any
#define KIND_i64_w KIND_any

#define STOP                                                        \
    do {                                                            \
        status = 1;                                                 \
        goto done;                                                  \
    } while (0)
#define TICK(steps)                                                 \
    do {                                                            \
        if ((context->left -= (steps)) < 0 && context->spend(context)) STOP; \
    } while (0)
/* The next stretch of a loop, in which each iteration is a step. */
#define TICKS(i, stop, count)                                       \
    stop = (count) - i < 1024 ? (count) : i + 1024;                 \
    TICK(stop - i)
#define SWAP(T, a, b)                                               \
    do {                                                            \
        T swapped = a;                                              \
        a = b;                                                      \
        b = swapped;                                                \
    } while (0)
/* Memory that is large enough is kept. */
#define ALLOC(T, b, n, room, count)                                 \
    do {                                                            \
        n = maxi_1(count, 0);                                       \
        if (n > room || !b) {                                       \
            b = context->memory(context, b, n, sizeof(T), KIND_##T);\
            room = n;                                               \
            if (!b) {                                               \
                context->failed = -1;                               \
                STOP;                                               \
            }                                                       \
        }                                                           \
    } while (0)
/* Memory for a result, where it is to go if there is room. */
#define RESULT(T, b, n, room, count, k)                             \
    do {                                                            \
        if (!b && context->out[k].elements && (count) <= context->out[k].length) { \
            b = context->out[k].elements;                           \
            room = context->out[k].length;                          \
        }                                                           \
        ALLOC(T, b, n, room, count);                                \
    } while (0)

#define OWN_ELEMENTS(T)                                                                                                           \
    static inline T##_w own_##T(const T##_w *b, i64_1 length, i64_1 at) { return IS_THERE(at, length) ? b[at] : (T##_w){0}; }      \
    static inline void setown_##T(T##_w *b, i64_1 length, i64_1 at, T##_w x) {                                                     \
        if (IS_THERE(at, length)) b[at] = x;                                                                                       \
    }                                                                                                                              \
    static inline T##_w ownat_##T(const T##_w *b, i64_1 length, i64_w at) {                                                        \
        T##_w x = {0};                                                                                                             \
        EACH_LANE(k) x[k] = IS_THERE(at[k], length) ? b[at[k]][k] : 0;                                                             \
        return x;                                                                                                                  \
    }                                                                                                                              \
    static inline void setownat_##T(T##_w *b, i64_1 length, i64_w at, T##_w x, i64_w where) {                                      \
        EACH_LANE(k) if (where[k] && IS_THERE(at[k], length)) b[at[k]][k] = x[k];                                                  \
    }
OWN_ELEMENTS(f64)
OWN_ELEMENTS(f32)
OWN_ELEMENTS(i64)
