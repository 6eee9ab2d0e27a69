//! The trace processor finds what the sink says it wrote, on the tracks where it belongs.

use anyhow::Result;
use ompttrace_model::{Mark, SliceKind, View};
use ompttrace_perfetto::Events;

use crate::fake::START;
use crate::format::{FORMATS, Format};
use crate::judge::{Judged, all, judge};
use crate::stencil::play;

/// Slices and instants of a group of tracks; no slice of the stencil is without duration.
fn events(judged: &mut Judged, tracks: &str) -> Result<Events> {
    let mut count = |what: &str| {
        let from = format!("slice s join {tracks} t on t.id = s.track_id");
        judged.number(&format!("select count(*) from {from} where s.dur {what} 0"))
    };
    Ok(Events { slices: count(">")?, instants: count("=")? })
}

#[test]
fn every_event_is_found_again() -> Result<()> {
    for (format, view) in all() {
        let mut judged = judge(format, view, |fake| play(fake, START, 3))?;
        judged.assert_sound()?;
        let drawn = judged.written.drawn;
        assert_eq!(events(&mut judged, "$threads")?, drawn.threads);
        assert_eq!(events(&mut judged, "$logical_threads")?, drawn.logical_threads);
        let regions = Events { slices: drawn.region_slices, instants: 0 };
        assert_eq!(events(&mut judged, "$regions")?, regions);
        let holds = Events { slices: drawn.hold_slices, instants: 0 };
        assert_eq!(events(&mut judged, "$locks")?, holds);
        assert_eq!(judged.number("select count(*) from counter")?, drawn.counter_values);
        let activities = "select count(*) from slice where category glob 'state*'";
        assert_eq!(judged.number(activities)?, drawn.activities);
        assert_eq!(drawn.activities > 0, view.has_threads());
        let flows = judged.number("select count(*) from flow")?;
        assert!(flows > 0);
        assert!(judged.written.chrome.is_none_or(|chrome| chrome.arrows == flows));
    }
    Ok(())
}

#[test]
fn a_logical_thread_is_one_track_and_logical_threads_stand_in_order() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Both, |fake| {
            for path in ["0", "0.0", "0.10", "0.2", "0.1.1", "0.1", "0.10.0"] {
                for thread in 0..3 {
                    let executor = fake.on(thread, path);
                    let at = START + u64::from(thread) * 100;
                    let slice = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
                    fake.begin(at, executor, &slice);
                    fake.end(at + 50, executor, Mark::Observed);
                }
            }
            // Defined, but nothing ever happens there.
            fake.on(0, "0.7");
        })?;
        judged.assert_sound()?;
        let logical_threads = judged.lines(
            "select t.name, count(s.id) from $logical_threads t \
             left join slice s on s.track_id = t.id group by t.id order by rank",
        )?;
        let paths = ["0", "0.0", "0.1", "0.1.1", "0.2", "0.10", "0.10.0"];
        assert_eq!(logical_threads, paths.map(|path| format!("{path}|3")));
        let partners = judged.lines(
            "select distinct replace(flat_key, '$args.', ''), display_value from args \
             where flat_key in ('$args.logical thread', '$args.thread') \
             and display_value in ('0.10', 'worker 2') order by 1",
        )?;
        assert_eq!(partners, ["logical thread|0.10", "thread|worker 2"]);
    }
    Ok(())
}

#[test]
fn groups_come_with_their_content_and_in_order() -> Result<()> {
    for (format, view) in all() {
        let groups = format.pick(
            "select name from track where name in ('OpenMP', 'Counters', 'Parallel regions', \
             'Logical threads', 'Locks') order by name",
            "select name, pid from process where name is not null \
             order by extract_arg(arg_set_id, 'process_sort_index_hint')",
        );
        let mut empty = judge(format, view, |_| {})?;
        empty.assert_sound()?;
        assert_eq!(empty.lines(groups)?, format.pick(vec![], vec!["stencil|4711"]));
        let mut judged = judge(format, view, |fake| play(fake, START, 1))?;
        let mut expected = format.pick(
            vec!["Counters", "Locks", "Logical threads", "OpenMP", "Parallel regions"],
            vec![
                "stencil: states|20976231",
                "stencil|4711",
                "stencil: parallel regions|4199015",
                "stencil: logical threads|8393319",
                "stencil: locks|12587623",
            ],
        );
        expected.retain(|group| view.has_logical_threads() || !group.contains("ogical threads"));
        expected.retain(|group| view.has_threads() || !group.contains("states"));
        assert_eq!(judged.lines(groups)?, expected);
        let counters = judged.lines("select name from counter_track order by name")?;
        assert_eq!(counters, ["live tasks", "threads working", "workers idle"]);
        if format == Format::Perfetto {
            let units = judged.lines("select unit from counter_track order by name")?;
            assert_eq!(units, ["tasks", "threads", "threads"]);
        }
        let levels = judged.lines("select name from $regions order by rank")?;
        assert_eq!(levels, ["level 1", "level 2", "level 2 (2)"]);
    }
    Ok(())
}
