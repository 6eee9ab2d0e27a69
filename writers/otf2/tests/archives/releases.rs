//! Runs in which nobody was told when mutexes are given back: waits are told, holds are not.

use super::archives;
use ompttrace_recording::Scope;
use ompttrace_recording::events::{MutexAcquire, MutexAcquired, ThreadBegin};
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
    assert_eq!(enters("!$omp critical"), [(2, 6)]);
    assert_eq!(enters("omp_set_lock"), [(1, 3)]);
}
