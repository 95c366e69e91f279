-- | A program as its author left it: documentation, comments in odd
-- places, and blocks of tests between definitions.
--
-- See also: nothing.

-- ==
-- entry: f
-- input { 2.0 }
-- output { 5.0 }

-- | Adds.
def plus     -- the first
    (x: f64) -- and the second
    (y : f64) : f64 =
  -- | not a documentation
  x + y -- the sum

--------------------------------------------------------------------------------
-- Section
--------------------------------------------------------------------------------

entry f (x: f64) : f64 =
  -- here
  let y = -- and here
    plus x 1
  -- before in
  in plus y 2 -- at the end

-- == not a block
-- Another, with one more case:
--
-- ==
-- entry: g
-- input { 2.0 }
-- output { 1.0 }
entry g = \x -> vjp f x 1
-- the end
