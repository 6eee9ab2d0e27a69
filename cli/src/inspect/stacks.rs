//! The call stack of every thread: each stops on its own, for as long as its stack is copied, and is unwound when all
//! have gone on.

use super::memory::Memory;
use super::names::Names;
use super::ompd::{Reply, tasks_of};
use super::stop::{self, Stopped};
use super::unwind::Tables;
use ompttrace_inspect::Snapshot;
use ompttrace_recording::Recording;

/// Adds the call stacks of the threads that the kernel knows.
pub fn add(snapshot: &mut Snapshot, pid: u32, recording: &Recording) {
    let memory = Memory::of(pid);
    let threads: Vec<usize> =
        (0..snapshot.threads.len()).filter(|at| snapshot.threads[*at].os.is_some()).collect();
    let ids = threads.iter().filter_map(|at| snapshot.threads[*at].os.as_ref().map(|os| os.id));
    let looks: Vec<Result<Stopped, String>> = ids.map(|id| stop::look(id, &memory)).collect();
    if looks.iter().all(Result::is_err) {
        return note(snapshot, &threads, looks);
    }
    let (mut tables, mut names) = (Tables::of(&memory), Names::of(recording, pid));
    for (at, look) in threads.into_iter().zip(looks) {
        let Some(os) = snapshot.threads[at].os.as_mut() else { continue };
        match look {
            Err(why) => os.stack_note = Some(why),
            Ok(stopped) => {
                let walked = tables.walk(&stopped);
                os.stack = names.frames(&walked.frames, &[]);
                os.stack_note = walked.note();
            }
        }
    }
}

/// Replaces the call stacks by those at the time of OMPD's answers, in which each frame has its task.
pub fn cut(snapshot: &mut Snapshot, pid: u32, recording: &Recording, reply: &Reply) {
    let mut names = Names::of(recording, pid);
    for os in snapshot.threads.iter_mut().filter_map(|thread| thread.os.as_mut()) {
        if let Some(walked) = reply.stacks.iter().find(|stack| stack.id == os.id) {
            let walked = &walked.walked;
            os.stack =
                names.frames(&walked.frames, &tasks_of(&walked.frames, &reply.answer, os.id));
            os.stack_note = walked.note();
        }
    }
}

/// Notes for each thread why it has no call stack.
fn note(snapshot: &mut Snapshot, threads: &[usize], looks: Vec<Result<Stopped, String>>) {
    for (at, look) in threads.iter().zip(looks) {
        if let (Some(os), Err(why)) = (snapshot.threads[*at].os.as_mut(), look) {
            os.stack_note = Some(why);
        }
    }
}
