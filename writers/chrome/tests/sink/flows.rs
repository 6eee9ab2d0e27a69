//! Arrows: chains of a task's segments, starts nobody answers, ends nobody began.

use anyhow::Result;
use ompttrace_chrome::View;
use ompttrace_model::{Instant, InstantKind, Mark, Slice, SliceKind};

use crate::fake::START;
use crate::judge::{VIEWS, judge};

const ARROWS: &str = "select o.name, o.ts out_ts, i.name in_name, i.ts in_ts from flow f \
                      join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in \
                      order by o.ts, i.ts";

#[test]
fn a_chain_is_written_once_whatever_the_view() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let (from, to) = (fake.on(0, "0.0"), fake.on(1, "0.1"));
            let outer = fake.slice(SliceKind::ImplicitTask, "implicit", 0);
            fake.begin(START, from, &outer);
            let plain = fake.new_instant(InstantKind::TaskCreate, "create", 0);
            fake.instant(START + 10, from, &Instant { flows: &[5, 6], ..plain });
            fake.end(START + 20, from, Mark::Observed);
            let task = fake.slice(SliceKind::Task, "task", 0);
            for at in [30, 50] {
                let slice = Slice { flows: &[5], resumed: at > 30, ..task };
                fake.begin(START + at, to, &slice);
                fake.end(START + at + 10, to, Mark::Observed);
            }
            fake.begin(START + 70, to, &Slice { flow_ends: &[6], flows: &[5], ..task });
            fake.end(START + 80, to, Mark::Observed);
        })?;
        judged.assert_sound()?;
        let chain =
            ["create|10|task|30", "create|10|task|70", "task|30|task|50", "task|50|task|70"];
        assert_eq!(judged.lines(ARROWS)?, chain, "{view:?}");
        assert_eq!((judged.written.arrows, judged.written.arrows_lost), (4, 0));
    }
    Ok(())
}

/// A creation waits for the list of its dependences; another thread may be faster.
#[test]
fn a_creation_that_is_reported_late_has_its_arrow() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let (from, to) = (fake.on(0, "0.0"), fake.on(1, "0.1"));
            let task = fake.slice(SliceKind::Task, "task", 0);
            fake.begin(START + 30, to, &Slice { flows: &[5, 6], ..task });
            let plain = fake.new_instant(InstantKind::TaskCreate, "create", 0);
            fake.instant(START + 10, from, &Instant { flows: &[5], ..plain });
            fake.end(START + 40, to, Mark::Observed);
            fake.begin(
                START + 50,
                to,
                &Slice { flows: &[5], flow_ends: &[6], resumed: true, ..task },
            );
            fake.end(START + 60, to, Mark::Observed);
            // The same number again is another task.
            fake.instant(START + 70, from, &Instant { flows: &[5], ..plain });
            fake.begin(START + 80, to, &Slice { flows: &[5], ..task });
            fake.end(START + 90, to, Mark::Observed);
        })?;
        judged.assert_sound()?;
        let arrows =
            ["create|10|task|30", "task|30|task|50", "task|30|task|50", "create|70|task|80"];
        assert_eq!(judged.lines(ARROWS)?, arrows, "{view:?}");
        assert_eq!((judged.written.arrows, judged.written.arrows_lost), (4, 0));
    }
    Ok(())
}

#[test]
fn ends_without_a_start_are_counted_and_left_out() -> Result<()> {
    let mut judged = judge(View::Threads, |fake| {
        let executor = fake.on(0, "0");
        let task = fake.slice(SliceKind::Task, "task", 0);
        // Its creation was not recorded; 7 begins and nobody takes it.
        fake.begin(START, executor, &Slice { flows: &[5, 7], flow_ends: &[8], ..task });
        fake.end(START + 10, executor, Mark::Observed);
        fake.begin(START + 20, executor, &Slice { flows: &[5], resumed: true, ..task });
        fake.end(START + 30, executor, Mark::Observed);
    })?;
    judged.assert_sound()?;
    assert_eq!(judged.lines(ARROWS)?, ["task|0|task|20"]);
    assert_eq!((judged.written.arrows, judged.written.arrows_lost), (1, 1));
    Ok(())
}

/// An overview draws a short slice that stands alone after a long one that has begun behind it.
#[test]
fn what_is_drawn_late_has_no_arrow_from_what_is_behind_it() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let (from, to) = (fake.on(0, "0.0"), fake.on(1, "0.1"));
            let task = fake.slice(SliceKind::Task, "task", 0);
            let resumed = Slice { flows: &[5], resumed: true, ..task };
            fake.begin(START + 30, to, &resumed);
            fake.begin(START + 10, from, &Slice { flows: &[5], ..task });
            fake.end(START + 20, from, Mark::Observed);
            fake.end(START + 40, to, Mark::Observed);
            fake.begin(START + 50, from, &resumed);
            fake.end(START + 60, from, Mark::Observed);
        })?;
        judged.assert_sound()?;
        assert_eq!(judged.lines(ARROWS)?, ["task|30|task|50"], "{view:?}");
        assert_eq!((judged.written.arrows, judged.written.arrows_lost), (1, 1));
    }
    Ok(())
}
