-- Types with parameters, sizes, existential sizes and lifted arguments.
-- ==
-- entry: matrices
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { 30.0 [[2.0, 4.0], [6.0, 8.0]] }
-- ==
-- entry: existential
-- input { [1.0, -2.0, 3.0] } output { [1.0, 3.0] [2.0, 0.0, 6.0] }
-- ==
-- entry: lifted
-- input { 3.0 } output { 19.0 14.0 }
-- ==
-- entry: sized_pair
-- input { [1.0, 2.0] [3.0] } output { 6.0 2i64 1i64 [1.0, 1.0] }
-- ==
-- entry: optional_array
-- input { true [1.0, 2.0] } output { 3.0 [1.0, 1.0] }
-- input { false [1.0, 2.0] } output { 0.0 [0.0, 0.0] }
-- ==
-- entry: primes'_and_digits1
-- input { 2.0 } output { 10.0 }

type matrix [n] [m] = [n][m]f64
type square [n] = matrix [n] [n]
type vec 'a [n] = [n]a
def frobenius [n] (a: square [n]) : f64 = a |> flatten |> map (** 2) |> f64.sum
entry matrices [n] (a: square [n]) : (f64, square [n]) = vjp2 frobenius a 1

type~ list 'a = ?[n].[n]a
def positives [n] (xs: vec f64 [n]) : list f64 = filter (> 0) xs
def positives_sized [n] (xs: [n]f64) : ?[k].[k]f64 = filter (> 0) xs
entry existential [n] (xs: [n]f64) =
  (positives_sized xs, vjp (\xs -> positives xs |> map (\x -> x * x) |> f64.sum) xs 1)

type^ function 'a 'b = a -> b
type^ lens '^s 'a = {get: s -> a, set: a -> s -> s}
def over '^s 'a (l: lens s a) (f: function a a) (x: s) : s = l.set (f (l.get x)) x
def first : lens (f64, f64) f64 = {get = \(a, _) -> a, set = \a (_, b) -> (a, b)}
entry lifted (x: f64) =
  let f x = let (a, b) = over first (\a -> a * a + 1) (x, x) in a + b * b
  in (f x, vjp f x 1 + 2)

type pair [n] [m] = ([n]f64, [m]f64)
def total [n] [m] ((xs, ys): pair [n] [m]) = f64.sum xs + f64.sum ys
entry sized_pair [n] [m] (xs: [n]f64) (ys: [m]f64) =
  let (d, _) = vjp total (xs, ys) 1
  in (total (xs, ys), n, m, d)

type maybe 'a = #none | #some a
entry optional_array [n] (b: bool) (xs: [n]f64) =
  let f xs =
    match (if b then #some xs else #none) : maybe ([n]f64)
    case #some ys -> f64.sum ys
    case #none -> 0
  in vjp2 f xs 1

entry primes'_and_digits1 (x': f64) =
  let x'' = x' * x'
  let x1_2 = x'' + 1
  in x1_2 * 2
