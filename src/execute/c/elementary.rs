//! Elementary functions as text in C, printed from their listings: of one number, and of several side by side.
//!
//! The names are those of [`math`](crate::execute::math), with an `f` at the end for f32: `exp` is printed as `exp_1` and `exp_w`, `expf`
//! as `expf_1` and `expf_w`, which compute in f64 and round the result. `trig_is_fast`, a truth value, says where `sin`, `cos` and `tan`
//! have values; `sin_from` and `tan_from` are sine and tangent of some right angles and a rest in two parts.
//!
//! Law: compiled with `-ffp-contract=off`, for a processor with FMA or without, they have every bit of `math`'s; but for the sign and
//! payload of NaN (tests/execute/elementary_in_c.rs).

use core::fmt::Write;

use crate::execute::math::ELEMENTARY;
use crate::execute::math::listing::{Elementary, Listing, Operand, Operation, Sort, Step};

/// The vocabulary of the functions, a header: types of one number and of `W` side by side, and what is done with them.
pub const LANES: &str = include_str!("lanes.h");

/// The text of the functions of these names and of those that they call, each once, or the first name that is of no function.
///
/// It goes after [`LANES`].
///
/// ```
/// use catadiff::execute::c::elementary;
/// let text = elementary::text(["exp", "lnf"])?;
/// assert!(text.contains("static inline f64_1 exp_1(f64_1 x)") && text.contains("static inline f32_w lnf_w(f32_w narrow_x)"));
/// assert_eq!(elementary::text(["exp", "gamma"]), Err("gamma"));
/// # Ok::<(), &str>(())
/// ```
///
/// # Errors
///
/// With a name that is of no function.
pub fn text<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<String, &'n str> {
    let mut functions: Vec<Function> = Vec::new();
    let mut add = |function| {
        if !functions.contains(&function) {
            functions.push(function);
        }
    };
    for name in names {
        let function = Function::named(name).ok_or(name)?;
        if function.is_rounded() {
            add(Function { single: false, ..function });
        }
        add(function);
    }
    let mut text = String::new();
    for function in functions {
        function.print(&mut text);
    }
    Ok(text)
}

/// A function of f64 or of f32.
#[derive(Clone, Copy)]
struct Function {
    elementary: &'static Elementary,
    single: bool,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.elementary, other.elementary) && self.single == other.single
    }
}

impl Function {
    fn named(name: &str) -> Option<Self> {
        let find = |name| ELEMENTARY.iter().find(|elementary| elementary.name() == name);
        let of = |single| move |elementary| Self { elementary, single };
        find(name).map(of(false)).or_else(|| find(name.strip_suffix('f')?).map(of(true)))
    }

    fn listing(self, fma: bool) -> Listing {
        if self.single { self.elementary.single(fma) } else { self.elementary.double(fma) }
    }

    /// Whether it is the function of f64, rounded.
    fn is_rounded(self) -> bool {
        self.single && [false, true].map(|fma| self.elementary.single(fma) == self.elementary.double(fma)) == [true; 2]
    }

    fn print(self, text: &mut String) {
        let [plain, fused] = [false, true].map(|fma| {
            let listing = self.listing(fma);
            [Form { function: self, suffix: "1" }, Form { function: self, suffix: "w" }]
                .map(|form| form.text(&listing))
                .concat()
        });
        if plain == fused {
            text.push_str(&plain);
        } else {
            // Without FMA the error of a product takes more steps.
            text.extend(["\n#if FUSED", &fused, "#else", &plain, "#endif\n"]);
        }
    }
}

/// A function of one number, or of several side by side.
#[derive(Clone, Copy)]
struct Form {
    function: Function,
    suffix: &'static str,
}

impl Form {
    fn is_of_lanes(self) -> bool {
        self.suffix == "w"
    }

