-- Adjoints of integers of eight bits wrap.
-- ==
-- entry: main
-- input { 2i8 200u8 } output { -2i8 56u8 254u8 true }
entry main (x: i8) (y: u8) = (vjp (\x -> -x) x 2, vjp (\y -> -y) y y, vjp (\y -> y * 254) y 1, vjp (\y -> y > 3) y true == 0)
