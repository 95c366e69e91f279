//! `test` as people use it who have a folder of programs: what blocks may say, who runs what, and how it is summed up.

use crate::command::{answer, folder, told};

const MARKED: &str = "\
-- Markers of all kinds, several entries, files on one line.
-- ==
-- tags { slow other-tag }
-- entry: f g
-- compiled nobench notravis input @ one.in output @ sub/one.out.bin
-- \"named\" my-mark input { 1 } output { 2 }
--
-- input { 0x10 }
-- output { 17 }
-- structure gpu-mem { SegMap 1 }
-- structure { Map 1 }
entry f (x: i32) = x + 1
entry g (x: i32) = 1 + x

-- ==
-- entry: h
-- input { 200i8 -1u8 [f32.nan, -f32.inf] empty([0][2]f32) \"ab\" }
-- output { -56i8 255u8 [f32.nan, -f32.inf] empty([0][2]f32) [97u8, 98] }
entry h (a: i8) (b: u8) (x: []f32) (e: [][]f32) (t: []u8) = (a, b, x, e, t)
";

/// Files on one line, any word as a marker, several blocks; bits of integers, and what is no number.
#[test]
fn blocks_as_the_language_has_them() {
    let files = [("a.fut", MARKED), ("one.in", "41"), ("sub/one.out.bin", "b\x02\x00 i32\x2a\x00\x00\x00")];
    let here = folder("markers", &files);
    assert_eq!(answer(&here, "test a.fut", ""), "7 passed, 0 failed, 0 skipped\n");
    assert_eq!(answer(&here, "test a.fut --both --exclude my-mark", ""), "10 passed, 0 failed, 4 skipped\n");
}

#[test]
fn programs_without_cases_are_checked() {
    let files = [
        ("all/plain.fut", "def x = 1\n"),
        ("all/below/block.fut", "-- ==\n-- tags { a }\ndef x = 1\n"),
        ("all/refused.fut", "-- ==\n-- error: Cannot unify .*\\(\nentry main (x: i32): f64 = x\n"),
        ("other/wrong.fut", "def x = y\n"),
        ("other/accepted.fut", "-- ==\n-- error:\ndef x = 1\n"),
    ];
    let here = folder("checked", &files);
    assert_eq!(answer(&here, "test all/plain.fut", ""), "1 passed, 0 failed, 0 skipped\n");
    let (code, output, errors) = told(&here, "test all --threads 1", "");
    assert_eq!(code, 0);
    assert_eq!(output, "3 passed, 0 failed, 0 skipped; of 3 programs 3 passed, 0 failed: 2 checked, 1 refused\n");
    let expected = "\
[1/3] all/below/block.fut: 1 passed, 0 failed, 0 skipped
[2/3] all/plain.fut: 1 passed, 0 failed, 0 skipped
[3/3] all/refused.fut: 1 passed, 0 failed, 0 skipped
";
    assert_eq!(errors, expected);
    // The words of another compiler are not ours.
    let (code, output, _) = told(&here, "test all --words", "");
    assert!(code == 1 && output.contains("expected a message like `Cannot unify .*\\(`"), "{output}");
    let (code, output, _) = told(&here, "test other all --json", "");
    assert_eq!(code, 1);
    let summary: serde_json::Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    let expected = serde_json::json!({"checked": 3, "refused": 2, "passed": 3, "failed": 2});
    assert_eq!((&summary["programs"], &summary["failed"]), (&expected, &2.into()));
}

#[test]
fn errors_count_by_their_kind_or_by_their_words() {
    let text = "\
-- ==
-- input { [1] 3i64 } error: Index \\[3\\] out of bounds
-- input { [1] 0i64 } error: nothing
-- warning: unused
entry main (x: []i32) (i: i64) = x[i]
";
    let here = folder("kinds", &[("a.fut", text)]);
    let (code, output, _) = told(&here, "test a.fut", "");
    assert_eq!(code, 1);
    let expected = "a.fut:3: main #1: expected an error like `nothing`, found 1i32\n1 passed, 1 failed, 1 skipped\n";
    assert_eq!(output, expected);
    let (_, output, _) = told(&here, "test a.fut --words", "");
    assert!(output.ends_with("0 passed, 3 failed, 0 skipped\n"), "{output}");
}

/// A case that does not end is stopped, and is none that fails as expected.
#[test]
fn time_has_a_limit() {
    let text = "\
-- ==
-- input { 1 } error:
-- input { -1 } output { -1 }
entry main (x: i32) = loop x while x > 0 do if x > 10 then 1 else x + 1
";
    let here = folder("time", &[("a.fut", text)]);
    for executor in ["", " --executor interpreter"] {
        let (code, output, _) = told(&here, &format!("test a.fut --time 0.5{executor}"), "");
        assert!(code == 1 && output.contains("stopped after 0.5 s, the most that a case may take"), "{output}");
        assert!(output.ends_with("1 passed, 1 failed, 0 skipped\n"), "{output}");
    }
}

/// Large random inputs run compiled, and the interpreter runs smaller ones, in which numbers that are sizes stay so. What
/// no size can be made of is noted.
#[test]
fn large_inputs_are_compared_on_smaller_ones() {
    let text = "\
-- ==
-- entry: rows
-- random input { [1024][1024]f32 } auto output
-- ==
-- entry: flat
-- random input { 256i64 2048i64 [524288]i32 } auto output
-- random input { 16i64 4i64 [64]i32 } auto output
entry rows (x: [][]f32) = map f32.sum x
entry flat (n: i64) (m: i64) (x: [n * m]i32) = map i32.sum (unflatten x)
";
    let here = folder("large", &[("a.fut", text)]);
    let output = answer(&here, "test a.fut", "");
    let expected = "a.fut:6: flat #0: note: not compared, because the interpreter would take long\n3 passed, 0 failed, 0 skipped\n";
    assert_eq!(output, expected);
}

#[test]
fn scripts_bind_names_and_make_records() {
    let text = "\
-- ==
-- entry: total
-- script input { let (k, xs) = pair 3i64 in {xs, k = k} } output { 12.0 }
-- script input { let n = 2i64 in pair n } output { 3.0 }
-- script input { {xs = [1.0, 2.5], k = $loaddata \"k.in\"} } output { 7.0 }
-- script input @ large.script output { 12.0 }
-- script input @ none output { 12.0 }
entry pair (n: i64) = (f64.i64 n + 1, map f64.i64 (iota n))
entry total (r: {k: f64, xs: []f64}) = r.k * f64.sum r.xs
";
    let here = folder("scripts", &[("a.fut", text), ("k.in", "2.0"), ("large.script", "pair 3i64\n")]);
    let (code, output, _) = told(&here, "test a.fut", "");
    assert!(code == 1 && output.contains("a.fut:7: total none: ") && output.contains("No such file"), "{output}");
    assert!(output.ends_with("4 passed, 1 failed, 0 skipped\n"), "{output}");
}
