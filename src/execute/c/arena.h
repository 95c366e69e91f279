/* The workspace of a call, from which memory is taken in order. Only what loops over lanes have for themselves is given back. */
struct arena {
    void *memory;
    i64_1 bytes, used, most;
    /* What runs parts of loops: the caller's function, with what it wants, if there is one. */
    void (*share)(void *pool, int64_t parts, void (*part)(void *task, int64_t k), void *task);
    void *pool;
};

/* No machine has as many bytes: a call that wants more wants these, and has none. */
#define ARENA_MOST (INT64_C(1) << 48)

static inline i64_1 arena_bytes(i64_1 count, i64_1 size) {
    return count > ARENA_MOST / size ? ARENA_MOST : (maxi_1(count, 1) * size + 63) & ~INT64_C(63);
}

static void *arena_memory(struct context *context, void *before, i64_1 elements, i64_1 size, i64_1 kind) {
    struct arena *arena = context->self;
    (void)kind;
    if (elements == 0 && size == 0) {
        if (before && (char *)before < (char *)arena->memory + arena->used) arena->used = (char *)before - (char *)arena->memory;
        return 0;
    }
    const i64_1 from = arena->used;
    arena->used += arena_bytes(elements, size);
    arena->most = maxi_1(arena->most, arena->used);
    return arena->memory && arena->used <= arena->bytes ? (char *)arena->memory + from : 0;
}

/* The same for parts of a loop, which may take it at the same time. All is given back once they are done. */
static void *part_memory(struct context *context, void *before, i64_1 elements, i64_1 size, i64_1 kind) {
    struct arena *arena = context->self;
    (void)before, (void)kind;
    if (elements == 0 && size == 0) return 0;
    const i64_1 more = arena_bytes(elements, size);
    const i64_1 from = __atomic_fetch_add(&arena->used, more, __ATOMIC_RELAXED);
    return arena->memory && from + more <= arena->bytes ? (char *)arena->memory + from : 0;
}

/* The parts of a loop, and what has become of them. */
struct parts {
    const struct context *context;
    int (*part)(struct context *, const void *, i64_1);
    const void *task;
    int no_memory, wrong;
};

static void one_part(void *task, int64_t k) {
    struct parts *parts = task;
    struct context own = *parts->context;
    own.memory = part_memory;
    if (parts->part(&own, parts->task, k)) __atomic_store_n(own.failed == -1 ? &parts->no_memory : &parts->wrong, 1, __ATOMIC_RELAXED);
}

static int arena_share(struct context *context, int (*part)(struct context *, const void *, i64_1), const void *task, i64_1 count) {
    struct arena *arena = context->self;
    struct parts parts = {context, part, task, 0, 0};
    const i64_1 before = arena->used;
    if (arena->share) {
        arena->share(arena->pool, count, one_part, &parts);
    } else {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
        for (i64_1 k = 0; k < count; k++) one_part(&parts, k);
    }
    arena->most = maxi_1(arena->most, arena->used);
    arena->used = before;
    if (parts.no_memory) context->failed = -1;
    return parts.no_memory || parts.wrong;
}

/* Puts a result where it goes, unless it is there: whether there is no room. */
static int leave(const struct port *out, int rank, i64_1 size, void *to, i64_1 room) {
    i64_1 count = 1;
    int is_empty = 0, is_beyond = 0;
    for (int k = 0; k < rank; k++) {
        is_empty |= out->sizes[k] == 0;
        is_beyond |= __builtin_mul_overflow(count, out->sizes[k], &count);
    }
    if (is_empty) return 0;
    if (is_beyond || count > room) return 1;
    if (count > 0 && out->elements != to) __builtin_memcpy(to, out->elements, (size_t)(count * size));
    return 0;
}
