-- Streams with the names of other preludes, and one that reads what it is differentiated by.
def reduce_by_index_stream [k] 'a 'b (dest: *[k]a) (op: a -> a -> a) (ne: a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: []b) : *[k]a =
  intrinsics.hist_stream dest op ne f bs :> *[k]a
def scatter_stream [k] 'a 'b (dest: *[k]a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: []b) : *[k]a =
  intrinsics.scatter_stream dest f bs :> *[k]a
def write [n] 't : *acc ([n]t) -> i64 -> t -> *acc ([n]t) = intrinsics.acc_write
-- ==
-- entry: main
-- input { [1.0,2.0,3.0] } output { [4.0, 2.0] [1.0,1.0,1.0] [3.0, 4.0, 9.0] }
entry main (xs: [3]f64) =
  let f (xs: [3]f64) = reduce_by_index_stream (replicate 2 0) (+) 0 (\acc (i, x) -> write acc (i % 2) x) (zip (iota 3) xs)
  let g (xs: [3]f64) = reduce_by_index_stream (replicate 3 1) (+) 0
    (\acc i -> loop acc for j < i do write acc j (xs[i] * xs[j])) (iota 3) |> f64.sum
  in (f xs, vjp f xs [1, 1], map2 (\a b -> a + b) (vjp g xs 1) [-2, 0, 6])
