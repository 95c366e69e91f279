-- What nothing is said of has the type of the unit, and a size of which nothing is said is 0.
-- ==
-- entry: main
-- input { 3 } output { 3 3 0i64 3 }
def first 'a '^b (x: a) (_: b) = x
entry main (x: i32) =
  let count 'a (xs: []a) = length xs
  let nothing = []
  in (first x \y -> y, (first x : [][]f32 -> i32) [], count [], first x nothing)
