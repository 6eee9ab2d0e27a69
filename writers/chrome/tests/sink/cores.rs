//! Tracks that show which core a thread has.

use anyhow::Result;
use ompttrace_model::{Core, Event};

use crate::fake::START;
use crate::judge::{VIEWS, judge};

#[test]
fn a_thread_has_a_track_of_its_cores() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let mut core = |at, thread, core| fake.emit(START + at, Event::Core(thread, core));
            core(10, 1, Core::On(3));
            core(20, 2, Core::Blocked(0));
            core(30, 1, Core::Preempted(3));
            core(50, 1, Core::Unknown);
            core(60, 1, Core::On(0));
            core(70, 2, Core::On(0));
        })?;
        assert_eq!(judged.processor.stats_errors()?, []);
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
