//! A trace says that events are missing if, and only if, they are.

use anyhow::Result;
use ompttrace_model::{Executor, InstantKind, Mark, SliceKind, View, ompt};

use crate::fake::START;
use crate::format::FORMATS;
use crate::judge::{Judged, all, judge};

/// The trace processor counts these losses, and nothing else is wrong. Chrome's format has no word for them but an instant.
fn assert_losses(judged: &mut Judged, losses: i64) -> Result<()> {
    let faults = judged.faults()?;
    assert!(faults.iter().all(|fault| fault.severity == "data_loss"), "{faults:?}");
    let counted: i64 = faults.iter().map(|fault| fault.count).sum();
    assert_eq!(counted, judged.format.pick(losses, 0), "{faults:?}");
    judged.assert_whole()
}

/// The number of tracks that a loss on a logical thread is on.
fn tracks(view: View) -> i64 {
    if view == View::Both { 2 } else { 1 }
}

#[test]
fn a_loss_is_seen_where_it_was_and_leaves_slices_whole() -> Result<()> {
    for (format, view) in all() {
        let mut judged = judge(format, view, |fake| {
            let executor = fake.on(1, "0.1");
            let outer = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
            fake.begin(START, executor, &outer);
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, executor, &lost);
            let inner = fake.slice(SliceKind::Work(ompt::Work::Loop), "for", 2);
            fake.begin(START + 20, executor, &inner);
            fake.end(START + 30, executor, Mark::Observed);
            fake.end(START + 40, executor, Mark::Cut);
            fake.reported.lost = 5;
        })?;
        assert_losses(&mut judged, tracks(view))?;
        let slices = judged.lines(
            "select distinct name, depth, ts - $begin, dur from slice \
             where category glob 'openmp.*' order by ts",
        )?;
        assert_eq!(
            slices,
            ["stencil.c:1 implicit|0|0|40", "lost records|1|10|0", "stencil.c:2 for|1|20|10"]
        );
        assert_eq!(judged.written.drawn.process_instants, 0);
        let cut =
            "select count(*) from args where flat_key = '$args.end' and display_value = 'cut'";
        assert!(judged.number(cut)? > 0);
    }
    Ok(())
}

#[test]
fn a_loss_without_a_track_is_reported_at_the_end() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Regions, |fake| {
            // On no logical thread, and threads are not shown.
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, Executor { thread: 1, logical_thread: None }, &lost);
            fake.reported.lost = 5;
        })?;
        assert_losses(&mut judged, 1)?;
        assert_eq!(judged.lines("select name from slice")?, ["5 records lost"]);
        assert_eq!(judged.written.drawn.process_instants, 1);
    }
    Ok(())
}

#[test]
fn a_loss_before_the_first_event_is_seen() -> Result<()> {
    for (format, view) in all() {
        let mut judged = judge(format, view, |fake| {
            let executor = fake.on(1, "0.1");
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, executor, &lost);
            fake.reported.lost = 5;
        })?;
        assert_losses(&mut judged, tracks(view))?;
        let instants = judged.number("select count(*) from slice where name = 'lost records'")?;
        assert_eq!(instants, tracks(view).unsigned_abs());
    }
    Ok(())
}
