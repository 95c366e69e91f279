-- Sums, records and tuples taken apart, under derivatives.
-- ==
-- entry: area
-- input { 0 3.0 4.0 } output { 12.0 4.0 3.0 }
-- input { 1 3.0 4.0 } output { 9.0 6.0 0.0 }
-- input { 2 3.0 4.0 } output { 0.0 0.0 0.0 }
-- ==
-- entry: numbers
-- input { 0 2.0 } output { 1.0 0.0 }
-- input { 1 2.0 } output { 2.0 1.0 }
-- input { -5 2.0 } output { 8.0 12.0 }
-- ==
-- entry: nested_patterns
-- input { 2.0 3.0 } output { 18.0 21.0 6.0 }
-- ==
-- entry: option
-- input { [4.0, -1.0, 9.0] } output { [2.0, 0.0, 3.0] 5.0 [0.25, 0.0, 0.16666666666666666] }
-- ==
-- entry: record_updates
-- input { 2.0 } output { 10.0 7.0 }
-- ==
-- entry: generic
-- input { 3.0 } output { 9.0 6.0 9 }
-- ==
-- entry: guarded
-- input { 3 } output { 1 }
-- input { 8 } output { 2 }
-- input { 0 } output { 0 }

type shape = #rectangle f64 f64 | #square f64 | #point
def extent (s: shape) : f64 =
  match s
  case #rectangle a b -> a * b
  case #square a -> a * a
  case #point -> 0
entry area (k: i32) (x: f64) (y: f64) =
  let f (x, y) = extent (if k == 0 then #rectangle x y else if k == 1 then #square x else #point)
  let (v, (a, b)) = vjp2 f (x, y) 1
  in (v, a, b)

entry numbers (k: i32) (x: f64) =
  let f x = match k
            case 0 -> 1
            case 1 -> x
            case _ -> x * x * x
  in (f x, vjp f x 1)

entry nested_patterns (x: f64) (y: f64) =
  let f (t: {p: (f64, f64), q: #a f64 | #b (f64, f64)}) =
    match t
    case {p = (x, _), q = #a z} -> x * z
    case {p = (x, y), q = #b (z, _)} -> x * y + z * 6
  let g (x, y) = f {p = (x, y), q = #b (x, y)}
  let (v, (a, b)) = vjp2 g (x, y) 1
  in (v, a + 4 * y, b + 2 * x)

type opt 'a = #some a | #none
def root (x: f64) : opt f64 = if x < 0 then #none else #some (f64.sqrt x)
def default 'a (d: a) (o: opt a) : a = match o case #some x -> x case #none -> d
entry option [n] (xs: [n]f64) =
  let f xs = f64.sum (map (root >-> default 0) xs)
  in (map (root >-> default 0) xs, f xs, vjp f xs 1)

type config = {rate: f64, inner: {a: f64, b: f64}}
entry record_updates (x: f64) =
  let f x =
    let c : config = {rate = 1, inner = {a = x, b = 2}}
    let c = c with inner.a = c.inner.a * x
    let c = c with rate = 3
    in c.inner.a * c.inner.b + c.rate * x - 4
  in (f x, jvp f x 1 - 4)

type pair 'a 'b = {first: a, second: b}
def swap_pair 'a 'b ({first, second}: pair a b) : pair b a = {first = second, second = first}
entry generic (x: f64) =
  let f x = (swap_pair {first = 1i32, second = x * x}).first
  let (v, d) = vjp2 f x 1
  in (v, d, (swap_pair {first = f64.to_i64 v |> i32.i64, second = true}).second)

entry guarded (x: i32) : i32 =
  match (x, x > 5)
  case (0, _) -> 0
  case (_, false) -> 1
  case (_, true) -> 2
