//! Checks many programs side by side and fails with one readable table.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Result;

use crate::programs::{self, Program};
use crate::runtimes::Runtime;

/// Runs at a time: programs have several threads each, and a machine may have two cores.
const AT_A_TIME: usize = 2;

/// Runs `check` on every program that this runtime can run. `check` returns the faults, one per line; empty if there are
/// none.
///
/// # Panics
/// Panics if any program has faults, with a table of them.
pub fn check_all(runtime: &Runtime, check: impl Fn(&Program, &Runtime) -> Result<String> + Sync) {
    let wrong = wrong(runtime, |_| true, check);
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs `check` on the programs of this runtime that are `wanted`; returns a table of the faults, empty if there are none.
///
/// # Panics
/// Panics if the programs cannot be read.
pub fn wrong(
    runtime: &Runtime,
    wanted: impl Fn(&Program) -> bool,
    check: impl Fn(&Program, &Runtime) -> Result<String> + Sync,
) -> String {
    let programs: Vec<Program> = programs::all()
        .expect("the programs can be read")
        .into_iter()
        .filter(|program| program.runs_on(runtime) && wanted(program))
        .collect();
    let said = each(&programs, |program| {
        check(program, runtime).unwrap_or_else(|error| format!("    {error:#}\n"))
    });
    let wrong = said.iter().filter(|(_, said)| !said.is_empty());
    let wrong: Vec<_> = wrong.map(|(name, said)| format!("\n{name}\n{said}")).collect();
    let (failed, all) = (wrong.len(), programs.len());
    match failed {
        0 => String::new(),
        _ => format!("{failed} of {all} programs failed on {}:\n{}", runtime.name, wrong.concat()),
    }
}

fn each(
    programs: &[Program],
    check: impl Fn(&Program) -> String + Sync,
) -> BTreeMap<String, String> {
    let (next, said) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = check(program);
                    said.lock().unwrap().insert(program.name.clone(), result);
                }
            });
        }
    });
    said.into_inner().unwrap()
}
