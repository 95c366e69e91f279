//! What numbers, characters and texts mean.
//!
//! Law: a number is rounded once, to the nearest of its kind, ties to even; what is no number, or too large, is said to
//! be so (tests/language/syntax.rs).

use super::tree::Literal;
use crate::array::{Const, Prim};
use crate::futhark::source::Name;
use crate::primitives::f16;

/// What a number is; otherwise what is wrong with it.
pub(in crate::futhark) fn number(text: &str) -> Result<Literal, String> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let lower = digits.to_ascii_lowercase();
    let (body, suffix) = if lower.starts_with("0x") {
        // `f16`, `f32` and `f64` are digits here, unless a power of two stands before them.
        let at = match lower.split_once('p') {
            Some((mantissa, power)) => power.find(['i', 'u', 'f']).map(|at| mantissa.len() + 1 + at),
            None => lower.find(['i', 'u']),
        };
        split(&digits, at)
    } else if lower.starts_with("0b") || lower.starts_with("0r") {
        let at = lower[2..].find(['i', 'u', 'f']).map(|at| at + 2);
        // The letter of the roman one is no suffix.
        let at = if lower.starts_with("0r") { roman_end(&digits) } else { at };
        split(&digits, at)
    } else {
        split(&digits, lower.find(|c: char| c.is_ascii_alphabetic() && c != 'e'))
    };
    if let Some(suffix) = suffix
        && Prim::named(suffix).is_none_or(|kind| kind == Prim::Bool)
    {
        return Err(format!("`{suffix}` is no kind of number"));
    }
    let real = suffix.is_some_and(|suffix| suffix.starts_with('f'));
    let suffix = suffix.map(Name::from);
    let lower = body.to_ascii_lowercase();
    let written = |radix: u32, digits: &str| {
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(format!("`{text}` is no number"));
        }
        i128::from_str_radix(digits, radix).map_err(|_| format!("`{text}` is too large for every kind of integer"))
    };
    if let Some(digits) = lower.strip_prefix("0x") {
        if digits.contains('p') || digits.contains('.') {
            return match hexadecimal(&lower) {
                Some(_) if suffix.is_none() || real => Ok(Literal::Real(body.into(), suffix)),
                _ => Err(format!("`{text}` is no number")),
            };
        }
        return written(16, digits).map(|n| Literal::Integer(n, suffix));
    }
    let integer = if let Some(digits) = lower.strip_prefix("0b") {
        Some(written(2, digits)?)
    } else if lower.starts_with("0r") {
        Some(roman(&body[2..]).ok_or_else(|| format!("`{text}` is no roman number"))?)
    } else if !real && !lower.contains(['.', 'e']) {
        Some(written(10, &lower)?)
    } else {
        None
    };
    match integer {
        Some(n) if real => Ok(Literal::Real(n.to_string().into(), suffix)),
        Some(n) => Ok(Literal::Integer(n, suffix)),
        None if suffix.is_some() && !real => Err(format!("`{text}` has a fraction, but is said to be an integer")),
        None if body.parse::<f64>().is_ok() => Ok(Literal::Real(body.into(), suffix)),
        None => Err(format!("`{text}` is no number")),
    }
}

fn split(digits: &str, at: Option<usize>) -> (&str, Option<&str>) {
    at.map_or((digits, None), |at| (&digits[..at], Some(&digits[at..])))
}

/// Where the capitals of a roman number end.
fn roman_end(digits: &str) -> Option<usize> {
    digits[2..].find(|c: char| !c.is_ascii_uppercase()).map(|at| at + 2)
}

/// The value of a roman number in capitals, written in the usual way or not.
fn roman(digits: &str) -> Option<i128> {
    let value = |c| match c {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        'L' => Some(50),
        'C' => Some(100),
        'D' => Some(500),
        'M' => Some(1000),
        _ => None,
    };
    let values: Vec<i128> = digits.chars().map(value).collect::<Option<_>>()?;
    let signed =
        values.iter().enumerate().map(|(at, &n)| if values.get(at + 1).is_some_and(|&m| m > n) { -n } else { n });
    (!values.is_empty()).then(|| signed.sum())
}

