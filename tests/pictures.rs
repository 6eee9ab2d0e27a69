//! Traces as a user looks at them: constructs by their names in the program, logical threads that are logical
//! threads, arrows from causes to effects, one view or both.

mod first_look;
mod kernels;
mod waits;

use std::fs;

use anyhow::{Context, Result};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::number;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

fn record(program: &Program) -> Result<Traced> {
    traced::run(program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])
}

/// The trace of a program on libomp 19.
fn judged(name: &str) -> Result<Judged> {
    let traced = record(&programs::by_name(name)?)?;
    Judged::open(&traced.scratch.only_run()?)
}

/// The line of a program's source that holds `text`, the `nth` of them from 1.
fn line_of(name: &str, text: &str, nth: usize) -> Result<usize> {
    let source = fs::read_to_string(programs::by_name(name)?.source)?;
    let lines = source.lines().enumerate().filter(|(_, line)| line.contains(text));
    let found = lines.map(|(at, _)| at + 1).nth(nth - 1);
    found.with_context(|| format!("{name} has no {text:?} number {nth}"))
}

/// Name, where it must be drawn, and the pragma whose line `NN` stands for.
type Named = (&'static str, &'static str, Option<(&'static str, usize)>);

const NAMES: &[(&str, &[Named])] = &[
    (
        "c/nested",
        &[
            ("nested.c:NN parallel (main)", "Parallel regions", Some(("#pragma omp parallel", 1))),
            ("nested.c:NN parallel (main)", "threads", Some(("#pragma omp parallel", 1))),
            ("nested.c:NN implicit task", "Logical threads", Some(("#pragma omp parallel", 1))),
            ("initial task", "threads", None),
            ("nested.c:NN barrier (implicit)", "threads", Some(("#pragma omp parallel", 1))),
            (
                "nested.c:NN wait: barrier (implicit)",
                "Logical threads",
                Some(("#pragma omp parallel", 1)),
            ),
        ],
    ),
    ("c/for_dynamic", &[("for_dynamic.c:NN for dynamic", "threads", Some(("for (", 1)))]),
    (
        "c/for_static",
        &[("for_static.c:NN for static", "Logical threads", Some(("schedule(static", 1)))],
    ),
    (
        "c/critical",
        &[
            ("critical.c:NN critical update", "Locks", Some(("#pragma omp critical(update)", 1))),
            ("critical.c:NN critical hinted", "Locks", Some(("#pragma omp critical(hinted)", 1))),
            ("critical.c:NN critical", "Locks", Some(("#pragma omp critical", 1))),
        ],
    ),
    (
        "c/fib",
        &[
            ("fib.c:NN task (fib)", "threads", Some(("task shared(a)", 1))),
            ("fib.c:NN task (fib)", "Logical threads", Some(("task shared(b)", 1))),
            ("fib.c:NN create task (fib)", "threads", Some(("task shared(b)", 1))),
            ("fib.c:NN taskwait", "threads", Some(("#pragma omp taskwait", 1))),
            ("fib.c:NN wait: taskwait", "threads", Some(("#pragma omp taskwait", 1))),
            ("fib.c:NN single", "threads", Some(("#pragma omp single", 1))),
        ],
    ),
    ("c/masked", &[("masked.c:NN masked", "threads", Some(("#pragma omp masked", 1)))]),
    ("c/sections", &[("sections.c:NN sections", "threads", Some(("#pragma omp sections", 1)))]),
    (
        "c/barrier",
        &[("barrier.c:NN barrier (explicit)", "threads", Some(("#pragma omp barrier", 1)))],
    ),
    ("c/flush", &[("flush.c:NN flush", "threads", Some(("#pragma omp flush", 1)))]),
    ("c/taskgroup", &[("taskgroup.c:NN taskgroup", "threads", Some(("#pragma omp taskgroup", 1)))]),
    (
        "fortran/parallel_do",
        &[("parallel_do.f90:NN parallel (parallel_do)", "threads", Some(("!$omp parallel", 1)))],
    ),
];

/// Constructs are shown by their names in the program.
#[test]
fn names_are_those_of_the_program() -> Result<()> {
    for (program, names) in NAMES {
        let mut judged = judged(program)?;
        let drawn = judged.lines(
            "select distinct coalesce(p.name, 'threads'), s.name from slice s join track t on \
             t.id = s.track_id left join track p on p.id = t.parent_id order by 1, 2",
        )?;
        for (name, group, pragma) in *names {
            let line = pragma.map(|(text, nth)| line_of(program, text, nth)).transpose()?;
            let name = name.replace("NN", &line.unwrap_or_default().to_string());
            let wanted = format!("{group}|{name}");
            assert!(drawn.contains(&wanted), "{program}: no {wanted:?} in {drawn:#?}");
        }
    }
    Ok(())
}

/// However many threads of the system served them, a thousand nested regions are a few logical threads.
#[test]
fn logical_threads_are_logical_threads() -> Result<()> {
    let thousand = programs::of_test("tests/pictures/thousand.c")?;
    let traced = record(&thousand)?;
    let mut thousand = Judged::open(&traced.scratch.only_run()?)?;
    let wanted = ["0", "0.0", "0.0.0", "0.0.1", "0.1", "0.1.0", "0.1.1"];
    assert_eq!(logical_threads(&mut thousand)?, wanted);
    for logical_thread in &wanted[2..] {
        let times = if logical_thread.len() == 5 { 500 } else { 1 };
        let tasks = format!(
            "select count(*) from slice s join track t on t.id = s.track_id \
             where t.name = '{logical_thread}' and what(s.name) = 'implicit task'"
        );
        assert_eq!(thousand.count(&tasks)?, times, "{logical_thread}");
    }
    let servants = "select count(distinct a.string_value) from slice s join track t on \
                    t.id = s.track_id join args a on a.arg_set_id = s.arg_set_id \
                    where t.name = '0.1.1' and a.flat_key = 'debug.thread'";
    assert!(
        thousand.count(servants)? > 1,
        "one thread of the system served all of logical thread 0.1.1"
    );
    assert!(logical_threads(&mut judged("c/nested_thousand")?)?.len() <= wanted.len());
    let roots = logical_threads(&mut judged("c/two_roots")?)?;
    assert!(roots.contains(&"0.1".into()) && roots.contains(&"r1.1".into()), "{roots:?}");
    Ok(())
}

fn logical_threads(judged: &mut Judged) -> Result<Vec<String>> {
    judged.lines(
        "select t.name from track t join track p on p.id = t.parent_id \
         where p.name = 'Logical threads' order by 1",
    )
}

/// Flows: the program, the names of the slices from which and to which they lead, and their number.
const FLOWS: &[(&str, &str, &str, u64)] = &[
    // A primary needs no arrow to itself.
    ("c/hello", "parallel*", "implicit task*", 3),
    ("c/many_tasks", "create task *", "task *", 8_000),
    ("c/fib", "create task *", "task *", 464),
];

#[test]
fn flows_lead_from_causes_to_effects() -> Result<()> {
    for (program, from, to, wanted) in FLOWS {
        let found = flows(&mut judged(program)?, from, to)?;
        assert_eq!(found, *wanted, "{program}: {from} -> {to}");
    }
    let mut depend = judged("c/task_depend")?;
    let dependences = number(&depend.info, "/callbacks/task_dependence/observed")?;
    assert!(dependences > 0);
    assert_eq!(flows(&mut depend, "task *", "task *")?, dependences);
    let mut locks = judged("c/lock_contended")?;
    let handed_over = flows(&mut locks, "lock *", "lock *")?;
    assert!(handed_over > 0, "nobody was let through by a release");
    let elsewhere = "select count(*) from flow join slice a on a.id = slice_out join slice b on \
                     b.id = slice_in where what(a.name) glob 'lock *' and a.track_id != b.track_id";
    assert_eq!(locks.count(elsewhere)?, 0, "a lock is handed over on its own track");
    Ok(())
}

fn flows(judged: &mut Judged, from: &str, to: &str) -> Result<u64> {
    judged.count(&format!(
        "select count(*) from flow join slice a on a.id = slice_out join slice b on \
         b.id = slice_in where what(a.name) glob '{from}' and what(b.name) glob '{to}'"
    ))
}

/// One view is one group of tracks less, and nothing else.
#[test]
fn a_view_leaves_the_other_out() -> Result<()> {
    let traced = record(&programs::by_name("c/tasks_nested_region")?)?;
    let run = traced.scratch.only_run()?;
    let both = Judged::open(&run)?.drawn()?;
    for (view, without) in [("threads", "Logical threads"), ("regions", "threads")] {
        let mut judged = Judged::with_view(&run, view)?;
        assert_eq!(judged.judge().stats_errors()?, []);
        let mut wanted = both.clone();
        wanted.remove(without).context("it is there in both")?;
        assert_eq!(judged.drawn()?, wanted, "{view}");
        assert!(judged.count("select count(*) from flow")? > 0, "{view}");
    }
    Ok(())
}
