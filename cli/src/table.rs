//! The table of commands and options: what the parser accepts, the help shows and the completions offer, all through clap.
//!
//! Law: a command or an option that is not here is refused; one that is here is explained.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ValueHint};

use crate::engine::names;

/// An option.
#[derive(Debug)]
pub(crate) struct Flag {
    /// Its name behind `--`.
    pub(crate) long: &'static str,
    /// Its letter behind `-`.
    pub(crate) short: Option<char>,
    /// What its value is called, if it has one.
    pub(crate) value: Option<&'static str>,
    pub(crate) values: Values,
    pub(crate) help: &'static str,
}

/// What the values of an option may be.
#[derive(Debug)]
pub(crate) enum Values {
    Any,
    These(&'static [&'static str]),
    /// The names of executors.
    Executors,
}

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// What stands behind its name.
    pub(crate) usage: &'static str,
    pub(crate) help: &'static str,
    /// The names of its options.
    pub(crate) flags: &'static [&'static str],
    /// More to say.
    pub(crate) more: &'static str,
    pub(crate) examples: &'static [&'static str],
}

const fn flag(long: &'static str, value: &'static str, help: &'static str) -> Flag {
    Flag { long, short: None, value: Some(value), values: Values::Any, help }
}

const fn switch(long: &'static str, help: &'static str) -> Flag {
    Flag { long, short: None, value: None, values: Values::Any, help }
}

/// What stands behind a command that is no option.
pub(crate) const FILES: &str = "files";

/// The options of a run, and more; those of executors on ranks where there are such.
macro_rules! run_flags {
    ($($more:literal),*) => {
        &[
            "entry",
            $($more,)*
            "executor",
            "carrier",
            "radius",
            "steps",
            "memory",
            "binary",
            #[cfg(feature = "mpi")]
            "split",
            #[cfg(feature = "mpi")]
            "no-gather",
            #[cfg(feature = "mpi")]
            "keep",
            #[cfg(feature = "mpi")]
            "every",
            #[cfg(feature = "mpi")]
            "resume",
        ]
    };
}

/// All options; an option means the same in every command.
pub(crate) const FLAGS: &[Flag] = &[
    Flag { short: Some('e'), ..flag("entry", "NAME", "the entry point; by default `main`, or the only one there is") },
    Flag { short: Some('b'), ..switch("binary", "write values in the binary format") },
    Flag {
        values: Values::Executors,
        ..flag("executor", "NAME", "interpreter: that of the language; the others are of array programs")
    },
    switch("both", "under the interpreter, and compiled for the first of the executors"),
    #[cfg(feature = "mpi")]
    flag(
        "split",
        "NAME=FILE",
        "each rank reads its rows of this parameter from a file in the binary format; may be repeated",
    ),
    #[cfg(feature = "mpi")]
    switch(
        "no-gather",
        "what needs elements of other ranks one by one is refused, where else all gather the array and compute the same",
    ),
    #[cfg(feature = "mpi")]
    flag("keep", "FOLDER", "keep the state of long loops there; with an executor on ranks"),
    #[cfg(feature = "mpi")]
    flag("every", "N|Ts", "how often: after N iterations, or after T seconds; by default 60s"),
    #[cfg(feature = "mpi")]
    switch("resume", "go on from the states that were kept of the same program and arguments"),
    flag("steps", "N", "stop after so many steps; on lanes, a loop for many elements takes few"),
    flag("memory", "N", "hold at most so many elements of arrays at a time"),
    flag(
        "tolerance",
        "X",
        "the relative error allowed; without, 1e-9, 1e-4 for f32, 2e-3 for f16, and up to that with a note",
    ),
    flag("time", "S", "stop a case after so many seconds; by default 60, and 0 for no limit"),
    switch(
        "words",
        "messages are to match the patterns behind `error:` and `warning:`; without, that there is an error counts",
    ),
    flag("seed", "N", "where random input begins; by default 0"),
    flag("exclude", "TAG", "skip what has this tag; may be repeated; `disable` is always skipped"),
    flag("threads", "N", "how many files are tested at a time; by default as many as there are cores"),
    flag("runs", "N", "how often each is run; by default for half a second, at least 3 times"),
    flag("wrt", "NAMES", "by these parameters, with commas; by default all that hold real numbers"),
    Flag {
        values: Values::These(&[
            "text",
            "dot",
            "svg",
            "latex",
            "kernel",
            #[cfg(feature = "gpu")]
            "gpu",
            #[cfg(feature = "gpu")]
            "gpu-svg",
            #[cfg(feature = "gpu")]
            "wgsl",
            "tree",
            #[cfg(feature = "native")]
            "c",
            #[cfg(feature = "native")]
            "h",
        ]),
        ..flag(
            "as",
            "FORM",
            "text, latex: the array program; dot, svg: drawn; kernel: how it runs; gpu, gpu-svg, wgsl: how on a GPU; tree: as read; c, h: in C",
        )
    },
    switch("dump", "after each pass that had something to do: how many statements there are, and which"),
    switch("sizes", "with the sizes of arrays in their types, by number or by name"),
    flag("at", "VALUES", "draw what is computed at these values, and adjoints; - for standard input"),
    Flag {
        values: Values::These(&["keep", "scalarize"]),
        ..flag("arrays", "WHAT", "keep: array operations stay; scalarize: operations on scalars alone (default)")
    },
    Flag {
        values: Values::These(&["interval", "cost", "nan-origin", "support", "term", "dual", "tape"]),
        ..flag("carrier", "NUMBERS", "run on other numbers, in double precision")
    },
    flag("radius", "X", "intervals: each real number stands for all that are so near; by default 0"),
    Flag {
        values: Values::These(&["grad", "jvp", "vjp"]),
        ..flag("derivative", "MODE", "of the derivative: grad, jvp or vjp")
    },
    switch("check", "write nothing: list what is laid out otherwise, and end with 1 if there is such"),
    switch("json", "one JSON object a line"),
    #[cfg(feature = "native")]
    flag("name", "NAME", "the name of the function in C; by default that of the entry point"),
    #[cfg(feature = "native")]
    flag("to", "FOLDER", "write the file and its header there"),
];

