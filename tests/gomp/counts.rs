//! Comparison of programs built by GCC on libgomp, recorded by the tool, and on libomp, which has OMPT: the numbers of
//! events are equal, except for the tables here.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result};
use ompttrace_tests::oracle::{EVENTS, Totals};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::recorded::Recorded;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch};
use ompttrace_tests::{crowd, exactness, runtimes};

/// GCC 12 cannot build them: newer directives and functions, or extensions of clang's.
const NOT_FOR_GCC: &[&str] = &[
    "c/atomic",
    "c/control_tool",
    "c/fork_while_flushing",
    "c/locks",
    "c/loop",
    "c/task_depend",
    "c/teams",
];

/// They do not end well on libgomp, with or without us: its threads do not come along in a fork, and
/// it has no kernels for a device.
const NOT_FOR_LIBGOMP: &[&str] = &["c/fork_parallel", "c/target_fallback"];

/// Their numbers depend on chance, or libomp does not get to their end: only theirs is looked at.
const NOT_TO_COUNT: &[&str] = &[
    "c/aborted",
    "c/exit_in_handler",
    "c/exit_in_region",
    "c/exit_in_worker",
    "c/killed",
    "c/quick_death",
    "c/root_outlives_main",
    // Threads are cancelled wherever they are.
    "c/cancelled_threads",
    // It uses nothing that is reported.
    "c/serial",
    // libomp is not recorded after it.
    "c/pause_hard",
    // libomp's functions for GCC's code crash.
    "c/scan",
    "c/task_detach_other",
    "c/task_detach_same",
    // Its teams are regions of libomp's own.
    "c/distribute",
];

/// Events whose numbers differ, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("c/combined", "dispatch", "libomp reports static parts of a distribute"),
    ("c/for_doacross", "dispatch", "libomp takes a static loop's chunks at once"),
    ("fortran/ordered", "dispatch", "libomp takes a static loop's chunks at once"),
    ("c/for_guided", "dispatch", "guided chunks are as large as the runtime likes"),
    ("fortran/parallel_do", "dispatch", "guided chunks are as large as the runtime likes"),
    ("c/for_zero", "work", "libomp says nothing of loops without iterations"),
    ("c/single", "sync_region", "for copyprivate libomp has two barriers, libgomp one"),
    ("c/single", "sync_region_wait", "for copyprivate libomp has two barriers, libgomp one"),
    ("c/single", "work", "libomp does not report a single with copyprivate"),
    ("fortran/sections_single", "sync_region", "copyprivate, as above"),
    ("fortran/sections_single", "sync_region_wait", "copyprivate, as above"),
    ("fortran/sections_single", "work", "copyprivate, as above"),
    ("c/task_reduction", "sync_region", "libomp's reductions have a barrier of their own"),
    ("c/task_reduction", "sync_region_wait", "libomp's reductions have a barrier of their own"),
    ("c/closing_depend", "task_create", "libomp waits for such dependences by an empty task"),
    ("c/closing_depend", "task_schedule", "libomp waits for such dependences by an empty task"),
];

/// Events whose numbers in a cancelled construct depend on how far other threads get before they notice the cancellation.
const CANCELLED: &[&str] = &["dispatch", "cancel", "task_create", "task_schedule", "work"];

/// The part of a taskloop that a task has.
const TASKLOOP_PART: &str = "dispatch of kind 4";

