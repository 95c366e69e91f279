//! The reverse workloads under criterion.

use catadiff_peers::suite::{self, Scale};
use criterion::{Criterion, criterion_group, criterion_main};

fn reverse(criterion: &mut Criterion) {
    for workload in suite::reverse(Scale::Full) {
        let mut group = criterion.benchmark_group(&workload.title);
        group.sample_size(10);
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

criterion_group!(benches, reverse);
criterion_main!(benches);
