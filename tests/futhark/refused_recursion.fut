-- ==
-- error: recursive
def fact (n: i64) : i64 = if n == 0 then 1 else n * fact (n - 1)
entry main = fact
