//! The forward workloads under criterion.

use catadiff_peers::suite::{self, Scale};
use criterion::{Criterion, criterion_group, criterion_main};

fn forward(criterion: &mut Criterion) {
    for workload in suite::forward(Scale::Full) {
        let mut group = criterion.benchmark_group(&workload.title);
        for row in &workload.rows {
            match (row.prepare)() {
                Ok(mut run) => {
                    group.bench_function(&row.name, |bencher| bencher.iter(|| run.run()));
                }
                Err(why) => eprintln!("SKIPPED {}: {why}", row.name),
            }
        }
        group.finish();
    }
}

criterion_group!(benches, forward);
criterion_main!(benches);
