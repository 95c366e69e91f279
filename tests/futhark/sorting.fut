-- Sorting networks, insertion and counting: gradients follow the elements.
-- ==
-- entry: bubble insertion counting
-- input { [3.0, -1.0, 2.0, 0.5] } output { [-1.0, 0.5, 2.0, 3.0] [4.0, 1.0, 3.0, 2.0] }
-- input { [1.0] } output { [1.0] [1.0] }
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) }
-- ==
-- entry: median
-- input { [5.0, 1.0, 4.0, 2.0, 3.0] } output { 3.0 [0.0, 0.0, 0.0, 0.0, 1.0] }
-- ==
-- entry: merged
-- input { [1.0, 4.0] [2.0, 3.0] } output { [1.0, 2.0, 3.0, 4.0] [1.0, 4.0] [2.0, 3.0] }

def seeded [n] (sort: [n]f64 -> [n]f64) (xs: [n]f64) = (sort xs, vjp sort xs (map (\i -> f64.i64 (i + 1)) (iota n)))
def bubble_sort [n] (xs: [n]f64) : [n]f64 =
  loop xs = copy xs for i < n do
    loop xs for j < n - i - 1 do
      if xs[j] > xs[j + 1]
      then let t = xs[j]
           let xs = xs with [j] = xs[j + 1]
           in xs with [j + 1] = t
      else xs
def insertion_sort [n] (xs: [n]f64) : [n]f64 =
  loop ys = copy xs for i < n do
    let x = ys[i]
    let (ys, j) = loop (ys, j) = (ys, i) while j > 0 && ys[i64.max 0 (j - 1)] > x do
      let y = ys[j - 1]
      in (ys with [j] = y, j - 1)
    in ys with [j] = x
def counting_sort [n] (xs: [n]f64) : [n]f64 =
  let rank i x = i64.sum (map2 (\j y -> i64.bool (y < x || (y == x && j < i))) (iota n) xs)
  in scatter (replicate n 0) (map2 rank (iota n) xs) xs
entry bubble [n] (xs: [n]f64) = seeded bubble_sort xs
entry insertion [n] (xs: [n]f64) = seeded insertion_sort xs
entry counting [n] (xs: [n]f64) = seeded counting_sort xs
entry median [n] (xs: [n]f64) = vjp2 (\xs -> (counting_sort xs)[n / 2]) xs 1
entry merged [n] [m] (xs: [n]f64) (ys: [m]f64) =
  let f (xs: [n]f64, ys: [m]f64) = counting_sort (xs ++ ys)
  let (v, (a, b)) = vjp2 f (xs, ys) (map f64.i64 (iota (n + m)) |> map (+ 1))
  in (v, a, b)
