//! What is mistaken for what: operators, numbers, methods, and results that nothing was done for.
//!
//! Law: the other is of the same type, as far as the text can tell; what it cannot tell, the compiler refuses.

use syn::{BinOp, Lit, ReturnType, Type};

/// Methods that are mistaken for one another.
pub const METHODS: [(&str, &str); 15] = [
    ("min", "max"),
    ("all", "any"),
    ("is_some", "is_none"),
    ("is_some_and", "is_none_or"),
    ("is_ok", "is_err"),
    ("first", "last"),
    ("checked_add", "checked_sub"),
    ("wrapping_add", "wrapping_sub"),
    ("saturating_add", "saturating_sub"),
    ("checked_mul", "checked_add"),
    ("wrapping_mul", "wrapping_add"),
    ("saturating_mul", "saturating_add"),
    ("take", "skip"),
    ("floor", "ceil"),
    ("sin", "cos"),
];

/// What a function can return without doing anything, by its type.
pub fn values(output: &ReturnType) -> Vec<String> {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let ReturnType::Type(_, output) = output else { return texts(&[""]) };
    let Type::Path(path) = &**output else { return Vec::new() };
    let last = path.path.segments.last().expect("a path has a segment");
    let argument = match &last.arguments {
        syn::PathArguments::AngleBracketed(list) => list.args.first(),
        _ => None,
    };
    match last.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "f64" | "f32" => texts(&["0.0", "1.0"]),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => texts(&["0", "1"]),
        "Option" => texts(&["None"]),
        "Result" | "Step" => match argument {
            Some(syn::GenericArgument::Type(Type::Tuple(of))) if of.elems.is_empty() => texts(&["Ok(())"]),
            Some(_) => texts(&["Ok(Default::default())"]),
            None => texts(&["Ok(())"]),
        },
        "Vec" | "SmallVec" | "String" => texts(&["Default::default()"]),
        _ => Vec::new(),
    }
}

/// What an operator is mistaken for.
pub fn others(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["+"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">"],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<"],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["+="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

/// A number beside this one.
pub fn neighbours(lit: &Lit) -> Vec<String> {
    match lit {
        Lit::Int(int) => {
            let Ok(n) = int.base10_parse::<u128>() else { return Vec::new() };
            let beside = if n == 0 {
                vec![1]
            } else if n == 1 {
                vec![0, 2]
            } else {
                vec![n - 1, n + 1]
            };
            beside.into_iter().map(|n| format!("{n}{}", int.suffix())).collect()
        }
        Lit::Float(float) => {
            let Ok(x) = float.base10_parse::<f64>() else { return Vec::new() };
            vec![format!(
                "{:?}{}",
                if x == 0.0 {
                    1.0
                } else if x == 1.0 {
                    0.0
                } else {
                    x + 1.0
                },
                float.suffix()
            )]
        }
        Lit::Bool(truth) => vec![(!truth.value).to_string()],
        _ => Vec::new(),
    }
}