/// All commands.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "run",
        usage: "FILE.fut",
        help: "run a program on values from standard input",
        flags: run_flags!(),
        more: "Values are read in Futhark's text or binary format; numbers without a suffix take the kind that the entry\n\
               point wants. Results are written one on a line. Records are given field by field.\n\
               On other numbers: interval, what the results can be; cost, how many operations there are; nan-origin, which of\n\
               them first went wrong; support, which inputs each result depends on; term, the results as formulas.",
        examples: &[
            "echo '[1.0, 2.0] 3' | catadiff run dot.fut -e scale",
            "catadiff run mean.fut --steps 100000 < data.in",
            "echo '[1.0, 2.0] 3' | catadiff run dot.fut -e scale --carrier interval --radius 0.1",
        ],
    },
    Command {
        name: "test",
        usage: "FILE.fut|FOLDER ...",
        help: "do what the test blocks of programs say",
        flags: &[
            "entry",
            "executor",
            "both",
            "words",
            "tolerance",
            "seed",
            "time",
            "steps",
            "memory",
            "exclude",
            "threads",
            "json",
        ],
        more: "A block is a comment that begins with `-- ==`. A program without cases passes if it is accepted, and one with `error:`\n\
               in the place of cases if it is refused: patterns are mostly those of another compiler, whose words are not\n\
               these, so they count only with `--words`, those of warnings as well. Cases run compiled, and where that costs\n\
               little under the interpreter too, which is asked what `auto output` is: of large random inputs, on a smaller one.\n\
               `--executor` and `--both` say who runs them. One line is written for each case that fails, and a summary; of several\n\
               programs a line on standard error as each is done.",
        examples: &[
            "catadiff test programs examples/f.fut --time 10",
            "catadiff test programs --both --words",
            "catadiff test f.fut --tolerance 1e-6 --json",
        ],
    },
    Command {
        name: "bench",
        usage: "FILE.fut|FOLDER ...",
        help: "time entry points on the inputs of their test blocks, and their derivatives",
        flags: &["entry", "executor", "runs", "seed", "steps", "memory", "exclude", "json"],
        more: "`jvp` and `vjp` are given as multiples of the time of the entry point itself: value and derivative together.\n\
               By default on lanes. Times are medians.",
        examples: &["catadiff bench kmeans.fut", "catadiff bench programs --runs 20 --json"],
    },
    Command {
        name: "grad",
        usage: "FORMULA NAME=VALUE ... | FILE.fut",
        help: "value and gradient of a formula, or the gradient of an entry point",
        flags: run_flags!("wrt"),
        more: "Of a formula: at a point, under every strategy, with operation counts, and the symbolic derivatives.\n\
               Of an entry point whose result is one real number: at the values on standard input, a result for each\n\
               parameter that holds real numbers.",
        examples: &[
            "catadiff grad \"ln(x1) + x1*x2 - sin(x2)\" x1=2 x2=5",
            "echo '[1.0, 2.0]' | catadiff grad f.fut -e loss",
        ],
    },
    Command {
        name: "jvp",
        usage: "FILE.fut",
        help: "value of an entry point, and its derivative along a direction",
        flags: run_flags!("wrt"),
        more: "On standard input: the arguments, then a direction for each parameter that holds real numbers.\n\
               On dual numbers the derivative is that of the entry point as it runs; other numbers run the derivative.",
        examples: &["echo '[1.0, 2.0]  [1.0, 0.0]' | catadiff jvp f.fut -e loss"],
    },
    Command {
        name: "vjp",
        usage: "FILE.fut",
        help: "value of an entry point, and adjoints of its parameters",
        flags: run_flags!("wrt"),
        more: "On standard input: the arguments, then the adjoint of the result.\n\
               On a tape the derivative is that of the entry point as it runs; other numbers run the derivative.",
        examples: &["echo '[1.0, 2.0]  1.0' | catadiff vjp f.fut -e loss"],
    },
    Command {
        name: "check",
        usage: "FILE.fut ...",
        help: "check programs, and list the types of their entry points",
        flags: &["json"],
        more: "",
        examples: &["catadiff check f.fut"],
    },
    Command {
        name: "fmt",
        usage: "[FILE.fut|FOLDER ...]",
        help: "lay out programs: indentation, space, and lines that are too long",
        flags: &["check"],
        more: "Lines stay broken where they are, and comments where they stand; a line of more than 100 characters is broken\n\
               where the outermost part of its tree has parts. The program means the same, and what is laid out stays as it\n\
               is. Files are written, and those that changed are listed. Without a file, or with -, it is standard input to\n\
               standard output.",
        examples: &["catadiff fmt programs", "catadiff fmt --check programs", "catadiff fmt < f.fut"],
    },
    Command {
        name: "lsp",
        usage: "",
        help: "a language server for editors, on standard input and output",
        flags: &[],
        more: "It shows mistakes with their hints as you write, types where you point, goes to definitions in other files and in\n\
               the prelude, completes names, members and fields, lays out as `fmt`, and lists what a file declares.",
        examples: &["catadiff lsp"],
    },
    Command {
        name: "show",
        usage: "FORMULA [--as FORM] | FILE.fut",
        help: "a formula (as text, latex, dot or svg), or what an entry point becomes",
        flags: &["entry", "as", "dump", "sizes", "derivative", "wrt", "at", "steps", "memory"],
        more: "A picture shows the data flow, from the top to the bottom, with functions inside of what they are of. With `--at`,\n\
               each box has its value and the derivative of the result by it: behind the arguments the adjoint of the\n\
               result may stand, which is 1 for one real number. A picture has at most 600 boxes, and folds functions\n\
               to have no more; a run that is drawn takes at most a million steps, unless `--steps` allows others.",
        examples: &[
            "catadiff show \"hypot(x, y) / 2\" --as latex",
            "catadiff show f.fut -e loss --derivative vjp",
            "catadiff show f.fut -e loss --sizes",
            "catadiff show f.fut -e loss --as kernel --dump",
            #[cfg(feature = "gpu")]
            "catadiff show f.fut -e loss --derivative grad --as gpu-svg > plan.svg",
            "catadiff show f.fut -e loss --as svg --at '[1.0, 2.0] [3.0, 5.0]' > loss.svg",
        ],
    },
    #[cfg(feature = "native")]
    Command {
        name: "emit",
        usage: "FILE.fut",
        help: "an entry point, or its derivative, as a function in C",
        flags: &["entry", "derivative", "wrt", "as", "name", "to"],
        more: "The file is C11 with the vectors that gcc and clang have, needs no library, and allocates nothing: its header says\n\
               how it is called. For all that a processor can do, compile it with `-O2 -march=native`.",
        examples: &[
            "catadiff emit f.fut -e loss --derivative grad --to src",
            "catadiff emit f.fut -e loss --as c > loss.c",
            "catadiff emit f.fut -e loss --as h > loss.h",
        ],
    },
    Command {
        name: "trace",
        usage: "FILE.fut",
        help: "the straight line of operations that an entry point is at the values on standard input",
        flags: &["entry", "arrays", "as", "derivative", "wrt", "steps", "memory"],
        more: "As text, latex, dot or svg. As text, the decisions that made it so stand before it as comments. In a picture each\n\
               box has its value, and the derivative of the result by it, as in `show --at`. The run takes at most a\n\
               million steps, unless `--steps` allows others.",
        examples: &[
            "echo '[1.0, 2.0] [3.0, 5.0]' | catadiff trace f.fut -e loss",
            "echo '3 2' | catadiff trace example.fut --as svg > graph.svg",
            "catadiff trace f.fut -e loss --arrays keep < data.in",
        ],
    },
    Command {
        name: "repl",
        usage: "[FILE.fut]",
        help: "a session: declarations are kept, expressions are evaluated",
        flags: &["steps", "memory"],
        more: "`:help` lists what else there is. After a mistake the session goes on.",
        examples: &["catadiff repl f.fut"],
    },
    Command {
        name: "derive",
        usage: "FORMULA [NAME ...]",
        help: "the symbolic derivatives of a formula, by all names or by these",
        flags: &[],
        more: "",
        examples: &["catadiff derive \"t = exp(-x^2); t / (1 + t)\" x"],
    },
    Command {
        name: "functions",
        usage: "",
        help: "the functions that formulas may use",
        flags: &[],
        more: "",
        examples: &["catadiff functions"],
    },
    Command {
        name: "completions",
        usage: "bash|elvish|fish|powershell|zsh",
        help: "completions for a shell",
        flags: &[],
        more: "",
        examples: &["catadiff completions bash > ~/.local/share/bash-completion/completions/catadiff"],
    },
];

