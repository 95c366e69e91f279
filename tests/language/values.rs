//! Values in both formats, test blocks, and inputs drawn at random.

use catadiff::futhark::core::Prim;
use catadiff::futhark::source::Span;
use catadiff::futhark::testing::blocks::{Block, Draw, Input, Output, blocks, draw};
use catadiff::futhark::testing::random::Random;
use catadiff::futhark::values::{Array, Data, read, write_binary};
use catadiff::primitives::f16;

#[track_caller]
fn one(text: &str) -> Array {
    let mut values = read(text.as_bytes(), 0).unwrap_or_else(|message| panic!("{text}: {message:?}"));
    assert_eq!(values.len(), 1, "{text}");
    values.remove(0)
}

fn wrong(input: &[u8]) -> String {
    let message = read(input, 0).expect_err("no value");
    format!("{} {}", message.text, message.hint.unwrap_or_default())
}

#[test]
fn scalars_of_every_kind() {
    assert_eq!(one("5"), Array::scalar(5_i32));
    assert_eq!(one("-5i8"), Array::scalar(-5_i8));
    assert_eq!(one("-32768i16"), Array::scalar(i16::MIN));
    assert_eq!(one("-9223372036854775808i64"), Array::scalar(i64::MIN));
    assert_eq!(one("0xffu8"), Array::scalar(255_u8));
    assert_eq!(one("200i8"), Array::scalar(-56_i8));
    assert_eq!(one("-1u8"), Array::scalar(255_u8));
    assert_eq!(one("65_535u16"), Array::scalar(u16::MAX));
    assert_eq!(one("7u32"), Array::scalar(7_u32));
    assert_eq!(one("18446744073709551615u64"), Array::scalar(u64::MAX));
    assert_eq!(one("1.5"), Array::scalar(1.5_f64));
    assert_eq!(one("1e-3f32"), Array::scalar(1e-3_f32));
    assert_eq!(one("2f64"), Array::scalar(2.0_f64));
    assert_eq!(one("-0x1.8p+3"), Array::scalar(-12.0_f64));
    assert_eq!(one("true"), Array::scalar(true));
    assert_eq!(one("f64.inf"), Array::scalar(f64::INFINITY));
    assert_eq!(one("-f32.inf"), Array::scalar(f32::NEG_INFINITY));
    assert_eq!(one("1.5f16"), Array::scalar(f16::from_f64(1.5)));
    assert_eq!(one("-f16.inf"), Array::scalar(f16::NEG_INFINITY));
    assert!(matches!(one("f16.nan").data, Data::F16(x) if f64::from(x[0]).is_nan()));
    assert!(matches!(one("f32.nan").data, Data::F32(x) if x[0].is_nan()));
    // Rounded once: by way of `f64` it would be 16777216.
    assert_eq!(one("16777217.0000001f32"), Array::scalar(16_777_218.0_f32));
    assert_eq!(one("2049.00000000000000000001f16"), Array::scalar(f16::from_f64(2050.0)));
    assert_eq!(one("-0x801.0000000000000000000001p0f16"), Array::scalar(f16::from_f64(-2050.0)));
}

#[test]
fn arrays_and_several_values() {
    assert_eq!(one("[1f32, 2, 3.5]"), Array::vector(vec![1.0_f32, 2.0, 3.5]));
    assert_eq!(one("\"ab\\n\""), Array::vector(b"ab\n".to_vec()));
    let matrix = one(" [ [1, 2, 3]\n, [4, 5, -6] ] -- the end");
    assert_eq!((matrix.shape.as_slice(), &matrix.data), (&[2, 3][..], &Data::I32(vec![1, 2, 3, 4, 5, -6])));
    assert_eq!(matrix.to_string(), "[[1i32, 2i32, 3i32], [4i32, 5i32, -6i32]]");
    assert_eq!(one("empty([0][3]f32)").to_string(), "empty([0][3]f32)");
    assert_eq!(one("[[[true], [false]]]").shape, [1, 2, 1]);
    assert_eq!(read(b"1 [2.0]\ntrue", 0).unwrap().len(), 3);
    assert_eq!(read(b"  -- nothing\n", 0).unwrap(), []);
}

