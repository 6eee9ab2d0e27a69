//! A critical section, an atomic and an ordered region: the construct, the waiting in it and its block are
//! three regions, each with a name of its own.

use super::archives;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{MutexAcquire, MutexAcquired, MutexReleased, ThreadBegin};
use ompttrace_tests::otf2_judge::{Region, check};
use ompttrace_timeline::testing::RunBuilder;

const CODE: u64 = 0x10_0100;

/// Adds a mutex that is requested at `at`, acquired after 3 ns and released after 10 ns.
fn mutex(run: &mut RunBuilder, at: u64, kind: u64) {
    let (code, wait_id) = (CODE, 0x77 + kind);
    let acquire = MutexAcquire { code, kind, wait_id, hint: 0, implementation: 0 };
    run.put(0, at, Scope::None, acquire);
    run.put(0, at + 3, Scope::None, MutexAcquired { code, kind, wait_id });
    run.put(0, at + 10, Scope::None, MutexReleased { code, kind, wait_id });
}

#[test]
fn a_construct_its_wait_and_its_block_are_regions_of_their_own() {
    let mut run = RunBuilder::new();
    run.put(0, 5, Scope::None, ThreadBegin { thread_type: 1 });
    for (at, kind) in [(10, 5), (30, 5), (50, 6), (70, 7)] {
        mutex(&mut run, at, kind);
    }
    let read = check(&archives(&run).threads).expect("sound");
    let named = |name: &str| -> &Region {
        let mut found = read
            .regions
            .iter()
            .filter(|region| region.name.split(" @").next() == Some(name) && region.enters > 0);
        let region = found.next().unwrap_or_else(|| panic!("no {name}: {:?}", read.regions));
        assert!(found.next().is_none(), "{name} twice");
        region
    };
    for (word, role, count) in
        [("critical", "CRITICAL", 2), ("atomic", "ATOMIC", 1), ("ordered", "ORDERED", 1)]
    {
        let construct = named(&format!("!$omp {word}"));
        let wait = named(&format!("!$omp {word} wait"));
        let block = named(&format!("!$omp {word} sblock"));
        assert!(construct.canonical_name.starts_with(word), "{}", construct.canonical_name);
        assert_eq!(wait.canonical_name, format!("wait: {}", construct.canonical_name));
        assert_eq!((construct.role.as_str(), wait.role.as_str()), (role, "ARTIFICIAL"));
        let times = [construct, wait, block].map(|region| (region.enters, region.active_ns));
        assert_eq!(times, [(count, 10 * count), (count, 3 * count), (count, 7 * count)]);
    }
}

/// No thread waits for a mutex whose request was not recorded.
#[test]
fn a_construct_without_a_request_has_no_wait() {
    let mut run = RunBuilder::new();
    let (code, kind, wait_id) = (CODE, 5, 0x77);
    run.put(0, 5, Scope::None, ThreadBegin { thread_type: 1 });
    run.put(0, 10, Scope::None, MutexAcquired { code, kind, wait_id });
    run.put(0, 20, Scope::None, MutexReleased { code, kind, wait_id });
    let read = check(&archives(&run).threads).expect("sound");
    let entered = read.regions.iter().filter(|region| region.name.contains("critical"));
    let mut entered: Vec<_> =
        entered.map(|region| (region.canonical_name.len(), region.active_ns)).collect();
    entered.sort_unstable();
    assert!(entered.iter().all(|(name, ns)| *name > 0 && *ns == 10), "{entered:?}");
    assert_eq!(entered.len(), 2);
}