const FORMULAS: &str = "\
A formula is written with + - * / ^, parentheses, numbers, names, and functions. Parts get
names with `name = ...;`, and pi is known. In a point, every name of the formula has one value.

A program is a file in a large subset of Futhark, with the ending .fut.
";

const CODES: &str = "\
Exit codes: 0 for an answer, 1 if a test failed, 2 for a mistake in what was asked, 3 if a program met an error.
";

/// The parser of all that the table has.
pub(crate) fn parser() -> clap::Command {
    let examples: Vec<&str> = COMMANDS.iter().filter_map(|row| row.examples.first().copied()).collect();
    clap::Command::new("catadiff")
        .about("run, differentiate and test programs and formulas")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .after_help(format!("{FORMULAS}\n{}\n{CODES}", listed(&examples)))
        .subcommands(COMMANDS.iter().map(Command::parser))
}

/// Examples under their heading.
fn listed(examples: &[&str]) -> String {
    let lines: Vec<String> = examples.iter().map(|example| format!("  {example}\n")).collect();
    format!("Examples:\n{}", lines.concat())
}

impl Command {
    fn parser(&self) -> clap::Command {
        let more = if self.more.is_empty() { String::new() } else { format!("{}\n\n", self.more) };
        let options = if self.flags.is_empty() { "" } else { " [OPTIONS]" };
        let usage = format!("catadiff {} {}", self.name, self.usage);
        clap::Command::new(self.name)
            .about(self.help)
            .override_usage(format!("{}{options}", usage.trim_end()))
            .after_help(format!("{more}{}\n{CODES}", listed(self.examples)))
            .arg(Arg::new(FILES).num_args(0..).hide(true).value_hint(ValueHint::AnyPath))
            .args(FLAGS.iter().filter(|flag| self.flags.contains(&flag.long)).map(Flag::parser))
    }
}

impl Flag {
    fn parser(&self) -> Arg {
        let arg = Arg::new(self.long).long(self.long).help(self.help);
        let arg = self.short.into_iter().fold(arg, Arg::short);
        let Some(value) = self.value else { return arg.action(ArgAction::SetTrue).overrides_with(self.long) };
        let arg = arg.value_name(value).action(ArgAction::Append).allow_hyphen_values(true);
        match self.values {
            Values::Any => arg,
            Values::These(values) => arg.value_parser(PossibleValuesParser::new(values)),
            Values::Executors => arg.value_parser(PossibleValuesParser::new(names())),
        }
    }
}
