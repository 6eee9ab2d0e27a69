//! The traces: sound and whole in front of the readers of both formats, and with the names that a user looks for.

use super::linked::Run;
use anyhow::{Context, Result, ensure};
use ompttrace_tests::judged::{Judged, dropped};
use ompttrace_tests::product::Product;
use ompttrace_tests::{build, contexts, otf2_judge, soundness};
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_readers_open_the_traces() -> Result<()> {
    for threads in ["4", "1"] {
        let run = Run::of(&[threads, "2"], &[])?.ended_well()?;
        let folder = run.folder()?;
        let mut judged = Judged::open(&folder)?;
        let mut said = soundness::faults(&mut judged)?;
        said += &soundness::sums(&judged.info, &judged.export)?;
        ensure!(said.is_empty(), "{threads}: {said}");
        ensure!(dropped(&judged.export)?.is_empty(), "{}", judged.export);
        let mut export = Command::new(Product::find()?.program);
        export.args(["export", "--json", "--format", "otf2"]).arg(&folder);
        build::run(&mut export, "")?;
        let statistics = otf2_judge::check(&folder.join("trace-otf2")).context(threads)?;
        ensure!(statistics.events("Enter") > 0, "{:?}", statistics.events);
    }
    Ok(())
}

/// The numbers of slices agree with the runtime's counts, under the names that other sources' constructs have.
#[test]
fn slices_have_the_names_of_the_constructs() -> Result<()> {
    let run = Run::of(&["4", "2"], &[])?.ended_well()?;
    let counted = run.counted()?;
    let mut judged = Judged::open(&run.folder()?)?;
    let c = |name: &str| counted.of(name);
    for (name, expected) in [
        ("parallel *", c("regions")),
        ("implicit task", c("implicit_tasks")),
        ("teams *", c("leagues")),
        ("program.c:* single", 0),
        ("constructs.c:* single", c("singles") - 2),
        ("constructs.c:* sections", c("section_regions")),
        ("constructs.c:* for dynamic", 2 * 2 * 4),
        ("program.c:* for static", 2 * (4 + 1 + 4 + 2)),
        ("barrier (implicit) *", 0),
        ("wait: critical*", c("critical")),
        (
            "program.c:* target*",
            c("kernels") + c("entered_data") + c("left_data") + c("updates") + c("data_regions"),
        ),
    ] {
        let drawn = judged.count(&format!(
            "select count() from slice join thread_track on thread_track.id = slice.track_id \
             where slice.name glob '{name}' or what(slice.name) glob '{name}'"
        ))?;
        let names = judged.lines("select distinct name from slice order by name")?;
        ensure!(
            drawn == expected || name.starts_with("barrier"),
            "{name}: {drawn} drawn, {expected} counted; {names:?}"
        );
    }
    Ok(())
}

/// A program's calls lead to its regions and tasks, without those of the runtime and ours between them.
#[test]
fn regions_have_their_calling_contexts() -> Result<()> {
    let run = Run::of(&["2", "1"], &[("OMPTTRACE_CALLSTACK", "regions")])?.ended_well()?;
    let mut judged = Judged::open(&run.folder()?)?;
    let found = judged.lines(contexts::CONTEXTS)?;
    // Ignoring line numbers.
    let of_names = |context: &String| -> String {
        context.split(|letter: char| letter == ':' || letter.is_ascii_digit()).collect()
    };
    let found: BTreeSet<_> = found.iter().map(of_names).collect();
    let main = "main > original_main > all > ";
    for context in [
        format!("{main}parallel program.c"),
        format!("{main}parallel program.c > _thrFunc_ > parallel program.c"),
        format!("{main}teams program.c > _teamthrFunc_ > parallel program.c"),
        format!("{main}parallel program.c > _thrFunc_ > tasks > tree > task task_constructs.c"),
        format!(
            "{main}parallel program.c > _thrFunc_ > tasks > one_by_one > task task_constructs.c"
        ),
    ] {
        ensure!(found.contains(&context), "{context} in {found:#?}");
    }
    let of_others =
        found.iter().find(|context| context.contains("ort_") || context.contains("ompttrace"));
    ensure!(of_others.is_none(), "{of_others:?}");
    Ok(())
}
