//! `cargo xtask test [--all] [STEP...]`: everything that CI runs, step by step, stopping at the
//! first that fails and saying how long each took; with `--all` also what takes too long for CI. The last steps run
//! beside the tests of the product, which wait more than they work.

mod binaries;
mod cargo_test;
mod deny;
mod disasm;
mod instructions;
mod objdump;
mod reading;
mod signals;
mod tls;

use crate::packages::{self, Purpose};
use crate::{bindings, dist, product, shell, tidy};
use anyhow::{Result, bail};
use std::thread;
use std::time::{Duration, Instant};

/// One run of steps, one after the other.
#[derive(Debug, Default)]
struct Run {
    /// `--all`: also what CI leaves out (`tests/README.md`).
    all: bool,
    /// The tests of the product, once they are built.
    product: Vec<binaries::Binary>,
    /// Name of each step, the time that it took, and true if it passed.
    times: Vec<(&'static str, Duration, bool)>,
    /// Lines that are repeated at the very end.
    last_lines: Vec<String>,
}

/// One step: its heading and what it does.
struct Step {
    name: &'static str,
    run: fn(&mut Run) -> Result<()>,
}

/// Cheap checks first, so that a slip is reported within seconds.
const STEPS: &[Step] = &[
    Step { name: "packages", run: |_| packages::need(Purpose::Test) },
    Step { name: "format", run: |_| cargo(&["fmt", "--all", "--check"]) },
    Step { name: "tidy", run: |_| tidy::run(&[]) },
    Step { name: "bindings", run: |run| bindings::check(run.all) },
    Step { name: "licences and sources", run: |run| deny::run(run.all) },
    Step { name: "build", run: |_| product::build().map(drop) },
    Step { name: "thread-local memory", run: |run| tls::run(&mut run.last_lines) },
    Step { name: "hot path", run: |run| hot_path(&mut run.last_lines) },
    Step { name: "reading path", run: |run| reading::run(&mut run.last_lines) },
    Step { name: "build tests", run: build_tests },
    Step { name: "tests", run: tests },
];

/// Steps that run beside the last of these where all steps run. cargo lets one at a time of them compile.
const BESIDE: &[Step] = &[
    Step { name: "clippy", run: |_| cargo(CLIPPY).and_then(|()| cargo(WITHOUT_FEATURES)) },
    Step { name: "dist", run: |_| dist::check() },
    Step { name: "crates' tests", run: |run| cargo_test::crates(run.all, &mut run.last_lines) },
];

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];

/// Arguments of cargo that check the command without OTF2 and tables.
const WITHOUT_FEATURES: &[&str] = &[
    "clippy",
    "--workspace",
    "--bin",
    "ompttrace",
    "--no-default-features",
    "--",
    "-D",
    "warnings",
];

/// The command. Names of steps as arguments run only those.
pub fn run(arguments: &[String]) -> Result<()> {
    signals::by_default()?;
    let (all, names) = match arguments.split_first() {
        Some((first, rest)) if first == "--all" => (true, rest),
        _ => (false, arguments),
    };
    let chosen = chosen(names)?;
    let mut runs = [Run { all, ..Run::default() }, Run { all, ..Run::default() }];
    let result = match &chosen {
        Some(chosen) => runs[0].steps(chosen.iter().copied()),
        None => everything(&mut runs),
    };
    print!("\n{}", table(runs.iter().flat_map(|run| &run.times)));
    runs.iter().flat_map(|run| &run.last_lines).for_each(|line| println!("{line}"));
    result
}

/// Runs all steps.
fn everything([first, beside]: &mut [Run; 2]) -> Result<()> {
    let Some((last, steps)) = STEPS.split_last() else { return Ok(()) };
    first.steps(steps)?;
    thread::scope(|scope| {
        let beside = scope.spawn(|| beside.steps(BESIDE));
        let results = [first.steps([last]), beside.join().expect("a step panicked")];
        match results {
            [Err(first), Err(beside)] => Err(first.context(format!("{beside:#}; and"))),
            [first, beside] => first.and(beside),
        }
    })
}

impl Run {
    /// Runs steps up to the first that fails.
    fn steps<'s>(&mut self, steps: impl IntoIterator<Item = &'s Step>) -> Result<()> {
        for step in steps {
            println!("\n== {}", step.name);
            let start = Instant::now();
            let result = (step.run)(self);
            self.times.push((step.name, start.elapsed(), result.is_ok()));
            if let Err(error) = result {
                println!("\n== {} FAILED: {error:#}", step.name);
                return Err(error.context(format!("step `{}` failed", step.name)));
            }
        }
        Ok(())
    }
}

fn build_tests(run: &mut Run) -> Result<()> {
    run.product = cargo_test::build_product()?;
    Ok(())
}

fn tests(run: &mut Run) -> Result<()> {
    if run.product.is_empty() {
        build_tests(run)?;
    }
    cargo_test::product(&run.product, run.all, &mut run.last_lines)
}

fn hot_path(last_lines: &mut Vec<String>) -> Result<()> {
    disasm::run(last_lines)?;
    instructions::run(last_lines)
}

fn cargo(arguments: &[&str]) -> Result<()> {
    shell::run(shell::cargo().args(arguments))
}

/// The steps that arguments name; none if there are no arguments.
fn chosen(arguments: &[String]) -> Result<Option<Vec<&'static Step>>> {
    if arguments.is_empty() {
        return Ok(None);
    }
    let all = || STEPS.iter().chain(BESIDE);
    let find = |name: &String| all().find(|step| step.name == name.as_str());
    let steps: Option<Vec<_>> = arguments.iter().map(find).collect();
    if steps.is_none() {
        let names: Vec<_> = all().map(|step| format!("`{}`", step.name)).collect();
        bail!("the steps are {}", names.join(", "));
    }
    Ok(steps)
}

fn table<'t>(times: impl IntoIterator<Item = &'t (&'static str, Duration, bool)>) -> String {
    let line = |(name, time, passed): &(&str, Duration, bool)| {
        let verdict = if *passed { "ok" } else { "FAILED" };
        format!("{name:<22}{:>8.1} s  {verdict}\n", time.as_secs_f64())
    };
    times.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_shows_in_the_table() {
        let text = table(&[("a", Duration::from_millis(1500), true), ("b", Duration::ZERO, false)]);
        assert!(text.contains("1.5 s  ok") && text.contains("FAILED"));
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(chosen(&["nonsense".to_owned()]).is_err());
        let known = chosen(&["tidy".to_owned(), "clippy".to_owned()]).expect("known");
        assert_eq!(known.map(|steps| steps.len()), Some(2));
        assert!(chosen(&[]).expect("all").is_none());
    }
}
