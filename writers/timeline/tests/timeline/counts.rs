//! Counts of records, as `info` prints them.

use crate::script::{Script, implicit, task};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{EventCode, Flush, Lost, TaskCreate, Wait, Work};
use ompttrace_timeline::count;

#[test]
fn records_are_counted_by_event_and_end() {
    let mut script = Script::new();
    let root = implicit(0, 0);
    script.thread(0, 1, 1).create(0, 5, root, task(0, 1)).create(0, 6, root, task(0, 2));
    script.work(0, 10, Scope::Begin, 1, root, 9).work(0, 20, Scope::End, 1, root, 9);
    script.once(0, 30, Wait { ticks: 40, reason: 1 }).once(0, 80, Wait { ticks: 2, reason: 1 });
    let work = EventCode::new(Work::NUMBER, Scope::End);
    script.once(0, 90, Lost { event: work.0.into(), reason: 1, count: 7 });
    script.run.facts.lost.insert("flush".into(), 3);
    script.run.facts.lost.insert("no such event".into(), 2);
    script.run.facts.lost.insert("work:begin".into(), 4);
    let (_folder, recording) = script.run.open().expect("a run folder");
    let counts = count(&recording);
    assert_eq!(counts.recorded(Work::NUMBER, Scope::Begin), 1);
    assert_eq!(counts.recorded_all(Work::NUMBER), 2);
    assert_eq!(counts.recorded_all(TaskCreate::NUMBER), 2);
    assert_eq!((counts.lost(Work::NUMBER, Scope::End), counts.lost_all(Work::NUMBER)), (7, 11));
    assert_eq!(counts.lost(Work::NUMBER, Scope::Begin), 4);
    assert_eq!((counts.lost_all(Flush::NUMBER), counts.lost_sum()), (3, 16));
    assert_eq!((counts.tool_waits, counts.tool_wait_ticks), (2, 42));
    assert_eq!((counts.records, counts.undecoded), (9, 0));
    assert_eq!(script.timeline().summary.lost, 16);
}
