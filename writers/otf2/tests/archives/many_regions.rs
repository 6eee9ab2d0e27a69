//! More regions than small numbers: events name them through mapping tables, and every reader finds
//! the right ones.

use super::archives;
use ompttrace_recording::events::{ThreadBegin, Work};
use ompttrace_recording::{Id, Scope};
use ompttrace_tests::otf2_judge::check;
use ompttrace_timeline::testing::RunBuilder;

/// Number of source locations with a loop.
const LOCATIONS: u64 = 700;
/// Number of times that the last loop runs: enough for a hot region.
const HOT: u64 = 30_000;

#[test]
fn each_region_is_found_by_the_number_of_its_events() {
    let mut run = RunBuilder::new();
    let mut at = 100;
    run.put(0, at, Scope::None, ThreadBegin { thread_type: 1 });
    let mut work = |location: u64, times: u64| {
        for _ in 0..times {
            for scope in [Scope::Begin, Scope::End] {
                at += 10;
                let code = 0x10_0000 + 0x100 * location;
                run.put(0, at, scope, Work { code, kind: 8, task: Id::NONE.0, count: 0 });
            }
        }
    };
    (0..LOCATIONS).for_each(|location| work(location, 1 + location % 7));
    work(LOCATIONS - 1, HOT);
    let archives = archives(&run);
    let read = check(&archives.threads).expect("sound");
    let scopes: Vec<_> = read.regions.iter().filter(|one| one.name.contains("scope")).collect();
    assert_eq!(scopes.len() as u64, LOCATIONS);
    for (location, region) in (0..).zip(&scopes) {
        let hot = if location == LOCATIONS - 1 { HOT } else { 0 };
        assert_eq!(region.enters, 1 + location % 7 + hot, "{}", region.name);
        assert_eq!(region.active_ns, 10 * region.enters, "{}", region.name);
    }
    assert_eq!(archives.written.archives[0].regions, read.regions.len() as u64);
}
