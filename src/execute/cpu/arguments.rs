//! Arguments into a machine, and results out of it.
//!
//! Law: what goes in is what comes out of a program that changes nothing (tests/execute/lanes.rs,
//! tests/execute/into.rs).

use super::assemble::{Assembled, In, Out};
use super::compute::{constant, register};
use super::machine::Machine;
use super::memory::Elements;
use super::real::{Real, rounding};
use crate::array::Prim;
use crate::execute::{Flat, Lent};
use crate::interpret::{Scalar, Value};

/// The arguments of a run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arguments<'a> {
    Values(&'a [Value<f64>]),
    Flats(&'a [Lent<'a>]),
}

/// Where the results of a run go.
#[derive(Debug)]
pub(super) enum Results<'r> {
    Values(Vec<Value<f64>>),
    Flats(&'r mut Vec<Flat>),
}

impl<'a> Arguments<'a> {
    /// Puts them where the code expects them, if they are of its kinds.
    pub(super) fn enter<'m, R: Real<G>, const G: usize>(
        self,
        machine: &mut Machine<'m, R, G>,
        code: &Assembled,
    ) -> Option<()>
    where
        'a: 'm,
    {
        match self {
            Arguments::Values(all) => {
                code.inputs.iter().zip(all).try_for_each(|(port, value)| put(machine, port, value))
            }
            Arguments::Flats(all) => {
                code.inputs.iter().zip(all).try_for_each(|(port, flat)| lend(machine, port, *flat))
            }
        }
    }
}

impl Results<'_> {
    /// Has the code write into the memory that the results of an earlier run are in, or there would be that memory twice. What is not
    /// empty is an argument, or what code left of which the results are copies.
    pub(super) fn lend<R: Real<G>, const G: usize>(&mut self, machine: &mut Machine<'_, R, G>, code: &Assembled) {
        let Results::Flats(flats) = self else { return };
        // The last result in a buffer is not a copy.
        for (out, result) in code.outputs.iter().zip(&mut **flats).rev() {
            let lent = match out {
                Out::Reals { buffer, .. } => machine.reals[*buffer as usize].accept(R::elements_mut(result)),
                Out::Ints { buffer, .. } => machine.ints[*buffer as usize].accept(&mut result.ints),
                Out::Real(..) | Out::Int(..) => false,
            };
            if lent {
                result.clear();
            }
        }
    }

    /// Takes them from where the code has left them, if there can be values of their sizes.
    pub(super) fn leave<R: Real<G>, const G: usize>(
        &mut self,
        machine: &mut Machine<'_, R, G>,
        code: &Assembled,
    ) -> Option<()> {
        match self {
            Results::Values(values) => {
                values.clear();
                for out in &code.outputs {
                    values.push(take(machine, out)?);
                }
                Some(())
            }
            Results::Flats(flats) => {
                flats.resize_with(code.outputs.len(), Flat::default);
                for (k, (out, result)) in code.outputs.iter().zip(&mut **flats).enumerate() {
                    give(machine, out, &code.outputs[k + 1..], result);
                }
                Some(())
            }
        }
    }
}

fn integer(scalar: &Scalar<f64>) -> Option<i64> {
    scalar.exact().map(register)
}

/// Sets the registers of sizes.
fn measure<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    registers: &[u32],
    sizes: &[usize],
) -> Option<()> {
    (registers.len() == sizes.len()).then_some(())?;
    for (register, size) in registers.iter().zip(sizes) {
        machine.state.ints.set(*register, i64::try_from(*size).ok()?);
    }
    Some(())
}

