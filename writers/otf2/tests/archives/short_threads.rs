//! Far more threads than anybody wants locations for: those that come when others are over share theirs.

use super::archives;
use ompttrace_recording::events::{ImplicitTask, ThreadBegin, ThreadEnd, Work};
use ompttrace_recording::{Id, Scope};
use ompttrace_tests::otf2_judge::check;
use ompttrace_timeline::testing::RunBuilder;

/// Threads, of which always so many run at the same time.
const THREADS: usize = 3000;
const AT_ONCE: u64 = 600;
/// Locations that there are before any is shared.
const OWN: u64 = 512;

fn run(at_once: u64) -> RunBuilder {
    let mut run = RunBuilder::new();
    for t in 0..THREADS {
        let at = 100 + 100 * t as u64;
        let until = at + 100 * at_once - 10;
        let task = Id::implicit_task(Id::thread_part(t as u64), 1, Id::NONE);
        run.put(t, at, Scope::None, ThreadBegin { thread_type: 1 });
        let task = task.0;
        let initial = ImplicitTask { region: 0, task, team_size: 1, thread_num: 0, flags: 1 };
        run.put(t, at + 1, Scope::Begin, initial);
        let work = Work { code: 0x10_0000, kind: 8, task, count: 0 };
        run.put(t, at + 2, Scope::Begin, work);
        run.put(t, at + 12, Scope::End, work);
        run.put(t, until - 1, Scope::End, initial);
        run.put(t, until, Scope::None, ThreadEnd {});
    }
    run
}

#[test]
fn threads_that_come_when_others_are_over_share_locations() {
    for (at_once, locations) in [(1, OWN), (AT_ONCE, AT_ONCE)] {
        let archives = archives(&run(at_once));
        assert_eq!(archives.written.archives[0].locations, locations);
        let read = check(&archives.threads).expect("sound");
        let scope = read.regions.iter().find(|region| region.name.contains("scope"));
        let scope = scope.map(|region| (region.enters, region.active_ns));
        assert_eq!(scope, Some((THREADS as u64, 10 * THREADS as u64)));
    }
}
