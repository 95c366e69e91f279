//! Texts that are nearly programs: mutations of texts by their words.
//!
//! Law: the same text, other text and source of random numbers give the same mutant; a mutant is not much longer than
//! both (tests/language/fuzz.rs).

use catadiff::futhark::testing::random::Random;

/// Pieces that texts of programs, of array programs, of values and of formulas are made of.
const PIECES: [&str; 80] = [
    "def", "let", "in", "if", "then", "else", "loop", "for", "while", "do", "match", "case", "with", "type", "module",
    "val", "entry", "(", ")", "[", "]", "{", "}", "#[", "#c", "'", "'^", "?", "->", "=", "==", "-", "--", "*", "|",
    ":", ":>", ",", ".", "..", "...", "..<", "\\", "`", "x", "1.5f32", "-2.5f16", "\"", "\n", "return", "true", "()",
    "i64", "f64", "f32", "f16", "bool", "acc", "[]", "empty", "agree", "scatter", "hist", "scan", "reduce", "map",
    "concat", "reshape", "slice", "size[0]", "vjp", "jvp", "with_vjp", "filter", "open", "import", "+=", "^",
    "f64.nan", "_",
];

/// Numbers at which things happen.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "128",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999999999999999999999999",
    "1e308",
    "1e-320",
    "0x1p-1074",
    "0.5",
];

/// A number less than `n`, or 0.
fn below(random: &mut Random, n: usize) -> usize {
    usize::try_from(random.bits() % n.max(1) as u64).expect("less than n")
}

fn one<'a>(random: &mut Random, of: &[&'a str]) -> &'a [u8] {
    of[below(random, of.len())].as_bytes()
}

/// The words of a text: names and numbers, operators, white space, and single signs.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'_' | b'\'' | b'.' => 1,
        byte if byte.is_ascii_alphanumeric() || byte >= 128 => 1,
        byte if byte.is_ascii_whitespace() => 2,
        b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'^' => 3,
        _ => 4,
    };
    text.chunk_by(|a, b| class(*a) == class(*b) && class(*a) != 4).collect()
}

/// The words from an opening bracket to the one that closes it, if such a bracket stands there.
fn group(words: &[&[u8]], from: usize) -> core::ops::Range<usize> {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(from) {
        match word {
            [b'(' | b'[' | b'{'] => depth += 1,
            [b')' | b']' | b'}'] => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return from..at + 1;
        }
    }
    from..words.len()
}

/// A text changed in up to five places: words are dropped, repeated, exchanged, taken from another text, put into
/// brackets or replaced by others; and some bytes by any.
///
/// ```
/// use catadiff::futhark::testing::random::Random;
/// use catadiff_laws::mutated;
/// let mutant = |seed| mutated(b"def f x = x + 1", b"entry g (y: i32) = y", &mut Random::new(seed));
/// assert_eq!(mutant(3), mutant(3));
/// assert!((0..20).any(|seed| mutant(seed) != mutant(3)));
/// ```
#[must_use]
pub fn mutated(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let (mut all, others) = (words(text), words(other));
    let mut noise = [0_u8; 8];
    noise.fill_with(|| random.bits().to_le_bytes()[0]);
    for step in 0..=below(random, 4) {
        let (a, b) = (below(random, all.len()), below(random, all.len()));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 12));
        match below(random, 12) {
            0 => drop(all.drain(from..to)),
            1 => {
                let copy = all[from..to].to_vec();
                all.splice(from..from, copy);
            }
            2 if !all.is_empty() => all.swap(a, b),
            3 if !all.is_empty() => all[a] = one(random, &PIECES),
            4 => all.insert(a, one(random, &PIECES)),
            // A number, if there is one behind this place.
            5 => {
                if let Some(number) = all[a..].iter_mut().find(|word| word[0].is_ascii_digit()) {
                    *number = one(random, &NUMBERS);
                }
            }
            // A word of the text in the place of another: most of all names.
            6 if !all.is_empty() => all[a] = all[b],
            7 if !others.is_empty() => {
                let start = below(random, others.len());
                let end = (start + 1 + below(random, 30)).min(others.len());
                all.splice(from..to, others[start..end].iter().copied());
            }
            // What is in one pair of brackets in the place of what is in another.
            8 | 9 if !others.is_empty() => {
                let inside = if below(random, 2) == 0 {
                    others[group(&others, below(random, others.len()))].to_vec()
                } else {
                    all.get(group(&all, b)).unwrap_or_default().to_vec()
                };
                let place = if all.is_empty() { 0..0 } else { group(&all, a) };
                all.splice(place, inside);
            }
            10 if !all.is_empty() => {
                let (open, close) = [("(", ")"), ("[", "]"), ("{", "}")][below(random, 3)];
                let (place, times) = (group(&all, a), 1 + below(random, 3));
                let inside = all[place.clone()].to_vec();
                let wrapped = [vec![open.as_bytes(); times], inside, vec![close.as_bytes(); times]].concat();
                all.splice(place, wrapped);
            }
            _ if !all.is_empty() => all[a] = &noise[step..=step],
            _ => all.extend(&others),
        }
    }
    all.concat()
}
