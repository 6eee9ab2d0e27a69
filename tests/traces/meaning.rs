//! Comparison of traces with what happened: as many slices for task creations as tasks created, for example. The
//! numbers of events are `ompttrace info`'s, which the oracle has confirmed in `exactness`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::product::number;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;

/// Everything on the tracks of threads and locks but later segments of the same thing and what the
/// timeline had to make up, such as the initial task of a child that an older runtime forked (that which surrounds
/// the program is inferred too, but only its begin: its thread begins within); and but
/// for taskwaits with dependences, which are no synchronisations for the tools interface: they name their task.
/// Slices are counted first, since a track's parent and `what` take longer than the count.
const DRAWN: &str = "select coalesce(p.name, 'threads'), category, what(s.name), sum(number) from ( \
    select track_id, category, name, count(*) as number from slice s \
    where extract_arg(arg_set_id, 'debug.segment') is null \
    and extract_arg(arg_set_id, 'debug.certainty') is not 'inferred' \
    and (category != 'openmp.sync' or extract_arg(arg_set_id, 'debug.task') is null) \
    or name = 'initial task' and exists ( \
    select 1 from slice i where i.parent_id = s.id and i.name = 'thread begin') group by 1, 2, 3) s \
    join track t on t.id = s.track_id left join track p on p.id = t.parent_id group by 1, 2, 3";

/// Classes of slices and instants, each with the counts of `info` whose sum must be its number.
const MEANING: &[(&str, &[&str])] = &[
    ("threads begun", &["thread_begin/observed"]),
    ("threads ended", &["thread_end/observed"]),
    ("regions", &["parallel_begin/observed"]),
    ("implicit tasks", &["implicit_task/begin"]),
    ("tasks created", &["task_create/observed"]),
    ("dependences", &["task_dependence/observed"]),
    ("flushes", &["flush/observed"]),
    ("waits", &["sync_region_wait/begin"]),
    ("synchronisations", &["sync_region/begin", "reduction/begin"]),
    ("masked", &["masked/begin"]),
    ("chunks", &["dispatch/observed"]),
    ("work", &["work/begin"]),
    ("cancellations", &["cancel/observed"]),
    ("commands", &["control_tool/observed"]),
    ("locks made", &["lock_init/observed"]),
    ("locks destroyed", &["lock_destroy/observed"]),
    ("nested locks", &["nest_lock/observed"]),
    ("holds", &["mutex_acquired/observed"]),
    ("targets", &["target_emi/begin"]),
    ("data operations", &["target_data_op_emi/begin"]),
    ("kernels", &["target_submit_emi/begin"]),
];

/// The class that a name stands for; None: of no callback, or of a part of one.
fn class(group: &str, category: &str, name: &str) -> Option<&'static str> {
    let starts = |openings: &[&str]| openings.iter().any(|opening| name.starts_with(opening));
    match (group, category) {
        ("Locks", _) => return Some("holds"),
        ("threads", _) => {}
        _ => return None,
    }
    Some(match category.strip_prefix("openmp.")? {
        "parallel" if name == "thread begin" => "threads begun",
        "parallel" if name == "thread end" => "threads ended",
        "parallel" if starts(&["implicit task", "initial task"]) => "implicit tasks",
        "parallel" => "regions",
        "task" if starts(&["create "]) => "tasks created",
        "task" if name == "task dependence" => "dependences",
        "sync" if name == "flush" || starts(&["flush "]) => "flushes",
        "sync" if starts(&["wait"]) => "waits",
        "sync" => "synchronisations",
        "work" if starts(&["masked", "master"]) => "masked",
        "work" if is_chunk(name) => "chunks",
        "work" => "work",
        "control" if starts(&["cancel"]) => "cancellations",
        "control" if starts(&["omp_control_tool"]) => "commands",
        "mutex" if starts(&["init "]) => "locks made",
        "mutex" if starts(&["destroy "]) => "locks destroyed",
        "mutex" if starts(&["nest"]) => "nested locks",
        "target" if starts(&["target"]) => "targets",
        "target" if starts(&["submit"]) => "kernels",
        "target" if starts(&["device alloc", "device delete", "transfer"]) => "data operations",
        _ => return None,
    })
}

