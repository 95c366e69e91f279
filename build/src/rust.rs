//! A function in Rust for each function in C: safe, with its sizes checked, and with results where they are wanted.
//!
//! Law: the function in C is called with as many arguments of the same kinds as its header says, with pointers to as much memory as it
//! is given the size of, and again where it says that there was too little of it (build/tests/build/programs.rs).

use core::fmt::Write as _;

use catadiff::array::{Prim, Type};
use catadiff::futhark::elaborate::FIRST_CHECK;

use crate::extents::{Compared, Extents};
use crate::function::Function;
use crate::names;

/// The beginning of a module.
pub(crate) const RUNTIME: &str = include_str!("runtime.rs");

/// An argument or a result.
struct Place {
    name: String,
    of: Type,
}

impl Place {
    fn prim(&self) -> Prim {
        self.of.prim
    }

    /// The type of an element, for the user and for C.
    fn element(&self) -> [&'static str; 2] {
        match self.prim() {
            Prim::Bool => ["bool", "u8"],
            // C has these as doubles.
            Prim::F16 => ["f64"; 2],
            prim => [prim.name(); 2],
        }
    }

    fn argument(&self) -> String {
        let [element, _] = self.element();
        match self.of.rank {
            0 => element.to_owned(),
            1 => format!("&[{element}]"),
            rank => format!("View<'_, {element}, {rank}>"),
        }
    }

    fn result(&self) -> String {
        let [element, _] = self.element();
        match self.of.rank {
            0 => element.to_owned(),
            1 => format!("Vec<{element}>"),
            rank => format!("Array<{element}, {rank}>"),
        }
    }

    /// The elements of an array, and its sizes.
    fn elements(&self) -> String {
        if self.of.rank == 1 { self.name.clone() } else { format!("{}.elements", self.name) }
    }

    fn sizes(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.of.rank).map(|k| format!("{}_sizes[{k}]", self.name))
    }
}

/// The text of a function.
pub(crate) struct Written<'f> {
    /// What the user calls it.
    name: &'f str,
    /// What C calls it.
    symbol: &'f str,
    function: &'f Function,
    arguments: Vec<Place>,
    results: Vec<Place>,
    /// What arguments decide of sizes: of each result that is an array, and what has to agree.
    known: Vec<Option<Vec<(String, String)>>>,
    compared: Vec<Compared>,
}

/// Parts of a list, or the only one.
fn listed(parts: &[String]) -> String {
    if let [only] = parts { only.clone() } else { format!("({})", parts.join(", ")) }
}

impl<'f> Written<'f> {
    pub(crate) fn new(name: &'f str, symbol: &'f str, function: &'f Function) -> Self {
        let program = &function.program;
        let called = names::parameters(program.names());
        let params = called.iter().zip(&program.function().params);
        let arguments = params.map(|(name, var)| Place { name: name.clone(), of: program.type_of(*var) }).collect();
        let atoms = &program.function().body.results[..function.results()];
        let result = |k: usize| if atoms.len() == 1 { "result".to_owned() } else { format!("result{k}") };
        let results = atoms.iter().enumerate();
        let results = results.map(|(k, atom)| Place { name: result(k), of: program.atom_type(*atom) }).collect();
        let extents = Extents::of(program, &called);
        let known = atoms.iter().map(|atom| extents.of_result(*atom)).collect();
        let compared = extents.compared();
        Written { name, symbol, function, arguments, results, known, compared }
    }

