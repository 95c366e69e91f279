//! Colourings of patterns: they keep their laws, the checks state them, and each order is as good as its authors say.

use catadiff::derivative::{Colouring, Order, Pattern};
use quickcheck::{Gen, QuickCheck};

/// By its definition: no two columns of one colour meet in a row.
fn separated(colours: &[usize], pattern: &Pattern) -> bool {
    let shared =
        |a: usize, b: usize| (0..pattern.rows()).any(|row| pattern.contains(row, a) && pattern.contains(row, b));
    (0..pattern.columns()).all(|a| (0..a).all(|b| colours[a] != colours[b] || !shared(a, b)))
}

/// By its definition: neighbours differ, and no path on four vertices has two colours.
fn starry(c: &[usize], pattern: &Pattern) -> bool {
    let edge = |a: usize, b: usize| a != b && pattern.contains(a, b);
    let n = pattern.columns();
    let all = |test: &dyn Fn(usize) -> bool| (0..n).all(test);
    all(&|a| all(&|b| !edge(a, b) || c[a] != c[b]))
        && all(&|a| {
            all(&|b| {
                !edge(a, b)
                    || all(&|d| {
                        !edge(b, d)
                            || d == a
                            || c[a] != c[d]
                            || all(&|e| !edge(d, e) || e == b || e == a || c[b] != c[e])
                    })
            })
        })
}

fn pattern_of(bytes: &[u8], rows: usize, columns: usize) -> Pattern {
    let mut lists = vec![Vec::new(); rows];
    for pair in bytes.chunks_exact(2) {
        lists[usize::from(pair[0]) % rows].push(usize::from(pair[1]) % columns);
    }
    Pattern::new(columns, lists).unwrap()
}

#[test]
fn colourings_keep_their_laws() {
    fn property(bytes: Vec<u8>, rows: u8, columns: u8) -> bool {
        let (rows, columns) = (usize::from(rows % 12) + 1, usize::from(columns % 12) + 1);
        let pattern = pattern_of(&bytes, rows, columns);
        let square = pattern_of(&bytes, columns, columns).symmetric().unwrap();
        let best = Colouring::columns(&pattern);
        let best_star = Colouring::star(&square).unwrap();
        let each_order = Order::ALL.into_iter().all(|order| {
            let (columns, star) = (Colouring::columns_in(order, &pattern), Colouring::star_in(order, &square).unwrap());
            separated(columns.colours(), &pattern)
                && starry(star.colours(), &square)
                && columns.count() >= best.count()
                && star.count() >= best_star.count()
        });
        let by_rows = Colouring::rows(&pattern);
        each_order
            && best.separates_columns(&pattern)
            && best.count() >= pattern.widest()
            && by_rows.separates_rows(&pattern)
            && separated(by_rows.colours(), &pattern.transpose())
            && best_star.is_star(&square)
    }
    for size in [30, 60, 120] {
        QuickCheck::new().tests(300).rng(Gen::new(size)).quickcheck(property as fn(Vec<u8>, u8, u8) -> bool);
    }
}

/// A matrix with two entries in each row is a graph with an edge for each. Smallest-last colours a graph of which every
/// part has a vertex of degree at most `d` with `d + 1` colours (Matula and Beck), saturation a graph that has two
/// colours with two (Brélaz).
#[test]
fn orders_are_as_good_as_their_authors_say() {
    fn property(bytes: Vec<u8>, backwards: bool) -> bool {
        let size = bytes.len() + 1;
        let name = |vertex: usize| if backwards { size - 1 - vertex } else { vertex };
        let earlier = |k: usize, byte: u8| usize::from(byte) % (k + 1);
        let graph = |edges: Vec<[usize; 2]>| Pattern::new(size, edges.into_iter().map(|edge| edge.map(name))).unwrap();
        let tree = graph(bytes.iter().enumerate().map(|(k, byte)| [k + 1, earlier(k, *byte)]).collect());
        let more = bytes.iter().enumerate().map(|(k, byte)| [k + 1, earlier(k, byte.wrapping_mul(77).wrapping_add(5))]);
        let two_trees =
            graph(more.chain(bytes.iter().enumerate().map(|(k, byte)| [k + 1, earlier(k, *byte)])).collect());
        let bipartite = graph(
            bytes
                .chunks_exact(2)
                .map(|b| [usize::from(b[0]) % size / 2 * 2, (usize::from(b[1]) % size) | 1])
                .filter(|e| e[1] < size)
                .collect(),
        );
        Colouring::columns_in(Order::SmallestLast, &tree).count() <= 2
            && Colouring::columns_in(Order::SmallestLast, &two_trees).count() <= 3
            && Colouring::columns_in(Order::Saturation, &tree).count() <= 2
            && Colouring::columns_in(Order::Saturation, &bipartite).count() <= 2
    }
    for size in [10, 40, 100] {
        QuickCheck::new().tests(500).rng(Gen::new(size)).quickcheck(property as fn(Vec<u8>, bool) -> bool);
    }
    // Largest first: the hub of a wheel is coloured before its rim can take all colours.
    let wheel = Pattern::new(7, (1..7).flat_map(|k| [[0, k], [k, k % 6 + 1]])).unwrap();
    let colouring = Colouring::columns_in(Order::LargestFirst, &wheel);
    assert_eq!((colouring.colours()[0], colouring.count()), (0, 3));
}

/// The checks say what the definitions say, of colourings that nobody chose with care.
#[test]
fn the_checks_are_the_definitions() {
    fn property(bytes: Vec<u8>, size: u8, colours: Vec<u8>, of: u8) -> bool {
        let size = usize::from(size % 7) + 1;
        let of = usize::from(of % 4) + 2;
        let colours: Vec<usize> =
            (0..size).map(|i| colours.get(i).map_or(i, |colour| usize::from(*colour)) % of).collect();
        let pattern = pattern_of(&bytes, size, size);
        let symmetric = pattern.symmetric().unwrap();
        let colouring = Colouring::new(colours.clone());
        colouring.separates_columns(&pattern) == separated(&colours, &pattern)
            && colouring.is_star(&symmetric) == starry(&colours, &symmetric)
            && (pattern == symmetric || !colouring.is_star(&pattern))
    }
    for size in [8, 16, 32] {
        let property = property as fn(Vec<u8>, u8, Vec<u8>, u8) -> bool;
        QuickCheck::new().tests(2000).rng(Gen::new(size)).quickcheck(property);
    }
    let path = Pattern::new(4, [vec![0, 1], vec![0, 1, 2], vec![1, 2, 3], vec![2, 3]]).unwrap();
    let of = |colours: &[usize]| Colouring::new(colours.to_vec());
    assert!(!of(&[0, 1, 0, 1]).is_star(&path) && of(&[0, 1, 0, 2]).is_star(&path) && !of(&[0, 1, 1, 0]).is_star(&path));
    assert!(!of(&[0, 1, 2]).is_star(&path) && !of(&[0, 1, 2]).separates_columns(&path));
    assert!(of(&[0, 1, 2, 0]).separates_columns(&path) && !of(&[0, 1, 0, 2]).separates_columns(&path));
}
