//! The order within layers: sweeps that put each item at the mean of its neighbours, and of all orders met the one with fewest crossings.
//!
//! Law: the order is a permutation of each layer and depends on the graph alone (tests/scalar/drawings.rs).

use super::layers::{Item, Layered, Link};

/// How often all layers are put in order, downwards and upwards in turn.
const SWEEPS: usize = 12;

/// The items of each layer, from the left to the right.
pub(super) fn ordered(layered: &Layered) -> Vec<Vec<usize>> {
    let Layered { items, links, count, .. } = layered;
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); *count];
    items.iter().enumerate().for_each(|(item, it)| order[it.layer].push(item));
    let (mut above, mut below) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
    for (number, link) in links.iter().enumerate() {
        above[link.lower].push(number);
        below[link.upper].push(number);
    }
    let mut places = vec![0.0; items.len()];
    let mut best = (usize::MAX, order.clone());
    for sweep in 0..SWEEPS {
        order.iter().for_each(|layer| number(layer, &mut places));
        let down = sweep % 2 == 0;
        for step in 1..*count {
            let layer = if down { step } else { count - 1 - step };
            let key = |item: &usize| {
                let neighbours = if down { &above[*item] } else { &below[*item] };
                let seen = |link: &usize| {
                    if down { upper(&links[*link], items, &places) } else { lower(&links[*link], items, &places) }
                };
                if neighbours.is_empty() {
                    return places[*item];
                }
                neighbours.iter().map(seen).sum::<f64>() / neighbours.len() as f64
            };
            let mut keyed: Vec<(f64, usize)> = order[layer].iter().map(|item| (key(item), *item)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[layer] = keyed.into_iter().map(|(_, item)| item).collect();
            number(&order[layer], &mut places);
        }
        let crossings = crossings(layered, &places);
        if crossings < best.0 {
            best = (crossings, order.clone());
        }
    }
    best.1
}

fn number(layer: &[usize], places: &mut [f64]) {
    layer.iter().enumerate().for_each(|(place, item)| places[*item] = place as f64);
}

/// The place where a link begins.
fn upper(link: &Link, items: &[Item], places: &[f64]) -> f64 {
    places[link.upper] + link.out / items[link.upper].width.max(1.0)
}

/// The place where a link ends.
fn lower(link: &Link, items: &[Item], places: &[f64]) -> f64 {
    places[link.lower] + link.into / items[link.lower].width.max(1.0)
}

/// How many pairs of links cross.
fn crossings(layered: &Layered, places: &[f64]) -> usize {
    let items = &layered.items;
    let mut between: Vec<Vec<(f64, f64)>> = vec![Vec::new(); layered.count];
    for link in &layered.links {
        between[items[link.upper].layer].push((upper(link, items, places), lower(link, items, places)));
    }
    between
        .into_iter()
        .map(|mut ends| {
            ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let mut lower: Vec<f64> = ends.into_iter().map(|(_, lower)| lower).collect();
            let mut spare = lower.clone();
            inversions(&mut lower, &mut spare)
        })
        .sum()
}

/// How many pairs stand in the wrong order; afterwards none does.
fn inversions(numbers: &mut [f64], spare: &mut [f64]) -> usize {
    if numbers.len() < 2 {
        return 0;
    }
    let middle = numbers.len() / 2;
    let mut found = {
        let ((left, right), (a, b)) = (numbers.split_at_mut(middle), spare.split_at_mut(middle));
        inversions(left, a) + inversions(right, b)
    };
    let (mut left, mut right) = (0, middle);
    for place in spare.iter_mut() {
        let takes_left = left < middle && (right == numbers.len() || numbers[left] <= numbers[right]);
        if takes_left {
            *place = numbers[left];
            left += 1;
        } else {
            *place = numbers[right];
            right += 1;
            found += middle - left;
        }
    }
    numbers.copy_from_slice(spare);
    found
}
