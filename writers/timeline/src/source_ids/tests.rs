//! Tests of the translation of a source's numbers to ids.

use super::*;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{
    MutexAcquire, MutexAcquired, ParallelBegin, ParallelEnd, SyncRegion, TaskCreate,
};

/// Translates one event of thread `t`.
fn translated(
    source_ids: &mut SourceIds,
    t: u32,
    number: u16,
    scope: Scope,
    words: &[u64],
) -> Event {
    let code = EventCode::new(number, scope);
    let record = Record { ticks: 1, code, words };
    let mut sites = Sites::default();
    let words = source_ids.translate((t, t.into()), &record, &mut sites).expect("has ids");
    words.record(&record).event()
}

fn begin_implicit(source_ids: &mut SourceIds, t: u32, region: u64, task: u64) -> ImplicitTask {
    let (region, task) = (Id::from_source(region).0, Id::from_source(task).0);
    let event =
        ImplicitTask { region, task, team_size: UNREPORTED, thread_num: UNREPORTED, flags: 2 };
    match translated(source_ids, t, ImplicitTask::NUMBER, Scope::Begin, &event.words()) {
        Event::ImplicitTask(event) => event,
        other => panic!("{other:?}"),
    }
}

fn fork(source_ids: &mut SourceIds, t: u32, region: u64) -> Id {
    let event = ParallelBegin { region: Id::from_source(region).0, ..ParallelBegin::default() };
    match translated(source_ids, t, ParallelBegin::NUMBER, Scope::None, &event.words()) {
        Event::ParallelBegin(event) => Id(event.region),
        other => panic!("{other:?}"),
    }
}

fn join(source_ids: &mut SourceIds, t: u32, region: u64) -> Id {
    let event = ParallelEnd { region: Id::from_source(region).0, ..ParallelEnd::default() };
    match translated(source_ids, t, ParallelEnd::NUMBER, Scope::None, &event.words()) {
        Event::ParallelEnd(event) => Id(event.region),
        other => panic!("{other:?}"),
    }
}

#[test]
fn team_threads_get_numbers_and_keep_them_if_they_can() {
    let mut source_ids = SourceIds::default();
    let numbers = |source_ids: &mut SourceIds, order: [u32; 4]| {
        let region = fork(source_ids, 0, 7);
        let mut numbers = [0; 4];
        for t in order {
            let event = begin_implicit(source_ids, t, 7, 100 + u64::from(t));
            assert_eq!((Id(event.region), event.team_size), (region, 0));
            numbers[t as usize] = event.thread_num;
        }
        assert_eq!(join(source_ids, 0, 7), region);
        numbers
    };
    assert_eq!(numbers(&mut source_ids, [2, 0, 1, 3]), [0, 2, 1, 3]);
    assert_eq!(numbers(&mut source_ids, [3, 1, 2, 0]), [0, 2, 1, 3]);
}

#[test]
fn a_number_that_comes_again_means_another() {
    let mut source_ids = SourceIds::default();
    let first = fork(&mut source_ids, 0, u64::MAX);
    let one = begin_implicit(&mut source_ids, 1, u64::MAX, 5);
    join(&mut source_ids, 0, u64::MAX);
    let second = fork(&mut source_ids, 0, u64::MAX);
    let other = begin_implicit(&mut source_ids, 1, u64::MAX, 5);
    assert!(first != second && one.task != other.task);
    join(&mut source_ids, 0, u64::MAX);
    // The third one's begin was not reported.
    let third = begin_implicit(&mut source_ids, 1, u64::MAX, 6);
    assert!(![first, second].contains(&Id(third.region)));
}

