//! The tracks of OS threads, all described before the first event.

use std::io::Write;

use ompttrace_model::thread_name;
use ompttrace_model::{RunInfo, ThreadRef};

use super::picture::Picture;
use super::process;
use crate::encode::{Sequence, StringKey};
use crate::tracks;

/// The threads of the run.
#[derive(Debug, Default)]
pub(super) struct Threads {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// Its name as an annotation's value.
    name: StringKey,
    sequence: Sequence,
}

impl Threads {
    /// Names all threads, and describes their tracks if there are to be any.
    pub(super) fn new<W: Write>(
        picture: &mut Picture<W>,
        run: &RunInfo<'_>,
        described: bool,
    ) -> Self {
        let mut rows = Vec::with_capacity(run.threads.len());
        for (thread, index) in run.threads.iter().zip(0..) {
            let name = thread_name(run.facts, thread);
            let key = picture.book().intern(&name);
            let uuid = picture.numbers.thread(index);
            if described {
                let descriptor = process::thread(run.facts, thread, name);
                picture.out.track(tracks::thread(uuid, index as i32, descriptor));
            }
            rows.push(Row { name: key, sequence: picture.out.sequence(uuid) });
        }
        Threads { rows }
    }

    /// The name of a thread.
    #[inline(always)]
    pub(super) fn name(&self, thread: ThreadRef) -> Option<StringKey> {
        Some(self.rows.get(thread as usize)?.name)
    }

    /// The events of a thread.
    #[inline(always)]
    pub(super) fn sequence(&mut self, thread: ThreadRef) -> Option<&mut Sequence> {
        Some(&mut self.rows.get_mut(thread as usize)?.sequence)
    }
}