#[test]
fn what_is_no_value_is_said() {
    for (text, said) in [
        ("[1, 2.0]", "expected a value of type i32"),
        ("[1, 2i64]", "the first of type i32"),
        ("[[1, 2], [3]]", "this row has 1 elements, those before it 2"),
        ("[[1], 2]", "expected a row"),
        ("[1, [2]]", "more dimensions"),
        ("[]", "empty([0]f64)"),
        ("[1 2]", "expected `,` or `]`"),
        ("[1,", "the end of the input"),
        ("300u8", "does not fit into u8"),
        ("-129u8", "does not fit into u8"),
        ("256i8", "does not fit into i8"),
        ("[1u8, -1]", "does not fit into u8"),
        ("65520f16", "65520 does not fit into f16: infinity is f16.inf"),
        ("[1f16, 2f32]", "the first of type f16"),
        ("f128.inf", "expected a value"),
        ("i32.inf", "expected a value"),
        ("hello", "expected a value"),
        ("empty([2]i32)", "has a size of 0"),
        ("empty([0]i33)", "name of a kind"),
        ("\"abc", "not closed"),
        ("1.5i32", "said to be an integer"),
        ("99999999999", "does not fit into i32"),
        ("b\x02\x01 i32\x03", "ends within its sizes"),
        ("b\x02\x01", "ends within its header"),
        ("b\x03\x00 i32aaaa", "version 3"),
        ("b\x02\x00 i33aaaa", "which is not known"),
        ("b\x02\x00bool\x02", "truth values"),
        ("b\x02\x00 i64aaaa", "ends within its elements"),
    ] {
        assert!(wrong(text.as_bytes()).contains(said), "{text:?}: {}", wrong(text.as_bytes()));
    }
    let mut huge = b"b\x02\x02 f64".to_vec();
    huge.extend([0xff; 16]);
    assert!(wrong(&huge).contains("ends within its elements"));
    let deep = "[".repeat(1_000_000);
    assert!(wrong(deep.as_bytes()).contains("more dimensions"));
}

#[test]
fn the_binary_format_is_the_one_described() {
    let mut bytes = Vec::new();
    write_binary(&Array { shape: vec![1, 2], data: Data::F32(vec![1.0, -2.0]) }, &mut bytes);
    let expected =
        [b"b\x02\x02 f32".as_slice(), &1_u64.to_le_bytes(), &2_u64.to_le_bytes(), &[0, 0, 128, 63, 0, 0, 0, 192]];
    assert_eq!(bytes, expected.concat());
    bytes.extend(b" 3i64 ");
    let halves = [1.0, -2.0].map(f16::from_f64);
    write_binary(&Array::vector(halves.to_vec()), &mut bytes);
    assert!(bytes.ends_with(b"b\x02\x01 f16\x02\0\0\0\0\0\0\0\0\x3c\0\xc0"));
    write_binary(&Array::scalar(true), &mut bytes);
    let values = read(&bytes, 0).unwrap();
    assert_eq!(values[1..], [Array::scalar(3_i64), Array::vector(halves.to_vec()), Array::scalar(true)]);
}

#[test]
fn what_is_written_is_read() {
    let mut random = Random::new(7);
    for round in 0..600_usize {
        let shape: Vec<usize> = (0..round % 4).map(|_| (random.bits() % 4) as usize).collect();
        let kind = Prim::ALL[round % Prim::ALL.len()];
        let mut value = random.array(&shape, kind, Span::default()).unwrap();
        // All numbers, not only those from 0 to 1.
        if let Data::F16(elements) = &mut value.data {
            elements.iter_mut().for_each(|x| *x = f16::from_bits(random.bits() as u16));
        }
        if let Data::F32(elements) = &mut value.data {
            elements.iter_mut().for_each(|x| *x = f32::from_bits(random.bits() as u32));
        }
        if let Data::F64(elements) = &mut value.data {
            elements.iter_mut().for_each(|x| *x = f64::from_bits(random.bits()));
        }
        let mut bytes = Vec::new();
        write_binary(&value, &mut bytes);
        let mut again = Vec::new();
        write_binary(&read(&bytes, 0).unwrap()[0], &mut again);
        assert_eq!(again, bytes);
        // The text keeps of a NaN only that it is one.
        if let Data::F16(elements) = &mut value.data {
            elements.iter_mut().filter(|x| f64::from(**x).is_nan()).for_each(|x| *x = f16::from_f64(0.5));
        }
        if let Data::F32(elements) = &mut value.data {
            elements.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = 0.5);
        }
        if let Data::F64(elements) = &mut value.data {
            elements.iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = 0.5);
        }
        assert_eq!(one(&value.to_string()), value);
    }
}

#[track_caller]
fn block(text: &str) -> Block {
    let mut found = blocks(text, 0).unwrap_or_else(|messages| panic!("{messages:#?}"));
    assert_eq!(found.len(), 1);
    found.remove(0)
}

