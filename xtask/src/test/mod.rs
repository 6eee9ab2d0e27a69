//! `cargo xtask test [--all] [STEP...]`: everything that CI runs, step by step, stopping at the
//! first that fails and saying how long each took; with `--all` also what takes too long for CI.

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
use anyhow::{Context, Result, bail};
use std::time::{Duration, Instant};

/// One run of the command.
#[derive(Debug, Default)]
struct Run {
    /// `--all`: also what CI leaves out (`tests/README.md`).
    all: bool,
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
    Step { name: "clippy", run: |_| cargo(CLIPPY).and_then(|()| cargo(WITHOUT_FEATURES)) },
    Step { name: "bindings", run: |run| bindings::check(run.all) },
    Step { name: "licences and sources", run: |run| deny::run(run.all) },
    Step { name: "build", run: |_| product::build().map(drop) },
    Step { name: "thread-local memory", run: |run| tls::run(&mut run.last_lines) },
    Step { name: "hot path", run: |run| hot_path(&mut run.last_lines) },
    Step { name: "reading path", run: |run| reading::run(&mut run.last_lines) },
    Step { name: "dist", run: |_| dist::check() },
    Step { name: "tests", run: |run| cargo_test::run(run.all, &mut run.last_lines) },
];

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];

/// Arguments of cargo that check the command without OTF2 and tables. With the example all crates have the features that they
/// have for `CLIPPY`, and only the command is checked again.
const WITHOUT_FEATURES: &[&str] = &[
    "clippy",
    "--workspace",
    "--bin",
    "ompttrace",
    "--example",
    "manual",
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
    let steps = chosen(names)?;
    let mut times = Vec::new();
    let mut run = Run { all, ..Run::default() };
    for step in steps {
        println!("\n== {}", step.name);
        let start = Instant::now();
        let result = (step.run)(&mut run);
        times.push((step.name, start.elapsed(), result.is_ok()));
        if result.is_err() {
            print!("\n{}", table(&times));
            return result.with_context(|| format!("step `{}` failed", step.name));
        }
    }
    print!("\n{}", table(&times));
    run.last_lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn hot_path(last_lines: &mut Vec<String>) -> Result<()> {
    disasm::run(last_lines)?;
    instructions::run(last_lines)
}

fn cargo(arguments: &[&str]) -> Result<()> {
    shell::run(shell::cargo().args(arguments))
}

fn chosen(arguments: &[String]) -> Result<Vec<&'static Step>> {
    if arguments.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    let find = |name: &String| STEPS.iter().find(|step| step.name == name.as_str());
    let steps: Option<Vec<_>> = arguments.iter().map(find).collect();
    let Some(steps) = steps else {
        let names: Vec<_> = STEPS.iter().map(|step| format!("`{}`", step.name)).collect();
        bail!("the steps are {}", names.join(", "));
    };
    Ok(steps)
}

fn table(times: &[(&str, Duration, bool)]) -> String {
    let line = |(name, time, passed): &(&str, Duration, bool)| {
        let verdict = if *passed { "ok" } else { "FAILED" };
        format!("{name:<22}{:>8.1} s  {verdict}\n", time.as_secs_f64())
    };
    times.iter().map(line).collect()
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
        assert_eq!(chosen(&["tidy".to_owned()]).expect("known").len(), 1);
        assert_eq!(chosen(&[]).expect("all").len(), STEPS.len());
    }
}
