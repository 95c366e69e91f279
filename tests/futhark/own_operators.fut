-- Operators and functions that a program defines for itself, of every precedence, and higher order.
-- ==
-- entry: precedence
-- input { 2.0 3.0 } output { 11.0 -1.0 true 17.0 }
-- ==
-- entry: complex_numbers
-- input { 1.0 2.0 } output { -3.0 4.0 2.0 -4.0 }
-- ==
-- entry: higher
-- input { 2.0 } output { 256.0 1024.0 }
-- ==
-- entry: curried
-- input { [1.0, 2.0] } output { [8.0, 11.0] 6.0 }
-- ==
-- entry: shadowed
-- input { 3.0 } output { 12.0 4.0 }
-- ==
-- entry: backticks
-- input { 5.0 3.0 } output { 2.0 1.0 -1.0 }

def (+.) (x: f64) (y: f64) = x + y
def (*.) (x: f64) (y: f64) = x * y
def (-.) x y = x - y : f64
def (<=>) (x: f64) (y: f64) = x < y
def (&&&) (a: bool) (b: bool) = a && b
def (**.) (x: f64) (n: f64) = x ** n
entry precedence (x: f64) (y: f64) = (x +. y *. y, x -. y, x +. 1 <=> y *. 2 &&& true, 1 +. x **. 4)

type complex = (f64, f64)
def (|*|) ((a, b): complex) ((c, d): complex) : complex = (a * c - b * d, a * d + b * c)
entry complex_numbers (x: f64) (y: f64) =
  let f (z: complex) = z |*| z
  let (a, b) = f (x, y)
  let (dx, dy) = vjp f (x, y) (1, 0)
  in (a, b, dx, dy)

def twice 'a (f: a -> a) (x: a) = f (f x)
entry higher (x: f64) =
  let f = twice (twice (\(x: f64) -> x * x)) >-> f64.sqrt
  in (f x, vjp f x 1)
def add3 (x: f64) (y: f64) (z: f64) = x * z + y
entry curried [n] (xs: [n]f64) =
  let f = add3 3
  let g xs = map (f 5) xs
  in (g xs, f64.sum (vjp g xs (replicate n 1)))
entry shadowed (x: f64) =
  let f x =
    let x = 2 * x
    let g x = 2 * x
    in g x
  in (f x, vjp f x 1)
entry backticks (x: f64) (y: f64) =
  let minus (a: f64) (b: f64) = a - b
  let (dx, dy) = vjp (\(x, y) -> x `minus` y) (x, y) 1
  in (x `minus` y, dx, dy)
