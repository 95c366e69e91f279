-- Parametric modules over monoids: reductions and scans by each.
module type monoid = { type t val op : t -> t -> t val ne : t }
module type field = { module M: monoid with t = f64 val k : f64 }
module mk_red (M: monoid) = { def red [n] (xs: [n]M.t) : M.t = reduce M.op M.ne xs def sc [n] (xs: [n]M.t) : [n]M.t = scan M.op M.ne xs }
module lin : monoid with t = (f64, f64) = { type t = (f64, f64) def op ((a, b): t) ((c, d): t): t = (a * c, b * c + d) def ne : t = (1, 0) }
module R = mk_red lin
module addm = mk_red { type t = f64 def op = (f64.+) def ne = 0f64 }
module fld : field = { module M = { type t = f64 def op (a: f64) (b: f64) = a * b def ne = 1f64 } def k = 2.0 }
module mm = mk_red fld.M
-- ==
-- entry: main
-- input { [1.0,2.0,3.0] } output { [3.0, 3.0, 3.0] [6.0, 3.0, 2.0] 3.0 [[1.0,1.0,1.0],[0.0,1.0,1.0],[0.0,0.0,1.0]] [2.0,2.0,1.0] }
entry main [n] (xs: [n]f64) =
  let lastb xs = (last (R.sc (map (\x -> (2, x)) xs))).1
  let g = vjp lastb xs 1
  in (map (\x -> x * 3) (vjp addm.red xs 1), vjp mm.red xs 1, fld.k + 1, transpose (tabulate n (\i -> vjp addm.sc xs (tabulate n (\j -> f64.bool (i==j))))), [g[0]/2, g[1], g[2]])
