-- ==
-- entry: sections
-- input { [1.0, 2.0, 4.0] } output { [2.0, 1.0, 0.5] [0.5, 1.0, 2.0] 7.0 [2.0, 4.0, 8.0] [3.0, 4.0, 6.0] }
def twice (x: f64) (y: f64) = x * y
entry sections (xs: [3]f64) =
  (map (2 /) xs, map (/ 2) xs, reduce (+) 0 xs, map (2 `twice`) xs, map ((\(a, b) -> a + b) <-< (\x -> (x, 2))) xs)