    /// The names that it takes in the module.
    pub(crate) fn names(name: &str) -> [String; 2] {
        [name.to_owned(), format!("{name}_into")]
    }

    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.returning(&mut text);
        self.in_memory(&mut text);
        text
    }

    /// Types and sizes, for the user.
    fn documented(&self) -> String {
        let arguments: Vec<String> =
            self.arguments.iter().map(|place| format!("{}: {}", place.name, place.of)).collect();
        let result = |(place, known): (&Place, &Option<Vec<(String, String)>>)| match known {
            Some(sizes) => {
                sizes.iter().map(|(_, known)| format!("[{known}]")).collect::<String>() + place.prim().name()
            }
            None => place.of.to_string(),
        };
        let results: Vec<String> = self.results.iter().zip(&self.known).map(result).collect();
        format!("/// ```text\n/// ({}) -> {}\n/// ```\n", arguments.join(", "), listed(&results))
    }

    fn errors(&self) -> &'static str {
        "///\n/// # Errors\n/// If the sizes of arguments do not fit, the program has no results for these arguments, or there is too little memory.\n"
    }

    /// The function that allocates what it returns.
    fn returning(&self, text: &mut String) {
        let name = self.name;
        let arguments: Vec<String> =
            self.arguments.iter().map(|place| format!("{}: {}", place.name, place.argument())).collect();
        let results: Vec<String> = self.results.iter().map(Place::result).collect();
        let _ = write!(
            text,
            "\n/// The function `{name}`, in new memory.\n///\n{}{}pub fn {name}({}) -> Result<{}, Error> {{\n",
            self.documented(),
            self.errors(),
            arguments.join(", "),
            listed(&results)
        );
        let mut given: Vec<String> = self.arguments.iter().map(|place| place.name.clone()).collect();
        let (arrays, scalars): (Vec<&Place>, Vec<&Place>) = self.results.iter().partition(|place| place.of.rank > 0);
        for place in &arrays {
            let _ = writeln!(text, "    let mut {}: {} = Default::default();", place.name, place.result());
            given.push(format!("&mut {}", place.name));
        }
        given.push("&mut Workspace::new()".to_owned());
        let scalars: Vec<String> = scalars.iter().map(|place| place.name.clone()).collect();
        let call = format!("self::{name}_into({})?", given.join(", "));
        let _ = match &scalars[..] {
            [] => writeln!(text, "    {call};"),
            scalars => writeln!(text, "    let {} = {call};", listed(scalars)),
        };
        let results: Vec<String> = self.results.iter().map(|place| place.name.clone()).collect();
        let _ = writeln!(text, "    Ok({})\n}}", listed(&results));
    }

    /// The function that leaves arrays where the caller says.
    fn in_memory(&self, text: &mut String) {
        let name = self.name;
        let scalars: Vec<&Place> = self.results.iter().filter(|place| place.of.rank == 0).collect();
        let mut parameters: Vec<String> =
            self.arguments.iter().map(|place| format!("{}: {}", place.name, place.argument())).collect();
        for place in self.results.iter().filter(|place| place.of.rank > 0) {
            parameters.push(format!("{}: &mut {}", place.name, place.result()));
        }
        parameters.push("workspace: &mut Workspace".to_owned());
        let returned: Vec<String> = scalars.iter().map(|place| place.element()[0].to_owned()).collect();
        let _ = write!(
            text,
            "\n/// The function `{name}` in memory that the caller keeps: once that is large enough, nothing is allocated. After an error\n\
            /// results may have any elements.\n///\n{}{}pub fn {name}_into({}) -> Result<{}, Error> {{\n",
            self.documented(),
            self.errors(),
            parameters.join(", "),
            listed(&returned)
        );
        self.declared(text);
        self.before(text);
        self.called(text);
        self.after(text);
        let scalar = |place: &&Place| match place.prim() {
            Prim::Bool => format!("{} != 0", place.name),
            _ => place.name.clone(),
        };
        let _ = writeln!(text, "    Ok({})\n}}", listed(&scalars.iter().map(scalar).collect::<Vec<_>>()));
    }

    /// The functions in C.
    fn declared(&self, text: &mut String) {
        let symbol = self.symbol;
        let (mut parameters, mut sizes) = (Vec::new(), Vec::new());
        for (k, place) in self.arguments.iter().enumerate() {
            let [_, element] = place.element();
            if place.of.rank == 0 {
                parameters.push(format!("a{k}: {element}"));
                sizes.push(format!("a{k}: {element}"));
            } else {
                parameters.push(format!("a{k}: *const {element}"));
                let of_dimension = |d: usize| format!("a{k}_size{d}: i64");
                parameters.extend((0..place.of.rank).map(of_dimension));
                sizes.extend((0..place.of.rank).map(of_dimension));
            }
        }
        let kinds = self.results.iter().map(|place| (place.element()[1], place.of.rank));
        let check = (!self.function.checks.is_empty()).then_some(("i64", 0));
        for (k, (element, rank)) in kinds.chain(check).enumerate() {
            parameters.push(format!("r{k}: *mut {element}"));
            if rank > 0 {
                parameters.extend([format!("r{k}_room: i64"), format!("r{k}_sizes: *mut i64")]);
            }
        }
        parameters.extend(["workspace: *mut c_void".to_owned(), "bytes: *mut i64".to_owned()]);
        let _ = write!(
            text,
            "    unsafe extern \"C\" {{\n        fn {symbol}({}) -> c_int;\n        fn {symbol}_workspace({}) -> i64;\n    }}\n",
            parameters.join(", "),
            sizes.join(", ")
        );
    }

    /// What is checked and prepared before a call.
    fn before(&self, text: &mut String) {
        let name = self.name;
        for place in &self.arguments {
            let called = &place.name;
            let _ = match place.of.rank {
                0 => Ok(()),
                1 => writeln!(text, "    let {called}_sizes = checked::c_sizes([{called}.len()]);"),
                _ => writeln!(text, "    let {called}_sizes = checked::c_sizes({called}.sizes);"),
            };
            if place.prim() == Prim::F16 {
                let numbers = if place.of.rank == 0 { format!("&[{called}]") } else { place.elements() };
                let _ = writeln!(text, "    checked::halves({name:?}, {called:?}, {numbers})?;");
            }
        }
        for Compared { what, sizes: [(one, first), (other, second)] } in &self.compared {
            let _ =
                writeln!(text, "    checked::agree({name:?}, {what:?}, [{first:?}, {second:?}], [{one}, {other}])?;");
        }
        for (place, known) in self.results.iter().zip(&self.known) {
            let (called, [_, element], elements) = (&place.name, place.element(), place.elements());
            if place.of.rank == 0 {
                let _ = writeln!(text, "    let mut {called} = {element}::default();");
                continue;
            }
            let _ = writeln!(text, "    let mut {called}_sizes = [0_i64; {}];", place.of.rank);
            let _ = match known {
                Some(sizes) => {
                    let sizes: Vec<&str> = sizes.iter().map(|(size, _)| &**size).collect();
                    let mutable = if place.of.rank == 1 { "" } else { "&mut " };
                    writeln!(
                        text,
                        "    checked::room({name:?}, {mutable}{elements}, Some(checked::count(&[{}]).unwrap_or(0)))?;",
                        sizes.join(", ")
                    )
                }
                None => writeln!(text, "    {elements}.resize({elements}.capacity(), Default::default());"),
            };
        }
        if !self.function.checks.is_empty() {
            text.push_str("    let mut check = 0_i64;\n");
        }
        let sizes: Vec<String> = self
            .arguments
            .iter()
            .flat_map(|place| match place.of.rank {
                0 => vec![scalar(place)],
                _ => place.sizes().collect(),
            })
            .collect();
        let _ = writeln!(
            text,
            "    // SAFETY: it only computes with numbers.\n    let mut wanted = unsafe {{ {}_workspace({}) }};",
            self.symbol,
            sizes.join(", ")
        );
    }

    /// The call, again with more memory if there was too little.
    fn called(&self, text: &mut String) {
        let name = self.name;
        let mut given = Vec::new();
        for place in &self.arguments {
            if place.of.rank == 0 {
                given.push(scalar(place));
                continue;
            }
            let cast = if place.prim() == Prim::Bool { ".cast()" } else { "" };
            given.push(format!("{}.as_ptr(){cast}", place.elements()));
            given.extend(place.sizes());
        }
        for place in &self.results {
            let (called, elements) = (&place.name, place.elements());
            if place.of.rank == 0 {
                given.push(format!("&raw mut {called}"));
                continue;
            }
            let cast = if place.prim() == Prim::Bool { ".cast()" } else { "" };
            given.push(format!("{elements}.as_mut_ptr(){cast}"));
            given.push(format!("checked::c_sizes([{elements}.len()])[0]"));
            given.push(format!("{called}_sizes.as_mut_ptr()"));
        }
        if !self.function.checks.is_empty() {
            given.push("&raw mut check".to_owned());
        }
        given.extend(["workspace.start()".to_owned(), "&raw mut bytes".to_owned()]);
        let _ = write!(
            text,
            "    loop {{\n        let mut bytes = workspace.with({name:?}, wanted)?;\n        \
            // SAFETY: the function is declared as its C text defines it. Arguments are slices with as many elements as their sizes say,\n        \
            // results have room for the elements that they have, and no one else has them; the workspace has this many bytes and is\n        \
            // aligned to 64. The function checks its accesses and keeps no pointer.\n        \
            let status = unsafe {{ {}({}) }};\n",
            self.symbol,
            given.join(", ")
        );
        for place in self.results.iter().filter(|place| place.of.rank > 0 && place.prim() == Prim::Bool) {
            let mutable = if place.of.rank == 1 { "" } else { "&mut " };
            let _ = writeln!(text, "        checked::truths({mutable}{});", place.elements());
        }
        text.push_str("        match status {\n            checked::DONE => break,\n");
        text.push_str("            // It says how much it needs to come further: twice as much as before is soon enough.\n            \
            checked::MEMORY => wanted = bytes.max(wanted.saturating_mul(2)).max(64),\n");
        let arrays: Vec<&Place> = self.results.iter().filter(|place| place.of.rank > 0).collect();
        if !arrays.is_empty() {
            text.push_str("            checked::ROOM => {\n");
            for place in arrays {
                let mutable = if place.of.rank == 1 { "" } else { "&mut " };
                let _ = writeln!(
                    text,
                    "                checked::room({name:?}, {mutable}{}, checked::count(&{}_sizes))?;",
                    place.elements(),
                    place.name
                );
            }
            text.push_str("            }\n");
        }
        let _ = write!(
            text,
            "            _ => return Err(Error::Argument {{ function: {name:?} }}),\n        }}\n    }}\n"
        );
    }

    /// What is done once there are results.
    fn after(&self, text: &mut String) {
        let name = self.name;
        if !self.function.checks.is_empty() {
            let checks: Vec<String> = self.function.checks.iter().map(|what| format!("{what:?}")).collect();
            let _ = write!(
                text,
                "    if check != 0 {{\n        const CHECKS: [&str; {}] = [{}];\n        \
                let failed = usize::try_from({FIRST_CHECK} - check).ok().and_then(|k| CHECKS.get(k));\n        \
                let what = failed.copied().unwrap_or(\"a check does not hold\");\n        \
                return Err(Error::Check {{ function: {name:?}, what }});\n    }}\n",
                checks.len(),
                checks.join(", ")
            );
        }
        for place in self.results.iter().filter(|place| place.of.rank > 0) {
            let (called, elements) = (&place.name, place.elements());
            let _ = match place.of.rank {
                1 => writeln!(text, "    checked::finished({name:?}, {elements}, {called}_sizes)?;"),
                _ => writeln!(
                    text,
                    "    {called}.sizes = checked::finished({name:?}, &mut {elements}, {called}_sizes)?;"
                ),
            };
        }
    }
}

/// A scalar argument as C takes it.
fn scalar(place: &Place) -> String {
    match place.prim() {
        Prim::Bool => format!("u8::from({})", place.name),
        _ => place.name.clone(),
    }
}
