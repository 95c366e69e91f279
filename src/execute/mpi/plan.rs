//! Plans: the steps of a program, each a program of its own that is ready to run on a rank, and what is sent between them.
//!
//! Law: a step takes what it mentions and gives what later ones mention, and nothing else; what no later step needs is not sent, nor kept
//! (tests/mpi/counts.rs).

use core::fmt;
use rustc_hash::FxHashSet;

use super::draft::{Draft, Exchange, Gathered, Split, Statements, Way};
use super::placement::{Axis, Placement};
use super::planner::Planner;
use crate::array::{
    Atom, Body, Extent, Form, Lambda, Program, SizeTable, Var, Vars, atoms_in, has_effect, mentioned_by, text,
};
use crate::error::{Error, Result};
use crate::execute::{Executor, Prepared, Unsupported};
use crate::optimise::simplify;

/// A program for many ranks.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    pub(super) params: Vec<Var>,
    pub(super) results: Vec<Placed>,
    pub(super) splits: Vec<Split>,
    pub(super) rank: Var,
    /// What every rank needs all of.
    pub(super) gathers: Vec<Unsupported>,
    /// Sizes of parameters that other sizes must be, or the program is wrong.
    pub(super) sizes: Vec<(Var, usize, Extent)>,
}

/// A result, and the dimension that ranks have parts of, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) value: Atom,
    pub(super) split: Option<(usize, Axis)>,
}

/// What ranks do, one after the other.
#[derive(Debug)]
pub(super) enum Node {
    Step(Step),
    Loop(Looped),
    If { vars: Vars, condition: Atom, branches: [(Vec<Node>, Vec<Atom>); 2] },
}

/// A program of one rank, and what is sent after it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) imports: Vec<Var>,
    pub(super) program: Program,
    pub(super) ready: Box<dyn Prepared>,
    /// What stays on the rank; the other results are sent.
    pub(super) gives: Vec<Var>,
    pub(super) exchanges: Vec<Exchange>,
    /// What no later step of the plan needs.
    pub(super) drops: Vec<Var>,
}

#[derive(Debug)]
pub(super) struct Looped {
    pub(super) vars: Vars,
    pub(super) params: Vec<(Var, Atom)>,
    pub(super) counter: Option<(Var, Atom)>,
    pub(super) bound: Option<Atom>,
    pub(super) condition: Option<(Vec<Node>, Atom)>,
    pub(super) body: Vec<Node>,
    pub(super) results: Vec<Atom>,
    /// Its number among the loops that no other loop or branch is around.
    pub(super) number: Option<usize>,
}

/// What makes drafts ready.
struct Finish<'e> {
    planner: Planner,
    inside: &'e dyn Executor,
}

/// Why there is no plan: the executor of a rank cannot run a step, or cannot prepare any.
pub(super) enum Refused {
    Unsupported(Unsupported),
    Failed(Error),
}

type Finished<T> = core::result::Result<T, Refused>;

impl Plan {
    /// The plan of a program in which dimensions of these sizes are split, for ranks that run their steps by `inside`.
    ///
    /// # Errors
    /// Those of [`Executor::prepare`].
    pub(super) fn of(
        program: &Program,
        extents: &[Extent],
        placed: &[(Var, Placement)],
        inside: &dyn Executor,
    ) -> Result<core::result::Result<Plan, Unsupported>> {
        match Plan::finished(program, extents, placed, inside) {
            Ok(plan) => Ok(Ok(plan)),
            Err(Refused::Unsupported(unsupported)) => Ok(Err(unsupported)),
            Err(Refused::Failed(error)) => Err(error),
        }
    }

