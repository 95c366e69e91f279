-- k-means on sparse rows (values, columns, and where each row starts), with a step of Newton.
-- ==
-- entry: cost
-- input { [1.5, -2.0, 0.5, 3.0, 1.0, -1.25, 2.0, 0.75] [0i64, 2i64, 1i64, 0i64, 3i64, 2i64, 3i64, 1i64] [0i64, 2i64, 3i64, 5i64, 5i64, 8i64] [[-0.949, -0.324, 0.265, 0.762], [0.47, -1.784, 1.12, 1.191]] }
-- output { 32.456721 }
-- ==
-- entry: newton
-- input { [1.5, -2.0, 0.5, 3.0, 1.0, -1.25, 2.0, 0.75] [0i64, 2i64, 1i64, 0i64, 3i64, 2i64, 3i64, 1i64] [0i64, 2i64, 3i64, 5i64, 5i64, 8i64] [[-0.949, -0.324, 0.265, 0.762], [0.47, -1.784, 1.12, 1.191]] }
-- output { [[-10.592, -5.0920000000000005, 8.620000000000001, 2.096], [-5.06, -3.568, 2.24, 0.3820000000000001]] [[-1.324, -0.6365000000000001, 1.0775000000000001, 0.262], [-2.53, -1.784, 1.12, 0.19100000000000006]] }

-- A row costs |c|^2, corrected where the row is not zero.
def cost_of [e] [p] [k] [d] (values: [e]f64) (columns: [e]i64) (starts: [p]i64) (centres: [k][d]f64): f64 =
  let squares = map (\c -> f64.sum (map (** 2) c)) centres
  let row (i: i64): f64 =
    let from = starts[i]
    let corrected (c: [d]f64) (square: f64): f64 =
      loop sum = square for j < starts[i + 1] - from do
        let x = values[from + j]
        let y = c[columns[from + j]]
        in sum + (x - y) * (x - y) - y * y
    in f64.minimum (map2 corrected centres squares)
  in f64.sum (tabulate (p - 1) row)
entry cost [e] [p] [k] [d] (values: [e]f64) (columns: [e]i64) (starts: [p]i64) (centres: [k][d]f64) =
  cost_of values columns starts centres
entry newton [e] [p] [k] [d] (values: [e]f64) (columns: [e]i64) (starts: [p]i64) (centres: [k][d]f64) =
  let gradient centres = vjp (cost_of values columns starts) centres 1
  let (g, h) = jvp2 gradient centres (map (map (const 1)) centres)
  in (g, map2 (map2 (/)) g h)
