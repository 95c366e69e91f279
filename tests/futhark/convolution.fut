-- Layers of networks: convolution by index functions and by slices, pooling, and a classifier.
-- ==
-- entry: by_index by_slices
-- input { [[1.0, 2.0, 0.5, -1.0], [0.0, 3.0, -2.0, 1.0], [4.0, -1.0, 2.0, 0.25]] [[1.0, -0.5], [2.0, 0.25]] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { [[0.75, 7.25, -2.75], [6.25, 2.5, 1.5625]] [[1.0, 1.5, 2.0, -1.5], [6.0, 7.25, 10.0, -2.25], [8.0, 11.0, 13.25, 1.5]] [[9.5, 8.0], [23.0, 9.5]] }
-- ==
-- entry: pooled
-- input { [1.0, 5.0, 3.0, 3.0, -1.0, -2.0] } output { [5.0, 3.0, -1.0] [0.0, 1.0, 2.0, 0.0, 3.0, 0.0] }
-- ==
-- entry: classify
-- input { [[0.25, -0.5, 1.0], [0.5, 0.75, -0.25]] [0.125, -0.25] [[1.0, -1.0], [0.5, 2.0], [-0.75, 0.25]] }
-- output { 3.1440994327463208 [[0.0030977506827153866, -0.006195501365430773, 0.012391002730861547], [-0.39284221877967296, 0.7856844375593459, -1.5713688751186918]] [0.006195501365430773, -0.7856844375593459] [[0.8944983336037603, -0.7650157412084208], [-0.9491048908742956, 0.8117177576524937], [0.054606557270535226, -0.04670201644407286]] }

def conv [n] [m] [a] [b] (img: [n][m]f64) (k: [a][b]f64) : [n - a + 1][m - b + 1]f64 =
  tabulate_2d (n - a + 1) (m - b + 1) (\i j ->
    f64.sum (tabulate a (\p -> f64.sum (tabulate b (\q -> img[i + p, j + q] * k[p, q])))))
def conv_slices [n] [m] [a] [b] (img: [n][m]f64) (k: [a][b]f64) : [n - a + 1][m - b + 1]f64 =
  let h = n - a + 1
  let w = m - b + 1
  in loop acc = replicate (n - a + 1) (replicate (m - b + 1) 0) for p < a do
       loop acc for q < b do
         let part = img[p:p + h, q:q + w] :> [n - a + 1][m - b + 1]f64
         in map2 (map2 (\s x -> s + k[p, q] * x)) acc part
def with_seed [n] [m] [a] [b] [c] [d] (f: [n][m]f64 -> [a][b]f64 -> [c][d]f64) (img: [n][m]f64) (k: [a][b]f64) (seed: [c][d]f64) =
  let (v, (di, dk)) = vjp2 (uncurry f) (img, k) seed
  in (v, di, dk)
entry by_index [n] [m] [a] [b] (img: [n][m]f64) (k: [a][b]f64) (seed: [][]f64) =
  with_seed conv img k (seed :> [n - a + 1][m - b + 1]f64)
entry by_slices [n] [m] [a] [b] (img: [n][m]f64) (k: [a][b]f64) (seed: [][]f64) =
  with_seed conv_slices img k (seed :> [n - a + 1][m - b + 1]f64)
entry pooled (xs: [6]f64) =
  let pool (xs: [6]f64) = map f64.maximum (unflatten (xs :> [3 * 2]f64))
  in vjp2 pool xs [1, 2, 3]
def softmax [n] (xs: [n]f64) : [n]f64 =
  let m = f64.maximum xs
  let es = map (\x -> f64.exp (x - m)) xs
  in map (/ f64.sum es) es
entry classify (w1: [2][3]f64) (b1: [2]f64) (w2: [3][2]f64) =
  let dense [n] [m] (w: [n][m]f64) (x: [m]f64) = map (\r -> f64.sum (map2 (*) r x)) w
  let loss (w1: [2][3]f64, b1: [2]f64, w2: [3][2]f64) =
    [0.5, -1, 2] |> dense w1 |> map2 (+) b1 |> map f64.tanh |> dense w2 |> softmax |> (\p -> -(f64.log p[1]))
  let (v, (a, b, c)) = vjp2 loss (w1, b1, w2) 1
  in (v, a, b, c)