    fn finished(
        program: &Program,
        extents: &[Extent],
        placed: &[(Var, Placement)],
        inside: &dyn Executor,
    ) -> Finished<Plan> {
        let mut planner = Planner::new(program, extents);
        planner.places.extend(placed.iter().copied());
        let body = &program.function.body;
        let (planner, drafts) = planner.steps(body);
        let results: Vec<Placed> = body
            .results
            .iter()
            .map(|value| {
                let value = planner.whole_one(*value);
                let split = match planner.placement(value) {
                    Placement::Split(dimension, axis) => Some((dimension, axis)),
                    _ => None,
                };
                Placed { value, split }
            })
            .collect();
        let mut needed: FxHashSet<Var> = results.iter().filter_map(|result| result.value.var()).collect();
        let mut finish = Finish { planner, inside };
        let mut nodes = finish.nodes(drafts, &mut needed)?;
        let loops = nodes.iter_mut().filter_map(|node| if let Node::Loop(it) = node { Some(it) } else { None });
        loops.enumerate().for_each(|(number, it)| it.number = Some(number));
        let Planner { splits, rank, gathers, builder, .. } = finish.planner;
        let types = builder.types().to_vec();
        let of_all =
            Program { types, names: Vec::new(), function: Lambda { params: Vec::new(), body: Body::default() } };
        let unsupported = |gathered: Gathered| Unsupported {
            statement: Some(text::head(&of_all, &gathered.statement)),
            reason: gathered.reason,
        };
        Ok(Plan {
            nodes,
            params: program.function.params.clone(),
            results,
            splits,
            rank,
            gathers: gathers.into_iter().map(unsupported).collect(),
            sizes: said(program),
        })
    }
}

/// The sizes of parameters that are said to be other sizes.
fn said(program: &Program) -> Vec<(Var, usize, Extent)> {
    let sizes: SizeTable = program.sizes();
    let params = program.function.params.iter();
    params
        .flat_map(|param| {
            let own = |d: &usize| Extent::Of((*param).into(), *d);
            let of = sizes.of(*param).iter().copied().enumerate();
            of.filter(|(d, extent)| *extent != own(d)).map(|(d, extent)| (*param, d, extent)).collect::<Vec<_>>()
        })
        .collect()
}

impl Finish<'_> {
    /// The nodes of drafts after which these variables are needed; what is needed before them is needed then.
    fn nodes(&mut self, drafts: Vec<Draft>, needed: &mut FxHashSet<Var>) -> Finished<Vec<Node>> {
        let bound: FxHashSet<Var> = drafts.iter().flat_map(Draft::binds).collect();
        let mut nodes = Vec::new();
        for draft in drafts.into_iter().rev() {
            let binds = draft.binds();
            let node = self.node(draft, &bound, needed)?;
            for var in binds {
                // It is there from here on, and not before.
                needed.remove(&var);
            }
            nodes.extend(node);
        }
        nodes.reverse();
        Ok(nodes)
    }

    fn node(&mut self, draft: Draft, bound: &FxHashSet<Var>, needed: &mut FxHashSet<Var>) -> Finished<Option<Node>> {
        let body = |it: &mut Self, drafts: Vec<Draft>, results: &[Atom], needed: &mut FxHashSet<Var>| {
            let mut within: FxHashSet<Var> = results.iter().filter_map(|a| a.var()).collect();
            let nodes = it.nodes(drafts, &mut within)?;
            needed.extend(within);
            Ok::<_, Refused>(nodes)
        };
        Ok(Some(match draft {
            Draft::Step(step) => return self.step(step, bound, needed),
            Draft::Loop { vars, it, condition, body: steps } => {
                let mut within = FxHashSet::default();
                let nodes = body(self, steps, &it.body.results, &mut within)?;
                let (counter, bound, condition) = match it.form {
                    Form::For(var, bound) => (Some((var, bound)), None, None),
                    Form::While { condition: asked, bound } => {
                        let nodes = body(self, condition, &asked.results, &mut within)?;
                        (None, bound, Some((nodes, asked.results[0])))
                    }
                };
                let own = it.params.iter().map(|(param, _)| *param).chain(counter.map(|(var, _)| var));
                own.for_each(|var| {
                    within.remove(&var);
                });
                needed.extend(within);
                let outside = it.params.iter().map(|(_, initial)| *initial);
                let outside = outside.chain(counter.map(|(_, bound)| bound)).chain(bound);
                needed.extend(outside.filter_map(Atom::var));
                let (params, results) = (it.params, it.body.results);
                Node::Loop(Looped { vars, params, counter, bound, condition, body: nodes, results, number: None })
            }
            Draft::If { vars, condition, branches } => {
                let [yes, no] = branches.map(|(steps, results)| Ok((body(self, steps, &results, needed)?, results)));
                let branches = [yes?, no?];
                needed.extend(condition.var());
                Node::If { vars, condition, branches }
            }
        }))
    }

    fn step(
        &mut self,
        Statements { stms, exchanges, .. }: Statements,
        bound: &FxHashSet<Var>,
        needed: &mut FxHashSet<Var>,
    ) -> Finished<Option<Node>> {
        let exchanges: Vec<Exchange> = exchanges.into_iter().filter(|it| needed.contains(&it.to)).collect();
        let gives: Vec<Var> =
            stms.iter().flat_map(|stm| stm.vars.iter().copied()).filter(|var| needed.contains(var)).collect();
        if gives.is_empty() && exchanges.is_empty() && !stms.iter().any(|stm| has_effect(&stm.op)) {
            return Ok(None);
        }
        let results = gives.iter().copied().chain(exchanges.iter().map(|it| it.from)).map(Atom::Var).collect();
        let body = Body { stms, results };
        let imports = mentioned_by(&body, []);
        let names = imports.iter().map(|var| format!("v{}", var.0)).collect();
        let types = self.planner.builder.types().to_vec();
        let function = Lambda { params: imports.clone(), body };
        let mut program = simplify(Program { types, names, function });
        let imports = without_unused_params(&mut program, imports);
        let ready = self.inside.prepare(&program).map_err(Refused::Failed)?.map_err(Refused::Unsupported)?;
        let is_last = |var: &Var| bound.contains(var) && !needed.contains(var);
        let drops = imports.iter().copied().filter(is_last).collect();
        needed.extend(&imports);
        Ok(Some(Node::Step(Step { imports, program, ready, gives, exchanges, drops })))
    }
}

