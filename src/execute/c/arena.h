/* The workspace of a call, from which memory is taken in order. Only what loops over lanes have for themselves is given back. */
struct arena {
    void *memory;
    i64_1 bytes, used, most;
};

static inline i64_1 arena_bytes(i64_1 count, i64_1 size) { return (maxi_1(count, 1) * size + 63) & ~INT64_C(63); }

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

/* Puts a result where it goes, unless it is there: whether there is no room. */
static int leave(const struct port *out, int rank, i64_1 size, void *to, i64_1 room) {
    i64_1 count = 1;
    for (int k = 0; k < rank; k++) count *= out->sizes[k];
    if (count > room) return 1;
    if (count > 0 && out->elements != to) __builtin_memcpy(to, out->elements, (size_t)(count * size));
    return 0;
}