    fn text(self, listing: &Listing) -> String {
        let Self { function: Function { elementary, single }, suffix } = self;
        let (name, letter, number) =
            if single { (elementary.name(), "f", "f32") } else { (elementary.name(), "", "f64") };
        let names = &listing.arguments;
        let given: Vec<String> =
            names.iter().map(|name| if single { format!("narrow_{name}") } else { (*name).into() }).collect();
        let parameters: Vec<String> = given.iter().map(|name| format!("{number}_{suffix} {name}")).collect();
        let (result, rounds) = match listing.sort() {
            Sort::Number => (number, single),
            sort => (type_of(sort), false),
        };
        let mut body = String::new();
        let value = if self.function.is_rounded() {
            let wide: Vec<String> = given.iter().map(|name| format!("widen_{suffix}({name})")).collect();
            format!("{name}_{suffix}({})", wide.join(", "))
        } else {
            if single {
                for (name, given) in names.iter().zip(&given) {
                    line(&mut body, format_args!("f64_{suffix} {name} = widen_{suffix}({given});"));
                }
            }
            for (number, step) in listing.steps.iter().enumerate() {
                let (sort, value) = (type_of(step.sort), self.expression(listing, step));
                line(&mut body, format_args!("{sort}_{suffix} t{number} = {value};"));
            }
            self.argument(listing, listing.result)
        };
        let value = if rounds { format!("narrow_{suffix}({value})") } else { value };
        line(&mut body, format_args!("return {value};"));
        let parameters = parameters.join(", ");
        format!("\nstatic inline {result}_{suffix} {name}{letter}_{suffix}({parameters})\n{{\n{body}}}\n")
    }

    fn expression(self, listing: &Listing, step: &Step) -> String {
        let operand = |number: usize| self.operand(listing, step.operands[number]);
        let infix = |sign: &str| format!("{} {sign} {}", operand(0), operand(1));
        let call = |name: &str| {
            let arguments: Vec<String> = step.operands.iter().map(|operand| self.argument(listing, *operand)).collect();
            format!("{name}_{}({})", self.suffix, arguments.join(", "))
        };
        match step.operation {
            Operation::Add => infix("+"),
            Operation::Subtract => infix("-"),
            Operation::Multiply => infix("*"),
            Operation::Divide => infix("/"),
            Operation::Negate => format!("-{}", operand(0)),
            Operation::Madd => call("madd"),
            Operation::Sqrt => call("sqrt"),
            Operation::Abs => call("abs"),
            Operation::Less => call("lt"),
            Operation::LessOrEqual => call("le"),
            Operation::Equal => call("eq"),
            Operation::Select => call("sel"),
            Operation::Min => call("min"),
            Operation::Max => call("max"),
            Operation::ToBits => call("bits"),
            Operation::FromBits => call("real"),
            Operation::And => infix("&"),
            Operation::Or => infix("|"),
            Operation::Xor => infix("^"),
            Operation::Not => format!("~{}", operand(0)),
            Operation::ShiftLeft => infix("<<"),
            Operation::ShiftRight => infix(">>"),
            Operation::IsZero => call("zero"),
        }
    }

    /// An operand beside one that is no constant: C takes a constant for all lanes.
    fn operand(self, listing: &Listing, operand: Operand) -> String {
        match operand {
            Operand::Argument(number) => listing.arguments[number].into(),
            Operand::Step(step) => format!("t{step}"),
            Operand::Number(bits) => number(f64::from_bits(bits)),
            Operand::Bits(bits @ 0..=9999) => bits.to_string(),
            Operand::Bits(bits) => format!("UINT64_C({bits:#x})"),
            Operand::Truth(truth) => (-i64::from(truth)).to_string(),
        }
    }

    /// An operand as the argument of a function, or as a result.
    fn argument(self, listing: &Listing, operand: Operand) -> String {
        let text = self.operand(listing, operand);
        match operand {
            Operand::Number(_) if self.is_of_lanes() => format!("all_w({text})"),
            Operand::Truth(_) if self.is_of_lanes() => format!("alli_w({text})"),
            _ => text,
        }
    }
}

fn line(body: &mut String, text: core::fmt::Arguments<'_>) {
    writeln!(body, "    {text}").expect("a string takes any text");
}

fn type_of(sort: Sort) -> &'static str {
    match sort {
        Sort::Number => "f64",
        Sort::Bits => "u64",
        Sort::Truth => "i64",
    }
}

/// The shortest text that C reads as this number.
fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "__builtin_nan(\"\")".into(),
        f64::INFINITY => "__builtin_inf()".into(),
        f64::NEG_INFINITY => "-__builtin_inf()".into(),
        x => format!("{x:?}"),
    }
}