/// Removes parameters that the program does not mention, and from the list of what they are.
fn without_unused_params(program: &mut Program, imports: Vec<Var>) -> Vec<Var> {
    let mut used: FxHashSet<Var> = FxHashSet::default();
    atoms_in(&program.function.body, &mut |atom| used.extend(atom.var()));
    let is_used: Vec<bool> = program.function.params.iter().map(|param| used.contains(param)).collect();
    let mut of_params = is_used.iter();
    program.function.params.retain(|_| *of_params.next().expect("one for each"));
    let mut of_names = is_used.iter();
    program.names.retain(|_| *of_names.next().expect("one for each"));
    *program = program.renumbered();
    imports.into_iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(var, _)| var).collect()
}

impl Draft {
    /// What later steps may mention.
    fn binds(&self) -> Vec<Var> {
        match self {
            Draft::Step(Statements { stms, exchanges, .. }) => {
                let bound = stms.iter().flat_map(|stm| stm.vars.iter().copied());
                bound.chain(exchanges.iter().map(|it| it.to)).collect()
            }
            Draft::Loop { vars, .. } | Draft::If { vars, .. } => vars.to_vec(),
        }
    }
}

/// The plan as text: the program of each step, what is sent after it, and what is gathered on every rank and why.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(&self.nodes, 0, f)?;
        for Unsupported { statement, reason } in &self.gathers {
            writeln!(f, "gathered, because {reason}: {}", statement.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }
}

fn show(nodes: &[Node], depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let indent = "  ".repeat(depth);
    for node in nodes {
        match node {
            Node::Step(step) => {
                for line in step.program.to_string().lines() {
                    writeln!(f, "{indent}{line}")?;
                }
                for it in &step.exchanges {
                    let what = match it.way {
                        Way::Terms(Some(_)) => "combined element by element",
                        Way::Terms(None) => "the terms of all ranks",
                        Way::Parts(_) => "the parts of all ranks",
                    };
                    writeln!(f, "{indent}send v{} as v{}: {what}", it.from.0, it.to.0)?;
                }
            }
            Node::Loop(it) => {
                writeln!(f, "{indent}loop")?;
                if let Some((nodes, _)) = &it.condition {
                    show(nodes, depth + 1, f)?;
                    writeln!(f, "{indent}do")?;
                }
                show(&it.body, depth + 1, f)?;
            }
            Node::If { branches, .. } => {
                writeln!(f, "{indent}if")?;
                show(&branches[0].0, depth + 1, f)?;
                writeln!(f, "{indent}else")?;
                show(&branches[1].0, depth + 1, f)?;
            }
        }
    }
    Ok(())
}
