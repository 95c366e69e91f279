-- | Accumulators, as a library declares them.

def scatter_stream [k] 'a 'b [n] (dest: *[k]a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: [n]b) : *[k]a =
  intrinsics.scatter_stream dest f bs

def reduce_by_index_stream [k] 'a 'b [n] (dest: *[k]a) (op: a -> a -> a) (ne: a)
                           (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: [n]b) : *[k]a =
  intrinsics.hist_stream dest op ne f bs

def write [n] 'a (acc: *acc ([n]a)) (i: i64) (v: a) : *acc ([n]a) = intrinsics.acc_write acc i v
