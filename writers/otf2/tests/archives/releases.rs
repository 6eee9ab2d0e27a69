//! Runs without reports of when mutexes are released: waits are shown and holds are not; and runs that end before the
//! release.

use super::archives;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{MutexAcquire, MutexAcquired, MutexReleased, ThreadBegin};
use ompttrace_recording::facts::Runtime;
use ompttrace_tests::otf2_judge::check;
use ompttrace_timeline::testing::RunBuilder;

#[test]
fn an_acquisition_without_a_release_is_a_wait() {
    let mut run = RunBuilder::new();
    let mut runtime = Runtime::default();
    runtime.callbacks.insert("mutex_released".into(), "left out: it crashes".into());
    run.facts.runtimes.push(runtime);
    run.put(0, 5, Scope::None, ThreadBegin { thread_type: 1 });
    for (at, kind) in [(10, 5), (20, 1), (30, 5)] {
        let (code, wait_id) = (0x10_0100, 0x77 + kind);
        let acquire = MutexAcquire { code, kind, wait_id, hint: 0, implementation: 0 };
        run.put(0, at, Scope::None, acquire);
        run.put(0, at + 3, Scope::None, MutexAcquired { code, kind, wait_id });
    }
    let archives = archives(&run);
    let read = check(&archives.threads).expect("sound");
    assert!(!read.events.contains_key("ThreadAcquireLock"), "{:?}", read.events);
    let enters = |word: &str| {
        let named = read.regions.iter().filter(|region| region.name.starts_with(word));
        named.map(|region| (region.enters, region.active_ns)).collect::<Vec<_>>()
    };
    assert_eq!(enters("!$omp critical @"), [(2, 6)]);
    assert_eq!(enters("!$omp critical wait"), [(2, 6)]);
    assert_eq!(enters("omp_set_lock"), [(1, 3)]);
}

/// A lock that is held at the end, after one that was given back, and a critical section.
#[test]
fn what_is_held_at_the_end_is_given_back_there() {
    let mut run = RunBuilder::new();
    run.put(0, 5, Scope::None, ThreadBegin { thread_type: 1 });
    let code = 0x10_0100;
    for (at, kind, wait_id) in [(10, 1, 0x77), (30, 1, 0x77), (40, 1, 0x78), (50, 5, 0x79)] {
        let acquire = MutexAcquire { code, kind, wait_id, hint: 0, implementation: 0 };
        run.put(0, at, Scope::None, acquire);
        run.put(0, at + 3, Scope::None, MutexAcquired { code, kind, wait_id });
        if at == 10 {
            run.put(0, 20, Scope::None, MutexReleased { code, kind, wait_id });
        }
    }
    let read = check(&archives(&run).threads).expect("sound");
    let count = |event| read.events(event);
    assert_eq!((count("ThreadAcquireLock"), count("ThreadReleaseLock")), (4, 4));
}
