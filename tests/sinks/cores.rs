//! Cores: the states of threads in Perfetto's format, tracks of which core a thread has in Chrome's.

use anyhow::Result;
use ompttrace_model::{Core, Event};

use crate::fake::START;
use crate::format::Format;
use crate::judge::{VIEWS, judge};

#[test]
fn cores_show_their_threads_and_threads_their_states() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(Format::Perfetto, view, |fake| {
            let mut core = |at, thread, core| fake.emit(START + at, Event::Core(thread, core));
            core(10, 1, Core::On(3));
            core(20, 2, Core::On(0));
            core(30, 1, Core::Preempted(3));
            core(30, 0, Core::On(3));
            core(50, 2, Core::Blocked(0));
            // Not recorded: it left one core for another.
            core(60, 0, Core::On(1));
            core(70, 2, Core::On(0));
            core(80, 1, Core::On(0));
            core(90, 0, Core::Unknown);
            core(95, 1, Core::Preempted(0));
        })?;
        assert_eq!(judged.faults()?, []);
        let slices = judged.lines(
            "select ts - $begin, cpu, name, dur, end_state \
             from sched join thread using (utid) where tid != 0 order by ts, cpu",
        )?;
        assert_eq!(
            slices,
            [
                "10|3|worker 1|20|R",
                "20|0|worker 2|30|S",
                "30|3|initial|29|P",
                "60|1|initial|30|P",
                "70|0|worker 2|10|P",
                "80|0|worker 1|15|R",
            ]
        );
        let states = judged.lines(
            "select name, state, ts - $begin, dur \
             from thread_state join thread using (utid) where tid = 4798 order by ts",
        )?;
        assert_eq!(
            states[..3],
            ["worker 2|Running|20|30", "worker 2|S|50|20", "worker 2|Running|70|10"]
        );
        // Unrecorded time is drawn as a state that no thread of a program is ever in.
        let unseen = judged.lines(
            "select name, state, ts - $begin from thread_state join thread using (utid) \
             where name in ('initial', 'worker 2') and ts > $begin + 55 order by ts",
        )?;
        assert_eq!(
            unseen,
            [
                "initial|P|59",
                "initial|Running|60",
                "worker 2|Running|70",
                "worker 2|P|80",
                "initial|P|90"
            ]
        );
        assert_eq!(judged.written.drawn.core_changes, 10);
    }
    Ok(())
}

/// A second without switches follows (a storm of them, say): the thread does not want a core for all that time.
#[test]
fn a_thread_off_its_core_of_which_nobody_sees_more_is_not_runnable() -> Result<()> {
    let mut judged = judge(Format::Perfetto, VIEWS[0], |fake| {
        let mut core = |at, thread, core| fake.emit(START + at, Event::Core(thread, core));
        core(10, 1, Core::On(3));
        core(20, 2, Core::On(0));
        core(30, 1, Core::Preempted(3));
        core(35, 2, Core::Blocked(0));
        core(36, 0, Core::On(0));
        core(40, 1, Core::Unknown);
        // Somebody else has the core: nothing is known of it by which that could be shown.
        core(45, 2, Core::Unknown);
        // As the recorder has it: nothing is known from the last switch on.
        core(50, 0, Core::Preempted(0));
        core(50, 0, Core::Unknown);
        core(60, 2, Core::On(1));
        core(65, 2, Core::Preempted(1));
        core(70, 2, Core::On(1));
        core(70, 2, Core::Unknown);
        core(90, 1, Core::On(3));
        // The end of a thread.
        core(95, 1, Core::Blocked(3));
        core(95, 1, Core::Unknown);
    })?;
    assert_eq!(judged.faults()?, []);
    let mut states = |thread: &str| {
        judged.lines(&format!(
            "select state, ts - $begin from thread_state join thread using (utid) \
             where name = '{thread}' order by ts"
        ))
    };
    let expected = ["Running|10", "R|30", "Running|40", "P|41", "Running|90", "S|95"];
    assert_eq!(states("worker 1")?, expected);
    assert_eq!(
        states("worker 2")?,
        ["Running|20", "S|35", "Running|60", "R|65", "Running|70", "P|71"]
    );
    assert_eq!(states("initial")?, ["Running|36", "R|50", "Running|51", "P|52"]);
    Ok(())
}

#[test]
fn a_thread_has_a_track_of_its_cores() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(Format::Chrome, view, |fake| {
            let mut core = |at, thread, core| fake.emit(START + at, Event::Core(thread, core));
            core(10, 1, Core::On(3));
            core(20, 2, Core::Blocked(0));
            core(30, 1, Core::Preempted(3));
            core(50, 1, Core::Unknown);
            core(60, 1, Core::On(0));
            core(70, 2, Core::On(0));
        })?;
        assert_eq!(judged.faults()?, []);
        let slices = judged.lines(
            "select thread.name, slice.name, ts, dur from slice \
             join thread_track on track_id = thread_track.id join thread using (utid) \
             join process using (upid) where process.name like '%: cores' order by thread.name, ts",
        )?;
        let end = 1_000_000_000;
        assert_eq!(
            slices,
            [
                "worker 1|core 3|10|20".to_owned(),
                "worker 1|wants a core|30|20".to_owned(),
                format!("worker 1|core 0|60|{}", end - 60),
                "worker 2|asleep|20|50".to_owned(),
                format!("worker 2|core 0|70|{}", end - 70),
            ]
        );
    }
    Ok(())
}
