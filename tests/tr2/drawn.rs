//! Traces of such runtimes, compared with what the program did.

use super::runtime::{Dialect, Run};
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::{contexts, soundness};

/// Tasks are shown under the name of the location where they were created, each as often as it was switched to, and numbers
/// of team threads are below the team's size.
#[test]
fn what_is_drawn_is_what_happened() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::new(dialect, &["2"], &[])?;
        let mut judged = Judged::open(&run.folder)?;
        let threads = "from slice s join thread_track t on t.id = s.track_id \
             join thread using (utid)";
        let first = "coalesce(thread.name, '') not glob 'device *' and not exists (select 1 from args a where a.arg_set_id = s.arg_set_id \
             and a.flat_key = 'debug.segment')";
        let count = |judged: &mut Judged, name: &str| {
            judged
                .count(&format!("select count(*) {threads} where what(s.name) glob '{name}' and s.category glob 'openmp.*' and {first}"))
        };
        let reported = |event: u32| run.reported[&event];
        let wanted = [
            ("task (*", reported(3)),
            ("create task *", reported(3)),
            // Its last segment's end says so.
            ("task complete", 0),
            ("implicit task*", reported(22)),
            // Of the initial thread and of the program's own; LLVM's runtime reports neither.
            ("initial task", 2),
            ("parallel *", reported(1)),
            ("idle", reported(9)),
            ("taskgroup", reported(43)),
            ("taskwait", reported(41)),
            ("masked", reported(37)),
            ("single", reported(31)),
            ("single (other thread)", reported(33)),
            ("target*", reported(62) + reported(64) + reported(66)),
            ("data mapping", if dialect == Dialect::Llvm { 0 } else { reported(68) }),
            ("wait: critical*", reported(48)),
            ("wait: ordered", reported(50)),
        ];
        for (name, wanted) in wanted {
            let drawn = count(&mut judged, name)?;
            ensure!(drawn == wanted, "{dialect:?}: {drawn} of {name:?}, not {wanted}");
        }
        let logical_threads = judged.lines(
            "select t.name from track t join track p on p.id = t.parent_id \
             where p.name = 'Logical threads' order by 1",
        )?;
        // It is not reported which of the two others forks the inner region.
        let (of_root, logical_threads): (Vec<_>, Vec<_>) =
            logical_threads.into_iter().partition(|logical_thread| logical_thread.starts_with('r'));
        ensure!(of_root == ["r1", "r1.0", "r1.1"], "{dialect:?}: {of_root:?}");
        let outer: Vec<_> =
            logical_threads.iter().filter(|logical_thread| logical_thread.len() <= 3).collect();
        ensure!(outer == ["0", "0.0", "0.1", "0.2"], "{dialect:?}: {logical_threads:?}");
        let inner = ["0.1.0", "0.1.1", "0.2.0", "0.2.1"];
        let others = logical_threads.len() - outer.len();
        ensure!([2, 4].contains(&others), "{dialect:?}: {logical_threads:?}");
        let known = |logical_thread: &&String| {
            logical_thread.len() <= 3 || inner.contains(&logical_thread.as_str())
        };
        ensure!(
            logical_threads.iter().all(|logical_thread| known(&logical_thread)),
            "{dialect:?}: {logical_threads:?}"
        );
    }
    Ok(())
}

/// Whatever is drawn in a region is on a logical thread; a task that its creator runs at once is drawn inside
/// of its creator, from its begin to its end, and what it does is its own.
#[test]
fn undeferred_tasks_and_teams_of_one_are_drawn_where_they_run() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::new(dialect, &["2"], &[])?;
        let mut judged = Judged::open(&run.folder)?;
        let without = judged.lines(
            "select s.name from slice s join thread_track t on t.id = s.track_id \
             join thread using (utid) where coalesce(thread.name, '') not glob 'device *' \
             and (what(s.name) glob 'task (*' or what(s.name) glob 'implicit task*') \
             group by s.name having count(*) != (select count(*) from slice l join track n \
             on n.id = l.track_id join track p on p.id = n.parent_id \
             where p.name = 'Logical threads' and l.name = s.name)",
        )?;
        ensure!(without.is_empty(), "{dialect:?}: not on logical threads: {without:?}");
        // Each `at_once` runs inside `trees`, which continues after it.
        let within = judged.count(
            "select count(*) from slice s join thread_track t on t.id = s.track_id \
             where what(s.name) glob 'task *(at_once)' and exists (select 1 from slice o \
             where o.track_id = s.track_id and what(o.name) = 'single' \
             and o.ts <= s.ts and o.ts + o.dur >= s.ts + s.dur)",
        )?;
        ensure!(within > 0, "{dialect:?}: no task that is run at once");
        let leaves = judged.count(
            "select count(*) from slice s join slice o on o.id = s.parent_id \
             where what(o.name) glob 'task *(at_once)' and what(s.name) = 'taskwait'",
        )?;
        ensure!(leaves >= within, "{dialect:?}: {leaves} taskwaits in {within} tasks");
    }
    Ok(())
}

/// Regions and tasks have the calling contexts that the program prints: without a return address, the context begins at the
/// first frame that is not the runtime's.
#[test]
fn regions_and_tasks_have_their_calling_contexts() -> Result<()> {
    for dialect in Dialect::ALL {
        let run = Run::of_program("chains", dialect, &[], &[("OMPTTRACE_CALLSTACK", "regions")])?;
        let mut judged = Judged::open(&run.folder)?;
        let said = contexts::said(&run.finished.stdout);
        let checked = match dialect {
            Dialect::Llvm => check_of_begun_tasks(&mut judged, said),
            Dialect::Report | Dialect::OpenUh => contexts::check(&mut judged, &said),
        };
        checked.with_context(|| format!("{dialect:?}"))?;
        let said = soundness::faults(&mut judged)?;
        ensure!(said.is_empty(), "{dialect:?}:\n{said}");
    }
    Ok(())
}

/// LLVM's runtime reports tasks where they begin to run, perhaps on another thread: a task has its creator's
/// context, and neither frames nor line of its creation, but its function's.
fn check_of_begun_tasks(judged: &mut Judged, said: Vec<String>) -> Result<()> {
    let is_task = |context: &String| context.contains("task ");
    let (said_tasks, said): (Vec<_>, Vec<_>) = said.into_iter().partition(is_task);
    let (found_tasks, found): (Vec<_>, Vec<_>) =
        judged.lines(contexts::CONTEXTS)?.into_iter().partition(is_task);
    contexts::compare(&said, &found)?;
    let words = |context: &String| {
        let frames = context.split(" > ").filter(|frame| frame.contains(' '));
        frames.filter_map(|frame| frame.split(' ').next()).collect::<Vec<_>>().join(" > ")
    };
    let mut said: Vec<_> = said_tasks.iter().map(words).collect();
    let mut found: Vec<_> = found_tasks.iter().map(words).collect();
    said.sort();
    found.sort();
    contexts::compare(&said, &found)
}
