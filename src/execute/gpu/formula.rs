//! What the host computes, as formulas of the sizes of arguments, or as numbers where these are known.
//!
//! Law: a formula has the value that the host computes, where that does not wrap: two formulas that are equal have the same value
//! (tests/gpu/pictures.rs).

use core::fmt;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::plan::{Plan, Step};
use super::print::name;
use super::run::computed;
use crate::array::{Const, IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Op, Operand, Value};

/// A polynomial: how often it has each product of what has no formula of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Formula(BTreeMap<Vec<String>, i128>);

/// The most products in the formula of a value: one that has more is given a name.
const MAX_PRODUCTS: usize = 3;
/// The longest formula of a value.
const MAX_LENGTH: usize = 30;

impl Formula {
    pub(super) fn number(n: i128) -> Self {
        if n == 0 { Self::default() } else { Formula(BTreeMap::from([(Vec::new(), n)])) }
    }

    /// What stands for itself.
    pub(super) fn named(name: String) -> Self {
        Formula(BTreeMap::from([(vec![name], 1)]))
    }

    /// The number that it is, if it is one.
    pub(super) fn as_number(&self) -> Option<i128> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((product, n)) if product.is_empty() && self.0.len() == 1 => Some(*n),
            Some(_) => None,
        }
    }

    pub(super) fn plus(&self, other: &Formula) -> Self {
        let mut sum = self.clone();
        other.0.iter().for_each(|(product, n)| sum.add(product.clone(), *n));
        sum
    }

    pub(super) fn times(&self, other: &Formula) -> Self {
        let mut all = Formula::default();
        for (left, n) in &self.0 {
            for (right, m) in &other.0 {
                let mut product = [&left[..], right].concat();
                product.sort();
                all.add(product, n.saturating_mul(*m));
            }
        }
        all
    }

    /// The lesser, where what has no formula of its own is not negative.
    pub(super) fn least(&self, other: &Formula) -> Self {
        let is_within = |a: &Formula, b: &Formula| b.plus(&a.times(&Formula::number(-1))).0.values().all(|n| *n >= 0);
        match (is_within(self, other), is_within(other, self)) {
            (true, _) => self.clone(),
            (false, true) => other.clone(),
            (false, false) => Formula::named(format!("min({self}, {other})")),
        }
    }

    fn add(&mut self, product: Vec<String>, n: i128) {
        let known = self.0.remove(&product).unwrap_or(0).saturating_add(n);
        if known != 0 {
            self.0.insert(product, known);
        }
    }

    /// As a factor: in brackets if it is a sum.
    fn factor(&self) -> String {
        if self.0.len() > 1 { format!("({self})") } else { self.to_string() }
    }
}

/// Products of most factors first.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut products: Vec<(&Vec<String>, &i128)> = self.0.iter().collect();
        products.sort_by_key(|(product, _)| core::cmp::Reverse(product.len()));
        if products.is_empty() {
            return f.write_str("0");
        }
        for (k, (product, n)) in products.into_iter().enumerate() {
            let sign = if *n < 0 { "−" } else { "+" };
            match (k, *n < 0) {
                (0, false) => {}
                (0, true) => f.write_str(sign)?,
                _ => write!(f, " {sign} ")?,
            }
            let factors = (n.unsigned_abs() != 1 || product.is_empty()).then(|| n.unsigned_abs().to_string());
            let factors: Vec<String> = factors.into_iter().chain(product.iter().cloned()).collect();
            f.write_str(&factors.join("·"))?;
        }
        Ok(())
    }
}

/// The formulas of what the host computes in a plan.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    made: FxHashMap<Value, Formula>,
    /// What stands for itself although it is computed, and how that is.
    named: FxHashMap<Value, String>,
    known: FxHashMap<Value, Const>,
    /// What lanes compute that the host can foresee.
    lanes: FxHashMap<Value, (Op, Vec<Operand>)>,
}

