//! The trace processor finds what the sink says it wrote.

use anyhow::Result;
use ompttrace_perfetto::{Events, View};

use crate::fake::START;
use crate::judge::{Judged, VIEWS, judge};
use crate::stencil::play;

/// Slices and instants of a family; no slice of the stencil is without duration.
fn events(judged: &mut Judged, group: &str) -> Result<Events> {
    let from = match group {
        "threads" => "(select * from slice where category glob 'openmp.*') s join thread_track t on t.id = s.track_id".to_owned(),
        _ => format!(
            "slice s join track t on t.id = s.track_id join track p on p.id = t.parent_id \
             and p.name = '{group}'"
        ),
    };
    let count = |what: &str| format!("select count(*) from {from} where dur {what} 0");
    Ok(Events { slices: judged.number(&count(">"))?, instants: judged.number(&count("="))? })
}

#[test]
fn every_event_is_found_again() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| play(fake, START, 3))?;
        judged.assert_sound()?;
        let written = judged.written;
        assert_eq!(events(&mut judged, "threads")?, written.drawn.threads, "{view:?}");
        assert_eq!(
            events(&mut judged, "Logical threads")?,
            written.drawn.logical_threads,
            "{view:?}"
        );
        let regions = Events { slices: written.drawn.region_slices, instants: 0 };
        assert_eq!(events(&mut judged, "Parallel regions")?, regions);
        let holds = Events { slices: written.drawn.hold_slices, instants: 0 };
        assert_eq!(events(&mut judged, "Locks")?, holds);
        assert_eq!(judged.number("select count(*) from counter")?, written.drawn.counter_values);
        let activities = "select count(*) from slice where category glob 'state*'";
        assert_eq!(judged.number(activities)?, written.drawn.activities);
        assert_eq!(written.bytes, judged.bytes.len() as u64);
    }
    Ok(())
}

#[test]
fn a_logical_thread_is_one_track_and_logical_threads_stand_in_order() -> Result<()> {
    let mut judged = judge(View::Both, |fake| {
        for path in ["0", "0.0", "0.10", "0.2", "0.1.1", "0.1", "0.10.0"] {
            for thread in 0..3 {
                let executor = fake.on(thread, path);
                let at = START + u64::from(thread) * 100;
                let slice = fake.slice(ompttrace_model::SliceKind::ImplicitTask, "implicit", 1);
                fake.begin(at, executor, &slice);
                fake.end(at + 50, executor, ompttrace_model::Mark::Observed);
            }
        }
        // Defined, but nothing ever happens there.
        fake.on(0, "0.7");
    })?;
    judged.assert_sound()?;
    let logical_threads = judged.lines(
        "select t.name, count(s.id) from track t join track p on p.id = t.parent_id and \
         p.name = 'Logical threads' left join slice s on s.track_id = t.id group by t.id \
         order by extract_arg(t.source_arg_set_id, 'sibling_order_rank')",
    )?;
    let paths = ["0", "0.0", "0.1", "0.1.1", "0.2", "0.10", "0.10.0"];
    assert_eq!(logical_threads, paths.map(|path| format!("{path}|3")));
    Ok(())
}

#[test]
fn groups_come_with_their_content() -> Result<()> {
    let groups = "select name from track where name in \
                  ('OpenMP', 'Counters', 'Parallel regions', 'Logical threads', 'Locks') order by name";
    let mut empty = judge(View::Both, |_| {})?;
    assert_eq!(empty.lines(groups)?, [""; 0]);
    let mut threads = judge(View::Threads, |fake| play(fake, START, 1))?;
    assert_eq!(threads.lines(groups)?, ["Counters", "Locks", "OpenMP", "Parallel regions"]);
    let counters = threads.lines("select name, unit from counter_track order by name")?;
    assert_eq!(counters, ["live tasks|tasks", "threads working|threads", "workers idle|threads"]);
    let levels = threads.lines(
        "select t.name from track t join track p on p.id = t.parent_id \
         where p.name = 'Parallel regions' order by 1",
    )?;
    assert_eq!(levels, ["level 1", "level 2", "level 2 (2)"]);
    Ok(())
}
