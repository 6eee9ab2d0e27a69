//! Comparison of Perfetto's format, Chrome's and OTF2 for the same run: equal counts, and active times that are equal to
//! the nanosecond. Every archive is checked for soundness as well.

use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use ompttrace_tests::crowd;
use ompttrace_tests::extent;
use ompttrace_tests::otf2_judge;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes::{self, Runtime};
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

use super::exported::Exported;
use super::sums::{self, Sums};
use super::table::{Three, head, table};
use super::{archive, drawn};

/// Both views: the name, and the group of tracks that shows it.
const VIEWS: [(&str, &str); 2] = [("threads", "threads"), ("regions", "Logical threads")];

/// Sums over all programs that are compared in all three formats, by kind, for each view.
type Totals = Mutex<[Three; 2]>;

#[test]
fn every_archive_is_sound_and_says_what_the_other_formats_say() {
    compare(&runtimes::libomp_19().unwrap(), |_| true);
}

/// Programs with features that differ between runtimes: team threads, waits, loops, tasks that resume on another thread, ends.
const ELSEWHERE: [&str; 8] = [
    "c/cancel_for",
    "c/exit_in_region",
    "c/for_dynamic",
    "c/lock_contended",
    "c/nested",
    "c/sections",
    "c/task_depend",
    "c/task_untied",
];

#[test]
fn on_other_runtimes_too() {
    for runtime in runtimes::all().unwrap().iter().filter(|one| one.name != "libomp-19") {
        compare(runtime, |program| {
            let name = program.name.as_str();
            ELSEWHERE.contains(&name) && extent::has(name, &runtime.name, 2)
        });
    }
}

/// The example that users begin with.
#[test]
fn of_the_example_too() {
    let mut heat = programs::of_test("examples/heat/heat.c").unwrap();
    heat.directives.args = vec!["6".to_string()];
    let said = check(&heat, &runtimes::libomp_19().unwrap(), &Totals::default(), true).unwrap();
    assert!(said.is_empty(), "{said}");
}

fn compare(runtime: &Runtime, wanted: impl Fn(&Program) -> bool) {
    let totals = Totals::default();
    let wrong = crowd::wrong(runtime, wanted, |program, runtime| {
        check(program, runtime, &totals, extent::has(&program.name, "chrome", 3))
    });
    let totals = totals.into_inner().unwrap();
    let tables: String = VIEWS
        .iter()
        .zip(&totals)
        .map(|((view, _), three)| {
            head(&format!("{}, view of {view}", runtime.name)) + &table(three, false)
        })
        .collect();
    println!("{tables}");
    assert!(wrong.is_empty(), "{wrong}\n{tables}");
}

/// Faults of the traces of one program's run; empty if there are none.
fn check(
    program: &Program,
    runtime: &Runtime,
    totals: &Totals,
    has_chrome: bool,
) -> Result<String> {
    let traced = traced::run(program, runtime, By::Runtime, &[RECORD_ONLY])?;
    let runs = traced.scratch.runs()?;
    let mut said = if runs.is_empty() { "    no run folder\n".to_string() } else { String::new() };
    for run in runs {
        said += &check_run(&run, totals, has_chrome).with_context(|| run.display().to_string())?;
    }
    Ok(said)
}

/// Faults of the traces of one run. A trace for Chrome takes the trace processor as long as all else.
fn check_run(run: &Path, totals: &Totals, has_chrome: bool) -> Result<String> {
    let exported = Exported::new(run)?;
    let mut said = String::new();
    let perfetto = drawn(&exported, &exported.perfetto)?;
    let chrome = match has_chrome {
        true => drawn(&exported, &exported.chrome)?.map(Some),
        false => [None, None],
    };
    let drawn = perfetto.into_iter().zip(chrome);
    for (at, ((perfetto, chrome), folder)) in drawn.zip(&exported.archives).enumerate() {
        let (view, _) = VIEWS[at];
        let statistics = match otf2_judge::check(folder) {
            Ok(statistics) => statistics,
            Err(error) => {
                said += &format!("    {error:#}\n");
                continue;
            }
        };
        let (otf2, odd) = archive::sums(&statistics)?;
        said += &odd;
        let has_acquired = otf2.0.contains_key(sums::ACQUIRED);
        let mut three = [Some(perfetto), chrome, Some(otf2)];
        if !reports_releases(run)? && !has_acquired {
            // Of holds whose ends are unknown an archive reports the wait only.
            for one in three.iter_mut().flatten() {
                one.0.remove(sums::ACQUIRED);
            }
        }
        let differing = table(&three, true);
        if !differing.is_empty() {
            said += &(head(view) + &differing);
        }
        if three.iter().all(Option::is_some) {
            let mut totals = totals.lock().unwrap();
            for (total, sums) in totals[at].iter_mut().zip(three.iter().flatten()) {
                total.get_or_insert_default().add_all(sums, sums::kind);
            }
        }
    }
    Ok(said)
}

/// Returns true if the runtime was asked to report releases of mutexes, which it is not if it would crash.
fn reports_releases(run: &Path) -> Result<bool> {
    let info = Product::find()?.info(run)?;
    let answer = info["callbacks"]["mutex_released"]["registered"].as_str();
    Ok(!answer.context("no answer")?.starts_with("left out"))
}

/// The sums of a trace of slices, for each view.
fn drawn(exported: &Exported, trace: &Path) -> Result<[Sums; 2]> {
    let mut judged = exported.judged(trace)?;
    let mut views = drawn::sums(&mut judged, VIEWS.map(|(_, group)| group))?;
    if !exported.has_releases()? {
        // A hold that never ends would be a deadlock to OTF2's readers: an archive has none then.
        for sums in &mut views {
            sums.0.remove(sums::ACQUIRED);
        }
    }
    Ok(views)
}
