-- ==
-- entry: generic
-- input { 1 2.0 } output { 1 2.0 2.0 1 }
def swap2 'a 'b (x: a, y: b): (b, a) = (y, x)
def keep 'a (x: a): a = x
entry generic (x: i32) (y: f64) = let (b, a) = swap2 (x, y) in (keep x, keep y, b, a)
