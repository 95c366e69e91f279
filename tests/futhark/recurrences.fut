-- A linear recurrence as a scan of pairs.
def lin (a1, b1) (a2, b2) = (a2 * a1, a2 * b1 + b2) : (f64, f64)
-- ==
-- entry: main
-- input { [2.0, 3.0] [1.0, 1.0] } output { [1.0, 4.0] [0.0, 1.0] [3.0, 1.0] }
entry main [n] (as: [n]f64) (bs: [n]f64) =
  let f (as: [n]f64, bs: [n]f64) = map (.1) (scan lin (1, 0) (zip as bs))
  let (da, db) = vjp f (as, bs) (map f64.i64 (iota n))
  in (f (as, bs), da, db)
