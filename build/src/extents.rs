//! Sizes that arguments decide: of results before a call, and those that have to agree.
//!
//! Law: a size that is written is the one that every call without an error finds; sizes that are compared before a call are those
//! that the call compares, so that the error says which they are (build/tests/build/programs.rs).

use catadiff::array::{Agree, Atom, Const, Extent, Program, SizeTable, Type};

/// The parameters of a program, by what their sizes are called.
pub(crate) struct Extents<'p> {
    program: &'p Program,
    names: &'p [String],
    table: SizeTable,
}

/// Two sizes that have to agree.
pub(crate) struct Compared {
    /// What they are sizes of.
    pub(crate) what: &'static str,
    /// As expressions of type `i64`, with what the user knows them as.
    pub(crate) sizes: [(String, String); 2],
}

impl<'p> Extents<'p> {
    /// `names` are those of the parameters of the generated function.
    pub(crate) fn of(program: &'p Program, names: &'p [String]) -> Self {
        Extents { program, names, table: program.sizes() }
    }

    /// The sizes of a result, where arguments decide all of them, as expressions of type `i64` with what the user knows them as.
    pub(crate) fn of_result(&self, result: Atom) -> Option<Vec<(String, String)>> {
        self.table.of(result).iter().map(|extent| self.written(*extent)).collect()
    }

    /// What has to agree in every call.
    pub(crate) fn compared(&self) -> Vec<Compared> {
        let mut found: Vec<Compared> = Vec::new();
        for Agree { what, first, second, times } in self.program.compared_sizes() {
            let ([first], [second], []) = (&first[..], &second[..], &times[..]) else { continue };
            let (Some(first), Some(second)) = (self.written(*first), self.written(*second)) else { continue };
            let sizes = [first, second];
            if sizes[0] != sizes[1] && !found.iter().any(|known| known.sizes == sizes) {
                found.push(Compared { what: what.message(), sizes });
            }
        }
        found
    }

    fn written(&self, extent: Extent) -> Option<(String, String)> {
        let resolved = match extent {
            Extent::Number(number) => self.table.number(number),
            Extent::Of(array, dimension) => *self.table.of(array).get(dimension)?,
        };
        let param = |atom: Atom| {
            let Atom::Var(var) = atom else { return None };
            let k = self.program.function().params.iter().position(|param| *param == var)?;
            Some((&self.names[k], self.program.type_of(var)))
        };
        match resolved {
            Extent::Number(Atom::Const(Const::I64(n))) => Some((n.to_string(), n.to_string())),
            Extent::Number(atom) => match param(atom)? {
                (name, Type { prim: catadiff::array::Prim::I64, .. }) => Some((name.clone(), name.clone())),
                _ => None,
            },
            Extent::Of(array, dimension) => {
                let (name, of) = param(array)?;
                let known = if of.rank == 1 { format!("{name}.len()") } else { format!("{name}.sizes()[{dimension}]") };
                Some((format!("{name}_sizes[{dimension}]"), known))
            }
        }
    }
}
