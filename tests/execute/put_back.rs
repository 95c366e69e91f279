//! Rows that are put back where they were, with parts of them replaced: executors do that as the interpreter does, also where rows
//! are read that are being changed.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::interpret::Value;

use crate::loops::array;
use crate::resized::same;

/// What rows are made of, and what becomes of one: statements, and what is put together.
type Becomes = (&'static str, &'static str, &'static str);

const BECOMES: [Becomes; 9] = [
    ("rows, new", "", "concat(before, part, after)"),
    // One element of each row.
    (
        "rows, new",
        "let x = part[0i64]
         let one = replicate(1i64, x)
         let next = add(column, 1i64)
         let behind = sub(width, next)
         let others = slice row[next : behind : 1i64]",
        "concat(before, one, others)",
    ),
    // The parts change places.
    ("rows, new", "", "concat(after, part, before)"),
    ("rows, new", "let other = slice row[column : left : 1i64]", "concat(before, part, other)"),
    // Other rows than those that are changed, a row that may be, and a part of rows that may be.
    ("others, new", "", "concat(before, part, after)"),
    ("rows, new", "let other = slice top[0i64 : column : 1i64]", "concat(other, part, after)"),
    ("rows, corner", "", "concat(before, part, after)"),
    // What is read of a row.
    (
        "rows, new",
        "let x = row[0i64]
         let scaled = map (part) |y: f64| { let z = mul(x, y) return z }",
        "concat(before, scaled, after)",
    ),
    ("rows, new", "let joined = concat(before, part, after)", "slice joined[0i64 : width : 1i64]"),
];

/// Rows of a matrix of the program's own are put back from `first` on.
fn put_back((arrays, statements, becomes): Becomes) -> Result<Program> {
    Program::parse(&format!(
        "program (given: [][]f64, new: [][]f64, begin: i64, first: i64, column: i64) {{
           let a = map (given) |row: []f64| {{
             let twice = map (row) |x: f64| {{ let y = add(x, x) return y }}
             return twice }}
           let n = size[0](new)
           let width = size[1](a)
           let count = size[1](new)
           let end = add(column, count)
           let left = sub(width, end)
           let top = a[0i64]
           let numbers = iota(n)
           let places = map (numbers) |k: i64| {{ let place = add(first, k) return place }}
           let rows = slice a[first : n : 1i64]
           let others = slice a[begin : n : 1i64]
           let corner = slice a[begin : n : 1i64, 0i64 : count : 1i64]
           let put = map ({arrays}) |row: []f64, part: []f64| {{
             let before = slice row[0i64 : column : 1i64]
             let after = slice row[end : left : 1i64]
             {statements}
             let all = {becomes}
             return all }}
           let changed = scatter(a, places, put)
           return changed }}"
    ))
}

#[test]
fn parts_of_rows_that_are_put_back() -> Result<()> {
    for becomes in BECOMES {
        let program = put_back(becomes)?;
        for (rows, columns) in [(5, 40), (40, 19)] {
            for (count, first) in [(rows, 0), (rows - 1, 1), (rows / 2, rows / 3)] {
                for (column, width) in [(0, columns), (columns - 1, 1), (columns / 3, columns / 2)] {
                    let [begin, first, column] = [rows - count, first, column].map(|at| Value::from(at as i64));
                    let new = array(&[count, width], 5);
                    same(&program, &[array(&[rows, columns], 7), new, begin, first, column]);
                }
            }
        }
    }
    Ok(())
}

/// Rows for places next to each other, of which some are outside.
#[test]
fn rows_for_places_next_to_each_other() -> Result<()> {
    let program = Program::parse(
        "program (given: [][]f64, new: [][]f64, first: i64) {
           let a = map (given) |row: []f64| {
             let twice = map (row) |x: f64| { let y = add(x, x) return y }
             return twice }
           let n = size[0](new)
           let numbers = iota(n)
           let places = map (numbers) |k: i64| { let place = add(first, k) return place }
           let there = map (new) |row: []f64| {
             let more = map (row) |x: f64| { let y = add(x, 1.0f64) return y }
             return more }
           let changed = scatter(a, places, there)
           let line = a[0i64]
           let column = map (changed) |row: []f64| { let x = row[0i64] return x }
           let backwards = map (numbers) |k: i64| { let place = sub(first, k) return place }
           let steps = map (numbers) |k: i64| { let far = mul(k, 2i64) let place = add(far, first) return place }
           let firsts = map (new) |row: []f64| { let x = row[0i64] return x }
           let once = scatter(column, backwards, firsts)
           let again = scatter(once, steps, firsts)
           return changed, again, line }",
    )?;
    for (rows, count) in [(5, 0), (1, 1), (5, 3), (3, 5), (40, 17), (17, 40)] {
        let far = [i64::MIN, i64::MIN + 7, -41, -40, -17, -3, -1, 0, 1, 2, 3, 16, 17, 39, 40, i64::MAX - 7, i64::MAX];
        for first in far {
            same(&program, &[array(&[rows, 3], 7), array(&[count, 3], 5), first.into()]);
        }
    }
    Ok(())
}

/// Numbers that are made of those in their places, enough that threads share them; and rows that are made of others, for places that
/// may be anywhere.
#[test]
fn what_is_put_where_it_was_read() -> Result<()> {
    let program = Program::parse(
        "program (given: []f64, first: i64, n: i64) {
           let a = map (given) |x: f64| { let y = add(x, x) return y }
           let numbers = iota(n)
           let places = map (numbers) |k: i64| { let place = add(first, k) return place }
           let part = slice a[first : n : 1i64]
           let more = map (part) |x: f64| { let y = add(x, 1.0f64) return y }
           let changed = scatter(a, places, more)
           return changed }",
    )?;
    for (size, first, n) in [(7, 2_i64, 4_i64), (300_001, 1, 300_000), (300_001, 0, 300_001)] {
        same(&program, &[array(&[size], 7), Value::from(first), Value::from(n)]);
    }
    let program = Program::parse(
        "program (given: [][]f64, new: [][]f64, first: i64) {
           let a = map (given) |row: []f64| {
             let twice = map (row) |x: f64| { let y = add(x, x) return y }
             return twice }
           let n = size[0](new)
           let numbers = iota(n)
           let places = map (numbers) |k: i64| { let place = add(first, k) return place }
           let put = map (new) |part: []f64| {
             let all = concat(part, part)
             return all }
           let changed = scatter(a, places, put)
           return changed }",
    )?;
    for first in [-3_i64, 0, 2, 1 << 61, (1 << 61) - 1, -(1 << 61), i64::MAX, i64::MIN] {
        same(&program, &[array(&[20, 8], 7), array(&[19, 4], 5), Value::from(first)]);
    }
    Ok(())
}
