-- Functions on functions and on arrays.

def id '^a (x: a): a = x
def const '^a '^b (x: a) (_: b): a = x
def flip '^a '^b '^c (f: a -> b -> c) (y: b) (x: a): c = f x y
def curry '^a '^b '^c (f: (a, b) -> c) (x: a) (y: b): c = f (x, y)
def uncurry '^a '^b '^c (f: a -> b -> c) ((x, y): (a, b)): c = f x y
def swap 'a 'b ((x, y): (a, b)): (b, a) = (y, x)
def (|>) '^a '^b (x: a) (f: a -> b): b = f x
def (<|) '^a '^b (f: a -> b) (x: a): b = f x
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a): c = g (f x)
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a): c = g (f x)
def not (x: bool): bool = !x
def copy 'a (x: a): *a = x
def manifest 'a (x: a): *a = x
def break 'a (x: a): a = x
def opaque 'a (x: a): a = x

def iterate 'a (n: i32) (f: a -> a) (x: a): a = loop x for _i < n do f x
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a): a = loop x while p x do f x
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a): a = loop x while !(p x) do f x

def length [n] 'a (_: [n]a): i64 = n
def null [n] 'a (_: [n]a): bool = n == 0
def update [n] 'a (xs: *[n]a) (i: i64) (x: a): *[n]a = xs with [i] = x
def indices [n] 'a (_: [n]a): *[n]i64 = iota n
def rep [n] 'a (x: a): *[n]a = replicate n x
def sized [m] 'a (n: i64) (xs: [m]a): [n]a = xs :> [n]a
def head [n] 'a (xs: [n]a): a = xs[0]
def last [n] 'a (xs: [n]a): a = xs[n - 1]
def tail [n] 'a (xs: [n]a): [n - 1]a = xs[1:]
def init [n] 'a (xs: [n]a): [n - 1]a = xs[:n - 1]
def take [n] 'a (k: i64) (xs: [n]a): [k]a = xs[:k]
def drop [n] 'a (k: i64) (xs: [n]a): [n - k]a = xs[k:]
def split [n] [m] 'a (xs: [n + m]a): ([n]a, [m]a) = (xs[:n], xs[n:])
def (++) [n] [m] 'a (xs: [n]a) (ys: [m]a): *[n + m]a = concat xs ys

def flatten_3d [n] [m] [l] 'a (xs: [n][m][l]a): [n * m * l]a = flatten (flatten xs)
def flatten_4d [n] [m] [l] [k] 'a (xs: [n][m][l][k]a): [n * m * l * k]a = flatten (flatten_3d xs)
def unflatten_3d [n] [m] [l] 'a (xs: [n * m * l]a): [n][m][l]a = unflatten (unflatten xs)
def unflatten_4d [n] [m] [l] [k] 'a (xs: [n * m * l * k]a): [n][m][l][k]a = unflatten (unflatten_3d xs)

def map1 [n] 'a 'x (f: a -> x) (as: [n]a): *[n]x = map f as
def map2 [n] 'a 'b 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b): *[n]x = map (\(a, b) -> f a b) (zip as bs)
def map3 [n] 'a 'b 'c 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c): *[n]x =
  map (\(a, (b, c)) -> f a b c) (zip as (zip bs cs))
def map4 [n] 'a 'b 'c 'd 'x (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n]x =
  map (\((a, b), (c, d)) -> f a b c d) (zip (zip as bs) (zip cs ds))
def map5 [n] 'a 'b 'c 'd 'e 'x
         (f: a -> b -> c -> d -> e -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n]x =
  map (\((a, b), (c, (d, e))) -> f a b c d e) (zip (zip as bs) (zip cs (zip ds es)))

def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b): *[n](a, b) = zip as bs
def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c): *[n](a, b, c) = map3 (\a b c -> (a, b, c)) as bs cs
def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d): *[n](a, b, c, d) =
  map4 (\a b c d -> (a, b, c, d)) as bs cs ds
def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e): *[n](a, b, c, d, e) =
  map5 (\a b c d e -> (a, b, c, d, e)) as bs cs ds es
def unzip2 [n] 'a 'b (xs: [n](a, b)): *([n]a, [n]b) = unzip xs
def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)): *([n]a, [n]b, [n]c) = (map (.0) xs, map (.1) xs, map (.2) xs)
def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)): *([n]a, [n]b, [n]c, [n]d) =
  (map (.0) xs, map (.1) xs, map (.2) xs, map (.3) xs)
def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)): *([n]a, [n]b, [n]c, [n]d, [n]e) =
  (map (.0) xs, map (.1) xs, map (.2) xs, map (.3) xs, map (.4) xs)

def tabulate 'a (n: i64) (f: i64 -> a): *[n]a = map f (iota n)
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a): *[n][m]a = tabulate n (\i -> tabulate m (f i))
def tabulate_3d 'a (n: i64) (m: i64) (l: i64) (f: i64 -> i64 -> i64 -> a): *[n][m][l]a =
  tabulate n (\i -> tabulate_2d m l (f i))