/// Puts an argument where the code expects it.
pub(super) fn put<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    port: &In,
    argument: &Value<f64>,
) -> Option<()> {
    match (port, argument) {
        (In::Real(register, prim), Value::Scalar(x)) => {
            machine.state.reals.set(*register, rounding(*prim)(R::of(*x.real()?)))
        }
        (In::Int(register), Value::Scalar(x)) => machine.state.ints.set(*register, integer(x)?),
        (In::Reals { buffer, sizes }, Value::Array(_)) => {
            measure(machine, sizes, argument.sizes())?;
            let round = rounding(machine.code.real_kinds[*buffer as usize]);
            let elements = machine.reals[*buffer as usize].own();
            elements.clear();
            for element in argument.elements() {
                elements.push(round(R::of(*element.real()?)));
            }
        }
        (In::Ints { buffer, sizes }, Value::Array(_)) => {
            measure(machine, sizes, argument.sizes())?;
            let elements = machine.ints[*buffer as usize].own();
            elements.clear();
            for element in argument.elements() {
                elements.push(integer(element)?);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Lets the machine read an argument where it is; reals of another kind are converted first.
pub(super) fn lend<'m, R: Real<G>, const G: usize>(
    machine: &mut Machine<'m, R, G>,
    port: &In,
    argument: Lent<'m>,
) -> Option<()> {
    match port {
        In::Real(register, prim) => {
            let x = argument.real(0)?;
            machine.state.reals.set(*register, rounding(*prim)(R::of(x)));
        }
        In::Int(register) => machine.state.ints.set(*register, *argument.ints.first()?),
        In::Reals { buffer, sizes } => {
            measure(machine, sizes, argument.sizes)?;
            let (kind, to) = (machine.code.real_kinds[*buffer as usize], &mut machine.reals[*buffer as usize]);
            if let Some(elements) = R::elements(argument).filter(|_| kind == argument.prim) {
                *to = Elements::Shared(elements);
                return Some(());
            }
            let (round, own) = (rounding(kind), to.own());
            own.clear();
            match argument.as_singles() {
                Some(singles) => own.extend(singles.iter().map(|x| round(R::of((*x).into())))),
                None => own.extend(argument.reals.iter().map(|x| round(R::of(*x)))),
            }
        }
        In::Ints { buffer, sizes } => {
            measure(machine, sizes, argument.sizes)?;
            machine.ints[*buffer as usize] = Elements::Shared(argument.ints);
        }
    }
    Some(())
}

fn scalar(n: i64, prim: Prim) -> Scalar<f64> {
    Scalar::constant(constant(prim, n), |x| x)
}

/// How many elements of a buffer a result of these sizes is: the first ones, since it may be the beginning of another array.
fn count(sizes: &[usize]) -> Option<usize> {
    if sizes.contains(&0) { Some(0) } else { sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(*size)) }
}

/// The result that the code has left.
pub(super) fn take<R: Real<G>, const G: usize>(machine: &mut Machine<'_, R, G>, out: &Out) -> Option<Value<f64>> {
    let sizes = |machine: &Machine<'_, R, G>, sizes: &[u32]| {
        sizes.iter().map(|register| usize::try_from(machine.state.one(*register)).ok()).collect::<Option<Vec<usize>>>()
    };
    match out {
        Out::Real(register, prim) => {
            Some(Value::Scalar(Scalar::of_real(*prim, machine.state.reals.one(*register).double())))
        }
        Out::Int(register, prim) => Some(Value::Scalar(scalar(machine.state.one(*register), *prim))),
        Out::Reals { buffer, sizes: registers, prim } => {
            let sizes = sizes(machine, registers)?;
            let elements = machine.reals[*buffer as usize].all().get(..count(&sizes)?)?;
            Value::array(&sizes, elements.iter().map(|x| Scalar::of_real(*prim, x.double())).collect()).ok()
        }
        Out::Ints { buffer, sizes: registers, prim } => {
            let sizes = sizes(machine, registers)?;
            let elements = machine.ints[*buffer as usize].all().get(..count(&sizes)?)?;
            Value::array(&sizes, elements.iter().map(|n| scalar(*n, *prim)).collect()).ok()
        }
    }
}

/// Gives the result that the code has left, memory for memory if it is the machine's and no `later` result is in it.
fn give<R: Real<G>, const G: usize>(machine: &mut Machine<'_, R, G>, out: &Out, later: &[Out], result: &mut Flat) {
    let size = |machine: &Machine<'_, R, G>, register: &u32| usize::try_from(machine.state.one(*register)).unwrap_or(0);
    let again = |reals: bool, number: u32| {
        later.iter().any(|other| match other {
            Out::Reals { buffer, .. } => reals && *buffer == number,
            Out::Ints { buffer, .. } => !reals && *buffer == number,
            Out::Real(..) | Out::Int(..) => false,
        })
    };
    match out {
        Out::Real(register, prim) => {
            result.become_like(*prim, core::iter::empty());
            let x = machine.state.reals.one(*register);
            result.fill_reals(core::iter::once(x.double()));
        }
        Out::Int(register, prim) => {
            result.become_like(*prim, core::iter::empty());
            result.ints.clear();
            result.ints.push(machine.state.one(*register));
        }
        Out::Reals { buffer, sizes, prim } => {
            result.become_like(*prim, sizes.iter().map(|register| size(machine, register)));
            let (from, length) = (&mut machine.reals[*buffer as usize], count(&result.sizes).unwrap_or(0));
            if R::elements(result.lent()).is_some() {
                exchange(from, again(true, *buffer), R::elements_mut(result));
                R::elements_mut(result).truncate(length);
            } else {
                result.fill_reals(from.all().iter().take(length).map(|x| x.double()));
            }
        }
        Out::Ints { buffer, sizes, prim } => {
            result.become_like(*prim, sizes.iter().map(|register| size(machine, register)));
            exchange(&mut machine.ints[*buffer as usize], again(false, *buffer), &mut result.ints);
            result.ints.truncate(count(&result.sizes).unwrap_or(0));
        }
    }
}

fn exchange<T: Copy + Default>(from: &mut Elements<'_, T>, keep: bool, to: &mut Vec<T>) {
    match from {
        Elements::Own(elements) if !keep => core::mem::swap(elements, to),
        from => {
            to.clear();
            to.extend_from_slice(from.all());
        }
    }
}
