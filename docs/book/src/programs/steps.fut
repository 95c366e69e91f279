-- A loop with a branch, of which a trace has neither.
entry steps (x: f64) = loop x for i < 3 do if x < 1 then x * 2 else f64.sqrt x