impl Formulas {
    /// For a plan, where these values are known.
    pub(super) fn of(plan: &Plan, known: FxHashMap<Value, Const>) -> Self {
        let mut formulas = Formulas { known, ..Formulas::default() };
        let (mut once, mut again) = (FxHashSet::default(), FxHashSet::default());
        for_each(&plan.steps, &mut |step| match step {
            Step::Let(value, ..) if !once.insert(*value) => drop(again.insert(*value)),
            Step::Assign(cells) => again.extend(cells.iter().map(|(cell, _)| *cell)),
            _ => {}
        });
        formulas.known.retain(|value, _| !again.contains(value));
        formulas.lanes.clone_from(&plan.of_lanes);
        for_each(&plan.steps, &mut |step| {
            if let Step::Let(value, op, operands) = step {
                let prim = plan.code.values[value.0 as usize].prim;
                let formula = formulas.computed(*op, operands);
                let text = formula.to_string();
                if again.contains(value) || formula.0.len() > MAX_PRODUCTS || text.chars().count() > MAX_LENGTH {
                    formulas.named.insert(*value, text);
                    return;
                }
                let constants: Option<Vec<Const>> = operands.iter().map(|x| formulas.constant(*x)).collect();
                formulas.known.extend(constants.map(|all| (*value, computed(*op, &all, prim))));
                formulas.made.insert(*value, formula);
            }
        });
        formulas
    }

    /// The formula of an operand.
    pub(super) fn operand(&self, operand: Operand) -> Formula {
        match (self.constant(operand), operand) {
            (Some(constant), _) => match constant.integer() {
                Some(n) if constant.prim() != Prim::Bool => Formula::number(n),
                _ => Formula::named(constant.to_string()),
            },
            (None, Operand::Value(value)) => match (self.made.get(&value), self.lanes.get(&value)) {
                (Some(formula), _) => formula.clone(),
                (None, Some((op, operands))) => self.computed(*op, operands),
                (None, None) => Formula::named(name(value)),
            },
            (None, Operand::Const(_)) => panic!("a constant is known"),
        }
    }

    /// Whether a condition holds, where that is known.
    pub(super) fn truth(&self, condition: Operand) -> Option<bool> {
        self.constant(condition).map(|constant| constant == Const::Bool(true))
    }

    /// Says what a value is.
    pub(super) fn learn(&mut self, value: Value, is: Const) {
        self.known.insert(value, is);
    }

    /// How a value is computed that stands for itself.
    pub(super) fn definition(&self, value: Value) -> Option<String> {
        self.named.get(&value).map(|text| format!("{} = {text}", name(value)))
    }

    fn constant(&self, operand: Operand) -> Option<Const> {
        match operand {
            Operand::Const(constant) => Some(constant),
            Operand::Value(value) => self.known.get(&value).copied(),
        }
    }

    fn computed(&self, op: Op, operands: &[Operand]) -> Formula {
        let x: Vec<Formula> = operands.iter().map(|x| self.operand(*x)).collect();
        let infix = |sign: &str| Formula::named(format!("({} {sign} {})", x[0].factor(), x[1].factor()));
        match op {
            Op::Scalar(ScalarOp::Add) => x[0].plus(&x[1]),
            Op::Scalar(ScalarOp::Integer(IntegerRow::Sub)) => x[0].plus(&x[1].times(&Formula::number(-1))),
            Op::Scalar(ScalarOp::Mul) => x[0].times(&x[1]),
            Op::Scalar(ScalarOp::Integer(IntegerRow::Min)) => x[0].least(&x[1]),
            Op::Scalar(ScalarOp::Equal) => infix("="),
            Op::Scalar(ScalarOp::Less) => infix("<"),
            Op::Scalar(ScalarOp::LessOrEqual) => infix("≤"),
            Op::Scalar(op) => call(&op.to_string(), &x),
            other => call(&other.to_string(), &x),
        }
    }
}

fn call(function: &str, operands: &[Formula]) -> Formula {
    let operands: Vec<String> = operands.iter().map(Formula::to_string).collect();
    Formula::named(format!("{function}({})", operands.join(", ")))
}

/// Calls `visit` on all steps in order, and on those inside of them.
pub(super) fn for_each<'s>(steps: &'s [Step], visit: &mut dyn FnMut(&'s Step)) {
    for step in steps {
        if let Step::While { before, .. } = step {
            for_each(before, visit);
        }
        visit(step);
        match step {
            Step::For { body, .. } | Step::While { body, .. } => for_each(body, visit),
            Step::If { yes, no, .. } => {
                for_each(yes, visit);
                for_each(no, visit);
            }
            _ => {}
        }
    }
}
