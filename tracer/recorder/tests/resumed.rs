//! Tasks in which a thread is when recording resumes are recorded before its next event, however late their time from
//! its source is relative to the command.

mod common;

use common::{arm_into, folder, record, write_facts};
use ompttrace_recorder::{State, add_source, close, put_ongoing, resume};
use ompttrace_recording::Recording;
use ompttrace_recording::events::{Event, OngoingTask};

/// Reports a task with a time after all others.
fn says_its_task() -> bool {
    put_ongoing(u64::MAX / 2, &[OngoingTask { task: 7, ..OngoingTask::default() }]);
    true
}

#[test]
fn what_a_thread_is_in_is_not_later_than_its_event() {
    let run = folder();
    arm_into(&run, State::Paused);
    add_source(says_its_task);
    record(1);
    std::thread::scope(|scope| {
        scope.spawn(resume);
    });
    record(2);
    close(true);
    write_facts(&run, true);
    let recording = Recording::open(&run).expect("a recording");
    let mut found = Vec::new();
    let mut stream = recording.stream(0);
    while stream.take(|record| found.push((record.ticks, record.event()))).is_some() {}
    let of = |wanted: fn(&Event) -> bool| {
        found.iter().find(|(_, event)| wanted(event)).expect("a record").0
    };
    let task = of(|event| matches!(event, Event::OngoingTask(_)));
    let event = of(|event| matches!(event, Event::Flush(_)));
    assert_eq!(task, event);
}
