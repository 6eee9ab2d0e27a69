//! The trace processor finds what the sink says it wrote.

use anyhow::Result;
use ompttrace_chrome::{Events, View};
use ompttrace_model::{Mark, SliceKind};

use crate::fake::{START, threads};
use crate::judge::{Judged, VIEWS, judge, judge_threads};
use crate::stencil::play;

/// Slices and instants of a process; no slice of the stencil is without duration.
fn events(judged: &mut Judged, process: &str) -> Result<Events> {
    let mut count = |what: &str| {
        judged.number(&format!(
            "select count(*) from slice s join thread_track t on t.id = s.track_id \
             join thread using (utid) join process p using (upid) \
             where p.name = '{process}' and s.dur {what} 0"
        ))
    };
    Ok(Events { slices: count(">")?, instants: count("=")? })
}

#[test]
fn every_event_is_found_again() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| play(fake, START, 3))?;
        judged.assert_sound()?;
        let written = judged.written;
        assert_eq!(events(&mut judged, "stencil")?, written.drawn.threads, "{view:?}");
        assert_eq!(
            events(&mut judged, "stencil: logical threads")?,
            written.drawn.logical_threads,
            "{view:?}"
        );
        let regions = Events { slices: written.drawn.region_slices, instants: 0 };
        assert_eq!(events(&mut judged, "stencil: parallel regions")?, regions);
        let holds = Events { slices: written.drawn.hold_slices, instants: 0 };
        assert_eq!(events(&mut judged, "stencil: locks")?, holds);
        assert_eq!(judged.number("select count(*) from counter")?, written.drawn.counter_values);
        let activities = "select count(*) from slice where category glob 'state*'";
        assert_eq!(judged.number(activities)?, written.drawn.activities);
        assert_eq!(judged.number("select count(*) from flow")?, written.arrows);
        assert!(written.arrows > 0);
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
        "select th.name, count(s.id) from thread th join process p using (upid) \
         join thread_track t using (utid) left join slice s on s.track_id = t.id \
         where p.name = 'stencil: logical threads' group by th.utid \
         order by extract_arg(th.arg_set_id, 'thread_sort_index_hint')",
    )?;
    let paths = ["0", "0.0", "0.1", "0.1.1", "0.2", "0.10", "0.10.0"];
    assert_eq!(logical_threads, paths.map(|path| format!("{path}|3")));
    let partners = judged.lines(
        "select distinct flat_key, display_value from args where flat_key in \
         ('args.logical thread', 'args.thread') and display_value in ('0.10', 'worker 2') order by 1",
    )?;
    assert_eq!(partners, ["args.logical thread|0.10", "args.thread|worker 2"]);
    Ok(())
}

#[test]
fn processes_come_with_their_content_and_in_order() -> Result<()> {
    let names = "select p.name, p.pid from process p where p.name is not null \
                 order by extract_arg(p.arg_set_id, 'process_sort_index_hint')";
    let mut empty = judge(View::Both, |_| {})?;
    empty.assert_sound()?;
    assert_eq!(empty.lines(names)?, ["stencil|4711"]);
    let mut both = judge(View::Both, |fake| play(fake, START, 1))?;
    let expected = [
        "stencil: states|20976231",
        "stencil|4711",
        "stencil: parallel regions|4199015",
        "stencil: logical threads|8393319",
        "stencil: locks|12587623",
    ];
    assert_eq!(both.lines(names)?, expected);
    let counters = both.lines("select name from counter_track order by name")?;
    assert_eq!(counters, ["live tasks", "threads working", "workers idle"]);
    let levels = both.lines(
        "select th.name from thread th join process p using (upid) \
         where p.name = 'stencil: parallel regions' and th.name is not null \
         order by extract_arg(th.arg_set_id, 'thread_sort_index_hint')",
    )?;
    assert_eq!(levels, ["level 1", "level 2", "level 2 (2)"]);
    Ok(())
}

#[test]
fn a_kernel_id_that_comes_again_is_another_thread() -> Result<()> {
    let mut twins = threads(4);
    (twins[2].os_thread, twins[3].os_thread) = (twins[1].os_thread, 0);
    let mut judged = judge_threads(View::Threads, &twins, |fake| {
        for thread in 0..4 {
            let executor = fake.on(thread, "0");
            let slice = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
            fake.begin(START, executor, &slice);
            fake.end(START + 5, executor, Mark::Observed);
        }
    })?;
    judged.assert_sound()?;
    let names = judged.lines(
        "select th.name, s.depth from slice s join thread_track t on t.id = s.track_id \
         join thread th using (utid) where s.category glob 'openmp.*' order by 1",
    )?;
    assert_eq!(names, ["initial|0", "worker 1|0", "worker 2|0", "worker 3|0"]);
    Ok(())
}
