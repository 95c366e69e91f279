-- What libraries make functions of: all that the meanings know, by older names too, and arrays read and written at places
-- that are a sum of strides.

local def inside [k] (n: i64) (is: [k]i64): [k]i64 = map (\i -> assert (0 <= i && i < n) i) is

module intrinsics = {
  open known
  def hist_stream [k] [n] 'a 'b (dest: *[k]a) (op: a -> a -> a) (ne: a) (f: *acc ([k]a) -> b -> acc ([k]a)) (bs: [n]b): *[k]a =
    known.reduce_by_index_stream dest op ne f bs
  def acc_write [n] 'a (accumulator: *acc ([n]a)) (i: i64) (x: a): *acc ([n]a) = known.write accumulator i x

  def flat_index_1d [n] 'a (as: [n]a) (offset: i64) (n1: i64) (s1: i64): *[n1]a =
    tabulate n1 (\i -> as[offset + i * s1])
  def flat_index_2d [n] 'a (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64): *[n1][n2]a =
    tabulate n1 (\i -> flat_index_1d as (offset + i * s1) n2 s2)
  def flat_index_3d [n] 'a (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64)
                    (n3: i64) (s3: i64): *[n1][n2][n3]a =
    tabulate n1 (\i -> flat_index_2d as (offset + i * s1) n2 s2 n3 s3)
  def flat_index_4d [n] 'a (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64)
                    (n3: i64) (s3: i64) (n4: i64) (s4: i64): *[n1][n2][n3][n4]a =
    tabulate n1 (\i -> flat_index_3d as (offset + i * s1) n2 s2 n3 s3 n4 s4)
  def flat_update_1d [n] [k] 'a (as: *[n]a) (offset: i64) (s1: i64) (bs: [k]a): *[n]a =
    scatter as (inside n (tabulate k (\i -> offset + i * s1))) bs
  def flat_update_2d [n] [k] [l] 'a (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (bs: [k][l]a): *[n]a =
    let place i j = offset + i * s1 + j * s2
    in scatter as (inside n (flatten (tabulate_2d k l place))) (flatten bs)
  def flat_update_3d [n] [k] [l] [m] 'a (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64)
                     (bs: [k][l][m]a): *[n]a =
    let place i j x = offset + i * s1 + j * s2 + x * s3
    in scatter as (inside n (flatten_3d (tabulate_3d k l m place))) (flatten_3d bs)
  def flat_update_4d [n] [k] [l] [m] [h] 'a (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (s3: i64) (s4: i64)
                     (bs: [k][l][m][h]a): *[n]a =
    let place i j x y = offset + i * s1 + j * s2 + x * s3 + y * s4
    in scatter as (inside n (flatten_4d (tabulate k (\i -> tabulate_3d l m h (place i))))) (flatten_4d bs)

  def jvp 'a 'b (f: a -> b) (x: a) (dx: a): *b = jvp f x dx
  def vjp 'a 'b (f: a -> b) (x: a) (dy: b): *a = vjp f x dy
  def opaque 'a (x: a): a = opaque x
  def break 'a (x: a): a = break x
  def manifest 'a (x: a): *a = manifest x
}
