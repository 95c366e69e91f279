-- Addition, in every kind, forward and reverse.
-- ==
-- entry: fwd_f64 rev_f64
-- input { 5.0 6.0 }
-- output { 1.0 1.0 }
-- input { -0.5 1e300 }
-- output { 1.0 1.0 }

-- ==
-- entry: fwd_f32 rev_f32
-- input { 5f32 6f32 }
-- output { 1f32 1f32 }

-- ==
-- entry: fwd_i32 rev_i32
-- input { 5 6 }
-- output { 1 1 }

-- ==
-- entry: fwd_i8 rev_i8
-- input { 100i8 100i8 }
-- output { 1i8 1i8 }

-- ==
-- entry: fwd_u64 rev_u64
-- input { 18446744073709551615u64 1u64 }
-- output { 1u64 1u64 }

-- ==
-- entry: fwd_vec rev_vec
-- input { [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] }
-- output { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }

def fwd 't (f: (t, t) -> t) (zero: t) (one: t) (x: t) (y: t) : (t, t) =
  (jvp f (x, y) (one, zero), jvp f (x, y) (zero, one))

def rev 't (f: (t, t) -> t) (one: t) (x: t) (y: t) : (t, t) = vjp f (x, y) one

entry fwd_f64 = fwd (uncurry (f64.+)) 0 1
entry rev_f64 = rev (uncurry (f64.+)) 1
entry fwd_f32 = fwd (uncurry (f32.+)) 0 1
entry rev_f32 = rev (uncurry (f32.+)) 1
entry fwd_i32 = fwd (uncurry (i32.+)) 0 1
entry rev_i32 = rev (uncurry (i32.+)) 1
entry fwd_i8 = fwd (uncurry (i8.+)) 0 1
entry rev_i8 = rev (uncurry (i8.+)) 1
entry fwd_u64 = fwd (uncurry (u64.+)) 0 1
entry rev_u64 = rev (uncurry (u64.+)) 1

def unit n i : [n]f64 = replicate n 0 with [i] = 1
def add [n] (xs: [n]f64, ys: [n]f64) = map2 (+) xs ys
entry fwd_vec [n] (xs: [n]f64) (ys: [n]f64) =
  (tabulate n (\i -> jvp add (xs, ys) (unit n i, replicate n 0)),
   tabulate n (\i -> jvp add (xs, ys) (replicate n 0, unit n i)))
entry rev_vec [n] (xs: [n]f64) (ys: [n]f64) =
  unzip (tabulate n (\i -> vjp add (xs, ys) (unit n i)))
