//! Looks at programs that are busy, or on their way to somewhere else.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;

#[cfg(target_arch = "x86_64")]
use super::attach::{Looks, attach};
use super::hanging::{LIBRARY, On, Running, json, look};

/// Looks that a program is to bear at least.
const LOOKS: usize = 20;
const LIMIT: Duration = Duration::from_secs(100);

/// Looks at a program until it is over, which has to end well; how many looks saw it.
fn looks(program: &Program, on: &On, options: &[&str]) -> Result<usize> {
    let mut running = Running::start(program, on, &[])?;
    let (mut seen, started) = (0, Instant::now());
    let pid = running.child.id().to_string();
    let arguments: Vec<&str> = std::iter::once(&*pid).chain(options.iter().copied()).collect();
    let status = loop {
        if let Some(status) = running.child.try_wait()? {
            break status;
        }
        ensure!(started.elapsed() < LIMIT, "it does not end");
        seen += usize::from(json(&look(&arguments)?)?.is_some());
    };
    ensure!(status.success(), "{status} after {seen} looks");
    Ok(seen)
}

#[test]
fn a_busy_program_ends_with_the_right_result() -> Result<()> {
    // It checks its own result.
    let program = programs::by_name("c/nqueens")?;
    for on in [On::Ompt(runtimes::libomp_19()?), On::Libgomp] {
        let (mut seen, started) = (0, Instant::now());
        while seen < LOOKS {
            ensure!(started.elapsed() < LIMIT, "{seen} looks on {on:?}");
            seen += looks(&program, &on, &[]).with_context(|| format!("{on:?}"))?;
        }
    }
    Ok(())
}

/// A busy program runs on while OMPD has all its threads stopped together; `cargo xtask attachments` tests a thousand inspections.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_busy_program_bears_ompd() -> Result<()> {
    let on = On::Ompt(runtimes::by_name("intel-2026")?);
    let Looks { took, whole, answers } = attach(&on, LOOKS, &[&format!("--ompd={LIBRARY}")])?;
    println!("{took:?}: {whole} looks with all call stacks, {answers} answers");
    Ok(())
}

/// The end, an exec and a fork may come during a look: it sees something or says in one line why not.
#[test]
fn programs_that_end_or_become_others_are_borne() -> Result<()> {
    let with_ompd = format!("--ompd={LIBRARY}");
    let mut all = vec![(On::Ompt(runtimes::libomp_19()?), vec![])];
    if cfg!(target_arch = "x86_64") {
        all.push((On::Ompt(runtimes::by_name("intel-2026")?), vec![with_ompd.as_str()]));
    }
    for name in ["c/hello", "c/exec_self", "c/fork_in_region", "c/fork_parallel", "c/many_roots"] {
        for (on, options) in &all {
            let seen = looks(&programs::by_name(name)?, on, options);
            seen.with_context(|| format!("{name} on {on:?}"))?;
        }
    }
    Ok(())
}
