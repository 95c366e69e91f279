-- ==
-- error: used in its own definition
entry main (n: i64) : i64 =
  let fact (n: i64) : i64 = if n == 0 then 1 else n * fact (n - 1)
  in fact n
