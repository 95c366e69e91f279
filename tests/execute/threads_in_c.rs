//! Printed C whose loops have parts, shared among threads: the same bits, whoever runs the parts.

use std::fs;
use std::process::Command;

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, iota};

use crate::in_c::{compilers, folder, links};

/// Calls a function of one array and one result in three ways: by one thread, by a thread for each part, and as it is, which is by
/// OpenMP where that is on. Prints how many parts there were, and the sum of the result's bits each time.
const THREADS: &str = r#"
#include "NAME.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct one { void (*part)(void *, int64_t); void *task; int64_t k; };
static void *run_one(void *of) { struct one *one = of; one->part(one->task, one->k); return NULL; }

static void in_order(void *pool, int64_t parts, void (*part)(void *, int64_t), void *task) {
    *(int64_t *)pool += parts;
    for (int64_t k = 0; k < parts; k++) part(task, k);
}

static void on_threads(void *pool, int64_t parts, void (*part)(void *, int64_t), void *task) {
    pthread_t *threads = malloc((size_t)parts * sizeof *threads);
    struct one *all = malloc((size_t)parts * sizeof *all);
    (void)pool;
    for (int64_t k = 0; k < parts; k++) {
        all[k] = (struct one){part, task, k};
        if (pthread_create(&threads[k], NULL, run_one, &all[k])) abort();
    }
    for (int64_t k = 0; k < parts; k++) pthread_join(threads[k], NULL);
    free(threads);
    free(all);
}

int main(void) {
    enum { N = 200000 };
    double *xs = malloc(N * sizeof *xs), *result = malloc(N * sizeof *result);
    int64_t sizes[1], parts = 0, bytes = NAME_workspace(N);
    void *workspace = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64 + 64);
    for (int k = 0; k < N; k++) xs[k] = (k * 37 % 1000) / 250.0 - 2.0;
    for (int way = 0; way < 3; way++) {
        int64_t all = bytes;
        int status = way == 2 ? NAME(xs, N, result, N, sizes, workspace, &all)
                              : NAME_shared(way ? on_threads : in_order, &parts, xs, N, result, N, sizes, workspace, &all);
        if (status || all > bytes) return 10 + status;
        uint64_t sum = 0;
        for (int64_t k = 0; k < sizes[0]; k++) {
            uint64_t bits;
            memcpy(&bits, &result[k], 8);
            sum = sum * 31 + bits;
        }
        printf("%llu\n", (unsigned long long)sum);
    }
    printf("%lld\n", (long long)parts);
    free(xs);
    free(result);
    free(workspace);
    return 0;
}
"#;

/// Programs of one array whose loops have parts, with all that parts may leave: rows, folds with one operation and with another, and sums at
/// places that they have in common; and what lanes have for themselves.
pub(super) fn in_parts() -> Vec<(&'static str, Program)> {
    let places = |xs: Arr<F64>| xs.map(|x| x.abs() * 10.0).map(|x| x.floor().to_i64());
    vec![
        (
            "softmax",
            Program::trace(|xs: Arr<F64>| {
                let all = xs.map(|x| x.exp()).sum();
                xs.map(|x| x.exp() / all)
            }),
        ),
        (
            "folds",
            Program::trace(|xs: Arr<F64>| {
                let pairs = xs.map(|x| (x.sin(), x.cos()));
                let (a, b) = pairs.reduce_commutative((1.0, 0.0), |(a, b), (c, d)| (a * c - b * d, b * c + a * d));
                xs.map(|x| x * a + b)
            }),
        ),
        (
            "sums",
            Program::trace(move |xs: Arr<F64>| places(xs).map2(xs, |k, x| (xs.index(k) - x).exp()).sum())
                .and_then(|sums| sums.grad(0)),
        ),
        (
            "own",
            Program::trace(|xs: Arr<F64>| {
                xs.map(|x| iota(70).map(|k| k.to_f64() * x).scan(0.0, |a, b| (a + b).sin()).sum())
            }),
        ),
    ]
    .into_iter()
    .map(|(name, program)| (name, program.expect("it is a program")))
    .collect()
}

#[test]
fn parts_run_on_any_threads() {
    let ways: [&[&str]; 4] = [
        &["-O1", "-fopenmp"],
        &["-O2", "-march=native"],
        &["-O1", "-fsanitize=thread"],
        &["-O1", "-fsanitize=undefined,address"],
    ];
    for (name, program) in in_parts() {
        let name = &format!("{name}_in_parts");
        let folder = folder(name);
        let c = program.to_c(name).expect("the program can be printed");
        fs::write(folder.join(format!("{name}.c")), c.source).expect("files can be written");
        fs::write(folder.join(format!("{name}.h")), c.header).expect("files can be written");
        fs::write(folder.join("threads.c"), THREADS.replace("NAME", name)).expect("files can be written");
        // Each way by one of the compilers, so that all takes no longer than it has to.
        let compilers = compilers();
        for (flags, compiler) in ways.into_iter().zip(compilers.iter().cycle()) {
            if !links(compiler, flags) {
                println!("SKIPPED: {compiler} {flags:?}");
                continue;
            }
            let output = Command::new(compiler)
                .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-ffp-contract=off", "-pthread"])
                .args(flags)
                .args(["-o", "threads", "threads.c", &format!("{name}.c")])
                .current_dir(&folder)
                .output()
                .expect("the compiler runs");
            assert!(
                output.status.success(),
                "{compiler} {flags:?} on {name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let output = Command::new(folder.join("threads")).output().expect("what is compiled runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && said.is_empty(),
                "{compiler} {flags:?} on {name}: {:?} {said}",
                output.status
            );
            let text = String::from_utf8_lossy(&output.stdout);
            let lines: Vec<&str> = text.lines().collect();
            let [in_order, on_threads, as_it_is, parts] = lines[..] else { panic!("four lines: {text}") };
            assert_eq!([in_order; 2], [on_threads, as_it_is], "{compiler} {flags:?} on {name}");
            assert!(parts.parse::<i64>().expect("a count") > 1, "{name} has {parts} parts");
        }
    }
}
