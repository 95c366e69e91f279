-- The benchmark of a thesis, its branches chosen by digits, and what takes exponential time without a graph.
-- ==
-- entry: main
-- input { 0i32 10i64 3.0 }
-- output { 82.45960311115695 }
-- input { 1i32 10i64 3.0 }
-- output { 0.7378809333470849 }
-- input { 2i32 10i64 3.0 }
-- output { 0.7378809333470849 }
-- input { 3i32 10i64 3.0 }
-- output { 0.0 }
-- input { 0i32 30i64 3.0 }
-- output { 83.25007665556844 }
-- input { 1i32 30i64 3.0 }
-- output { -166.48298701922283 }
-- input { 2i32 30i64 3.0 }
-- output { -166.48298701922283 }
-- input { 3i32 30i64 3.0 }
-- output { 0.0 }
-- input { 1i32 2000i64 3.0 }
-- auto output
-- input { 2i32 2000i64 3.0 }
-- auto output
-- ==
-- entry: doubled
-- input { 200i64 3.0 }
-- output { 4.820814132776971e+60 1.6069380442589903e+60 1.6069380442589903e+60 }
-- input { 1000i64 1.0 }
-- output { 1.0715086071862673e+301 1.0715086071862673e+301 1.0715086071862673e+301 }
-- ==
-- entry: shared
-- input { 40i64 2.0 }
-- output { 2.0 1.0 }
-- ==
-- entry: summed
-- input { 50i64 3.0 }
-- output { 209.33333333333331 10.666666666666659 }
-- ==
-- entry: timed
-- nobench input { 10i64 3.0f32 }
-- auto output
-- notest input { 100000i64 3.0f32 }

def f (n: i64) (x: f64) =
  loop x = x for _i < n do
    let s = i32.f64 (x * 10) %% 4
    in if x > 100
       then if s == 0 then 1 + f64.sin x
            else if s == 1 then 1 + f64.cos x
            else if s == 2 then f64.log1p x
            else if s == 3 then f64.sqrt x
            else x / 13
       else if s == 0 then x + 10
            else if s == 1 then x ** 3
            else if s == 2 then f64.exp (x / 10)
            else if s == 3 then reduce (*) x [2, x, 5]
            else x * 1.3
entry main (d: i32) (n: i64) (x: f64) =
  if d == 0 then f n x else if d == 1 then jvp (f n) x 1 else if d == 2 then vjp (f n) x 1 else 0

-- Every value is used twice: the paths through the graph double with each iteration, its nodes do not.
entry doubled (n: i64) (x: f64) =
  let f (x: f64) = loop x for _i < n do x + x
  in (f x, vjp f x 1, jvp f x 1)
entry shared (n: i64) (x: f64) =
  let f (x: f64) = loop x for _i < n do let y = x * 0.5 in y + (y + x) * 0.25 + x * 0.125
  in (f x, vjp f x 1)
-- The sum of all values in the loop.
entry summed (n: i64) (x: f64) =
  let f (x: f64) = (loop (x, sum) = (x, 0) for _i < n do (0.5 * x + 1, sum + x * x)).1
  in (f x, vjp f x 1)
-- The same as the thesis times it, in single precision.
entry timed (n: i64) (x: f32) =
  loop x = x for _i < n do
    let s = i32.f32 (x * 10) %% 4
    in if x > 100
       then if s == 0 then 1 + f32.sin x
            else if s == 1 then 1 + f32.cos x
            else if s == 2 then f32.log1p x
            else if s == 3 then f32.sqrt x
            else x / 13
       else if s == 0 then x + 10
            else if s == 1 then x ** 3
            else if s == 2 then f32.exp (x / 10)
            else if s == 3 then reduce (*) x [2, x, 5]
            else x * 1.3
