-- Scans by every kind of operator that reverse mode tells apart.
-- ==
-- entry: plus
-- input { [2.0, 3.0, -0.5, 4.0] [1.0, 2.0, 3.0, 4.0] } output { [10.0, 9.0, 7.0, 4.0] [2.0, 5.0, 4.5, 8.5] }
-- ==
-- entry: times
-- input { [2.0, 3.0, -0.5, 4.0] [1.0, 2.0, 3.0, 4.0] } output { [-21.5, -15.0, 114.0, -12.0] [2.0, 12.0, -9.0, -48.0] }
-- input { [2.0, 0.0, -0.5, 0.0] [1.0, 2.0, 3.0, 4.0] } output { [1.0, 1.0, 0.0, 0.0] [2.0, 0.0, 0.0, 0.0] }
-- ==
-- entry: largest
-- input { [2.0, 3.0, -0.5, 3.0] [1.0, 2.0, 3.0, 4.0] } output { [1.0, 9.0, 0.0, 0.0] [2.0, 3.0, 3.0, 3.0] }
-- ==
-- entry: lines lines_backwards
-- input { [2.0, 3.0, 0.5] [1.0, -1.0, 4.0] [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] }
-- output { [11.5, 15.0, 30.0] [28.0, 8.0, 6.0] [2.0, 12.0, 9.0] [1.0, 5.0, 7.5] }
-- ==
-- entry: matrices
-- input { [[[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [2.0, 0.25]], [[2.0, 0.0], [1.0, -1.0]]] [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 10.0], [11.0, 12.0]]] }
-- output { [[[7.5, 49.25], [10.5, 63.75]], [[110.0, 26.0], [162.0, 38.0]], [[145.0, 159.0], [-26.5, -29.0]]] [[[1.0, 2.0], [3.0, 4.0]], [[23.5, 21.5], [52.5, 48.0]], [[103.5, 17.5], [216.5, 23.0]]] }
-- ==
-- entry: smooth
-- input { [2.0, 3.0, -0.5, 4.0] [1.0, 2.0, 3.0, 4.0] } output { [2.6847607788030206, 4.57965461032076, 0.09414147380351374, 2.6414431370727054] [2.0, 2.731058578630005, 2.6612702000212596, 3.5453148606583995] }
-- ==
-- entry: triples
-- input { [1.0, 2.0, 3.0] [4.0, -5.0, 6.0] [0.5, 0.25, 2.0] [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] [7.0, 8.0, 9.0] }
-- output { [-25.0, 59.0, 3.0] [15.0, 28.0, 33.0] [24.0, 17.0, 9.0] [1.0, 3.0, 6.0] [4.0, -1.0, 5.0] [0.5, -9.25, 28.75] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] } output { [[19.0, 29.0], [6.0, 14.0], [3.0, 8.0]] [[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]] }

def both [n] (f: [n]f64 -> [n]f64) (xs: [n]f64) (seed: [n]f64) = (vjp f xs seed, jvp f xs xs)
entry plus [n] (xs: [n]f64) (seed: [n]f64) = both (scan (+) 0) xs seed
entry times [n] (xs: [n]f64) (seed: [n]f64) = both (scan (*) 1) xs seed
entry largest [n] (xs: [n]f64) (seed: [n]f64) = both (scan f64.max (-f64.inf)) xs seed
def line_scan [n] (as: [n]f64, bs: [n]f64) =
  unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs))
def quadruple 'a 'b 'c 'd (((a, b), (c, d)): ((a, b), (c, d))) = (a, b, c, d)
entry lines [n] (as: [n]f64) (bs: [n]f64) (s: [n]f64) (t: [n]f64) =
  quadruple (vjp line_scan (as, bs) (s, t), jvp line_scan (as, bs) (as, bs))
entry lines_backwards [n] (as: [n]f64) (bs: [n]f64) (s: [n]f64) (t: [n]f64) =
  -- the same scan from the other end, of reversed arrays
  let f (as: [n]f64, bs: [n]f64) =
    let flipped = reverse (zip as bs)
    in reverse flipped |> scan (\(a, b) (c, d) -> (c * a, d + c * b)) (1, 0) |> unzip
  in quadruple (vjp f (as, bs) (s, t), jvp f (as, bs) (as, bs))
def mul (a: [2][2]f64) (b: [2][2]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
entry matrices [n] (ms: [n][2][2]f64) (seed: [n][2][2]f64) =
  let f (ms: [n][2][2]f64) = scan mul [[1, 0], [0, 1]] ms
  in (vjp f ms seed, jvp f ms seed)
entry smooth [n] (xs: [n]f64) (seed: [n]f64) =
  both (scan (\a b -> if a == -1e9 then b else if b == -1e9 then a else f64.log (f64.exp a + f64.exp b)) (-1e9)) xs seed
entry triples [n] (a: [n]f64) (b: [n]f64) (c: [n]f64) (s: [n]f64) (t: [n]f64) (u: [n]f64) =
  let f (a: [n]f64, b: [n]f64, c: [n]f64) =
    unzip3 (scan (\(a, b, c) (x, y, z) -> (a + x, b + y, c + z + a * y)) (0, 0, 0) (zip3 a b c))
  let (da, db, dc) = vjp f (a, b, c) (s, t, u)
  let (ta, tb, tc) = jvp f (a, b, c) (a, b, c)
  in (da, db, dc, ta, tb, tc)
entry rows [n] (xss: [n][2]f64) =
  let one = replicate n [1, 1]
  in (vjp (scan (map2 (*)) [1, 1]) xss one, vjp (scan (map2 (+)) [0, 0]) xss one)
