-- Histograms over places in rows and in blocks; what is nowhere has no part.
-- ==
-- entry: rows
-- input { [1.0, 2.0, 4.0, 8.0, 16.0] }
-- output { [[1.0, 10.0, 0.0], [0.0, 0.0, 4.0]] [1.0, 2.0, 3.0, 2.0, 0.0] }
-- ==
-- entry: largest
-- input { [1.0, 5.0, 3.0] } output { [[[3.0], [0.0]], [[0.0], [5.0]]] [0.0, 1.0, 1.0] }
def at: [5](i64, i64) = [(0, 0), (0, 1), (1, 2), (0, 1), (2, 0)]
def sums (xs: [5]f64) = reduce_by_index_2d (replicate 2 (replicate 3 0)) (+) 0 at xs
entry rows (xs: [5]f64) = (sums xs, vjp sums xs [[1, 2, 0], [0, 0, 3]])
def places: [3](i64, i64, i64) = [(0, 0, 0), (1, 1, 0), (0, 0, 0)]
def highest (xs: [3]f64) = reduce_by_index_3d (replicate 2 (replicate 2 (replicate 1 0))) f64.max 0 places xs
entry largest (xs: [3]f64) = (highest xs, vjp highest xs [[[1], [0]], [[0], [1]]])
