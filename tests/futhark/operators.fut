-- ==
-- entry: op
-- input { 2.0 3.0 } output { 13.0 20.0 }
def (+++) (x: f64) (y: f64) = x * x + y * y
def (**.) (x: f64) (y: f64) = x +++ (y + 1)
entry op (x: f64) (y: f64) = (x +++ y, x **. y)
