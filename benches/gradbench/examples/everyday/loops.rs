//! The programs of `programs.fut` as plain loops, as who writes them by hand would, on one thread.

use catadiff::execute::Flat;

fn reals(flat: &Flat) -> &[f64] {
    flat.as_reals().expect("reals")
}

fn whole(flat: &Flat) -> &[i64] {
    flat.as_integers().expect("integers")
}

fn scalar(flat: &Flat) -> i64 {
    whole(flat)[0]
}

/// The memory of a result, which the run before has left.
fn into_reals<'r>(result: &'r mut Flat, sizes: &[usize]) -> &'r mut [f64] {
    if result.sizes() != sizes || result.as_reals().is_none() {
        *result = Flat::reals(sizes, vec![0.0; sizes.iter().product()]).expect("as many as the sizes say");
    }
    result.as_reals_mut().expect("reals")
}

fn into_whole<'r>(result: &'r mut Flat, sizes: &[usize]) -> &'r mut [i64] {
    if result.sizes() != sizes || result.as_integers().is_none() {
        *result = Flat::integers(sizes, vec![0; sizes.iter().product()]).expect("as many as the sizes say");
    }
    result.as_integers_mut().expect("integers")
}

/// Arguments, and results in memory that may be there.
pub(crate) type Loop = fn(&[Flat], &mut [Flat]);

pub(crate) fn product(arguments: &[Flat], results: &mut [Flat]) {
    let [a, b] = arguments else { unreachable!("two matrices") };
    let (n, m, k) = (a.sizes()[0], a.sizes()[1], b.sizes()[1]);
    let (a, b, out) = (reals(a), reals(b), into_reals(&mut results[0], &[n, k]));
    out.fill(0.0);
    for (row, out) in a.chunks_exact(m).zip(out.chunks_exact_mut(k)) {
        for (x, row) in row.iter().zip(b.chunks_exact(k)) {
            for (out, y) in out.iter_mut().zip(row) {
                *out += x * y;
            }
        }
    }
}

pub(crate) fn transposed(arguments: &[Flat], results: &mut [Flat]) {
    let (n, m) = (arguments[0].sizes()[0], arguments[0].sizes()[1]);
    let (a, out) = (reals(&arguments[0]), into_reals(&mut results[0], &[m, n]));
    for (j, out) in out.chunks_exact_mut(n).enumerate() {
        for (i, out) in out.iter_mut().enumerate() {
            *out = 2.0 * a[i * m + j];
        }
    }
}

pub(crate) fn softmax(arguments: &[Flat], results: &mut [Flat]) {
    let sizes = arguments[0].sizes();
    let (a, out) = (reals(&arguments[0]), into_reals(&mut results[0], sizes));
    for (row, out) in a.chunks_exact(sizes[1]).zip(out.chunks_exact_mut(sizes[1])) {
        let greatest = row.iter().copied().fold(f64::MIN, f64::max);
        let mut total = 0.0;
        for (out, x) in out.iter_mut().zip(row) {
            *out = (x - greatest).exp();
            total += *out;
        }
        out.iter_mut().for_each(|out| *out /= total);
    }
}

pub(crate) fn covariance(arguments: &[Flat], results: &mut [Flat]) {
    let (n, m) = (arguments[0].sizes()[0], arguments[0].sizes()[1]);
    let (xs, out) = (reals(&arguments[0]), into_reals(&mut results[0], &[m, m]));
    let mut means = vec![0.0; m];
    for row in xs.chunks_exact(m) {
        means.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n as f64);
    }
    out.fill(0.0);
    let mut centred = vec![0.0; m];
    for row in xs.chunks_exact(m) {
        for ((centred, x), mean) in centred.iter_mut().zip(row).zip(&means) {
            *centred = x - mean;
        }
        for (x, out) in centred.iter().zip(out.chunks_exact_mut(m)) {
            for (out, y) in out.iter_mut().zip(&centred) {
                *out += x * y;
            }
        }
    }
    out.iter_mut().for_each(|out| *out /= (n - 1) as f64);
}