#[test]
fn blocks_are_understood() {
    let found = block(
        "-- Adds things.
-- input { this is free text }
--
-- ==
-- tags { slow no_ci }
-- entry: f g
-- input { 1 [2.0,
--         3.0] }
-- output { 4.0f32 }
-- \"big\" compiled nobench random input { [10]f32 5i32 [2][3]bool }
-- auto output
-- notest input @ data/x.in
-- output @ data/x.out
-- only_cuda my-mark input @ data/y.in output @ data/y.out.gz
-- only_cuda input {} error: out of (bounds|range)
-- structure gpu { SegMap 2 { x } }
-- structure { Map 1 }
-- script input { f 1 {a} }
-- warning: careful

-- input { not in the block }
entry f x = x
",
    );
    assert_eq!(found.tags.iter().map(|t| &**t).collect::<Vec<_>>(), ["slow", "no_ci"]);
    assert_eq!(found.entries.iter().map(|t| &**t).collect::<Vec<_>>(), ["f", "g"]);
    assert_eq!(found.warnings, ["careful"]);
    assert_eq!(found.cases.len(), 6);
    assert!(matches!(&found.cases[0].input, Input::Values(v) if v.len() == 2 && v[1].shape == [2]));
    assert_eq!(found.cases[0].output, Output::Values(vec![Array::scalar(4.0_f32)]));
    let big = &found.cases[1];
    assert_eq!(big.name.as_deref(), Some("big"));
    assert_eq!(big.words.iter().map(|t| &**t).collect::<Vec<_>>(), ["compiled", "nobench"]);
    assert_eq!(big.output, Output::Auto);
    let Input::Random(draws) = &big.input else { panic!("a random input") };
    assert!(matches!(&draws[..], [Draw::Type(..), Draw::Value(_), Draw::Type(..)]));
    let drawn = draw(draws, 3).unwrap();
    assert_eq!(drawn, draw(draws, 3).unwrap());
    assert_eq!(drawn.iter().map(Array::type_name).collect::<Vec<_>>(), ["[10]f32", "i32", "[2][3]bool"]);
    assert!(matches!(&drawn[0].data, Data::F32(x) if x.iter().all(|x| (0.0..1.0).contains(x))));
    assert_eq!(found.cases[2].input, Input::File("data/x.in".to_owned()));
    assert_eq!(found.cases[2].output, Output::File("data/x.out".to_owned()));
    assert_eq!(found.cases[3].words.iter().map(|t| &**t).collect::<Vec<_>>(), ["only_cuda", "my-mark"]);
    assert_eq!(found.cases[3].input, Input::File("data/y.in".to_owned()));
    assert_eq!(found.cases[3].output, Output::File("data/y.out.gz".to_owned()));
    assert_eq!(found.cases[4].output, Output::Error("out of (bounds|range)".to_owned()));
    assert_eq!(found.cases[5].input, Input::Script("f 1 {a}".to_owned()));
}

#[test]
fn blocks_of_several_kinds() {
    assert_eq!(block("-- ==\n-- error: does not type").refused.as_deref(), Some("does not type"));
    assert_eq!(block("-- ==\n-- error:\n").refused.as_deref(), Some(""));
    assert_eq!(&*block("-- ==\n-- input { 1 }\n").entries[0], "main");
    assert_eq!(block("-- ==\n-- input { 1 }\n").cases[0].output, Output::Anything);
    let two = blocks("-- ==\n-- entry: f\n-- input { 1 } output { 2 }\n-- entry: g\n-- input { 3 }\n", 0).unwrap();
    assert_eq!(two.iter().map(|b| &*b.entries[0]).collect::<Vec<_>>(), ["f", "g"]);
    let two = blocks("-- ==\n-- entry: f\n\ndef x = 1\n  -- ==\n  -- entry: g\n", 0).unwrap();
    assert_eq!(two.iter().map(|b| &*b.entries[0]).collect::<Vec<_>>(), ["f", "g"]);
    assert_eq!(blocks("def f = 1 -- ==\n", 0).unwrap(), []);
}

#[test]
fn blocks_that_are_not_understood_are_said() {
    for (text, said) in [
        ("-- ==\n-- input { 1", "not closed"),
        ("-- ==\n-- output { 1 }", "without an input"),
        ("-- ==\n-- input { 1 } output { 1 } output { 2 }", "without an input"),
        ("-- ==\n-- inptu { 1 }", "not understood"),
        ("-- ==\n-- input { [1, 2.0] }", "type i32"),
        ("-- ==\n-- random input { [10 }", "expected"),
        ("-- ==\n-- entry:", "no entry"),
        ("-- ==\n-- tags slow", "expected `{`"),
        ("-- ==\n-- @", "not understood"),
        ("-- ==\n-- \"name", "not closed"),
    ] {
        let messages = blocks(text, 0).expect_err(text);
        assert!(messages[0].text.contains(said), "{text}: {messages:?}");
    }
    let too_large = [Draw::Type(vec![1 << 40], Prim::F64, Span::default())];
    assert!(draw(&too_large, 0).unwrap_err().text.contains("too large"));
}
