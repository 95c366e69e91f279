//! Loops whose elements a workgroup brings once for many lanes: they compute what they do without, and are found where they should be.

use catadiff::array::trace::{Arr, F64, I64, iota};
use catadiff::array::{Prim, Program};
use catadiff::execute::gpu::counts;
use catadiff::execute::{Flat, Lanes};
use catadiff::{Elementary, Result};

use crate::gpu;

type Matrix = Arr<Arr<F64>>;

/// Numbers of which products and sums are exact in every kind and order.
fn numbers(kind: Prim, sizes: &[usize]) -> Flat {
    let numbers = (0..sizes.iter().product::<usize>() as i64).map(|k| (k * 7 + k / 13) % 11 - 5);
    let flat = match kind {
        Prim::F64 => Flat::reals(sizes, numbers.map(|n| n as f64).collect()),
        Prim::F32 => Flat::singles(sizes, numbers.map(|n| n as f32).collect()),
        _ => Flat::integers(sizes, numbers.collect()),
    };
    flat.expect("as many as there are elements")
}

fn reals(sizes: &[usize]) -> Flat {
    numbers(Prim::F64, sizes)
}

/// Runs a program on the GPU and by lanes, whose results are the same; how many kernels were in tiles.
fn tiled(program: &Program, arguments: &[Flat]) -> Result<usize> {
    // The GPU is there: who calls this has asked.
    let gpu = gpu().expect("it was there before");
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    program.compile_on(&gpu)?.run_into(arguments, &mut found)?;
    program.compile_on(&Lanes)?.run_into(arguments, &mut expected)?;
    let sizes: Vec<_> = arguments.iter().map(Flat::sizes).collect();
    assert!(found == expected, "other results at {sizes:?} of {program}");
    Ok(counts(&gpu, program, arguments)?.expect("it comes to its end").tiled)
}

#[test]
fn products_of_every_kind_and_size() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    for kind in [Prim::F32, Prim::F64, Prim::I64] {
        let program = Program::parse(&format!(
            "program (a: [][]{kind}, b: [][]{kind}) {{
                let columns: [][]{kind} = permute[1, 0](b)
                let c: [][]{kind} = map (a) |row: []{kind}| {{
                    let products: []{kind} = map (columns) |column: []{kind}| {{
                        let terms: []{kind} = map (row, column) |x: {kind}, y: {kind}| {{
                            let z: {kind} = mul(x, y)
                            return z
                        }}
                        let sum: {kind} = reduce (terms) from (0{kind}) |x: {kind}, y: {kind}| {{
                            let z: {kind} = add(x, y)
                            return z
                        }}
                        return sum
                    }}
                    return products
                }}
                return c
            }}"
        ))?;
        // Tiles that are full, and not; loops that end in the middle of what is brought at once; sides too short for tiles.
        for ([rows, columns, depth], expected) in [
            ([384, 384, 16], 1),
            ([401, 383, 17], 1),
            ([2100, 33, 9], 1),
            ([32, 4097, 40], 1),
            ([5, 20_000, 16], 0),
            ([384, 384, 3], 0),
            ([70, 70, 70], 0),
            ([0, 400, 16], 0),
        ] {
            let found = tiled(&program, &[numbers(kind, &[rows, depth]), numbers(kind, &[depth, columns])])?;
            assert_eq!(found, expected, "{kind}: {rows} × {columns} × {depth}");
        }
    }
    Ok(())
}

/// For each row of one matrix and each of another, something of both.
fn of_all_pairs(f: impl Fn(Arr<F64>, Arr<F64>) -> F64 + Copy) -> Result<Program> {
    Program::trace(|a: Matrix, b: Matrix| a.map(|x| b.map(|y| f(x, y))))
}

#[test]
fn whatever_is_read_by_rows_and_by_columns() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    let squares = of_all_pairs(|x, y| x.map2(y, |x, y| (x - y) * (x - y)).sum())?;
    let nearest = of_all_pairs(|x, y| x.map2(y, |x, y| x + y).min())?;
    let scaled = of_all_pairs(|x, y| x.dot(y) * 0.5 + x.index(0) - y.index(1))?;
    let both = of_all_pairs(|x, y| x.dot(y) + x.map2(y, |x, y| (x - y).abs()).max())?;
    let halves = of_all_pairs(|x, y| iota(20).map(|k| x.index((k / 2).min(19)) * y.index(k)).sum())?;
    tiled(&halves, &[reals(&[450, 20]), reals(&[390, 20])])?;
    for (name, program) in [("squares", squares), ("nearest", nearest), ("scaled", scaled), ("both", both)] {
        assert_eq!(tiled(&program, &[reals(&[450, 20]), reals(&[390, 20])])?, 1, "{name}");
    }
    Ok(())
}

#[test]
fn matrices_side_by_side_and_products_in_derivatives() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    type Batch = Arr<Matrix>;
    let batched = Program::trace(|a: Batch, b: Batch| a.map2(b, |a, b| a.map(|x| b.map(|y| x.dot(y)))))?;
    assert_eq!(tiled(&batched, &[reals(&[35, 40, 24]), reals(&[35, 70, 24])])?, 1);
    let one_for_all = Program::trace(|a: Batch, b: Matrix| a.map(|a| a.map(|x| b.map(|y| x.dot(y)))))?;
    assert_eq!(tiled(&one_for_all, &[reals(&[9, 130, 24]), reals(&[150, 24])])?, 1);
    let product = of_all_pairs(|x, y| x.dot(y))?;
    let (a, b) = (reals(&[400, 390]), reals(&[410, 390]));
    // The product itself, and the adjoints of its factors.
    assert_eq!(tiled(&product.vjp()?.simplified(), &[a, b, reals(&[400, 410])])?, 3);
    Ok(())
}

#[test]
fn remainders_that_are_no_columns_are_left_alone() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    // As many elements as no matrix of 40 columns has.
    let program = Program::trace(|a: Matrix, b: Matrix, n: I64| {
        iota(n).map(|k| {
            let (i, j) = (k / 40, k % 40);
            a.index(i % a.len()).dot(b.index(j))
        })
    })?;
    let arguments = |n: i64| [reals(&[500, 20]), reals(&[40, 20]), Flat::integers(&[], vec![n]).expect("one")];
    for n in [40 * 500 + 7, 40 * 500] {
        tiled(&program, &arguments(n))?;
    }
    Ok(())
}
