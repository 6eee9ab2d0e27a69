//! A trace says that events are missing if, and only if, they are.

use anyhow::Result;
use ompttrace_model::ompt;
use ompttrace_model::{Executor, InstantKind, Mark, SliceKind};
use ompttrace_perfetto::View;

use crate::fake::START;
use crate::judge::{VIEWS, judge};

#[test]
fn a_loss_is_seen_where_it_was_and_leaves_slices_whole() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let executor = fake.on(1, "0.1");
            let outer = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
            fake.begin(START, executor, &outer);
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, executor, &lost);
            let inner = fake.slice(SliceKind::Work(ompt::Work::Loop), "for", 2);
            fake.begin(START + 20, executor, &inner);
            fake.end(START + 30, executor, Mark::Observed);
            fake.end(START + 40, executor, Mark::Observed);
            fake.reported.lost = 5;
        })?;
        let faults = judged.processor.stats_errors()?;
        assert!(faults.iter().all(|fault| fault.severity == "data_loss"), "{faults:?}");
        assert!(!faults.is_empty());
        let slices = judged
            .lines("select distinct name, depth, ts - 1000000000000, dur from slice where category glob 'openmp.*' order by ts")?;
        assert_eq!(
            slices,
            ["stencil.c:1 implicit|0|0|40", "lost records|1|10|0", "stencil.c:2 for|1|20|10"]
        );
        assert_eq!(judged.written.drawn.process_instants, 0);
    }
    Ok(())
}

#[test]
fn a_loss_without_a_track_is_reported_at_the_end() -> Result<()> {
    let mut judged = judge(View::Regions, |fake| {
        // On no logical thread, and threads are not shown.
        let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
        fake.instant(START + 10, Executor { thread: 1, logical_thread: None }, &lost);
        fake.reported.lost = 5;
    })?;
    assert_eq!(judged.lines("select name from slice")?, ["5 records lost"]);
    assert!(judged.processor.stats_errors()?.iter().any(|fault| fault.severity == "data_loss"));
    assert_eq!(judged.written.drawn.process_instants, 1);
    Ok(())
}

#[test]
fn a_loss_before_the_first_event_is_seen() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let executor = fake.on(1, "0.1");
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, executor, &lost);
            fake.reported.lost = 5;
        })?;
        let losses: i64 = judged.processor.stats_errors()?.iter().map(|fault| fault.count).sum();
        assert_eq!(losses, if view == View::Both { 2 } else { 1 });
    }
    Ok(())
}