pub(crate) fn lu(arguments: &[Flat], results: &mut [Flat]) {
    let n = arguments[0].sizes()[0];
    let a = into_reals(&mut results[0], &[n, n]);
    a.copy_from_slice(reals(&arguments[0]));
    for k in 0..n.saturating_sub(1) {
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivot = &above[k * n..];
        for row in below.chunks_exact_mut(n) {
            row[k] /= pivot[k];
            let factor = row[k];
            for (x, y) in row[k + 1..].iter_mut().zip(&pivot[k + 1..]) {
                *x -= factor * y;
            }
        }
    }
}

pub(crate) fn floyd(arguments: &[Flat], results: &mut [Flat]) {
    let n = arguments[0].sizes()[0];
    let d = into_reals(&mut results[0], &[n, n]);
    d.copy_from_slice(reals(&arguments[0]));
    for k in 0..n {
        let through = d[k * n..(k + 1) * n].to_vec();
        for row in d.chunks_exact_mut(n) {
            let first = row[k];
            for (x, y) in row.iter_mut().zip(&through) {
                *x = x.min(first + y);
            }
        }
    }
}

pub(crate) fn heat(arguments: &[Flat], results: &mut [Flat]) {
    let (n, m) = (arguments[1].sizes()[0], arguments[1].sizes()[1]);
    let t = into_reals(&mut results[0], &[n, m]);
    t.copy_from_slice(reals(&arguments[1]));
    let mut before = t.to_vec();
    for _ in 0..scalar(&arguments[0]) {
        before.copy_from_slice(t);
        for i in 1..n - 1 {
            let [up, row, down] = [i - 1, i, i + 1].map(|i| &before[i * m..(i + 1) * m]);
            let out = &mut t[i * m..(i + 1) * m];
            for j in 1..m - 1 {
                out[j] = row[j] + 0.1 * (up[j] + down[j] + row[j - 1] + row[j + 1] - 4.0 * row[j]);
            }
        }
    }
}

pub(crate) fn smooth(arguments: &[Flat], results: &mut [Flat]) {
    let n = arguments[1].sizes()[0];
    let xs = into_reals(&mut results[0], &[n]);
    xs.copy_from_slice(reals(&arguments[1]));
    let mut before = xs.to_vec();
    for _ in 0..scalar(&arguments[0]) {
        before.copy_from_slice(xs);
        xs[0] = (before[n - 1] + before[0] + before[1]) / 3.0;
        for (x, around) in xs[1..].iter_mut().zip(before.windows(3)) {
            *x = (around[0] + around[1] + around[2]) / 3.0;
        }
        xs[n - 1] = (before[n - 2] + before[n - 1] + before[0]) / 3.0;
    }
}

pub(crate) fn life(arguments: &[Flat], results: &mut [Flat]) {
    let (n, m) = (arguments[1].sizes()[0], arguments[1].sizes()[1]);
    let g = into_whole(&mut results[0], &[n, m]);
    g.copy_from_slice(whole(&arguments[1]));
    let (mut before, mut columns) = (g.to_vec(), vec![0; m]);
    for _ in 0..scalar(&arguments[0]) {
        before.copy_from_slice(g);
        for i in 0..n {
            let [up, row, down] = [(i + n - 1) % n, i, (i + 1) % n].map(|i| &before[i * m..(i + 1) * m]);
            for j in 0..m {
                columns[j] = up[j] + row[j] + down[j];
            }
            let out = &mut g[i * m..(i + 1) * m];
            for j in 0..m {
                let left = columns[if j == 0 { m - 1 } else { j - 1 }];
                let sum = left + columns[j] + columns[if j + 1 == m { 0 } else { j + 1 }];
                out[j] = i64::from(sum == 3 || (sum == 4 && row[j] == 1));
            }
        }
    }
}

