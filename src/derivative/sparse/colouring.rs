//! Colourings of patterns: which columns can be computed together and still be read separately.
//!
//! Law: columns of one colour share no row (Curtis, Powell and Reid); in a star colouring of a symmetric pattern,
//! neighbours differ and every path on four vertices has three colours (Coleman and Moré), so that each entry stands
//! alone in its row of the compressed matrix, or its mirror image does (tests/scalar/colouring.rs).

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::pattern::Pattern;
use crate::error::Result;

/// The order in which a greedy colouring visits the vertices, each of which gets the first colour it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// As they are numbered: the best for banded matrices.
    Natural,
    /// Those with the most neighbours first (Welsh and Powell).
    LargestFirst,
    /// Last the one with the fewest neighbours, before it the one with the fewest among the rest, and so on
    /// (Matula and Beck).
    SmallestLast,
    /// Next the one whose neighbours have the most colours already, and among those the one with the most neighbours
    /// (Brélaz): the best for grids.
    Saturation,
}

impl Order {
    /// All orders, in the order in which they are tried.
    pub const ALL: [Order; 4] = [Order::Natural, Order::LargestFirst, Order::SmallestLast, Order::Saturation];

    /// The vertices in this order; `neighbours` calls its second argument for each neighbour of its first.
    fn sort(self, vertices: usize, mut neighbours: impl FnMut(usize, &mut dyn FnMut(usize))) -> Vec<usize> {
        let mut order: Vec<usize> = (0..vertices).collect();
        if self == Order::Natural {
            return order;
        }
        let mut degrees = vec![0; vertices];
        for (vertex, degree) in degrees.iter_mut().enumerate() {
            neighbours(vertex, &mut |_| *degree += 1);
        }
        match self {
            Order::Natural => order,
            Order::LargestFirst => {
                order.sort_by_key(|vertex| Reverse(degrees[*vertex]));
                order
            }
            Order::SmallestLast => smallest_last(degrees, neighbours),
            Order::Saturation => saturation(&degrees, neighbours),
        }
    }
}

/// Vertices by degree in bins, from which the one with the fewest neighbours left is taken, again and again
/// (Batagelj and Zaveršnik): linear in the number of neighbourhoods.
fn smallest_last(mut degrees: Vec<usize>, mut neighbours: impl FnMut(usize, &mut dyn FnMut(usize))) -> Vec<usize> {
    let most = degrees.iter().max().map_or(0, |degree| degree + 1);
    let mut starts = vec![0; most + 1];
    for degree in &degrees {
        starts[degree + 1] += 1;
    }
    for degree in 0..most {
        starts[degree + 1] += starts[degree];
    }
    let (mut next, mut places) = (starts.clone(), vec![0; degrees.len()]);
    let mut sorted = vec![0; degrees.len()];
    for (vertex, degree) in degrees.iter().enumerate() {
        (places[vertex], sorted[next[*degree]]) = (next[*degree], vertex);
        next[*degree] += 1;
    }
    for taken in 0..sorted.len() {
        let vertex = sorted[taken];
        let floor = degrees[vertex];
        neighbours(vertex, &mut |neighbour| {
            let degree = degrees[neighbour];
            if degree > floor {
                // The neighbour changes places with the first of its bin, which then begins one later.
                let (here, first) = (places[neighbour], starts[degree]);
                sorted.swap(here, first);
                places[sorted[here]] = here;
                places[neighbour] = first;
                starts[degree] += 1;
                degrees[neighbour] -= 1;
            }
        });
    }
    sorted.reverse();
    sorted
}

/// The order of a colouring in which each vertex waits until no other has more colours around it.
fn saturation(degrees: &[usize], mut neighbours: impl FnMut(usize, &mut dyn FnMut(usize))) -> Vec<usize> {
    let mut around = vec![BTreeSet::new(); degrees.len()];
    let mut order = Vec::with_capacity(degrees.len());
    let mut coloured = vec![false; degrees.len()];
    let mut waiting: BinaryHeap<_> =
        degrees.iter().enumerate().map(|(vertex, degree)| (0, *degree, Reverse(vertex))).collect();
    while let Some((colours, _, Reverse(vertex))) = waiting.pop() {
        // Entries are not changed in the heap but overtaken by newer ones.
        if coloured[vertex] || colours != around[vertex].len() {
            continue;
        }
        let colour = around[vertex].iter().zip(0_usize..).take_while(|(near, colour)| *near == colour).count();
        coloured[vertex] = true;
        order.push(vertex);
        neighbours(vertex, &mut |near| {
            if !coloured[near] && around[near].insert(colour) {
                waiting.push((around[near].len(), degrees[near], Reverse(near)));
            }
        });
    }
    order
}

