//! Mutation testing: looks for mistakes that no test would notice.
//!
//! Law: the same seed takes the same mutants, also when other parts of the sources change: a mutant has a place in an order that
//! its name and the seed give, and the first are taken. All are put into one build, each behind a switch, so that there is one build
//! and not one for each.

mod operators;
mod source;
mod tables;
mod tree;
mod trial;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use operators::Mutant;
use tree::Tree;
use trial::Fate;

const USAGE: &str =
    "usage: catadiff-mutants [--seed N] [--sample N] [--only PART-OF-A-NAME]… [--threads N] [--patience N] [--longest N] [--test NAME]… [--list]

  --seed N      which sample is taken (1)
  --sample N    how many mutants (345); with 0, all
  --only PART   only mutants whose names have this in them; all of these, if there is no --sample
  --threads N   how many tests run at a time (2)
  --patience N  for so many seconds tests are asked of a mutant, the quick ones first (60)
  --longest N   a test that takes longer without any mutant is not asked (20)
  --test NAME   only this test program, or these (all)
  --list        says which mutants there are, and runs nothing

A survivor that has no reason beside its name in docs/mutants.md makes it fail. So does more than one survivor in twenty that is
not called equivalent there, in a sample that is not chosen by --only.";

struct Options {
    seed: u64,
    sample: Option<usize>,
    only: Vec<String>,
    threads: usize,
    patience: f64,
    longest: f64,
    tests: Vec<String>,
    list: bool,
}

fn options() -> Option<Options> {
    let mut options = Options {
        seed: 1,
        sample: None,
        only: Vec::new(),
        threads: 2,
        patience: 60.0,
        longest: 20.0,
        tests: Vec::new(),
        list: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seed" => options.seed = words.next()?.parse().ok()?,
            "--sample" => options.sample = Some(words.next()?.parse().ok()?),
            "--only" => options.only.push(words.next()?),
            "--threads" => options.threads = words.next()?.parse().ok()?,
            "--patience" => options.patience = words.next()?.parse().ok()?,
            "--longest" => options.longest = words.next()?.parse().ok()?,
            "--test" => options.tests.push(words.next()?),
            "--list" => options.list = true,
            _ => return None,
        }
    }
    Some(options)
}

/// A number that looks random, by name and seed (FNV-1a, mixed by the finalizer of SplitMix64).
fn order(seed: u64, name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The room of a file.
fn room(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or(path)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the repository");
    let tree = Tree::new(from);
    let all = tree.all();
    let mut of_room: BTreeMap<String, usize> = BTreeMap::new();
    all.iter().for_each(|(path, _)| *of_room.entry(room(path).to_owned()).or_insert(0) += 1);
    println!("{} mutants: {of_room:?}", all.len());
    let is_wanted =
        |mutant: &Mutant| options.only.is_empty() || options.only.iter().any(|part| mutant.name.contains(part));
    let mut sample: Vec<(String, Mutant)> = all.into_iter().filter(|(_, mutant)| is_wanted(mutant)).collect();
    sample.sort_by_key(|(_, mutant)| order(options.seed, &mutant.name));
    match options.sample.unwrap_or(if options.only.is_empty() { 345 } else { 0 }) {
        0 => {}
        n => sample.truncate(n),
    }
    if options.list {
        sample.iter().for_each(|(_, mutant)| println!("{}", mutant.name));
        return ExitCode::SUCCESS;
    }
    let numbered: Vec<(usize, (String, Mutant))> = sample.into_iter().enumerate().collect();
    let viable = tree.put(&numbered);
    let programs = tree.build(&options.tests);
    println!(
        "{} drawn by seed {}, {} of them Rust; {} test programs",
        numbered.len(),
        options.seed,
        viable.len(),
        programs.len()
    );
    let scratch = tree.at.with_file_name("reached");
    let (tests, others) = trial::survey(&programs, &tree.at, &scratch, options.threads, options.longest);
    println!("{} tests; left out, since they fail or are slow without any mutant: {others:#?}", tests.len());
    let groups: Vec<(usize, String)> = numbered
        .iter()
        .filter(|(number, _)| viable.contains(number))
        .map(|(number, (path, _))| (*number, path.clone()))
        .collect();
    let fates = trial::judge(&groups, &tests, &tree.at, options.threads, options.patience);
    report(&numbered, &fates, from, options.only.is_empty())
}

/// One of this many that the compiler takes may survive, besides those that are equivalent.
const MAY_SURVIVE_ONE_IN: usize = 20;

/// What the reason of a mutant begins with that no result shows.
const EQUIVALENT: &str = "equivalent";

/// The reasons that a page gives: rows of tables that begin with a mutant's name, and have words beside it.
fn reasons(page: &str) -> BTreeMap<&str, &str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix('|')?.split_once("` |"))
        .map(|(name, reason)| (name, reason.trim()))
        .filter(|(_, reason)| reason.split_whitespace().count() > 2)
        .collect()
}

/// Says what became of all, and keeps it in a file: whether each survivor has its reason, and whether they are few.
fn report(mutants: &[(usize, (String, Mutant))], fates: &BTreeMap<usize, Fate>, from: &Path, whole: bool) -> ExitCode {
    let page = std::fs::read_to_string(from.join("docs/mutants.md")).unwrap_or_default();
    let reasons = reasons(&page);
    let (mut kept, mut rooms, mut without) = (String::new(), BTreeMap::<&str, [usize; 2]>::new(), Vec::new());
    let mut equivalent = 0;
    for (number, (path, mutant)) in mutants {
        let Some(fate) = fates.get(number) else {
            writeln!(kept, "refused\t{}\t{path}:{}", mutant.name, mutant.line).expect("a string can be written to");
            continue;
        };
        let of_room = rooms.entry(room(path)).or_insert([0, 0]);
        let what = match fate {
            Fate::Killed { by, how } => {
                of_room[0] += 1;
                format!("killed\t{}\t{path}:{}\t{by}\t{how}", mutant.name, mutant.line)
            }
            Fate::Survived { asked, reached_by } => {
                of_room[1] += 1;
                match reasons.get(mutant.name.as_str()) {
                    None => without.push(&mutant.name),
                    Some(reason) => equivalent += usize::from(reason.starts_with(EQUIVALENT)),
                }
                println!("survived {} of {reached_by} tests: {} (line {})", asked, mutant.name, mutant.line);
                format!("survived\t{}\t{path}:{}\t{asked} of {reached_by}", mutant.name, mutant.line)
            }
        };
        writeln!(kept, "{what}").expect("a string can be written to");
    }
    std::fs::write(from.join("target/mutants/report.tsv"), kept).expect("the report can be written");
    rooms.iter().for_each(|(room, [killed, survived])| println!("{room}: {killed} killed, {survived} survived"));
    let survived: usize = rooms.values().map(|[_, survived]| survived).sum();
    println!("{} of {} killed, {equivalent} equivalent", fates.len() - survived, fates.len());
    if !without.is_empty() {
        println!("without a reason in docs/mutants.md: {without:#?}");
    }
    if without.is_empty() && !(whole && (survived - equivalent) * MAY_SURVIVE_ONE_IN > fates.len()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
