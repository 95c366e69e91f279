//! Contractions of arrays, by a letter for each dimension.
//!
//! Operands are contracted from the left to the right. Of two of them, dimensions are brought into three groups: those of both that are kept,
//! those of one, and those that are summed over. Each group is flattened to one dimension, so that every contraction is the nest of maps around
//! a sum of products that a product of matrices is, to executors and to rules of differentiation.
//!
//! Law: an element is the sum, over all values of the letters that the result does not have, of the products of the elements at the
//! letters' values; each letter has one size (tests/array/words/contraction.rs).

use core::panic::Location;

use super::super::handles::{handle, ids};
use super::super::scope::{At, Here, Id, emit_one, lambda, mistake};
use super::super::{Arr, Handle, I64, Nested, Number, ScalarHandle, agree, iota};
use crate::array::{Agreement, Map, Op, Type};
use crate::error::Mistake;

/// What [`einsum`] contracts: an array of numbers, or a scalar, or a tuple of up to six of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `einsum` contracts",
    note = "arrays of numbers are, of any rank, and tuples of two to six of these, all of one kind of numbers"
)]
pub trait Contracted {
    /// The scalars.
    type Leaf: Number;

    /// The arrays, each with its number of dimensions.
    fn operands(self) -> Vec<(Id, usize)>;
}

impl<T: Nested<Leaf: Number>> Contracted for T {
    type Leaf = T::Leaf;
    fn operands(self) -> Vec<(Id, usize)> {
        ids(self).into_iter().map(|id| (id, T::RANK)).collect()
    }
}

macro_rules! tuples {
    ($(($A:ident $a:ident $(, $B:ident $b:ident)+);)+) => {$(
        impl<$A: Nested<Leaf: Number>, $($B: Nested<Leaf = $A::Leaf>),+> Contracted for ($A, $($B),+) {
            type Leaf = $A::Leaf;
            fn operands(self) -> Vec<(Id, usize)> {
                let ($a, $($b),+) = self;
                [Contracted::operands($a), $(Contracted::operands($b)),+].concat()
            }
        }
    )+};
}

tuples! {
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
    (A a, B b, C c, D d, E e, F f);
}

/// Sums of products, by Einstein's convention as numpy has it: each operand has a letter for each of its dimensions, and so has the result behind
/// `->`; what is summed over are the letters that the result does not have. A letter that an operand has twice is its diagonal. Without `->` the
/// result has the letters that are there once, in the order of the alphabet.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, einsum}};
/// type Matrix = Arr<Arr<F64>>;
/// let program = Program::trace(|a: Matrix, b: Matrix, x: Arr<F64>| {
///     let product: Matrix = einsum("ij,jk->ik", (a, b));
///     let trace: F64 = einsum("ii", a);
///     let form: F64 = einsum("i,ij,j->", (x, a, x));
///     let columns: Arr<F64> = einsum("ij->j", b);
///     (product, trace, form, columns)
/// })?;
/// let found: ([[f64; 2]; 2], f64, f64, [f64; 2]) = program.at(([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]], [1.0, -1.0]))?;
/// assert_eq!(found, ([[2.0, 1.0], [4.0, 3.0]], 5.0, 0.0, [1.0, 1.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// Letters are `a` to `z`. A specification that does not fit the operands, or the type of the result, is a [`Mistake`](crate::Mistake) of the
/// trace, which says why; that a letter has two sizes is an error of the program, which names the letter.
///
/// Contractions of two operands are products of matrices to executors. Those of more are made from the left to the right, and what is not needed
/// any more is summed over as soon as possible: so the order of operands decides how much work they are.
#[must_use]
#[track_caller]
pub fn einsum<X: Contracted, R: Nested<Leaf = X::Leaf>>(specification: &str, operands: X) -> R {
    let _here = Here::new();
    let at = Location::caller();
    let operands = operands.operands();
    match parsed(specification, &operands.iter().map(|(_, rank)| *rank).collect::<Vec<_>>(), R::RANK) {
        Ok((letters, result)) => {
            let labelled = operands.into_iter().zip(letters).map(|((id, _), letters)| Labelled { id, letters });
            handle(Some(vec![contracted::<X::Leaf>(at, labelled.collect(), &result)]))
        }
        Err(reason) => {
            let reason = format!("in `einsum(\"{specification}\", …)` {reason}");
            handle(Some(vec![mistake(|at| Mistake::IllTyped { reason, at })]))
        }
    }
}