/// The mantissa, of at most 64 bits and a last one for all that is lost, and the power of two of a hexadecimal number
/// with a fraction.
fn hexadecimal(text: &str) -> Option<(u128, i64)> {
    let (digits, power) = text.strip_prefix("0x")?.split_once('p').unwrap_or((&text[2..], "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() {
        return None;
    }
    let mut power: i64 = power.parse().ok().filter(|power: &i64| power.unsigned_abs() < 1 << 40)?;
    let mut mantissa: u128 = 0;
    for (at, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(c.to_digit(16)?);
        if mantissa < 1 << 64 {
            mantissa = mantissa << 4 | digit;
        } else {
            mantissa |= u128::from(digit != 0);
            power += 4;
        }
        power -= if at >= whole.len() { 4 } else { 0 };
    }
    Some((mantissa, power))
}

/// `mantissa · 2^power`, rounded once to numbers with `digits` binary digits and the exponent `smallest` at least; an
/// `f64` holds it.
fn rounded(mut mantissa: u128, mut power: i64, digits: u32, smallest: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let length = i64::from(128 - mantissa.leading_zeros());
    // Drops as many digits as needed for the rest to fit, and for the last to be worth at least the smallest number.
    let dropped = (length - i64::from(digits)).max(smallest - power).max(0);
    if dropped > 127 {
        return 0.0;
    }
    let (kept, half) = (mantissa >> dropped, (1_u128 << dropped) >> 1);
    let rest = mantissa & ((1 << dropped) - 1);
    mantissa = kept + u128::from(rest > half || rest == half && half > 0 && kept & 1 == 1);
    power += dropped;
    let power = i32::try_from(power.clamp(-3000, 3000)).expect("a clamped power");
    // Two steps, because a power of two alone may be out of range where the product is not.
    #[allow(clippy::cast_precision_loss)]
    let whole = mantissa as f64;
    whole * 2f64.powi(power / 2) * 2f64.powi(power - power / 2)
}

/// The value of a [`Literal::Real`] as an `f64`; none if it is too large for one.
///
/// ```
/// use catadiff::futhark::syntax::{real_f16, real_f32, real_f64};
/// assert_eq!(real_f64("0x1.8p3"), Some(12.0));
/// assert_eq!(real_f64("-1e-3"), Some(-0.001));
/// assert_eq!(real_f32("16777217"), Some(16777216.0));
/// assert_eq!((real_f64("1e999"), real_f32("1e39"), real_f16("65520")), (None, None, None));
/// ```
#[must_use]
pub fn real_f64(text: &str) -> Option<f64> {
    let value = signed(text, |(m, p)| rounded(m, p, 53, -1074), |text| text.parse().ok());
    value.filter(|value: &f64| value.is_finite())
}

/// The value of a [`Literal::Real`] as an `f32`, rounded once; none if it is too large for one.
#[must_use]
pub fn real_f32(text: &str) -> Option<f32> {
    #[allow(clippy::cast_possible_truncation)]
    let value = signed(text, |(m, p)| rounded(m, p, 24, -149) as f32, |text| text.parse().ok());
    value.filter(|value: &f32| value.is_finite())
}

/// The value of a [`Literal::Real`] as an `f16`, rounded once; none if it is too large for one.
#[must_use]
pub fn real_f16(text: &str) -> Option<f16> {
    let decimal = |text: &str| text.parse().ok().map(|value: f16| value.into());
    let value = signed(text, |(m, p)| rounded(m, p, 11, -24), decimal).map(f16::from_f64);
    value.filter(|value| f64::from(*value).is_finite())
}

/// The value of a [`Literal::Real`] as a real of this kind; none if it is too large for one.
pub(in crate::futhark) fn real_of(kind: Prim, digits: &str) -> Option<f64> {
    match kind {
        Prim::F16 => real_f16(digits).map(f64::from),
        Prim::F32 => real_f32(digits).map(f64::from),
        _ => real_f64(digits),
    }
}

/// A whole number as a real of this kind, rounded once.
pub(in crate::futhark) fn whole_real(kind: Prim, n: i128) -> f64 {
    Const::wrapped(n, kind).real().expect("the kind is one of reals")
}

/// Digits as far as a message shows them.
pub(in crate::futhark) fn shortened(digits: &str) -> String {
    const MAX_DIGITS_SHOWN: usize = 24;
    if digits.len() <= MAX_DIGITS_SHOWN {
        digits.to_owned()
    } else {
        format!("{}…", digits.chars().take(MAX_DIGITS_SHOWN).collect::<String>())
    }
}

fn signed<F: core::ops::Neg<Output = F>>(
    text: &str,
    binary: impl Fn((u128, i64)) -> F,
    decimal: impl Fn(&str) -> Option<F>,
) -> Option<F> {
    if let Some(positive) = text.strip_prefix('-') {
        return if positive.starts_with('-') { None } else { signed(positive, binary, decimal).map(F::neg) };
    }
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("0x") { hexadecimal(&lower).map(binary) } else { decimal(text) }
}

/// What stands between quotes, its escapes resolved; none if there is an unknown one.
pub(in crate::futhark) fn unescape(inside: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (radix, digits) = match rest.strip_prefix('x') {
            Some(digits) => (16, digits),
            None => (10, rest),
        };
        let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        if length > 0 {
            out.push(u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32)?);
            rest = &digits[length..];
            continue;
        }
        out.push(match rest.chars().next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            c @ ('\\' | '"' | '\'') => c,
            _ => return None,
        });
        rest = &rest[1..];
    }
    out.push_str(rest);
    Some(out)
}