pub(crate) fn radix_sort(arguments: &[Flat], results: &mut [Flat]) {
    let n = arguments[0].sizes()[0];
    let keys = into_whole(&mut results[0], &[n]);
    keys.copy_from_slice(whole(&arguments[0]));
    let mut before = keys.to_vec();
    for bit in 0..20 {
        before.copy_from_slice(keys);
        let (mut zero, mut one) = (0, before.iter().filter(|key| **key >> bit & 1 == 0).count());
        for key in &before {
            let place = if key >> bit & 1 == 0 { &mut zero } else { &mut one };
            keys[*place] = *key;
            *place += 1;
        }
    }
}

pub(crate) fn network_sort(arguments: &[Flat], results: &mut [Flat]) {
    let n = arguments[1].sizes()[0];
    let keys = into_whole(&mut results[0], &[n]);
    keys.copy_from_slice(whole(&arguments[1]));
    for i in 0..scalar(&arguments[0]) {
        for j in 0..=i {
            let apart = 1 << (i - j);
            for start in (0..n).step_by(2 * apart) {
                let rises = start >> (i + 1) & 1 == 0;
                let (first, second) = keys[start..start + 2 * apart].split_at_mut(apart);
                for (a, b) in first.iter_mut().zip(second) {
                    let (least, most) = ((*a).min(*b), (*a).max(*b));
                    (*a, *b) = if rises { (least, most) } else { (most, least) };
                }
            }
        }
    }
}

pub(crate) fn prefix(arguments: &[Flat], results: &mut [Flat]) {
    let (xs, out) = (reals(&arguments[0]), into_reals(&mut results[0], arguments[0].sizes()));
    let mut sum = 0.0;
    for (out, x) in out.iter_mut().zip(xs) {
        sum += x;
        *out = sum;
    }
}

pub(crate) fn keep(arguments: &[Flat], results: &mut [Flat]) {
    let xs = reals(&arguments[0]);
    let count = xs.iter().filter(|x| **x > 0.5).count();
    let out = into_reals(&mut results[0], &[count]);
    let kept = xs.iter().filter(|x| **x > 0.5);
    out.iter_mut().zip(kept).for_each(|(out, x)| *out = *x);
}

pub(crate) fn stretch(arguments: &[Flat], results: &mut [Flat]) {
    let (mut best, mut here) = (0.0_f64, 0.0_f64);
    for x in reals(&arguments[0]) {
        here = (here + x).max(0.0);
        best = best.max(here);
    }
    into_reals(&mut results[0], &[])[0] = best;
}

pub(crate) fn histogram(arguments: &[Flat], results: &mut [Flat]) {
    let bins = scalar(&arguments[0]) as usize;
    let out = into_whole(&mut results[0], &[bins]);
    out.fill(0);
    for x in reals(&arguments[1]) {
        out[(x * bins as f64) as usize] += 1;
    }
}

pub(crate) fn ell(arguments: &[Flat], results: &mut [Flat]) {
    let (n, k) = (arguments[0].sizes()[0], arguments[0].sizes()[1]);
    let (columns, values, x) = (whole(&arguments[0]), reals(&arguments[1]), reals(&arguments[2]));
    let out = into_reals(&mut results[0], &[n]);
    for ((out, columns), values) in out.iter_mut().zip(columns.chunks_exact(k)).zip(values.chunks_exact(k)) {
        *out = columns.iter().zip(values).map(|(c, v)| v * x[*c as usize]).sum();
    }
}

pub(crate) fn csr(arguments: &[Flat], results: &mut [Flat]) {
    let (starts, columns) = (whole(&arguments[0]), whole(&arguments[1]));
    let (values, x) = (reals(&arguments[2]), reals(&arguments[3]));
    let out = into_reals(&mut results[0], &[starts.len() - 1]);
    for (out, ends) in out.iter_mut().zip(starts.windows(2)) {
        let row = ends[0] as usize..ends[1] as usize;
        *out = columns[row.clone()].iter().zip(&values[row]).map(|(c, v)| v * x[*c as usize]).sum();
    }
}