/// A colour, from 0 on, for each column (or row) of a pattern.
///
/// ```
/// use catadiff::derivative::{Colouring, Pattern};
/// // An arrow: a full first row, first column and diagonal.
/// let arrow = Pattern::new(9, (0..9).map(|i| if i == 0 { (0..9).collect() } else { vec![0, i] }))?;
/// assert_eq!(Colouring::columns(&arrow).count(), 9); // the first row keeps all columns separate,
/// assert_eq!(Colouring::star(&arrow)?.count(), 2);   // but by symmetry the first column knows it
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colouring {
    colours: Vec<usize>,
    count: usize,
}

/// Of a vertex that has no colour yet.
const NONE: usize = usize::MAX;

impl Colouring {
    /// The colouring with these colours; whether it suits a pattern is for its checks to say.
    #[must_use]
    pub fn new(colours: Vec<usize>) -> Self {
        let count = colours.iter().max().map_or(0, |most| most.saturating_add(1));
        Colouring { colours, count }
    }

    /// The number of colours.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The colours.
    #[must_use]
    pub fn colours(&self) -> &[usize] {
        &self.colours
    }

    /// A colouring in which columns of one colour share no row, in the best of the orders.
    #[must_use]
    pub fn columns(pattern: &Pattern) -> Self {
        let transposed = pattern.transpose();
        best(pattern.widest(), |order| greedy_columns(pattern, &transposed, order))
    }

    /// The colouring of [`columns`](Colouring::columns) in one order.
    #[must_use]
    pub fn columns_in(order: Order, pattern: &Pattern) -> Self {
        greedy_columns(pattern, &pattern.transpose(), order)
    }

    /// A colouring in which rows of one colour share no column, in the best of the orders.
    #[must_use]
    pub fn rows(pattern: &Pattern) -> Self {
        Colouring::columns(&pattern.transpose())
    }

    /// A star colouring of a symmetric pattern, in the best of the orders. A pattern that is not symmetric is
    /// completed first.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) if there are not as many rows as columns.
    pub fn star(pattern: &Pattern) -> Result<Self> {
        let pattern = pattern.symmetric()?;
        let least = if pattern.iter().any(|(row, column)| row != column) { 2 } else { 1 };
        Ok(best(least, |order| greedy_star(&pattern, order)))
    }

    /// The colouring of [`star`](Colouring::star) in one order.
    ///
    /// # Errors
    /// As for [`star`](Colouring::star).
    pub fn star_in(order: Order, pattern: &Pattern) -> Result<Self> {
        Ok(greedy_star(&pattern.symmetric()?, order))
    }

    /// The law of [`columns`](Colouring::columns): whether there is a colour for each column, and no two columns of
    /// one colour have an entry in the same row.
    #[must_use]
    pub fn separates_columns(&self, pattern: &Pattern) -> bool {
        let mut last = BTreeMap::new();
        self.colours.len() == pattern.columns()
            && pattern.iter().all(|(row, column)| last.insert(self.colours[column], row) != Some(row))
    }

    /// The law of [`rows`](Colouring::rows): whether there is a colour for each row, and no two rows of one colour
    /// have an entry in the same column.
    #[must_use]
    pub fn separates_rows(&self, pattern: &Pattern) -> bool {
        self.separates_columns(&pattern.transpose())
    }

    /// The law of [`star`](Colouring::star): whether the pattern is symmetric, there is a colour for each column,
    /// neighbours differ, and every path on four vertices has at least three colours.
    #[must_use]
    pub fn is_star(&self, pattern: &Pattern) -> bool {
        let Ok(symmetric) = pattern.symmetric() else { return false };
        if symmetric != *pattern || self.colours.len() != pattern.columns() {
            return false;
        }
        let repeated = self.repeated(pattern);
        let repeats = |at: usize, other: usize| repeated[at].binary_search(&self.colours[other]).is_ok();
        // A path a–i–j–b has two colours just if i has two neighbours in the colour of j, and j in that of i.
        let broken = |i: usize, j: usize| self.colours[i] != self.colours[j] && !(repeats(i, j) && repeats(j, i));
        pattern.iter().all(|(i, j)| i == j || broken(i, j))
    }

