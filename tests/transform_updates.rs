//! What the return sweep of arrays written into executes again: nothing that it has no use for.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};

#[test]
fn a_row_that_is_written_is_not_computed_again_for_its_size() {
    let sines = Program::trace(|x: Arr<Arr<F64>>| {
        loop_for(x.len(), x.zeros_like(), |i, rows| rows.with(i, x.index(i).map(|x| x.sin())))
    });
    let reverse = sines.unwrap().vjp().unwrap().to_string();
    assert_eq!(reverse.matches("= sin(").count(), 1, "{reverse}");
}
