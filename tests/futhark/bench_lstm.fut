-- The LSTM of GradBench, with diagonal weights: each layer is a record in an array.
-- ==
-- entry: value
-- input @ data/lstm_l2_c1024.in.gz
-- output { 0.6666651795588522 }
-- input { [[-0.202, 0.269, -0.865, -0.675, -0.895, -0.697, -0.273, 0.749], [-0.703, -0.305, -0.754, 0.986, -0.032, -0.796, -0.47, -0.677], [0.902, -0.707, -0.946, 0.957, 0.392, -0.267, 0.544, 0.558], [-0.554, 0.97, 0.612, 0.48, 0.035, -0.942, -0.441, 0.385]] [[-0.106, 0.976], [-0.271, -0.546], [-0.591, 0.801]] [[-0.041, 0.599], [0.321, 0.565], [-0.044, 0.578], [0.602, -0.208]] [[0.894, -0.66], [-0.698, 0.613], [0.653, 0.315], [0.097, -0.972]] }
-- output { 0.0035765103500114107 }
-- ==
-- entry: gradient
-- input @ data/lstm_l2_c1024.in.gz
-- output @ data/lstm_l2_c1024.out.gz
-- input { [[-0.202, 0.269, -0.865, -0.675, -0.895, -0.697, -0.273, 0.749], [-0.703, -0.305, -0.754, 0.986, -0.032, -0.796, -0.47, -0.677], [0.902, -0.707, -0.946, 0.957, 0.392, -0.267, 0.544, 0.558], [-0.554, 0.97, 0.612, 0.48, 0.035, -0.942, -0.441, 0.385]] [[-0.106, 0.976], [-0.271, -0.546], [-0.591, 0.801]] [[-0.041, 0.599], [0.321, 0.565], [-0.044, 0.578], [0.602, -0.208]] [[0.894, -0.66], [-0.698, 0.613], [0.653, 0.315], [0.097, -0.972]] }
-- output { [[3.9235075183036284e-06, -5.194705036277594e-06, -5.359767795861456e-06, 4.02783871366305e-06, -1.603171804844896e-07, -0.00011079762236633664, 1.528270118379855e-05, -2.2741590961196592e-05], [-3.1781592074203636e-05, -3.762360091950709e-05, 0.00013943897942813503, -9.378204803221939e-05, 7.136378442413211e-05, -0.0003276531293126714, -0.00039341809824244747, 0.00035524143984323064], [6.0521539261942594e-05, 0.00019131172124228744, 6.737889685498487e-05, 0.00017414338530561148, 0.0002192588670763611, 0.0011267745548824348, -0.00034323086304765844, 0.000343391285482811], [-0.0016655600814544313, -0.0018526667376318254, -0.0008355065865273863, -0.0014130257040442784, -0.0024067666785379605, -0.004256362040476734, 0.004442195410388784, -0.00891127472585506]] [[6.123251341167122e-06, 7.769320403132988e-05], [0.016297202402309655, 0.009453787110519498], [-0.008823156787458026, 0.008618330772996183]] }

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

type cell [b] = {hidden: [b]f64, memory: [b]f64}

def layer [b] (w: [4][b]f64) (bias: [4][b]f64) (x: [b]f64) ({hidden, memory}: cell [b]): *cell [b] =
  let gate f i on = map3 (\w b x -> f (x * w + b)) w[i] bias[i] on
  let forget = gate sigmoid 0 x
  let input = gate sigmoid 1 hidden
  let output = gate sigmoid 2 x
  let change = gate f64.tanh 3 hidden
  let memory = map4 (\m f i c -> m * f + i * c) memory forget input change
  in {hidden = map2 (\o m -> o * f64.tanh m) output memory, memory}

def loss [l] [b] [c] (state: [l][2][b]f64) (sequence: [c][b]f64) (main: [l][2][4][b]f64, extra: [3][b]f64): f64 =
  let start = map (\s: cell [b] -> {hidden = s[0], memory = s[1]}) state
  let (total, _) =
    loop (total, cells) = (0, start) for t < c - 1 do
      let (x, cells) =
        loop (x, cells) = (map2 (*) sequence[t] extra[0], cells) for i < l do
          let cell = layer main[i, 0] main[i, 1] x cells[i]
          in (cell.hidden, cells with [i] = cell)
      let y = map3 (\x w b -> x * w + b) x extra[1] extra[2]
      let norm = f64.log (f64.sum (map f64.exp y) + 2)
      in (total + f64.sum (map2 (\s y -> s * (y - norm)) sequence[t + 1] y), cells)
  in -total / f64.i64 ((c - 1) * b)

def shaped [l] [b] (main: [2 * l][4 * b]f64) (state: [2 * l][b]f64): ([l][2][4][b]f64, [l][2][b]f64) =
  (unflatten (map unflatten (sized (l * 2) main)), unflatten (sized (l * 2) state))

entry value [m] [q] [b] [c] (main: [m][q]f64) (extra: [3][b]f64) (state: [m][b]f64) (sequence: [c][b]f64) =
  let l = m / 2
  let (main, state) = shaped (main :> [2 * l][4 * b]f64) (state :> [2 * l][b]f64)
  in loss state sequence (main, extra)

entry gradient [m] [q] [b] [c] (main: [m][q]f64) (extra: [3][b]f64) (state: [m][b]f64) (sequence: [c][b]f64) =
  let l = m / 2
  let (main, state) = shaped (main :> [2 * l][4 * b]f64) (state :> [2 * l][b]f64)
  let (dmain, dextra) = vjp (loss state sequence) (main, extra) 1
  in (flatten dmain |> map flatten, dextra)
