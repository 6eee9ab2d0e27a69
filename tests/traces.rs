//! Traces in front of Perfetto's trace processor: every program's is sound and holds what the export
//! says it wrote, and some are looked at as a user would: names, lanes, flows.

#[path = "traces/meaning.rs"]
mod meaning;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::crowd;
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::number;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};

/// Queries that must find nothing in any trace.
const NOTHING: &[(&str, &str)] = &[
    ("slices without an end", "select count(*) from slice where dur < 0"),
    (
        "slices that stick out of their parents",
        "select count(*) from slice c join slice p on p.id = c.parent_id \
         where c.ts < p.ts or c.ts + c.dur > p.ts + p.dur",
    ),
    (
        "slices that overlap their neighbours",
        "select count(*) from (select ts, lag(ts + dur) over (partition by track_id, depth \
         order by ts, id) as before from slice) where ts < before",
    ),
    (
        "flows back in time",
        "select count(*) from flow join slice a on a.id = slice_out join slice b on \
         b.id = slice_in where b.ts < a.ts",
    ),
    (
        "flows that end nowhere",
        "select count(*) from flow where slice_in is null or slice_out is null",
    ),
    ("slices without a name", "select count(*) from slice where coalesce(name, '') = ''"),
    ("slices without a category", "select count(*) from slice where category is null"),
    ("negative counters", "select count(*) from counter where value < 0"),
    (
        "lanes of the same name",
        "select count(*) - count(distinct t.name) from track t join track p on \
         p.id = t.parent_id where p.name = 'Team lanes'",
    ),
];

#[test]
fn every_trace_is_sound_and_whole() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), check);
}

#[test]
fn on_libomp_14_too() {
    crowd::check_all(&runtimes::by_name("libomp-14").unwrap(), check);
}

#[test]
fn on_libomp_16_too() {
    crowd::check_all(&runtimes::by_name("libomp-16").unwrap(), check);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2024_too() {
    crowd::check_all(&runtimes::by_name("intel-2024").unwrap(), check);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2026_too() {
    crowd::check_all(&runtimes::by_name("intel-2026").unwrap(), check);
}

fn record(program: &Program, runtime: &Runtime) -> Result<Traced> {
    traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])
}

fn check(program: &Program, runtime: &Runtime) -> Result<String> {
    let traced = record(program, runtime)?;
    let runs = traced.scratch.runs()?;
    let mut said = if runs.is_empty() { "    no run folder\n".to_string() } else { String::new() };
    for run in runs {
        said += &check_run(&run).with_context(|| run.display().to_string())?;
    }
    Ok(said)
}

fn check_run(run: &Path) -> Result<String> {
    let mut judged = Judged::open(run)?;
    let mut said = String::new();
    for fault in judged.judge().stats_errors()? {
        writeln!(said, "    {fault:?}")?;
    }
    for (what, query) in NOTHING {
        let found = judged.count(query)?;
        if found > 0 {
            writeln!(said, "    {found} {what}")?;
        }
    }
    said += &sums(&judged)?;
    said += &drawn(&mut judged)?;
    said += &meaning::check(&mut judged)?;
    Ok(said)
}

/// Every record is accounted for, and none was dropped.
fn sums(judged: &Judged) -> Result<String> {
    let mut said = String::new();
    let dropped = dropped(&judged.export)?;
    let read = judged.told("records/read")?;
    let sum = judged.told("records/interpreted")? + judged.told("records/absorbed")?;
    if read != sum + dropped.values().sum::<u64>() {
        writeln!(said, "    the sum is wrong: {}", judged.export["records"])?;
    }
    if read != number(&judged.info, "/records/all")? {
        writeln!(said, "    {read} records read, but info has {}", judged.info["records"])?;
    }
    if !dropped.is_empty() || judged.told("lost")? > 0 {
        writeln!(said, "    dropped {dropped:?}, lost {}", judged.told("lost")?)?;
    }
    Ok(said)
}

/// What is drawn is what the export says it drew.
fn drawn(judged: &mut Judged) -> Result<String> {
    let mut said = String::new();
    let drawn = judged.drawn()?;
    for (group, slices, instants) in [
        ("threads", "slices", Some("instants")),
        ("Team lanes", "lane_slices", Some("lane_instants")),
        ("Parallel regions", "region_slices", None),
        ("Locks", "hold_slices", None),
    ] {
        let slices = judged.told(slices)?;
        let instants = instants.map_or(Ok(0), |field| judged.told(field))?;
        let found = drawn.get(group).copied().unwrap_or_default();
        let all = found.lasting + found.momentary;
        if all != slices + instants || found.lasting > slices || found.momentary < instants {
            writeln!(said, "    {group}: {found:?}, told {slices} slices {instants} instants")?;
        }
    }
    for (field, query) in [
        ("counter_values", "select count(*) from counter"),
        (
            "lanes",
            "select count(*) from track t join track p on p.id = t.parent_id where p.name = 'Team lanes'",
        ),
    ] {
        let (told, found) = (judged.told(field)?, judged.count(query)?);
        if told != found {
            writeln!(said, "    {field}: {found}, told {told}")?;
        }
    }
    let threads = judged.count("select count(*) from thread_track")?;
    if threads != number(&judged.info, "/threads")? {
        writeln!(said, "    {threads} thread tracks for {} threads", judged.info["threads"])?;
    }
    Ok(said)
}