#[test]
fn as_many_events_as_on_a_runtime_that_reports_them() {
    let libomp = runtimes::libomp_19().unwrap();
    let wrong = crowd::wrong(&libomp, is_for_libgomp, |program, _| compare(&program.by_gcc()));
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns true if GCC can build the program and it runs on libgomp.
pub fn is_for_libgomp(program: &Program) -> bool {
    let name = program.name.as_str();
    let flang = program.directives.compiler.as_deref().is_some_and(|c| c.starts_with("flang"));
    let left_out = NOT_FOR_GCC.contains(&name) || NOT_FOR_LIBGOMP.contains(&name);
    !flang && !left_out && program.directives.needs.is_empty()
}

/// A program that GCC could build after all must not stay out.
#[test]
fn what_gcc_cannot_build_is_still_so() -> Result<()> {
    for name in NOT_FOR_GCC {
        let program = programs::by_name(name)?.by_gcc();
        assert!(program.build().is_err(), "{name} can be built: take it from the table");
    }
    Ok(())
}

fn compare(program: &Program) -> Result<String> {
    let (ended, scratch) = super::run(program, &[])?;
    let mut said = exactness::ending(program, &ended)?;
    let alone = ompttrace_tests::process::run(
        &mut program.command_as_linked()?,
        program.directives.timeout,
    )?;
    if alone.stdout != ended.stdout {
        writeln!(said, "    stdout was {:?}, is {:?}", alone.stdout, ended.stdout)?;
    }
    if NOT_TO_COUNT.contains(&program.name.as_str()) {
        return Ok(said);
    }
    let on_libgomp = sums(&scratch)?;
    let settings = [RECORD_ONLY];
    let traced = traced::run(program, &runtimes::libomp_19()?, By::Runtime, &settings)?;
    said += &exactness::ending(program, &traced.run)?;
    let on_libomp = sums(&traced.scratch)?;
    let names: std::collections::BTreeSet<_> = on_libgomp.keys().chain(on_libomp.keys()).collect();
    for name in names {
        let [ours, theirs] =
            [&on_libgomp, &on_libomp].map(|sums| sums.get(name).copied().unwrap_or(0));
        let event = name.split(' ').next().unwrap_or_default();
        let cancelled = program.name.contains("/cancel_") && CANCELLED.contains(&event);
        // libomp writes down which part a taskloop's task has only when it has given the task to the team
        // (`__kmp_taskloop_linear` in kmp_tasking.cpp): who begins it at once finds no part, and none is reported.
        let too_early = name == TASKLOOP_PART && theirs < ours;
        let excused = cancelled
            || too_early
            || EXCEPTIONS.iter().any(|(who, what, _)| *who == program.name && *what == event);
        if ours != theirs && !excused {
            writeln!(said, "    {name}: {ours} on libgomp, {theirs} on libomp")?;
        }
    }
    Ok(said)
}

/// Numbers of comparable events by name: begins, and events without ends. Ends are not compared: a worker's are recorded
/// when it next enters the runtime, which libgomp's workers may never do.
fn sums(scratch: &Scratch) -> Result<BTreeMap<String, u64>> {
    let mut sums = BTreeMap::new();
    for run in scratch.runs()? {
        let recorded = Recorded::read(&run).context("a whole recording")?;
        anyhow::ensure!(recorded.backwards + recorded.unreadable == 0, "{recorded:?}");
        for ((event, kind), Totals { none, begin, beginend, .. }) in recorded.by_kind {
            if let Some(name) = EVENTS.get(usize::from(event)).and_then(|name| compared(name, kind))
            {
                *sums.entry(name).or_default() += none + begin + beginend;
            }
        }
    }
    sums.retain(|_, sum| *sum > 0);
    Ok(sums)
}

/// The name under which an event of this kind is compared; `None`: it is not.
fn compared(event: &str, kind: u32) -> Option<String> {
    let kind = match (event, kind) {
        // Threads come and go as each runtime likes; libomp alone knows which task waited for which.
        ("thread_begin" | "thread_end" | "task_dependence" | "reduction", _) => return None,
        // On libomp, functions for GCC's code and for clang's know barriers by different names.
        ("sync_region" | "sync_region_wait", 1..=4 | 8..=10) => "barrier".to_owned(),
        // Sections are a dynamic loop there.
        ("work", 1 | 2 | 10..=13) => "loop or sections".to_owned(),
        ("dispatch", 1..=3) => "chunk".to_owned(),
        // Whether a task began at once depends on how busy the team was.
        (_, kind) => kind.to_string(),
    };
    Some(format!("{event} of kind {kind}"))
}
