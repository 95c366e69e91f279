-- A network of two layers learns exclusive or.
-- ==
-- entry: gradient
-- input { [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] [0i64, 1i64, 1i64, 0i64] [[-0.698, -0.855], [-0.269, 0.015], [-0.133, -0.819]] [0.654, -0.554, 0.895] [[-0.207, -0.907, -0.421], [-0.764, 0.632, 0.163]] [-0.255, -0.874] }
-- output { 0.8692321765944221 [[0.09354583298628051, 0.08857771105529763], [-0.11629525977756083, -0.1789561551556013], [-0.035233711257727715, -0.08051659983491778]] [0.17683549264817203, -0.2798065658834492, -0.13198037261942572] [[-0.038829083668456096, -0.16354929898514747, 0.10453222163797368], [0.038829083668456096, 0.16354929898514747, -0.10453222163797368]] [0.27992946486984327, -0.27992946486984327] }
-- ==
-- entry: train
-- input { [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] [0i64, 1i64, 1i64, 0i64] [[-0.698, -0.855], [-0.269, 0.015], [-0.133, -0.819]] [0.654, -0.554, 0.895] [[-0.207, -0.907, -0.421], [-0.764, 0.632, 0.163]] [-0.255, -0.874] 3i32 }
-- output { 0.6566317733092844 [[-0.8077597229474893, -0.9518313901339571], [-0.1879408140701575, 0.16085056979064616], [-0.13897508270581324, -0.7602379713943316]] [-0.4791299681024459, -0.6498700318975541] }

type layer [n] [m] = {weights: [m][n]f64, biases: [m]f64}
type network [n] [h] [m] = (layer [n] [h], layer [h] [m])

def forward [n] [m] (l: layer [n] [m]) (x: [n]f64): [m]f64 =
  map2 (\row b -> b + f64.sum (map2 (*) row x)) l.weights l.biases

def output [n] [h] [m] ((a, b): network [n] [h] [m]): [n]f64 -> [m]f64 =
  forward a >-> map f64.tanh >-> forward b

def cross_entropy [m] (y: [m]f64) (label: i64): f64 =
  let top = f64.maximum y
  in top + (y |> map (\y -> f64.exp (y - top)) |> f64.sum |> f64.log) - y[label]

def loss [k] [n] [h] [m] (xs: [k][n]f64) (labels: [k]i64) (net: network [n] [h] [m]): f64 =
  f64.sum (map2 cross_entropy (map (output net) xs) labels) / f64.i64 k

def descend [n] [m] (rate: f64) (l: layer [n] [m]) (d: layer [n] [m]): layer [n] [m] =
  let down = map2 (\x dx -> x - rate * dx)
  in l with weights = map2 (map2 (\x dx -> x - rate * dx)) l.weights d.weights
       with biases = down l.biases d.biases

entry gradient [k] [n] [h] [m] (xs: [k][n]f64) (labels: [k]i64)
    (w1: [h][n]f64) (b1: [h]f64) (w2: [m][h]f64) (b2: [m]f64) =
  let (value, (a, b)) = vjp2 (loss xs labels) ({weights = w1, biases = b1}, {weights = w2, biases = b2}) 1
  in (value, a.weights, a.biases, b.weights, b.biases)

entry train [k] [n] [h] [m] (xs: [k][n]f64) (labels: [k]i64)
    (w1: [h][n]f64) (b1: [h]f64) (w2: [m][h]f64) (b2: [m]f64) (steps: i32) =
  let net: network [n] [h] [m] = ({weights = w1, biases = b1}, {weights = w2, biases = b2})
  let net =
    loop (a, b): network [n] [h] [m] = net for _i < steps do
      let (da, db) = vjp (loss xs labels) (a, b) 1
      in (descend 0.5 a da, descend 0.5 b db)
  in (loss xs labels net, net.0.weights, net.1.biases)
