//! Loops over lanes in tiles, as statements of WGSL.
//!
//! Law: all threads of a workgroup come to each barrier, and no thread reads what others bring before it is there (tests/gpu/tiles.rs).

use super::kernel::{Kernel, Param, Source, Space, parameter};
use super::kind::{Width, Word};
use super::plan::Draft;
use super::print::{Printer, name};
use super::tiles::{Along, EACH, SIDE, Staged, THREADS, Tiled, tiled};
use crate::kernel::code::{Stm, Value};

/// How far one iteration's elements are from the next one's in the memory of a workgroup: those of threads that are neighbours in either
/// direction are in different banks.
const PITCH: u32 = SIDE + 1;

/// The kernel of a draft in tiles, in integers of 32 bits, if it can be done so.
pub(super) fn in_tiles<'c>(source: Source<'c, '_>, draft: &Draft<'c>) -> Option<Kernel> {
    let tiled = tiled(source.code, source.homes, draft)?;
    let space = Space::plain(tiled.it.count, Some(tiled.sizes), Vec::new());
    Some(source.in_workgroups(Width::Narrow, &mut Vec::new(), draft, space, |printer| {
        print_tiles(printer, &tiled);
        declarations(printer, &tiled)
    }))
}

/// The declarations of what a workgroup brings.
fn declarations(printer: &Printer<'_, '_>, tiled: &Tiled<'_>) -> String {
    let length = PITCH * tiled.at_once;
    let declare = |(k, it): (usize, &Staged<'_>)| {
        format!("var<workgroup> staged{k}: array<{}, {length}>;\n", printer.word(it.value).name())
    };
    tiled.staged.iter().enumerate().map(declare).collect()
}

/// The loop over tiles.
fn print_tiles<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>) {
    let lanes = parameter(printer.param(Param::Lanes, Word::U32));
    let [columns, depth] = [tiled.sizes.columns, tiled.sizes.depth].map(|size| printer.size(size));
    let rows = tiled.sizes.rows.map(|rows| printer.size(rows));
    printer.line(&format!("let columns = {columns};"));
    printer.line(&format!("let rows = {};", rows.unwrap_or_else(|| format!("{lanes} / columns"))));
    printer.line(&format!("let depth = {depth};"));
    printer.line(&format!("let across = (columns + {}u) / {SIDE}u;", SIDE - 1));
    printer.line(&format!("let down = (rows + {}u) / {SIDE}u;", SIDE - 1));
    printer.line(&format!("let tiles = across * down * ({lanes} / (rows * columns));"));
    printer.line(&format!("let x = within % {THREADS}u;"));
    printer.line(&format!("let y = within / {THREADS}u;"));
    printer.within("for (var tile = group; tile < tiles; tile = tile + groups.x)", |printer| {
        printer.line("let matrix = tile / (across * down);");
        printer.line(&format!("let row0 = ((tile / across) % down) * {SIDE}u;"));
        printer.line(&format!("let column0 = (tile % across) * {SIDE}u;"));
        start(printer, tiled);
        printer.within(&format!("for (var k0 = 0u; k0 < depth; k0 = k0 + {}u)", tiled.at_once), |printer| {
            bring(printer, tiled);
            printer.line("workgroupBarrier();");
            iterate(printer, tiled);
            printer.line("workgroupBarrier();");
        });
        leave(printer, tiled);
    });
}

/// The numbers of the elements of a thread: in its rows, in its columns, and among all.
fn elements() -> impl Iterator<Item = [u32; 3]> {
    (0..EACH).flat_map(|row| (0..EACH).map(move |column| [row, column, row * EACH + column]))
}

/// Declares the cells of each element of a thread, with what they start from, which is the same for all.
fn start<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>) {
    for cell in &tiled.cells {
        for [.., k] in elements() {
            printer.line(&format!("var cell{}_{k}: {};", cell.0, printer.word(*cell).name()));
        }
    }
    printer.within("", |printer| {
        before(printer, tiled, "(matrix * rows + row0) * columns + column0");
        for cell in &tiled.cells {
            for [.., k] in elements() {
                printer.line(&format!("cell{}_{k} = {};", cell.0, name(*cell)));
            }
        }
    });
}

/// What comes before the loop of a lane.
fn before<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>, lane: &str) {
    let index = format!("{}({lane})", printer.counting()[0]);
    printer.set(tiled.it.index, &index);
    tiled.before.iter().for_each(|stm| printer.statement(stm));
}

