-- What the meanings know: functions on arrays, derivatives, accumulators.

module type intrinsics = {
  val map [n] 'a 'x : (a -> x) -> [n]a -> *[n]x
  val zip [n] 'a 'b : [n]a -> [n]b -> *[n](a, b)
  val unzip [n] 'a 'b : [n](a, b) -> *([n]a, [n]b)
  val reduce [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val reduce_comm [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val scan [n] 'a : (a -> a -> a) -> a -> [n]a -> *[n]a
  val reduce_by_index [m] [n] 'a : *[m]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[m]a
  val scatter [m] [n] 'a : *[m]a -> [n]i64 -> [n]a -> *[m]a
  val filter [n] 'a : (a -> bool) -> [n]a -> ?[m].*[m]a
  val concat [n] [m] 'a : [n]a -> [m]a -> *[n + m]a
  val reverse [n] 'a : [n]a -> [n]a
  val rotate [n] 'a : i64 -> [n]a -> *[n]a
  val transpose [n] [m] 'a : [n][m]a -> [m][n]a
  val flatten [n] [m] 'a : [n][m]a -> [n * m]a
  val unflatten [n] [m] 'a : [n * m]a -> [n][m]a
  val replicate 'a : (n: i64) -> a -> *[n]a
  val iota : (n: i64) -> *[n]i64

  val jvp2 'a '~b : (a -> b) -> a -> a -> *(b, b)
  val vjp2 'a 'b : (a -> b) -> a -> b -> *(b, a)
  val jmp2 [k] 'a 'b : (a -> b) -> a -> [k]a -> *(b, [k]b)
  val mjp2 [k] 'a 'b : (a -> b) -> a -> [k]b -> *(b, [k]a)
  val with_vjp 'a 'b : (a -> b) -> (b -> b -> a) -> a -> *b

  val reduce_by_index_stream [k] [n] 'a 'b :
    *[k]a -> (a -> a -> a) -> a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a
  val scatter_stream [k] [n] 'a 'b : *[k]a -> (*acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> *[k]a
  val write [n] 'a : *acc ([n]a) -> i64 -> a -> *acc ([n]a)

  val trace 'a : a -> a
  -- Rows of a known number of elements in all, each from its offset on; this one is the prelude's own.
  val rows [n] 'a 'b : (count: i64) -> [n]i64 -> (a -> ?[k].[k]b) -> [n]a -> [count]b
}