fn is_chunk(name: &str) -> bool {
    let chunks =
        ["chunk", "iteration", "section", "taskloop chunk", "distribute chunk", "dispatch"];
    chunks.contains(&name) || name.starts_with("section ")
}

/// The classes whose numbers differ from those of the events, a line each.
pub fn check(judged: &mut Judged) -> Result<String> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &judged.judge().query(DRAWN)?.rows {
        let text = |at: usize| row[at].as_str().unwrap_or_default();
        if let Some(class) = class(text(0), text(1), text(2)) {
            *classes.entry(class).or_default() += row[3].as_u64().context("a count")?;
        }
    }
    let mut said = String::new();
    for (class, events) in MEANING {
        let drawn = classes.get(class).copied().unwrap_or_default();
        let mut happened = 0;
        for event in *events {
            happened += number(&judged.info, &format!("/callbacks/{event}"))?;
        }
        // What LLVM's runtime calls a section may be several, and is not drawn.
        let absorbed = number(&judged.export, "/records/absorbed")?;
        let may_be_fewer = *class == "chunks" && drawn < happened;
        if drawn != happened && !(may_be_fewer && happened - drawn <= absorbed) {
            writeln!(said, "    {class}: {drawn} drawn, {happened} events of {events:?}")?;
        }
    }
    Ok(said)
}

/// LLVM's runtime hands several sections to a thread at once and reports that as one: no slice says that it is a section.
#[test]
fn what_may_be_several_sections_is_not_called_one() -> Result<()> {
    let traced = super::record(&programs::by_name("c/sections")?, &runtimes::libomp_19()?)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let count = |what: &str| {
        format!(
            "select count(*) from slice s join thread_track t on t.id = s.track_id where what(s.name) = '{what}'"
        )
    };
    let (constructs, sections) =
        (judged.count(&count("sections"))?, judged.count(&count("section"))?);
    ensure!((constructs, sections) == (8, 0), "{constructs} constructs, {sections} sections");
    Ok(())
}

/// LLVM's runtimes and Intel's give addresses of their own for a taskloop and its tasks: they are at its line all the same,
/// without a taskgroup, in the midst of another one, and where tasks of the runtime's own create them.
#[test]
fn a_taskloops_tasks_are_where_it_is() -> Result<()> {
    let program = programs::of_test("tests/traces/taskloops.c")?;
    for runtime in runtimes::all()? {
        let traced = super::record(&program, &runtime)?;
        check_taskloops(&program, &traced.scratch.only_run()?).context(runtime.name)?;
    }
    Ok(())
}

fn check_taskloops(program: &Program, run: &Path) -> Result<()> {
    let mut judged = Judged::open(run)?;
    let created = "select count(*) from slice s join thread_track t on t.id = s.track_id \
        where s.name glob '*create task*'";
    let mut expected = 0;
    for (at, line) in fs::read_to_string(&program.source)?.lines().enumerate() {
        let Some(tasks) = line.starts_with("#pragma omp task").then(|| line.split_once(" // "))
        else {
            continue;
        };
        let (_, tasks) = tasks.with_context(|| format!("no count: {line}"))?;
        let here = format!("{created} and s.name glob 'taskloops.c:{}*'", at + 1);
        let (found, many) = (judged.count(&here)?, tasks == "many");
        ensure!(
            if many { found >= 900 } else { found == tasks.parse::<u64>()? },
            "{found} tasks: {line}"
        );
        expected += found;
    }
    let all = judged.count(created)?;
    ensure!(all == expected, "{expected} of {all} tasks are at their lines");
    Ok(())
}