/// Brings what the rows and columns of the tile need for some iterations.
fn bring<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>) {
    let at_once = tiled.at_once;
    let counting = printer.counting()[0];
    for (number, staged) in tiled.staged.iter().enumerate() {
        let word = printer.word(staged.value);
        let (first, size, coordinate) = match staged.along {
            Along::Row => ("row0", "rows", tiled.row),
            Along::Column => ("column0", "columns", tiled.column),
        };
        let head = format!("for (var e = within; e < {}u; e = e + {}u)", SIDE * at_once, THREADS * THREADS);
        printer.within(&head, |printer| {
            // Threads that are neighbours read elements that are.
            let [k, at] = match staged.in_order {
                true => [format!("e % {at_once}u"), format!("e / {at_once}u")],
                false => [format!("e / {SIDE}u"), format!("e % {SIDE}u")],
            };
            printer.line(&format!("let k = {k};"));
            printer.line(&format!("let at = {at};"));
            printer.line(&format!("var found = {};", word.zero()));
            printer.within(&format!("if (k0 + k < depth && {first} + at < {size})"), |printer| {
                printer.set(tiled.index, &format!("{counting}(k0 + k)"));
                printer.set(coordinate, &format!("{counting}({first} + at)"));
                if let Some(matrix) = tiled.matrix {
                    printer.set(matrix, &format!("{counting}(matrix)"));
                }
                let needed = tiled.addresses.iter().filter(|(_, of)| of.is_along(staged.along));
                needed.for_each(|(stm, _)| printer.statement(stm));
                let found = printer.load(staged.place);
                printer.line(&format!("found = {found};"));
            });
            printer.line(&format!("staged{number}[k * {PITCH}u + at] = found;"));
        });
    }
}

/// Some iterations of each element of a thread.
fn iterate<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>) {
    let head = format!("for (var k = 0u; k < min({}u, depth - k0); k = k + 1u)", tiled.at_once);
    printer.within(&head, |printer| {
        let index = format!("{}(k0 + k)", printer.counting()[0]);
        printer.set(tiled.index, &index);
        for (number, staged) in tiled.staged.iter().enumerate() {
            let first = if staged.along == Along::Row { "y" } else { "x" };
            for k in 0..EACH {
                let at = format!("k * {PITCH}u + {first} + {}u", THREADS * k);
                printer.line(&format!("let staged{number}_{k} = staged{number}[{at}];"));
            }
        }
        for [row, column, k] in elements() {
            printer.within("", |printer| {
                for cell in &tiled.cells {
                    printer.line(&format!("{} = cell{}_{k};", name(*cell), cell.0));
                }
                for stm in tiled.body {
                    let is_address =
                        tiled.addresses.iter().any(|(other, of)| of.is_of_lane() && core::ptr::eq(*other, stm));
                    let number = |value| tiled.staged.iter().position(|staged| staged.value == value);
                    match stm {
                        Stm::Load(value, _) if let Some(number) = number(*value) => {
                            let at = if tiled.staged[number].along == Along::Row { row } else { column };
                            printer.set(*value, &format!("staged{number}_{at}"));
                        }
                        _ if is_address => {}
                        stm => printer.statement(stm),
                    }
                }
                for cell in &tiled.cells {
                    printer.line(&format!("cell{}_{k} = {};", cell.0, name(*cell)));
                }
            });
        }
    });
}

/// What comes after the loop of a lane, for each element of a thread.
fn leave<'c>(printer: &mut Printer<'c, '_>, tiled: &Tiled<'c>) {
    printer.within(&format!("for (var e = 0u; e < {}u; e = e + 1u)", EACH * EACH), |printer| {
        printer.line(&format!("let row = row0 + y + (e / {EACH}u) * {THREADS}u;"));
        printer.line(&format!("let column = column0 + x + (e % {EACH}u) * {THREADS}u;"));
        printer.within("if (row < rows && column < columns)", |printer| {
            printer.line("let lane = (matrix * rows + row) * columns + column;");
            before(printer, tiled, "lane");
            printer.within("switch e", |printer| {
                for [.., k] in elements() {
                    let case = if k + 1 == EACH * EACH { "default".to_owned() } else { format!("case {k}u") };
                    let set = |cell: &Value| format!("{} = cell{}_{k};", name(*cell), cell.0);
                    let sets: Vec<String> = tiled.cells.iter().map(set).collect();
                    printer.line(&format!("{case}: {{ {} }}", sets.join(" ")));
                }
            });
            tiled.after.iter().for_each(|stm| printer.statement(stm));
        });
    });
}