/// The letters of operands and of the result, or what is wrong with a specification.
fn parsed(specification: &str, ranks: &[usize], rank: usize) -> Result<(Vec<Vec<char>>, Vec<char>), String> {
    let compact: String = specification.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) =
        compact.split_once("->").map_or((&compact[..], None), |(inputs, output)| (inputs, Some(output)));
    let letters: Vec<Vec<char>> = inputs.split(',').map(|operand| operand.chars().collect()).collect();
    if let Some(wrong) = inputs.chars().chain(output.unwrap_or("").chars()).find(|c| !matches!(c, 'a'..='z' | ',')) {
        return Err(format!("`{wrong}` is none of the letters `a` to `z`"));
    }
    if letters.len() != ranks.len() {
        return Err(format!("there are letters for {} operands, and {} are given", letters.len(), ranks.len()));
    }
    for (k, (letters, rank)) in letters.iter().zip(ranks).enumerate() {
        if letters.len() != *rank {
            let (own, count) = (String::from_iter(letters), letters.len());
            return Err(format!("operand {k} has {rank} dimensions, and `{own}` has {count} letters"));
        }
    }
    let times = |c: char| letters.iter().flatten().filter(|other| **other == c).count();
    let once = || ('a'..='z').filter(|c| times(*c) == 1).collect();
    let result: Vec<char> = output.map_or_else(once, |output| output.chars().collect());
    for (k, c) in result.iter().enumerate() {
        if times(*c) == 0 {
            return Err(format!("no operand has the letter `{c}` of the result"));
        }
        if result[..k].contains(c) {
            return Err(format!("the result has the letter `{c}` twice"));
        }
    }
    if result.len() != rank {
        let (own, count) = (String::from_iter(&result), result.len());
        return Err(format!("the result `{own}` has {count} letters, and is wanted with {rank} dimensions"));
    }
    Ok((letters, result))
}

/// An array with a letter for each dimension.
struct Labelled {
    id: Id,
    letters: Vec<char>,
}

/// The sizes of letters, as the first operand has them that has the letter.
type Sizes = Vec<(char, I64)>;

fn size_of(sizes: &Sizes, letter: char) -> Option<I64> {
    sizes.iter().find(|(own, _)| *own == letter).map(|(_, size)| *size)
}

/// The number of elements of dimensions.
#[track_caller]
fn count(sizes: &Sizes, letters: &[char]) -> I64 {
    let mut each = letters.iter().map(|c| size_of(sizes, *c).expect("each letter has a size"));
    let first = each.next().unwrap_or(1.into());
    each.fold(first, |count, size| count * size)
}

#[track_caller]
fn contracted<S: Number>(at: At, operands: Vec<Labelled>, result: &[char]) -> Id {
    let mut sizes = Sizes::new();
    for operand in &operands {
        for (dimension, letter) in operand.letters.iter().enumerate() {
            let size = I64::of(emit_one(&[operand.id], |x| Op::Size(x[0], dimension)));
            match size_of(&sizes, *letter) {
                Some(known) => agree(Agreement::of_index(*letter), known, size),
                None => sizes.push((*letter, size)),
            }
        }
    }
    let mut operands = operands.into_iter();
    let first = operands.next().expect("a specification has an operand");
    let mut later: Vec<Labelled> = operands.collect();
    let is_needed = |later: &[Labelled], c: char| result.contains(&c) || later.iter().any(|x| x.letters.contains(&c));
    let mut product = reduced::<S>(at, &sizes, first, |c| is_needed(&later, c));
    while !later.is_empty() {
        let next = later.remove(0);
        let next = reduced::<S>(at, &sizes, next, |c| product.letters.contains(&c) || is_needed(&later, c));
        product = multiplied::<S>(at, &sizes, product, next, |c| is_needed(&later, c));
    }
    permuted(product, result).id
}

/// The array with its dimensions in the order of these letters, which are its own.
#[track_caller]
fn permuted(x: Labelled, letters: &[char]) -> Labelled {
    if x.letters == letters {
        return x;
    }
    let place = |c: &char| x.letters.iter().position(|own| own == c).expect("the letters are its own");
    let order: Vec<usize> = letters.iter().map(place).collect();
    Labelled { id: emit_one(&[x.id], |x| Op::Permute(x[0], order)), letters: letters.to_vec() }
}

/// The array with its dimensions in these groups, each of which becomes one dimension; a group of none becomes none.
#[track_caller]
fn grouped(sizes: &Sizes, x: Labelled, groups: &[&[char]]) -> Id {
    let x = permuted(x, &groups.concat());
    if groups.iter().all(|group| group.len() <= 1) {
        return x.id;
    }
    let counts = groups.iter().filter(|group| !group.is_empty()).map(|group| count(sizes, group).ids());
    let operands: Vec<Id> = core::iter::once(x.id).chain(counts).collect();
    emit_one(&operands, |x| Op::Reshape(x[0], x[1..].to_vec()))
}

/// The array of this number of dimensions, with one for each letter.
#[track_caller]
fn split(sizes: &Sizes, id: Id, dimensions: usize, letters: &[char]) -> Id {
    if dimensions == letters.len() {
        return id;
    }
    let each = letters.iter().map(|c| count(sizes, &[*c]).ids());
    let operands: Vec<Id> = core::iter::once(id).chain(each).collect();
    emit_one(&operands, |x| Op::Reshape(x[0], x[1..].to_vec()))
}

