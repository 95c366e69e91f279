-- A module that lacks what its type promises.
-- ==
-- error: twice
module type doubling = { val twice : f64 -> f64 }
module m : doubling = { def thrice (x: f64) = 3 * x }
entry main = m.twice