def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b): a = loop acc for b in bs do f acc b
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b): a = loop acc for b in reverse bs do f b acc
def and [n] (xs: [n]bool): bool = reduce_comm (&&) true xs
def or [n] (xs: [n]bool): bool = reduce_comm (||) false xs
def all [n] 'a (p: a -> bool) (xs: [n]a): bool = and (map p xs)
def any [n] 'a (p: a -> bool) (xs: [n]a): bool = or (map p xs)

def partition [n] 'a (p: a -> bool) (xs: [n]a): ?[k].(*[k]a, *[n - k]a) =
  let yes = filter p xs
  let no = filter (\x -> !(p x)) xs
  in (yes, no :> [n - length yes]a)
def partition2 [n] 'a (p: a -> bool) (q: a -> bool) (xs: [n]a): ?[k][l].(*[k]a, *[l]a, *[n - k - l]a) =
  let first = filter p xs
  let second = filter (\x -> !(p x) && q x) xs
  let rest = filter (\x -> !(p x) && !(q x)) xs
  in (first, second, rest :> [n - length first - length second]a)
-- Each prefix without its last element.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a): *[n]a =
  map2 (\i before -> if i == 0 then ne else before) (iota n) (rotate (-1) (scan op ne as))

-- The sizes of the rows, where rows begin, their offsets, the rows one after the other, and what comes with them. The sizes are
-- found first, so that every element has its place beforehand, and its adjoint too.
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a): ?[m].(*[n]i64, *[m]bool, *[n]i64, *[m]b, *[n]c) =
  let (sizes, rest) = unzip (map (\a -> let (row, c) = f a in (length row, c)) as)
  let offsets = map2 (\end size -> end - size) (scan (+) 0 sizes) sizes
  let m = reduce_comm (+) 0 sizes
  let begins = scatter (replicate m false) offsets (replicate n true)
  in (sizes, begins, offsets, known.rows m offsets (\a -> (f a).0) as, rest)
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a): ?[m].(*[n]i64, *[m]bool, *[n]i64, *[m]b) =
  let (sizes, begins, offsets, bs, _) = flatmap (\a -> (f a, ())) as
  in (sizes, begins, offsets, bs)

-- Where an element is in the rows one after the other; nowhere if it is not there.
local def place_2d (k: i64) (m: i64) (i: i64, j: i64): i64 = if 0 <= i && i < k && 0 <= j && j < m then i * m + j else -1
local def place_3d (k: i64) (m: i64) (l: i64) (i: i64, j: i64, h: i64): i64 =
  if 0 <= i && i < k && 0 <= j && j < m && 0 <= h && h < l then (i * m + j) * l + h else -1

def hist [n] 'a (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a): *[k]a =
  reduce_by_index (replicate k ne) op ne is as
def reduce_by_index_2d [k] [m] [n] 'a (dest: *[k][m]a) (op: a -> a -> a) (ne: a) (is: [n](i64, i64)) (as: [n]a): *[k][m]a =
  unflatten (reduce_by_index (flatten dest) op ne (map (place_2d k m) is) as)
def reduce_by_index_3d [k] [m] [l] [n] 'a (dest: *[k][m][l]a) (op: a -> a -> a) (ne: a)
                       (is: [n](i64, i64, i64)) (as: [n]a): *[k][m][l]a =
  unflatten_3d (reduce_by_index (flatten_3d dest) op ne (map (place_3d k m l) is) as)
def spread [n] 'a (k: i64) (x: a) (is: [n]i64) (vs: [n]a): *[k]a = scatter (replicate k x) is vs
def scatter_2d [k] [m] [n] 'a (dest: *[k][m]a) (is: [n](i64, i64)) (vs: [n]a): *[k][m]a =
  unflatten (scatter (flatten dest) (map (place_2d k m) is) vs)
def scatter_3d [k] [m] [l] [n] 'a (dest: *[k][m][l]a) (is: [n](i64, i64, i64)) (vs: [n]a): *[k][m][l]a =
  unflatten_3d (scatter (flatten_3d dest) (map (place_3d k m l) is) vs)

def jvp 'a 'b (f: a -> b) (x: a) (dx: a): *b = (jvp2 f x dx).1
def vjp 'a 'b (f: a -> b) (x: a) (dy: b): *a = (vjp2 f x dy).1
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (f': (c, b) -> a) (x: a): *b =
  (with_vjp f (\(tape, _) (_, adjoint) -> f' (tape, adjoint)) x).1
def jmp [k] 'a 'b (f: a -> b) (x: a) (dxs: [k]a): *[k]b = (jmp2 f x dxs).1
def mjp [k] 'a 'b (f: a -> b) (x: a) (dys: [k]b): *[k]a = (mjp2 f x dys).1