#[test]
fn a_task_is_fresh_until_it_runs_and_late_ends_find_it() {
    let mut source_ids = SourceIds::default();
    let number = Id::from_source(9).0;
    let create = TaskCreate { new_task: number, flags: 4, ..TaskCreate::default() };
    let Event::TaskCreate(made) =
        translated(&mut source_ids, 0, TaskCreate::NUMBER, Scope::None, &create.words())
    else {
        panic!("another event");
    };
    assert!(Id(made.new_task).is_fresh());
    let mut switch = |prior, next, status| {
        let event = TaskSchedule { prior, next, status };
        match translated(&mut source_ids, 1, TaskSchedule::NUMBER, Scope::None, &event.words()) {
            Event::TaskSchedule(event) => (Id(event.prior), Id(event.next)),
            other => panic!("{other:?}"),
        }
    };
    let id = Id(made.new_task).started();
    assert_eq!(switch(0, number, 7).1, Id(made.new_task));
    assert_eq!(switch(number, 0, 7).0, id);
    assert_eq!(switch(0, number, 7).1, id);
    assert_eq!(switch(number, 0, 1).0, id);
    assert_eq!(switch(number, 0, 7).0, id);
    assert_ne!(switch(0, number, 7).1, id);
}

#[test]
fn ends_do_not_make_up_tasks() {
    let mut source_ids = SourceIds::default();
    let event = SyncRegion { task: Id::from_source(3).0, ..SyncRegion::default() };
    let mut task =
        |scope| match translated(&mut source_ids, 0, SyncRegion::NUMBER, scope, &event.words()) {
            Event::SyncRegion(event) => Id(event.task),
            other => panic!("{other:?}"),
        };
    assert_eq!(task(Scope::End), Id::NONE);
    let made = task(Scope::Begin);
    assert!(made.is_implicit());
    assert_eq!(task(Scope::End), made);
}

#[test]
fn what_is_over_is_forgotten_in_the_end() {
    let mut source_ids = SourceIds::default();
    for number in 1..3 * MAX_OVER as u64 {
        fork(&mut source_ids, 0, number);
        begin_implicit(&mut source_ids, 0, number, number);
        join(&mut source_ids, 0, number);
    }
    assert!(source_ids.regions.len() + source_ids.tasks.len() <= MAX_OVER + 1);
}

/// LLVM's runtime of 2014 has two numbers for the implicit task of a team of one, and sets an ordered region's wait id
/// to 0 when the thread has it.
#[test]
fn what_llvm_calls_by_two_numbers_is_one() {
    let mut source_ids = SourceIds::default();
    let task = |source_ids: &mut SourceIds, number: u64| {
        let event = SyncRegion { task: Id::from_source(number).0, ..SyncRegion::default() };
        match translated(source_ids, 0, SyncRegion::NUMBER, Scope::Begin, &event.words()) {
            Event::SyncRegion(event) => Id(event.task),
            other => panic!("{other:?}"),
        }
    };
    let made_up = task(&mut source_ids, 50);
    for region in [7, 8] {
        fork(&mut source_ids, 0, region);
        let (number, implicit_task) = (Id::from_source(region).0, Id::from_source(100 + region).0);
        let begin = ImplicitTask {
            region: number,
            task: implicit_task,
            team_size: 1,
            thread_num: UNREPORTED,
            flags: 2,
        };
        let Event::ImplicitTask(begun) =
            translated(&mut source_ids, 0, ImplicitTask::NUMBER, Scope::Begin, &begin.words())
        else {
            panic!("another event");
        };
        assert_eq!(task(&mut source_ids, 50), Id(begun.task));
        assert_eq!(task(&mut source_ids, 100 + region), Id(begun.task));
        join(&mut source_ids, 0, region);
        assert_eq!(task(&mut source_ids, 50), made_up);
    }
    let asked = MutexAcquire { kind: 7, wait_id: 0x90, ..MutexAcquire::default() };
    let code = EventCode::new(MutexAcquire::NUMBER, Scope::None);
    let record = Record { ticks: 1, code, words: &asked.words() };
    assert!(source_ids.translate((0, 0), &record, &mut Sites::default()).is_none());
    let mut had = |t, kind, wait_id| {
        let event = MutexAcquired { kind, wait_id, ..MutexAcquired::default() };
        match translated(&mut source_ids, t, MutexAcquired::NUMBER, Scope::None, &event.words()) {
            Event::MutexAcquired(event) => event.wait_id,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!([had(0, 7, 0), had(0, 7, 5), had(0, 5, 0), had(1, 7, 0)], [0x90, 5, 0, 0]);
}