pub(crate) fn coo(arguments: &[Flat], results: &mut [Flat]) {
    let (rows, columns) = (whole(&arguments[1]), whole(&arguments[2]));
    let (values, x) = (reals(&arguments[3]), reals(&arguments[4]));
    let out = into_reals(&mut results[0], &[scalar(&arguments[0]) as usize]);
    out.fill(0.0);
    for ((r, c), v) in rows.iter().zip(columns).zip(values) {
        out[*r as usize] += v * x[*c as usize];
    }
}

pub(crate) fn segmented(arguments: &[Flat], results: &mut [Flat]) {
    let (flags, xs) = (whole(&arguments[0]), reals(&arguments[1]));
    let out = into_reals(&mut results[0], arguments[1].sizes());
    let mut sum = 0.0;
    for ((out, flag), x) in out.iter_mut().zip(flags).zip(xs) {
        sum = if *flag == 1 { *x } else { sum + x };
        *out = sum;
    }
}

pub(crate) fn mandelbrot(arguments: &[Flat], results: &mut [Flat]) {
    let (n, limit) = (scalar(&arguments[0]) as usize, scalar(&arguments[1]));
    let out = into_whole(&mut results[0], &[n, n]);
    for i in 0..n {
        for j in 0..n {
            let (a, b) = (3.0 * j as f64 / n as f64 - 2.0, 3.0 * i as f64 / n as f64 - 1.5);
            let (mut x, mut y, mut steps) = (0.0, 0.0, 0);
            while steps < limit && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
                steps += 1;
            }
            out[i * n + j] = steps;
        }
    }
}

pub(crate) fn nbody(arguments: &[Flat], results: &mut [Flat]) {
    let [xs, ys, zs, masses] = arguments else { unreachable!("three coordinates and a mass") };
    let (xs, ys, zs, masses) = (reals(xs), reals(ys), reals(zs), reals(masses));
    let n = xs.len();
    let [first, second, third] = results else { unreachable!("three results") };
    let (ps, qs, rs) = (into_reals(first, &[n]), into_reals(second, &[n]), into_reals(third, &[n]));
    for i in 0..n {
        let (mut px, mut py, mut pz) = (0.0, 0.0, 0.0);
        for j in 0..n {
            let (p, q, r) = (xs[j] - xs[i], ys[j] - ys[i], zs[j] - zs[i]);
            let square = p * p + q * q + r * r + 0.01;
            let pulls = masses[j] / (square * square.sqrt());
            (px, py, pz) = (px + pulls * p, py + pulls * q, pz + pulls * r);
        }
        (ps[i], qs[i], rs[i]) = (px, py, pz);
    }
}

pub(crate) fn distances(arguments: &[Flat], results: &mut [Flat]) {
    let (n, k) = (arguments[0].sizes()[0], arguments[0].sizes()[1]);
    let (edges, out) = (whole(&arguments[0]), into_whole(&mut results[0], &[n]));
    out.fill(-1);
    out[0] = 0;
    let (mut frontier, mut next, mut far) = (vec![0], Vec::new(), 1);
    while !frontier.is_empty() {
        for v in frontier.drain(..) {
            for to in &edges[v * k..(v + 1) * k] {
                if out[*to as usize] < 0 {
                    out[*to as usize] = far;
                    next.push(*to as usize);
                }
            }
        }
        (frontier, next, far) = (next, frontier, far + 1);
    }
}

pub(crate) fn roots(arguments: &[Flat], results: &mut [Flat]) {
    let (xs, out) = (reals(&arguments[0]), into_reals(&mut results[0], arguments[0].sizes()));
    for (out, x) in out.iter_mut().zip(xs) {
        *out = 0.5 * (x + 1.0);
        for _ in 0..60 {
            let before = *out;
            *out = 0.5 * (before + x / before);
            if (*out - before).abs() <= 1e-12 * *out {
                break;
            }
        }
    }
}
