//! Families of programs with a size, whose derivatives have to be cheap at every size.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, loop_for, loop_while, replicate, tabulate, tabulate2d};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::growth::{Approach, Family};

/// All of them, in the order of the table in `benches/README.md`.
pub(crate) fn all() -> Vec<Family> {
    vec![
        family(
            "dot product",
            32,
            |_| Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y)),
            |n| vec![vector(n), vector(n)],
        ),
        family("log of a sum of exponentials", 32, |_| Program::trace(log_sum_exp), |n| vec![vector(n)]),
        family("matrix product", 3, |_| Program::trace(products), |n| vec![matrix(n, n), matrix(n, n)]),
        family("distances to four centres", 16, |_| Program::trace(distances), |n| vec![matrix(n, 3), matrix(4, 3)]),
        family("running products", 32, |_| Program::trace(running), |n| vec![vector(n)]),
        family("gather", 32, |_| Program::trace(gathered), |n| vec![vector(n), indices(n)]),
        family("histogram", 32, |_| Program::trace(histogram), |n| vec![vector(n / 4), indices(n), vector(n)]),
        family("1-D convolution, by index", 32, |_| Program::trace(convolved_by_index), |n| vec![vector(n), vector(3)]),
        family("1-D convolution, by slices", 32, |_| Program::trace(convolved), |n| vec![vector(n), vector(3)]),
        family("windows of rows, by slices", 16, |_| Program::trace(windows), |n| vec![matrix(4, n)]),
        family("windows of rows, by index", 16, |_| Program::trace(windows_by_index), |n| vec![matrix(4, n)]),
        family("windows of rows, mapped again", 16, |_| Program::trace(windows_mapped), |n| vec![matrix(4, n)]),
        family("a slice of each row", 16, |_| Program::trace(slice_of_each), |n| vec![matrix(n, n)]),
        family("two elements of a chosen row", 16, |_| Program::trace(chosen_rows), |n| vec![matrix(4, n)]),
        family("a row that is seldom read", 16, |_| Program::trace(seldom_read), |n| vec![matrix(4, n)]),
        family(
            "two elements of rows backwards, in a loop",
            16,
            |_| Program::trace(rows_in_a_loop),
            |n| vec![matrix(n, 4)],
        ),
        family("parts of parts", 16, |_| Program::trace(parts_of_parts), |n| vec![array(&[2, n, 3])]),
        family("2-D convolution, by slices", 2, |_| Program::trace(convolution), image),
        family("2-D convolution, by index", 2, |_| Program::trace(convolution_by_index), image),
        family("updates in a loop", 32, |_| Program::trace(updated), |n| vec![vector(n)]),
        family(
            "gradient of updates in a loop",
            32,
            |_| Program::trace(updated)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("updates at the same places", 32, |_| Program::trace(updated_there), |n| vec![vector(n)]),
        family(
            "gradient of updates at the same places",
            32,
            |_| Program::trace(updated_there)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("updates in a branch", 32, |_| Program::trace(updated_in_a_branch), |n| vec![vector(n)]),
        family(
            "gradient of updates in a branch",
            32,
            |_| Program::trace(updated_in_a_branch)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("updates in branches of rows", 8, |_| Program::trace(updated_rows), |n| vec![matrix(16, n)]),
        family(
            "gradient of updates in branches of rows",
            8,
            |_| Program::trace(updated_rows)?.vjp(),
            |n| vec![matrix(16, n), 1.0.into()],
        ),
        family("a loop in a branch, read after it", 16, |_| Program::trace(looped_in_a_branch), |n| vec![vector(n)]),
        family(
            "gradient of a loop in a branch, read after it",
            16,
            |_| Program::trace(looped_in_a_branch)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("neighbours put in order, in a loop inside", 16, |_| Program::trace(put_in_order), |n| vec![vector(n)]),
        family(
            "gradient of neighbours put in order, in a loop inside",
            16,
            |_| Program::trace(put_in_order)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family(
            "neighbours put in order, three loops deep",
            16,
            |_| Program::trace(put_in_order_again),
            |n| vec![vector(n)],
        ),
        family(
            "gradient of neighbours put in order, three loops deep",
            8,
            |_| Program::trace(put_in_order_again)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family(
            "neighbours put in order, with their places",
            16,
            |_| Program::trace(put_in_order_all),
            |n| vec![vector(n)],
        ),
        family("scatters in a loop", 32, |_| Program::trace(scattered), |n| vec![vector(n)]),
        family(
            "gradient of scatters in a loop",
            32,
            |_| Program::trace(scattered)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("extrema of places, in a loop", 32, |_| Program::trace(raised), |n| vec![vector(n)]),
        family(
            "gradient of extrema of places, in a loop",
            32,
            |_| Program::trace(raised)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("a loop that asks, in a loop", 16, |_| Program::trace(asked_inside), |n| vec![vector(n)]),
        family(
            "gradient of a loop that asks, in a loop",
            16,
            |_| Program::trace(asked_inside)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        Family {
            approach: Approach::Wavering,
            ..family(
                "a loop that asks and may update, in a loop",
                16,
                |_| Program::trace(asked_and_chosen),
                |n| vec![vector(n)],
            )
        },
        family(
            "gradient of a loop that asks and may update, in a loop",
            16,
            |_| Program::trace(asked_and_chosen)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("indices changed in a loop inside", 16, |_| Program::trace(changed_indices), |n| vec![vector(n)]),
        family(
            "gradient of indices changed in a loop inside",
            16,
            |_| Program::trace(changed_indices)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        Family {
            approach: Approach::Wavering,
            ..family("indices followed and changed, in a loop", 16, |_| Program::trace(followed), |n| vec![vector(n)])
        },
        family("a table filled by a loop", 8, |_| Program::trace(table), |n| vec![vector(n), vector(n)]),
        family(
            "gradient of a table filled by a loop",
            8,
            |_| Program::trace(table)?.vjp(),
            |n| vec![vector(n), vector(n), 1.0.into()],
        ),
        family("an array that grows", 32, |_| Program::trace(grown), |n| vec![vector(n)]),
        family(
            "gradient of an array that grows",
            32,
            |_| Program::trace(grown)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family("a loop that asks, of a number", 512, |_| Program::trace(asked), |n| vec![vector(n)]),
        family(
            "gradient of a loop that asks, of a number",
            512,
            |_| Program::trace(asked)?.vjp(),
            |n| vec![vector(n), 1.0.into()],
        ),
        family(
            "a loop that asks, of an array",
            64,
            |_| Program::trace(asked_of_arrays),
            |n| vec![vector(4), (n as i64).into()],
        ),
        family(
            "gradient of a loop that asks, of an array",
            64,
            |_| Program::trace(asked_of_arrays)?.vjp(),
            |n| vec![vector(4), (n as i64).into(), 1.0.into()],
        ),
        family("a stencil in a loop, by slices", 16, |_| Program::trace(smoothed), |n| vec![vector(n)]),
    ]
}

fn family(
    name: &'static str,
    least: usize,
    program: fn(usize) -> Result<Program>,
    arguments: fn(usize) -> Vec<Value<f64>>,
) -> Family {
    Family { name, least, program, arguments, approach: Approach::Steadily }
}

fn vector(n: usize) -> Value<f64> {
    array(&[n])
}

fn matrix(n: usize, m: usize) -> Value<f64> {
    array(&[n, m])
}

/// An array of these sizes, of numbers between 0.4 and 1.6.
fn array(sizes: &[usize]) -> Value<f64> {
    let count = sizes.iter().product();
    Value::reals(sizes, (0..count).map(|i| 1.0 + 0.6 * (1.7 * i as f64).sin())).expect("as many as the sizes say")
}

/// As many indices into a quarter as many elements.
fn indices(n: usize) -> Value<f64> {
    Value::new((0..n).map(|i| ((i * i + 3 * i) % (n / 4)) as i64).collect::<Vec<_>>()).expect("a vector")
}

fn log_sum_exp(x: Arr<F64>) -> F64 {
    let most = x.max();
    x.map(|x| (x - most).exp()).sum().ln() + most
}

fn products(a: Arr<Arr<F64>>, b: Arr<Arr<F64>>) -> Arr<Arr<F64>> {
    a.matmul(b)
}

fn distances(points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>) -> F64 {
    points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
}

fn running(x: Arr<F64>) -> Arr<F64> {
    x.scan(1.0, |a, b| a * b)
}

fn gathered(x: Arr<F64>, at: Arr<I64>) -> F64 {
    at.map(|i| x.index(i)).map(|x| x * x).sum()
}

fn histogram(bins: Arr<F64>, at: Arr<I64>, x: Arr<F64>) -> Arr<F64> {
    bins.reduce_by_index(0.0, at, x.map(|x| x * x), |a, b| a + b)
}

fn convolved_by_index(x: Arr<F64>, k: Arr<F64>) -> F64 {
    let at = |i: I64| (0..3).map(|j| x.index(i + j) * k.index(j)).reduce(|a, b| a + b).expect("three terms");
    tabulate(x.len() - 2, at).map(|y| y * y).sum()
}

fn convolved(x: Arr<F64>, k: Arr<F64>) -> F64 {
    tabulate(x.len() - 2, |i| x.slice(i, i + 3).dot(k)).map(|y| y * y).sum()
}

fn windows(x: Arr<Arr<F64>>) -> F64 {
    tabulate(x.size(1) - 2, |i| x.map(|row| row.slice(i, i + 3).sum()).sum()).map(|v| v * v).sum()
}

fn windows_by_index(x: Arr<Arr<F64>>) -> F64 {
    let at = |i: I64| x.map(|row| row.index(i) + row.index(i + 1) + row.index(i + 2)).sum();
    tabulate(x.size(1) - 2, at).map(|v| v * v).sum()
}

fn windows_mapped(x: Arr<Arr<F64>>) -> F64 {
    let at = |i: I64| {
        x.map(|row| {
            let window = row.slice(i, i + 3);
            window.map(|w| w.sin()).sum() + window.product()
        })
        .sum()
    };
    tabulate(x.size(1) - 2, at).map(|v| v * v).sum()
}

fn slice_of_each(x: Arr<Arr<F64>>) -> F64 {
    tabulate(x.len(), |k| x.index(k).slice(0, 3).sum()).map(|v| v * v).sum()
}

fn chosen_rows(x: Arr<Arr<F64>>) -> F64 {
    let at = |i: I64| {
        let row = x.index(i % 4);
        row.index(i) * row.index(i + 1)
    };
    tabulate(x.size(1) - 1, at).sum()
}

fn seldom_read(x: Arr<Arr<F64>>) -> F64 {
    let at = |i: I64| x.map(|row| if_(i.eq(1), || row.sum(), || 0.0)).sum();
    tabulate(x.size(1), at).map(|v| v * v).sum()
}

fn rows_in_a_loop(x: Arr<Arr<F64>>) -> F64 {
    let columns = x.transpose();
    loop_for(x.len() - 1, 0.0, |i, sum: F64| {
        sum + columns.map(|column| column.reverse().index(i) * column.index(i + 1)).sum()
    })
}

fn parts_of_parts(x: Image) -> F64 {
    let at = |i: I64| {
        let column = x.index(i % 2).transpose().index(i % 3);
        let window = column.reverse().slice(i, i + 3);
        window.max() + window.index(0) * window.index(2)
    };
    tabulate(x.size(1) - 2, at).sum()
}

fn image(n: usize) -> Vec<Value<f64>> {
    vec![array(&[2, n + 2, n + 2]), array(&[2, 2, 3, 3])]
}

type Image = Arr<Arr<Arr<F64>>>;

fn convolution(x: Image, kernels: Arr<Image>) -> Image {
    let (h, w) = (x.size(1) - 2, x.size(2) - 2);
    kernels.map(|k| {
        tabulate2d(h, w, |i, j| {
            let part = |rows: Arr<Arr<F64>>, k: Arr<Arr<F64>>| {
                rows.slice(i, i + 3).map2(k, |row, k| row.slice(j, j + 3).dot(k)).sum()
            };
            x.map2(k, part).sum()
        })
    })
}

fn convolution_by_index(x: Image, kernels: Arr<Image>) -> Image {
    let (h, w) = (x.size(1) - 2, x.size(2) - 2);
    kernels.map(|k| {
        tabulate2d(h, w, |i, j| {
            tabulate(x.len(), |c| {
                tabulate2d(3, 3, |p, q| x.index(c).index(i + p).index(j + q) * k.index(c).index2(p, q)).flatten().sum()
            })
            .sum()
        })
    })
}

fn updated(x: Arr<F64>) -> F64 {
    loop_for(x.len() - 1, x, |i, a| a.with(i + 1, a.index(i).sin() * a.index(i + 1))).sum()
}

fn updated_there(x: Arr<F64>) -> F64 {
    let next = |i: I64, a: Arr<F64>| {
        let b = a.with(0, a.index(0).sin() * x.index(i));
        b.with(1, b.index(1) * b.index(0))
    };
    loop_for(x.len(), x, next).sum()
}

fn updated_in_a_branch(x: Arr<F64>) -> F64 {
    let next = |i: I64, a: Arr<F64>| if_((i % 2).eq(1), || a.with(i + 1, a.index(i).sin() * a.index(i + 1)), || a);
    loop_for(x.len() - 1, x, next).sum()
}

/// Some rows are changed where others are not.
fn updated_rows(rows: Arr<Arr<F64>>) -> F64 {
    let next = |i: I64, a: Arr<F64>| if_(a.index(i).gt(a.index(i + 1)), || a.with(i + 1, a.index(i).sin()), || a);
    rows.map(|x| loop_for(x.len() - 1, x, next).sum()).sum()
}

fn looped_in_a_branch(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, a: Arr<F64>| {
        let inside = || loop_for(3, a, |j, a| a.with((i + j) % n, a.index(i).sin() * x.index(j)));
        let b = if_((i % 2).eq(1), inside, || a);
        b.with((i + 5) % n, b.index(i) * b.index((i + 2) % n))
    };
    loop_for(n, x, next).sum()
}

/// The element after another before it, if it is less.
fn exchanged(a: Arr<F64>, k: I64, by: F64) -> Arr<F64> {
    let (one, two) = (a.index(k), a.index(k + 1));
    if_(one.gt(two), || a.with(k, two * by).with(k + 1, one), || a)
}

fn put_in_order(x: Arr<F64>) -> F64 {
    let last = x.len() - 1;
    let next = |i: I64, a: Arr<F64>| loop_for(3, a, |j, a| exchanged(a, (i + j) % last, x.index(j)));
    loop_for(x.len(), x, next).map(|y| y * y).sum()
}

fn put_in_order_again(x: Arr<F64>) -> F64 {
    let last = x.len() - 1;
    let next = |i: I64, a: Arr<F64>| {
        loop_for(2, a, |l, a| loop_for(3, a, |j, a| exchanged(a, (i + j + l) % last, x.index(j))))
    };
    loop_for(x.len(), x, next).map(|y| y * y).sum()
}

fn put_in_order_all(x: Arr<F64>) -> F64 {
    let last = x.len() - 1;
    let inside = |i: I64, (a, at): (Arr<F64>, Arr<I64>)| {
        loop_for(3, (a, at), |j, (a, at)| {
            let k = (i + j) % last;
            let (one, two, first, second) = (a.index(k), a.index(k + 1), at.index(k), at.index(k + 1));
            let exchange = || (a.with(k, two * x.index(j)).with(k + 1, one), at.with(k, second).with(k + 1, first));
            if_(one.gt(two), exchange, || (a, at))
        })
    };
    let (a, at) = loop_for(x.len(), (x, tabulate(x.len(), |k| k)), inside);
    a.map2(at, |y, k| y * x.index(k)).sum()
}

/// Four places in each iteration, some of them twice and some beyond the end.
fn scattered(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, a: Arr<F64>| {
        let places = tabulate(4, |k| (i * i + (k % 3) * 5) % (n + 2));
        a.scatter(places, places.map(|place| a.index(place % n).sin() * x.index(i)))
    };
    loop_for(n, x, next).sum()
}

/// At the same places what is larger stays, and who was there last is known.
fn raised(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, (a, last): (Arr<F64>, Arr<I64>)| {
        let places = tabulate(4, |k| (i * i + (k % 3) * 5) % (n + 2));
        let value = |place: I64| a.index(place % n).sin() * x.index(last.index(place % n)) + 0.3;
        let raised = a.reduce_by_index(f64::NEG_INFINITY, places, places.map(value), |a, b| a.max(b));
        (raised, last.reduce_by_index(0, places, places.map(|_| i), |a, b| a.max(b)))
    };
    loop_for(n, (x, replicate(n, 0)), next).0.sum()
}

/// An element is raised until it is large enough, and then changes the next.
fn asked_inside(x: Arr<F64>) -> F64 {
    let next = |i: I64, a: Arr<F64>| {
        let is_small = |a: Arr<F64>| a.index(i).lt(1.5);
        let b = loop_while(a, is_small, |a: Arr<F64>| a.with(i, a.index(i) * (a.index(i) + 0.5).sqrt() + 0.1));
        b.with(i + 1, b.index(i).sin() * b.index(i + 1))
    };
    loop_for(x.len() - 1, x, next).sum()
}

/// From an element on to the next that is large, some are made larger.
fn asked_and_chosen(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, a: Arr<F64>| {
        let goes_on = |(j, a): (I64, Arr<F64>)| a.index(j % n).lt(1.3);
        let update = |(j, a): (I64, Arr<F64>)| {
            let raised = || a.with(j % n, a.index(j % n) * (1.0 + 0.1 * x.index(i).sin()));
            (j + 1, if_((j % 2).eq(0), raised, || a))
        };
        loop_while((i, a), goes_on, update).1
    };
    loop_for(n, x, next).sum()
}

/// Nothing returns through the loop inside, but it is known again which indices there were.
fn changed_indices(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, (a, at): (Arr<F64>, Arr<I64>)| {
        let at = loop_for(3, at, |j, at| at.with((i + j) % n, (at.index((i + j + 1) % n) + j) % n));
        (a.with(i, a.index(at.index(i)) * x.index(at.index((i + 2) % n)).sin()), at)
    };
    loop_for(n, (x, replicate(n, 1)), next).0.sum()
}

/// Each node of a forest has a parent: on the way to the root those on the way get nearer to it.
fn followed(x: Arr<F64>) -> F64 {
    let n = x.len();
    let next = |i: I64, (a, parents): (Arr<F64>, Arr<I64>)| {
        let is_below = |(node, parents): (I64, Arr<I64>)| parents.index(node).lt(node);
        let up = |(node, parents): (I64, Arr<I64>)| {
            let parent = parents.index(node);
            (parent, parents.with(node, parents.index(parent)))
        };
        let (root, parents) = loop_while((i, parents), is_below, up);
        (a.with(i, a.index(root) * x.index(i).sin()), parents.with(root, i))
    };
    loop_for(n, (x, tabulate(n, |i| i * 7 / 8)), next).0.sum()
}

/// Each entry is made of those beside and above it.
fn table(x: Arr<F64>, y: Arr<F64>) -> F64 {
    let n = x.len();
    let empty: Arr<Arr<F64>> = replicate(n, x);
    let fill = |i: I64, rows: Arr<Arr<F64>>| {
        loop_for(n - 1, rows, |j, rows| {
            let entry = rows.index2(i, j + 1) * y.index(i) + rows.index2(i + 1, j).sin();
            rows.with2(i + 1, j + 1, entry)
        })
    };
    loop_for(n - 1, empty, fill).flatten().sum()
}

fn grown(x: Arr<F64>) -> F64 {
    loop_for(x.len() - 1, x.take(1), |i, a| a.concat(replicate(1, a.index(i) * x.index(i + 1)))).sum()
}

fn asked(x: Arr<F64>) -> F64 {
    loop_while((0, 1.0), |(i, _)| i.lt(x.len()), |(i, y)| (i + 1, (y * x.index(i)).sin())).1
}

fn asked_of_arrays(x: Arr<F64>, n: I64) -> F64 {
    loop_while((0, x), |(i, _)| i.lt(n), |(i, y)| (i + 1, y.map(|y| y.sin()))).1.sum()
}

fn smoothed(x: Arr<F64>) -> F64 {
    let next = |_: I64, y: Arr<F64>| {
        let n = y.len();
        let inner = y.slice(0, n - 2).map3(y.slice(1, n - 1), y.slice(2, n), |a, b, c| 0.25 * (a + 2.0 * b + c));
        y.take(1).concat(inner).concat(y.drop(n - 1))
    };
    loop_for(10, x, next).map(|y| y * y).sum()
}