/// The trace of a program on libomp 19.
fn judged(name: &str) -> Result<Judged> {
    let traced = record(&programs::by_name(name)?, &runtimes::libomp_19()?)?;
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
            ("parallel nested.c:NN (main)", "Parallel regions", Some(("#pragma omp parallel", 1))),
            ("parallel nested.c:NN (main)", "threads", Some(("#pragma omp parallel", 1))),
            ("implicit task nested.c:NN", "Team lanes", Some(("#pragma omp parallel", 1))),
            ("initial task", "threads", None),
            ("barrier (implicit)", "threads", None),
            ("wait: barrier (implicit)", "Team lanes", None),
        ],
    ),
    ("c/for_dynamic", &[("for dynamic for_dynamic.c:NN", "threads", Some(("for (", 1)))]),
    ("c/for_static", &[("for static for_static.c:NN", "Team lanes", Some(("schedule(static", 1)))]),
    (
        "c/critical",
        &[
            ("critical update", "Locks", None),
            ("critical hinted", "Locks", None),
            ("critical critical.c:NN", "Locks", Some(("#pragma omp critical", 1))),
        ],
    ),
    (
        "c/fib",
        &[
            ("task fib.c:NN (fib)", "threads", Some(("task shared(a)", 1))),
            ("task fib.c:NN (fib)", "Team lanes", Some(("task shared(b)", 1))),
            ("create task fib.c:NN (fib)", "threads", Some(("task shared(b)", 1))),
            ("taskwait", "threads", None),
            ("wait: taskwait", "threads", None),
            ("single fib.c:NN", "threads", Some(("#pragma omp single", 1))),
        ],
    ),
    ("c/masked", &[("masked", "threads", None)]),
    ("c/sections", &[("sections sections.c:NN", "threads", Some(("#pragma omp sections", 1)))]),
    ("c/barrier", &[("barrier", "threads", None)]),
    ("c/flush", &[("flush", "threads", None)]),
    ("c/taskgroup", &[("taskgroup", "threads", None)]),
    (
        "fortran/parallel_do",
        &[("parallel parallel_do.f90:NN (parallel_do)", "threads", Some(("!$omp parallel", 1)))],
    ),
];

/// What a user reads: constructs by their names in the program.
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

/// However many threads of the system served them, a thousand nested regions are a few lanes.
#[test]
fn lanes_are_logical_threads() -> Result<()> {
    let thousand = programs::of_test("tests/traces/thousand.c")?;
    let traced = record(&thousand, &runtimes::libomp_19()?)?;
    let mut thousand = Judged::open(&traced.scratch.only_run()?)?;
    let wanted = ["0", "0.0", "0.0.0", "0.0.1", "0.1", "0.1.0", "0.1.1"];
    assert_eq!(lanes(&mut thousand)?, wanted);
    for lane in &wanted[2..] {
        let times = if lane.len() == 5 { 500 } else { 1 };
        let tasks = format!(
            "select count(*) from slice s join track t on t.id = s.track_id \
             where t.name = '{lane}' and s.name glob 'implicit task *'"
        );
        assert_eq!(thousand.count(&tasks)?, times, "{lane}");
    }
    let servants = "select count(distinct a.string_value) from slice s join track t on \
                    t.id = s.track_id join args a on a.arg_set_id = s.arg_set_id \
                    where t.name = '0.1.1' and a.flat_key = 'debug.thread'";
    assert!(thousand.count(servants)? > 1, "one thread of the system served all of lane 0.1.1");
    assert!(lanes(&mut judged("c/nested_thousand")?)?.len() <= wanted.len());
    let roots = lanes(&mut judged("c/two_roots")?)?;
    assert!(roots.contains(&"0.1".into()) && roots.contains(&"r1.1".into()), "{roots:?}");
    Ok(())
}

fn lanes(judged: &mut Judged) -> Result<Vec<String>> {
    judged.lines(
        "select t.name from track t join track p on p.id = t.parent_id \
         where p.name = 'Team lanes' order by 1",
    )
}

/// From what to what flows lead, how many there must be.
const FLOWS: &[(&str, &str, &str, u64)] = &[
    // A primary needs no arrow to itself.
    ("c/hello", "parallel *", "implicit task *", 3),
    ("c/many_tasks", "create task *", "task *", 20_000),
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
    assert_eq!(flows(&mut depend, "task task_depend*", "task task_depend*")?, dependences);
    let mut locks = judged("c/lock_contended")?;
    let handed_over = flows(&mut locks, "lock *", "lock *")?;
    assert!(handed_over > 0, "nobody was let through by a release");
    let elsewhere = "select count(*) from flow join slice a on a.id = slice_out join slice b on \
                     b.id = slice_in where a.name glob 'lock *' and a.track_id != b.track_id";
    assert_eq!(locks.count(elsewhere)?, 0, "a lock is handed over on its own track");
    Ok(())
}

fn flows(judged: &mut Judged, from: &str, to: &str) -> Result<u64> {
    judged.count(&format!(
        "select count(*) from flow join slice a on a.id = slice_out join slice b on \
         b.id = slice_in where a.name glob '{from}' and b.name glob '{to}'"
    ))
}

/// One view is one group of tracks less, and nothing else.
#[test]
fn a_view_leaves_the_other_out() -> Result<()> {
    let traced = record(&programs::by_name("c/tasks_nested_region")?, &runtimes::libomp_19()?)?;
    let run = traced.scratch.only_run()?;
    let both = Judged::open(&run)?.drawn()?;
    for (view, without) in [("threads", "Team lanes"), ("regions", "threads")] {
        let mut judged = Judged::with_view(&run, view)?;
        assert_eq!(judged.judge().stats_errors()?, []);
        let mut wanted = both.clone();
        wanted.remove(without).context("it is there in both")?;
        assert_eq!(judged.drawn()?, wanted, "{view}");
        assert!(judged.count("select count(*) from flow")? > 0, "{view}");
    }
    Ok(())
}
