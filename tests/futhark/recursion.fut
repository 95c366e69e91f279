-- Functions that call themselves, with derivatives. Where how often is known, they are compiled; else the interpreter runs them.
-- ==
-- entry: factorial
-- input { 5 } output { 120 [1, 2, 6] }
-- ==
-- entry: ackermann
-- input { 2 3 } output { 9 }
-- ==
-- entry: sorted
-- input { [5, 2, 8, 1] } output { [1, 2, 5, 8] [1, 2, 5, 8] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }
-- ==
-- entry: powers
-- input { 2.0 } output { 32.0 80.0 80.0 160.0 }
-- ==
-- entry: halved
-- input { [1.0, 2.0, 3.0, 4.0] } output { 24.0 [24.0, 12.0, 8.0, 6.0] }
-- ==
-- entry: generic
-- input { [3, 4] } output { [4, 5] [3.5, 4.5] }
-- ==
-- entry: inferred
-- input { 48 18 } output { 6 }
-- ==
-- entry: within_a_module
-- input { 6 } output { 8 }
-- ==
-- entry: endless
-- input { 1 } error: calls itself
def fact (n: i32) : i32 = if n == 0 then 1 else n * fact (n - 1)
entry factorial (n: i32) = (fact n, map fact [1, 2, 3])

def ack (m: i32) (n: i32) : i32 =
  if m == 0 then n + 1 else if n == 0 then ack (m - 1) 1 else ack (m - 1) (ack m (n - 1))
entry ackermann (m: i32) (n: i32) = ack m n

-- At another size in each call.
def quicksort [n] (xs: [n]i32) : [n]i32 =
  if n <= 1 then xs else
  let pivot = xs[0]
  let (less, more) = partition (< pivot) (tail xs)
  in (quicksort less ++ [pivot] ++ quicksort more) :> [n]i32
def merge [n][m] (xs: [n]i32) (ys: [m]i32) : []i32 =
  if n == 0 then ys
  else if m == 0 then xs
  else if xs[0] < ys[0] then [xs[0]] ++ merge (tail xs) ys
  else [ys[0]] ++ merge xs (tail ys)
def mergesort [n] (xs: [n]i32) : []i32 =
  if n < 2 then xs else merge (mergesort (take (n / 2) xs)) (mergesort (drop (n / 2) xs))
entry sorted (xs: []i32) = (quicksort xs, mergesort xs)

-- The exponent is known, so that this is compiled.
def power (x: f64) (n: i32) : f64 = if n == 0 then 1 else x * power x (n - 1)
entry powers (x: f64) =
  let fifth x = power x 5
  in (fifth x, vjp fifth x 1, jvp fifth x 1, jvp (\x -> vjp fifth x 1) x 1)

def product [n] (xs: [n]f64) : f64 =
  if n == 1 then xs[0] else product (take (n / 2) xs) * product (drop (n / 2) xs)
entry halved (xs: []f64) = vjp2 product xs 1

def each 'a 'b (f: a -> b) (xs: []a) : []b =
  if null xs then [] else [f (head xs)] ++ each f (tail xs)
entry generic (xs: []i32) = (each (+ 1) xs, each (\x -> f64.i32 x + 0.5) xs)

def gcd a b : i32 = if b == 0 then a else gcd b (a % b)
entry inferred (a: i32) (b: i32) = gcd a b

module numbers = { def fib (n: i32) : i32 = if n < 2 then n else fib (n - 1) + fib (n - 2) }
entry within_a_module (n: i32) = numbers.fib n

def down (x: i32) : i32 = down (x + 1)
entry endless (x: i32) = down x
