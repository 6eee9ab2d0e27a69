//! `cargo xtask bench gomp`: what an event costs on libgomp, told of by functions in front of it, beside
//! libomp, which tells by callbacks: the same loads, built by GCC and by clang.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{Times, median};
use super::loads::{Load, load};
use super::{build, options, report};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

const LOADS: [Load; 6] = [
    load("critical", 1, 1_000_000),
    load("lock", 1, 1_000_000),
    load("task", 1, 500_000),
    load("task", 2, 200_000),
    load("barrier", 1, 1_000_000),
    load("barrier", 2, 200_000),
];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let rounds = options::only_rounds("gomp", arguments, 11)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let programs = || LOADS.iter().map(|load| load.program);
    let in_front = shell::target_dir().join("release/libompttrace_gomp.so");
    let mut on_libgomp = Bed::of(build::by_gcc(programs())?, in_front)?;
    on_libgomp.set("OMP_WAIT_POLICY", "active");
    let beds = [on_libgomp, Bed::new(build::build(programs())?)?];
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!(
        "Added for each event: thread-ns (median of {rounds} rounds), and instructions on one thread.\n\n\
         {:<12}{:>12}{:>11}{:>7}{:>14}{:>11}{:>7}",
        "load", "on libgomp", "on libomp", "ratio", "on libgomp", "on libomp", "ratio"
    );
    for load in &LOADS {
        let mut added = [Times::new(), Times::new()];
        for _ in 0..rounds {
            for (bed, added) in beds.iter().zip(&mut added) {
                let none = bed.run(load, Contender::None)?.ns as f64;
                added.push(bed.run(load, Contender::Ompttrace)?.ns as f64 - none);
            }
        }
        let mut per_event = [0.0; 2];
        for ((bed, added), per_event) in beds.iter().zip(&added).zip(&mut per_event) {
            *per_event = median(added) * load.threads as f64 / events(bed, load)? as f64;
        }
        println!("{}", line(load, per_event, instructions(&beds, load)?));
    }
    Ok(())
}

fn line(load: &Load, ns: [f64; 2], instructions: Option<[f64; 2]>) -> String {
    let shown = |[gomp, omp]: [f64; 2]| format!("{gomp:>12.1}{omp:>11.1}{:>7.2}  ", gomp / omp);
    let counted = instructions.map(shown).unwrap_or_default();
    format!("{:<12}{}{counted}", load.name(), shown(ns)).trim_end().to_owned()
}

/// Records of one run.
fn events(bed: &Bed, load: &Load) -> Result<u64> {
    bed.recorded(load, "16K", |run: &Path| {
        let mut info =
            shell::command(&shell::target_dir().join("release/ompttrace").display().to_string());
        let answer = shell::output(info.args(["info", "--json"]).arg(run))?;
        let answer: Value = serde_json::from_str(&answer).context("`info` answers in JSON")?;
        answer.pointer("/events/recorded").and_then(Value::as_u64).context("a number of events")
    })
}

/// Of a run with more iterations beyond one with few, so that start and end fall out; nothing where the
/// load has more threads.
fn instructions(beds: &[Bed; 2], load: &Load) -> Result<Option<[f64; 2]>> {
    if load.threads > 1 {
        return Ok(None);
    }
    let (few, many) = (load.iterations / 100, load.iterations / 20);
    let mut added = [0.0; 2];
    for (bed, added) in beds.iter().zip(&mut added) {
        let grown = |contender| -> Result<f64> {
            let less = bed.instructions(load, contender, few)?;
            Ok(bed.instructions(load, contender, many)? as f64 - less as f64)
        };
        let of = |iterations| events(bed, &Load { iterations, ..*load });
        let events = of(many)? - of(few)?;
        *added = (grown(Contender::Ompttrace)? - grown(Contender::None)?) / events.max(1) as f64;
    }
    Ok(Some(added))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_ratios_and_leaves_out_what_was_not_counted() {
        let words = |counted| {
            let line = line(&load("task", 1, 1), [30.0, 20.0], counted);
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(Some([50.0, 40.0])), "task@1 30.0 20.0 1.50 50.0 40.0 1.25");
        assert_eq!(words(None), "task@1 30.0 20.0 1.50");
    }
}