/// An operand without letters that it has twice, and without those that are not needed: these are summed over.
#[track_caller]
fn reduced<S: Number>(at: At, sizes: &Sizes, mut x: Labelled, is_needed: impl Fn(char) -> bool) -> Labelled {
    let twice = |letters: &[char]| (0..letters.len()).find(|k| letters[..*k].contains(&letters[*k]));
    while let Some(second) = twice(&x.letters) {
        let letter = x.letters[second];
        let first = x.letters.iter().position(|c| *c == letter).expect("it is there twice");
        let others: Vec<usize> = (0..x.letters.len()).filter(|k| *k != first && *k != second).collect();
        let order = [first, second].into_iter().chain(others.iter().copied()).collect();
        let pair = emit_one(&[x.id], |x| Op::Permute(x[0], order));
        let places = iota(count(sizes, &[letter])).ids();
        let element = |i: Id| emit_one(&[pair, i, i], |x| Op::Index(x[0], x[1..].to_vec()));
        x.id = mapped(at, &[(places, Type::scalar(I64::PRIM))], |i| element(i[0]));
        x.letters = core::iter::once(letter).chain(others.iter().map(|k| x.letters[*k])).collect();
    }
    let (kept, summed): (Vec<char>, Vec<char>) = x.letters.iter().partition(|c| is_needed(**c));
    if summed.is_empty() {
        return x;
    }
    let rows = grouped(sizes, x, &[&kept, &summed]);
    let sum = |row: Id| Arr::<S>::of(row).sum().ids();
    if kept.is_empty() {
        return Labelled { id: sum(rows), letters: kept };
    }
    let sums = mapped(at, &[(rows, Type::array(S::PRIM, 1))], |row| sum(row[0]));
    Labelled { id: split(sizes, sums, 1, &kept), letters: kept }
}

/// The contraction of two operands, of whose letters these are needed later.
#[track_caller]
fn multiplied<S: Number>(
    at: At,
    sizes: &Sizes,
    left: Labelled,
    right: Labelled,
    is_needed: impl Fn(char) -> bool,
) -> Labelled {
    let in_both = |c: &char| right.letters.contains(c);
    let (shared, of_left): (Vec<char>, Vec<char>) = left.letters.iter().partition(|c| in_both(c));
    let (batch, summed): (Vec<char>, Vec<char>) = shared.iter().partition(|c| is_needed(**c));
    let of_right: Vec<char> = right.letters.iter().copied().filter(|c| !shared.contains(c)).collect();
    let groups = [&batch, &of_left, &of_right].map(|group| !group.is_empty());
    let x = grouped(sizes, left, &[&batch, &of_left, &summed]);
    let y = grouped(sizes, right, &[&batch, &of_right, &summed]);
    let id = products::<S>(at, groups, !summed.is_empty(), (x, y));
    let (letters, flat) = ([batch, of_left, of_right].concat(), groups.iter().filter(|is_there| **is_there).count());
    Labelled { id: split(sizes, id, flat, &letters), letters }
}

/// The products of two arrays, by their dimensions: one of both, one of each, and one to sum over, as far as they are there.
#[track_caller]
fn products<S: Number>(at: At, [batch, of_left, of_right]: [bool; 3], summed: bool, (x, y): (Id, Id)) -> Id {
    let inner = usize::from(summed);
    let (rank_x, rank_y) = (usize::from(of_left) + inner, usize::from(of_right) + inner);
    let [type_x, type_y] = [rank_x, rank_y].map(|rank| Type::array(S::PRIM, rank));
    if batch {
        let next = |x: &[Id]| products::<S>(at, [false, of_left, of_right], summed, (x[0], x[1]));
        return mapped(at, &[(x, type_x), (y, type_y)], next);
    }
    if of_left {
        let next = |row: &[Id]| products::<S>(at, [false, false, of_right], summed, (row[0], y));
        return mapped(at, &[(x, type_x.element())], next);
    }
    if of_right {
        let next = |column: &[Id]| products::<S>(at, [false; 3], summed, (x, column[0]));
        return mapped(at, &[(y, type_y.element())], next);
    }
    if summed { Arr::<S>::of(x).dot(Arr::of(y)).ids() } else { (S::of(x) * S::of(y)).ids() }
}

/// The array of what is made of the elements of arrays, of these types.
#[track_caller]
fn mapped(at: At, arrays: &[(Id, Type)], f: impl FnOnce(&[Id]) -> Id) -> Id {
    let types: Vec<Type> = arrays.iter().map(|(_, element)| *element).collect();
    let Some(function) = lambda(at, &types, |x| vec![f(x)]) else { return Id::NOTHING };
    let arrays: Vec<Id> = arrays.iter().map(|(id, _)| *id).collect();
    emit_one(&arrays, |arrays| Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))
}