    /// For each row, the colours that more than one of its columns has, in order; the diagonal does not count.
    pub(super) fn repeated(&self, pattern: &Pattern) -> Vec<Vec<usize>> {
        let of_row = |row: usize| {
            let others = pattern.row(row).iter().filter(|column| **column != row);
            let mut colours: Vec<usize> = others.map(|column| self.colours[*column]).collect();
            colours.sort_unstable();
            let mut repeated: Vec<usize> =
                colours.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
            repeated.dedup();
            repeated
        };
        (0..pattern.rows()).map(of_row).collect()
    }
}

/// The colouring with the fewest colours among the orders; the search ends at `least`, below which there is none.
fn best(least: usize, colour: impl Fn(Order) -> Colouring) -> Colouring {
    let mut best = colour(Order::ALL[0]);
    for order in &Order::ALL[1..] {
        if best.count <= least {
            break;
        }
        let other = colour(*order);
        if other.count < best.count {
            best = other;
        }
    }
    best
}

/// The colours a vertex may not have. It is cleared by moving on to the next vertex.
#[derive(Default)]
struct Forbidden {
    by: Vec<usize>,
}

impl Forbidden {
    fn add(&mut self, vertex: usize, colour: usize) {
        if self.by.len() <= colour {
            self.by.resize(colour + 1, NONE);
        }
        self.by[colour] = vertex;
    }

    fn first_free(&self, vertex: usize) -> usize {
        self.by.iter().position(|by| *by != vertex).unwrap_or(self.by.len())
    }
}

/// A column gets the first colour that no column with which it shares a row has.
fn greedy_columns(pattern: &Pattern, transposed: &Pattern, order: Order) -> Colouring {
    let others = |column: usize, visit: &mut dyn FnMut(usize)| {
        for row in transposed.row(column) {
            pattern.row(*row).iter().filter(|other| **other != column).for_each(|other| visit(*other));
        }
    };
    let mut colours = vec![NONE; pattern.columns()];
    let mut forbidden = Forbidden::default();
    for column in order.sort(pattern.columns(), others) {
        for row in transposed.row(column) {
            for colour in pattern.row(*row).iter().map(|other| colours[*other]).filter(|colour| *colour != NONE) {
                forbidden.add(column, colour);
            }
        }
        colours[column] = forbidden.first_free(column);
    }
    Colouring::new(colours)
}

/// A vertex gets the first colour that closes no path on four vertices in two colours.
///
/// What has two colours so far is a set of stars: a centre and its points. Each vertex knows how often each colour
/// occurs around it, and the colours of the centres whose point it is, so that no path has to be searched for.
fn greedy_star(pattern: &Pattern, order: Order) -> Colouring {
    let neighbours = |vertex: usize| pattern.row(vertex).iter().copied().filter(move |other| *other != vertex);
    let vertices = pattern.columns();
    let mut colours = vec![NONE; vertices];
    let mut forbidden = Forbidden::default();
    // Per vertex and colour: how many neighbours have the colour, and the first of them to get it.
    let mut around: Vec<BTreeMap<usize, (usize, usize)>> = vec![BTreeMap::new(); vertices];
    let mut centres: Vec<Vec<usize>> = vec![Vec::new(); vertices];
    for vertex in order.sort(vertices, |vertex, visit| neighbours(vertex).for_each(visit)) {
        for near in neighbours(vertex).filter(|near| colours[*near] != NONE) {
            forbidden.add(vertex, colours[near]);
            // The path vertex – near – centre – point, with the vertex at its end.
            centres[near].iter().for_each(|colour| forbidden.add(vertex, *colour));
            // The path far – near – vertex – other, with `other` in the colour of `near`.
            if around[vertex][&colours[near]].0 > 1 {
                around[near].keys().for_each(|colour| forbidden.add(vertex, *colour));
            }
        }
        let colour = forbidden.first_free(vertex);
        colours[vertex] = colour;
        for near in neighbours(vertex) {
            let (count, first) = around[near].entry(colour).or_insert((0, vertex));
            *count += 1;
            let (count, first, near_colour) = (*count, *first, colours[near]);
            if near_colour == NONE {
                continue;
            }
            if count > 1 {
                centres[vertex].push(near_colour);
            }
            if count == 2 {
                centres[first].push(near_colour);
            }
            if around[vertex][&near_colour].0 > 1 {
                centres[near].push(colour);
            }
        }
    }
    Colouring::new(colours)
}
