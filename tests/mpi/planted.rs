//! First findings about jobs whose loss is known: two of the programs that `cargo xtask bench advice --jobs` has.

use std::fs;

use anyhow::{Context, Result, bail};
use ompttrace_tests::build;

use super::jobs::Recorded;
use super::judged::Mpi;

/// Runs of which one has to be right: the machine may take cores away from one rank for longer than it works.
const TRIES: usize = 4;

/// Lines of the source at which a program's finding may be, with the kinds that are right.
fn causes(source: &str, program: &str) -> Vec<String> {
    let begin = format!("// finds {program}: ");
    let lines = (1..).zip(source.lines());
    let lines = lines.filter_map(|(line, text)| Some((line, text.split_once(&begin)?.1)));
    let named = |(line, kinds): (usize, &str)| {
        kinds.split(' ').map(|kind| format!("{kind} planted.c:{line}")).collect::<Vec<_>>()
    };
    lines.flat_map(named).collect()
}

#[test]
fn the_first_finding_is_the_cause_and_its_line() -> Result<()> {
    let source = fs::read_to_string(build::root().join("tests/mpi/planted.c"))?;
    for program in ["serial_section", "chain"] {
        let causes = causes(&source, program);
        let mut tried = Vec::new();
        while !tried.iter().any(|found| causes.contains(found)) {
            if tried.len() == TRIES {
                bail!("{program}: {tried:?} instead of {causes:?}");
            }
            let recorded = Recorded::new(Mpi::Mpich, "planted.c", &[program])?;
            let report = recorded.json(&["report", "--json"])?;
            let findings = report["findings"].as_array().context("findings")?;
            // That the machine is busy is said first.
            let first = findings.iter().find(|finding| finding["kind"] != "cores");
            let text = |key: &str| first.and_then(|one| one[key].as_str()).unwrap_or("none");
            tried.push(format!("{} {}", text("kind"), text("location")));
        }
    }
    Ok(())
}
