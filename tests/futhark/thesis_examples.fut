-- The worked examples of a thesis on differentiating an interpreter.
-- ==
-- entry: first
-- input { 3.0 2.0 }
-- output { 5.0 18.0 1.0 12.0 0.0 9.0 12.0 9.0 1.0 0.0 }
-- input { 1.0 2.0 }
-- output { -1.0 2.0 -1.0 4.0 0.0 1.0 4.0 1.0 -1.0 0.0 }
-- ==
-- entry: together
-- input { 3.0 2.0 }
-- output { 0.0 9.0 4.0 }
-- ==
-- entry: graph
-- input { 3.0 2.0 }
-- output { 22.0 12.0 9.0 12.0 9.0 }
-- ==
-- entry: confusion
-- input { 3.0 }
-- output { 0.0 6.0 6.0 6.0 6.0 }
-- ==
-- entry: orders
-- input { 2.0 }
-- output { 80.0 160.0 240.0 240.0 }

def f (x: f64, y: f64): (f64, f64) = ((if x > 2 then x + 2 else -x), reduce (*) 1 [x, y, x])
def g (y: f64): f64 = y * y + 1
def h (x: f64, y: f64): f64 = y * x * x + (2 + 2)

-- The value of f, its derivatives forward by x and by y, and adjoints of its second result.
entry first (x: f64) (y: f64) =
  (f (x, y), jvp f (x, y) (1, 0), jvp f (x, y) (0, 1), vjp f (x, y) (0, 1), vjp f (x, y) (1, 0))
-- Two functions of the same variable in one run.
entry together (x: f64) (y: f64) = jvp (\(x, y) -> (f (x, y), g y)) (x, y) (0, 1)
entry graph (x: f64) (y: f64) = (h (x, y), jvp h (x, y) (1, 0), jvp h (x, y) (0, 1), vjp h (x, y) 1)
-- What belongs to the inner derivative and what to the outer is kept apart.
entry confusion (x: f64) =
  let forward = jvp (\x -> jvp (\y -> x + y) 1 1) x 1
  let product = jvp (\x -> x * jvp (\y -> x * y) 2 1) x 1
  let mixed = (vjp (\x -> x * jvp (\y -> x * y) 2 1) x 1, jvp (\x -> x * vjp (\y -> x * y) 2 1) x 1)
  in (forward, product, mixed, vjp (\x -> x * vjp (\y -> x * y) 2 1) x 1)
-- Four orders: x^5 in every other mode.
entry orders (x: f64) =
  let p (x: f64) = x ** 5
  let d1 = vjp p
  in (d1 x 1, jvp (\x -> d1 x 1) x 1, vjp (\x -> jvp (\x -> d1 x 1) x 1) x 1,
      jvp (\x -> vjp (\x -> jvp (\x -> d1 x 1) x 1) x 1) x 1)
