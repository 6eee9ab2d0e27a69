//! Arrows: chains of a task's segments, starts nobody answers, ends nobody began.

use anyhow::Result;
use ompttrace_model::{Instant, InstantKind, Mark, Slice, SliceKind, View};

use crate::fake::START;
use crate::format::{FORMATS, Format};
use crate::judge::{Judged, VIEWS, all, judge};
use crate::stencil::play;

const ARROWS: &str = "select o.name, o.ts - $begin, i.name in_name, i.ts - $begin in_ts from flow f \
                      join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in \
                      order by o.ts, i.ts";

/// These arrows are there; Chrome's sink has counted as many, and this many ends without a beginning.
fn assert_arrows(judged: &mut Judged, arrows: &[&str], lost: u64) -> Result<()> {
    judged.assert_sound()?;
    assert_eq!(judged.lines(ARROWS)?, arrows);
    if let Some(chrome) = judged.written.chrome {
        assert_eq!((chrome.arrows, chrome.arrows_lost), (arrows.len() as u64, lost));
    }
    Ok(())
}

#[test]
fn flows_stand_once_in_every_view() -> Result<()> {
    for (format, view) in all() {
        let mut judged = judge(format, view, |fake| play(fake, START, 2))?;
        judged.assert_sound()?;
        let forks = judged.number(
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where a.name glob '* parallel*' and b.name glob '* implicit task*' and \
             a.ts < b.ts",
        )?;
        // Four regions of four threads, one of two, and two of two inside.
        assert_eq!(forks, 2 * (4 * 3 + 1 + 2));
        let tasks = judged.number(
            "select count(*) from flow join slice a on a.id = slice_out join slice b on \
             b.id = slice_in where (a.name glob '* create task*' or a.name = b.name) and \
             b.name glob '*:?? task *'",
        )?;
        assert_eq!(tasks, 2 * 12 * 2);
        // And those from one hold of a lock to the next.
        assert_eq!(judged.number("select count(*) from flow")?, forks + tasks + 2 * 11);
    }
    Ok(())
}

#[test]
fn a_chain_is_written_once_whatever_the_view() -> Result<()> {
    for (format, view) in all() {
        let mut judged = judge(format, view, |fake| {
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
        let chain =
            ["create|10|task|30", "create|10|task|70", "task|30|task|50", "task|50|task|70"];
        assert_arrows(&mut judged, &chain, 0)?;
    }
    Ok(())
}

#[test]
fn ends_without_a_start_are_counted_and_left_out() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Threads, |fake| {
            let executor = fake.on(0, "0");
            let task = fake.slice(SliceKind::Task, "task", 0);
            // Its creation was not recorded; 7 begins and nobody takes it.
            fake.begin(START, executor, &Slice { flows: &[5, 7], flow_ends: &[8], ..task });
            fake.end(START + 10, executor, Mark::Observed);
            fake.begin(START + 20, executor, &Slice { flows: &[5], resumed: true, ..task });
            fake.end(START + 30, executor, Mark::Observed);
        })?;
        assert_arrows(&mut judged, &["task|0|task|20"], 1)?;
    }
    Ok(())
}

/// A creation waits for the list of its dependences; another thread may be faster.
#[test]
fn a_creation_that_is_reported_late_has_its_arrow() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(Format::Chrome, view, |fake| {
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
        let arrows =
            ["create|10|task|30", "task|30|task|50", "task|30|task|50", "create|70|task|80"];
        assert_arrows(&mut judged, &arrows, 0)?;
    }
    Ok(())
}

/// An overview draws a short slice that stands alone after a long one that has begun behind it.
#[test]
fn what_is_drawn_late_has_no_arrow_from_what_is_behind_it() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(Format::Chrome, view, |fake| {
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
        assert_arrows(&mut judged, &["task|30|task|50"], 1)?;
    }
    Ok(())
}
