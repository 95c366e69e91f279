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
    /* Runs `part(context, task, k)` for each k from 0 to parts, perhaps at the same time, each with a context of its own; not 0 if one is. */
    int (*share)(struct context *context, int (*part)(struct context *, const void *, i64_1), const void *task, i64_1 parts);
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
/* The next stretch of a loop, of STRETCH iterations at most, in which each iteration is a step. */
#define TICKS(i, stop, count)                                       \
    stop = (count) - i < STRETCH ? (count) : i + STRETCH;           \
    TICK(stop - i)
/* How many operations are worth a part of a loop, and the most parts. */
#define PART_LEAST 65536.0
#define PARTS_MOST 64
/* How often something is done at least. */
static inline f64_1 often(i64_1 count) { return count > 1 ? (f64_1)count : 1.0; }
/* How many lanes a part of a loop takes, a multiple of W, or else all of them. `work` is how many operations a block of lanes takes, and
   `copied` how many elements a part has copies of: one core puts all copies together, so that there are no more than take as long as a part.
   Parts are a power of two, which as many cores have equal shares of. Nothing else decides it: what is put together of parts is the same,
   whoever runs them. */
static inline i64_1 share_of(i64_1 count, f64_1 work, f64_1 copied) {
    const f64_1 blocks = (f64_1)(count / W), all = blocks * work;
    i64_1 parts = 1;
    for (f64_1 more = 2; more <= PARTS_MOST && more <= blocks && more * PART_LEAST <= all && more * more * copied <= all; more *= 2) parts *= 2;
    if (parts == 1) return count;
    return (count / W + (count % W != 0) + parts - 1) / parts * W;
}
static inline i64_1 parts_of(i64_1 count, i64_1 share) { return count <= share ? 1 : count / share + (count % share != 0); }
/* In how many pieces copies of so many elements are put together. */
static inline i64_1 pieces_of(f64_1 copied, i64_1 parts) { return copied * (f64_1)parts < PART_LEAST ? 1 : parts; }
/* The next stretch of blocks of lanes. */
#define TICKS_OF_BLOCKS(first, stop, to)                            \
    stop = (to) - first < STRETCH * W ? (to) : first + STRETCH * W; \
    TICK((stop - first) / W + ((stop - first) % W != 0))
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
    }                                                                                                                             \
    static inline T##_w ownin_##T(const T##_w *b, i64_1 length, i64_1 at) {                                                        \
        IN(at, length);                                                                                                            \
        return b[at];                                                                                                              \
    }                                                                                                                              \
    static inline void setownin_##T(T##_w *b, i64_1 length, i64_1 at, T##_w x) {                                                   \
        IN(at, length);                                                                                                            \
        b[at] = x;                                                                                                                 \
    }                                                                                                                              \
    static inline T##_w ownatin_##T(const T##_w *b, i64_1 length, i64_w at, int n) {                                               \
        for (int k = 0; k < n; k++) IN(at[k], length);                                                                             \
        if (__builtin_expect(n < W, 0)) return ownat_##T(b, length, at);                                                           \
        T##_w x = {0};                                                                                                             \
        EACH_LANE(k) x[k] = b[at[k]][k];                                                                                           \
        return x;                                                                                                                  \
    }                                                                                                                              \
    static inline void setownatin_##T(T##_w *b, i64_1 length, i64_w at, T##_w x, i64_w where) {                                    \
        EACH_LANE(k) if (where[k]) {                                                                                               \
            IN(at[k], length);                                                                                                     \
            b[at[k]][k] = x[k];                                                                                                    \
        }                                                                                                                          \
    }
OWN_ELEMENTS(f64)
OWN_ELEMENTS(f32)
OWN_ELEMENTS(i64)
