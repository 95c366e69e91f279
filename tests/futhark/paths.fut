-- Paths of fields and indices: replaced by `with` and by `let`, and as sections.
-- ==
-- entry: fields
-- input { [1, 2, 3] } output { [1, 9, 3] 2 [1, 2, 3] }
-- ==
-- entry: elements
-- input { [1, 2, 3] } output { [1, 9, 3] [true, true, false] }
-- ==
-- entry: lets
-- input { 1 } output { 5 8 [[1, 1], [1, 4]] 7 }
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] 1i64 } output { [[9, 2], [3, 4]] [[1, 5], [3, 5]] [[1, 2], [7, 8]] }
-- ==
-- entry: chained
-- input { 3 } output { 10 [1, 3] 3 }
-- ==
-- entry: inferred
-- input { [1, 2] } output { [1, 2] [5, 2] }
-- ==
-- entry: in_place
-- input { 1000i64 } output { 499500i64 3i64 }
-- ==
-- entry: sections
-- input { [1, 2, 3] } output { [1, 3] [4, 3] [3, 6] [1, 2] [[2], [4]] [2, 3] }
-- ==
-- entry: adjoint
-- input { [1.0, 2.0, 3.0] } output { [2.0, 0.0, 6.0] 12.0 }
-- ==
-- entry: tangent
-- input { [1.0, 2.0, 3.0] } output { 8.0 }
-- ==
-- entry: outside
-- input { 1i64 } output { 7 }
-- input { 2i64 } error: .*
type inner = {c: [3]i32, d: i32}
type outer = {a: i32, b: inner}

entry fields (xs: [3]i32) =
  let x : outer = {a = 1, b = {c = copy xs, d = 2}}
  let y = x with b.c[1] = 9
  in (y.b.c, y.b.d, xs)

entry elements (xs: [3]i32) =
  let ps = map (\x -> {v = x, w = true}) xs
  let ps = ps with [1].v = 9
  let ps[2].w = false
  in unzip (map (\p -> (p.v, p.w)) ps)

entry lets (x: i32) =
  let r = {f = x, g = [x, x]}
  let r.f = 5
  let r.g[1] = 8
  let a = [{b = [x, x]}, {b = [x, x]}]
  let a[1].b[1] = 4
  let t = ((x, x), x)
  let t.0.1 = 7
  in (r.f, r.g[1], map (.b) a, t.0.1)

entry rows (xs: [2][2]i32) (i: i64) =
  (copy xs with [0][0] = 9, copy xs with [:, i] = [5, 5], copy xs with [1:2] = [[7, 8]])

entry chained (x: i32) =
  let r = {a = {b = {c = x}}, d = [1, 2]}
  let s = r with a.b.c = 10 with d[1] = x
  in (s.a.b.c, s.d, r.a.b.c)

def copied [n] (r: {xs: [n]i32}) = r with xs = copy r.xs
entry inferred [n] (xs: [n]i32) =
  let r = copied {xs}
  let s = copied r
  let s.xs[0] = 5
  in (r.xs, s.xs)

-- Nothing but the update holds the array, which is so changed in place.
entry in_place (n: i64) =
  let r = loop r = {count = 3i64, all = replicate n 0i64} for i < n do r with all[i] = i
  in (i64.sum r.all, r.count)

entry sections (xs: [3]i32) =
  let a = [{p = {q = 1}, r = 4}, {p = {q = 3}, r = 3}]
  let b = [{x = xs}, {x = map (* 2) xs}]
  let c = [map (\x -> {x}) xs, map (\x -> {x = x + 1}) xs]
  in (map (.p.q) a, map (.r) a, map (.x[2]) b, map (.[0].x) c, map (.x[1:2]) b, map (.[1].x) c)

def loss (xs: [3]f64) =
  let r = {ws = copy xs, b = {k = xs[0]}}
  let r.ws[1] = r.b.k
  let r = r with b.k = r.ws[2] * r.ws[2]
  in r.ws[1] * r.ws[1] + r.b.k
entry adjoint (xs: [3]f64) = let (value, d) = vjp2 loss xs 1 in (d, value + 2)
entry tangent (xs: [3]f64) = jvp loss xs [1, 5, 1]

entry outside (i: i64) =
  let r = {a = [1, 2]}
  let r.a[i] = 7
  in r.a[1]
