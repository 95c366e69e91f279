-- ==
-- error: 300 does not fit u8
entry main (x: u8) = x + 300
