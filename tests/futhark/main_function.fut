-- A function called main is an entry point, though it does not say so.
-- ==
-- input { [1.0, 2.0, 3.0] } output { 14.0 [2.0, 4.0, 6.0] }
-- input { [0.0, 0.0, 0.0] } output { 0.0 [0.0, 0.0, 0.0] }
-- ==
-- tags { small }
-- compiled nobench input { [1.0] } output { 1.0 [2.0] }

let square (x: f64) = x * x

let main [n] (xs: [n]f64) : (f64, [n]f64) =
  let f = \xs -> reduce (+) 0 (map square xs)
  in vjp2 f xs 1
