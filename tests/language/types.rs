//! Types as they are kept.
//!
//! Law: the summary of a type says what a walk of all of it finds, whatever the type is made of.

use catadiff::futhark::core::{FunctionType, Holds, Local, Prim, Size, Summary, Type, TypeVar};
use catadiff::futhark::source::Name;
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// A type of everything that types can be made of.
#[derive(Debug, Clone)]
struct Any(Type);

fn size(g: &mut Gen, depth: u32) -> Size {
    let pair = |g: &mut Gen| (Box::new(size(g, depth - 1)), Box::new(size(g, depth - 1)));
    match u8::arbitrary(g) % if depth == 0 { 3 } else { 7 } {
        0 => Size::Constant(i64::arbitrary(g)),
        1 => Size::Local(Local(u32::arbitrary(g) % 9)),
        2 => Size::Unknown(u32::arbitrary(g) % 9),
        form => {
            let (a, b) = pair(g);
            [Size::Sum, Size::Difference, Size::Product, Size::Quotient][usize::from(form) - 3](a, b)
        }
    }
}

fn any(g: &mut Gen, depth: u32) -> Type {
    let some = |g: &mut Gen| -> Vec<Type> { (0..u8::arbitrary(g) % 4).map(|_| any(g, depth - 1)).collect() };
    match u8::arbitrary(g) % if depth == 0 { 3 } else { 8 } {
        0 => Type::Prim(*g.choose(&Prim::ALL).expect("there are kinds")),
        1 => Type::Unknown(u32::arbitrary(g) % 9),
        2 => Type::Var(TypeVar { id: u32::arbitrary(g) % 9, name: Name::from("t") }),
        3 => Type::Array(size(g, 2), any(g, depth - 1).into()),
        4 => Type::tuple(some(g)),
        5 => Type::Sum((0..u8::arbitrary(g) % 3).map(|k| (Name::from(format!("c{k}")), some(g))).collect()),
        6 => Type::Accumulator(any(g, depth - 1).into()),
        _ => Type::function(any(g, depth - 1), any(g, depth - 1)),
    }
}

impl Arbitrary for Any {
    fn arbitrary(g: &mut Gen) -> Self {
        Any(any(g, 5))
    }
}

fn in_size(size: &Size) -> Holds {
    match size {
        Size::Constant(_) => Holds::NOTHING,
        Size::Local(_) => Holds::SIZES,
        Size::Unknown(_) => Holds::UNKNOWNS,
        Size::Sum(a, b) | Size::Difference(a, b) | Size::Product(a, b) | Size::Quotient(a, b) => {
            in_size(a) | in_size(b)
        }
    }
}

/// What is found by looking at every part.
fn walked(of: &Type) -> Summary {
    let (parts, holds): (Vec<&Type>, Holds) = match of {
        Type::Prim(_) => (vec![], Holds::NOTHING),
        Type::Unknown(_) => (vec![], Holds::UNKNOWNS),
        Type::Var(_) => (vec![], Holds::PARAMETERS),
        Type::Array(size, of) => (vec![of], Holds::DIMENSIONS | in_size(size)),
        Type::Record(fields) => (fields.iter().map(|(_, of)| of).collect(), Holds::NOTHING),
        Type::Sum(all) => (all.iter().flat_map(|(_, payload)| payload).collect(), Holds::SUMS),
        Type::Function(function) => (vec![&function.param, &function.result], Holds::FUNCTIONS),
        Type::Accumulator(of) => (vec![of], Holds::NOTHING),
    };
    parts.into_iter().map(walked).fold(Summary { parts: 1, depth: 1, holds }, |all, part| Summary {
        parts: all.parts + part.parts,
        depth: all.depth.max(1 + part.depth),
        holds: all.holds | part.holds,
    })
}

#[test]
fn a_summary_says_what_a_walk_finds() {
    fn law(of: Any) -> bool {
        of.0.summary() == walked(&of.0)
    }
    QuickCheck::new().tests(2000).quickcheck(law as fn(Any) -> bool);
}

#[test]
fn copies_share_and_are_equal() {
    fn law(of: Any) -> bool {
        let copy = of.0.clone();
        // The same parts again, none of them shared.
        let anew = unshared(&of.0);
        copy == of.0 && anew == of.0 && anew.summary() == of.0.summary()
    }
    QuickCheck::new().tests(500).quickcheck(law as fn(Any) -> bool);
}

fn unshared(of: &Type) -> Type {
    match of {
        Type::Prim(_) | Type::Unknown(_) | Type::Var(_) => of.clone(),
        Type::Array(size, of) => Type::Array(size.clone(), unshared(of).into()),
        Type::Record(fields) => Type::Record(fields.iter().map(|(name, of)| (name.clone(), unshared(of))).collect()),
        Type::Sum(all) => Type::Sum(
            all.iter().map(|(name, payload)| (name.clone(), payload.iter().map(unshared).collect())).collect(),
        ),
        Type::Function(function) => {
            let (param, result) = (unshared(&function.param), unshared(&function.result));
            FunctionType { param, result, ..FunctionType::clone(function) }.into()
        }
        Type::Accumulator(of) => Type::Accumulator(unshared(of).into()),
    }
}
