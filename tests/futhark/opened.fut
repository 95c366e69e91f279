-- ==
-- entry: opened
-- input { 2.0 } output { 3.0 1.4142135623730951 }
local open f64
entry opened (x: f64) = f64.((x + 1, sqrt x))
