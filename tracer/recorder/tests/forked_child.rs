//! A forked child writes nothing into its parent's recording; it gets its own when it has news.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, close, room, set_arm_in_child, slow, state};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Event, Scope, ThreadBegin};
use std::path::PathBuf;
use std::sync::OnceLock;

static CHILD: OnceLock<PathBuf> = OnceLock::new();

fn begin_thread() {
    let code = EventCode::new(ThreadBegin::NUMBER, Scope::None);
    assert!(room().is_none(), "a child has no room");
    slow(code, |room| {
        if let Some(room) = room {
            room.put(code, ThreadBegin { thread_type: 1 }.words());
        }
    });
}

fn arm_child() -> bool {
    arm_into(CHILD.get().expect("a folder"), State::Recording);
    true
}

/// Runs `work` in a forked child and returns whether it succeeded.
fn in_child(work: impl FnOnce()) -> bool {
    // SAFETY: the test has one thread at this point; the child only runs `work` and exits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // SAFETY: ends the child without running the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    let mut status = 0;
    // SAFETY: waits for our child.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

#[test]
fn children_keep_out_of_their_parents_files() {
    let (run, child) = (folder(), folder());
    CHILD.set(child.clone()).expect("set once");
    arm_into(&run, State::Recording);
    set_arm_in_child(arm_child);
    (0..10).for_each(record);
    assert!(in_child(begin_thread), "a child without news");
    assert_eq!(std::fs::read_dir(&child).expect("listed").count(), 0);
    assert!(in_child(|| {
        begin_thread();
        assert_eq!(state(), State::Child);
        (100..300).for_each(record);
        close(true);
        write_facts(&child, true);
    }));
    (10..20).for_each(record);
    close(true);
    write_facts(&run, true);
    assert!(read(&run).0[0].iter().copied().eq(0..20));
    let (threads, others) = read(&child);
    assert!(threads[0].iter().copied().eq(100..300));
    assert_eq!(others[0], Event::ThreadBegin(ThreadBegin { thread_type: 1 }));
}
