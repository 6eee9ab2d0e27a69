//! Judges the judge: every test program runs on libomp 19 under the oracle alone, must end as it
//! says, and the oracle must have counted what the program knows for certain.

use std::fmt::Write;
use std::time::Duration;

use anyhow::Result;
use ompttrace_tests::oracle::{self, Counts, Totals};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::{crowd, exactness, process};

#[test]
fn programs_count_as_they_say() {
    check_all(&runtimes::libomp_19().unwrap());
}

#[test]
fn and_on_libomp_14() {
    check_all(&runtimes::by_name("libomp-14").unwrap());
}

#[test]
fn and_on_libomp_16() {
    check_all(&runtimes::by_name("libomp-16").unwrap());
}

#[test]
#[cfg(target_arch = "x86_64")]
fn and_on_intel_2024() {
    check_all(&runtimes::by_name("intel-2024").unwrap());
}

#[test]
#[cfg(target_arch = "x86_64")]
fn and_on_intel_2026() {
    check_all(&runtimes::by_name("intel-2026").unwrap());
}

fn check_all(runtime: &Runtime) {
    crowd::check_all(runtime, check);
}

/// Faults of one program's run; empty if there are none.
fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let mut command = program.command(runtime)?;
    oracle::attach(&mut command, &folder.path().join("counts.%p"), None)?;
    let run = process::run(&mut command, program.directives.timeout)?;

    let mut said = exactness::ending(program, &run)?;
    if !said.is_empty() {
        return Ok(said);
    }
    said += &table(program, &Counts::read(&folder.path().join(format!("counts.{}", run.pid)))?)?;
    Ok(said)
}

/// The expectations that do not hold, one line each.
fn table(program: &Program, counts: &Counts) -> Result<String> {
    let mut lines = String::new();
    for wrong in program.directives.expect.iter().filter(|wanted| !wanted.holds(counts)) {
        writeln!(lines, "    wanted {wrong:<44} counted {}", wrong.actual(counts))?;
    }
    Ok(lines)
}

/// The oracle stands in nobody's way: a tool behind it sees each event, its data and its own
/// registrations, and what it answers reaches the program.
#[test]
fn a_tool_behind_the_oracle_sees_it_all() {
    let runtime = runtimes::libomp_19().unwrap();
    for name in ["c/control_tool", "c/fib", "c/nested", "c/task_depend", "c/two_roots", "c/locks"] {
        let (stdout, counts, seen) = run_with_witness(name, &runtime).unwrap();
        assert_eq!(seen[0].sum(), 0, "{name}: regions lost the value that their begin gave them");
        for (id, event) in oracle::EVENTS.iter().enumerate().skip(1) {
            let counted = counts.event(event);
            assert_eq!(counted.returned, seen[id], "{name}: {event}");
            assert_eq!(counted.returned, counted.entered, "{name}: {event}");
        }
        if name == "c/control_tool" {
            assert!(stdout.contains("pause gave 7\n64 gave 7\n"), "{stdout}");
        }
    }
}

/// A program's output, the oracle's counts and the witness's, by event id.
fn run_with_witness(name: &str, runtime: &Runtime) -> Result<(String, Counts, Vec<Totals>)> {
    let folder = tempfile::tempdir()?;
    let (file, report) = (folder.path().join("counts"), folder.path().join("report"));
    let mut command = programs::by_name(name)?.command(runtime)?;
    oracle::attach(&mut command, &file, Some(&oracle::witness()?))?;
    let run = process::run(command.env("WITNESS_REPORT", &report), Duration::from_secs(20))?;
    let lines = std::fs::read_to_string(&report)?;
    Ok((run.stdout, Counts::read(&file)?, lines.lines().map(totals).collect()))
}

/// One line of the witness's report.
fn totals(line: &str) -> Totals {
    let words: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
    Totals { none: words[1], begin: words[2], end: words[3], beginend: words[4] }
}
