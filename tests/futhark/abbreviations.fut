-- ==
-- entry: norm
-- input { 3.0 4.0 } output { 5.0 }
type point = (f64, f64)
type^ op 'a = a -> a
def length_of ((x, y): point): f64 = f64.sqrt (x * x + y * y)
def apply 'a (f: op a) (x: a): a = f x
entry norm (x: f64) (y: f64) = apply (\z -> z) (length_of (x, y))
