//! Records read and merged on a thread of their own, ahead of their interpretation.
//!
//! Reading is a third of the work, copying out of the page cache included, and needs nothing of what
//! comes after it. Records go over in batches of words that are used again and again: memory is that
//! of a few batches, whatever the length of the run.

use crate::merge::Merge;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{EventCode, Record};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, available_parallelism, scope};

/// Words of a batch: it stays in the caches of both cores.
const BATCH: usize = 1 << 14;
/// Batches that wait to be interpreted.
const WAITING: usize = 4;

/// Gives all records in the order of time, each with its thread's position, to `visit`: read by
/// another thread where there is a core for it.
pub(crate) fn each_record(recording: &Recording, visit: impl FnMut(u32, Record<'_>)) {
    let (full, batches) = sync_channel(WAITING);
    let (spent, empty) = channel();
    scope(move |scope| {
        let reader = move || send_all(recording, full, &empty);
        let alone = available_parallelism().is_ok_and(|cores| cores.get() == 1);
        if alone || Builder::new().name("records".into()).spawn_scoped(scope, reader).is_err() {
            return merged(recording).run(visit);
        }
        receive_all(batches, &spent, visit);
    });
}

fn merged(recording: &Recording) -> Merge<'_> {
    Merge::new((0..recording.threads.len()).map(|position| recording.stream(position)).collect())
}

/// A record in a batch: the thread's position and the code in one word, the time, the payload.
fn send_all(recording: &Recording, full: SyncSender<Vec<u64>>, empty: &Receiver<Vec<u64>>) {
    let mut batch = Vec::with_capacity(BATCH);
    // A send fails only when the other side is unwinding.
    merged(recording).run(|thread, record| {
        if batch.len() + record.words.len() + 2 > BATCH {
            let next = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
            let _ = full.send(std::mem::replace(&mut batch, next));
        }
        batch.extend([u64::from(thread) << 8 | u64::from(record.code.0), record.ticks]);
        batch.extend_from_slice(record.words);
    });
    let _ = full.send(batch);
}

/// Takes the receiver, which goes when `visit` panics: the reader then finds nobody there and ends,
/// instead of waiting for room for ever.
fn receive_all(
    batches: Receiver<Vec<u64>>,
    spent: &Sender<Vec<u64>>,
    mut visit: impl FnMut(u32, Record<'_>),
) {
    for mut batch in batches {
        let mut rest = &batch[..];
        while let [head, ticks, tail @ ..] = rest {
            let code = EventCode(*head as u8);
            let Some((words, next)) = tail.split_at_checked(code.words() - 1) else { break };
            visit((head >> 8) as u32, Record { ticks: *ticks, code, words });
            rest = next;
        }
        batch.clear();
        let _ = spent.send(batch);
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::Flush;

    #[test]
    fn every_record_comes_once_and_as_it_was() {
        let mut run = RunBuilder::new();
        for n in 0..20_000 {
            run.put(n as usize % 3, 100 + n, Scope::None, Flush { code: n, kind: 7 });
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let mut straight = Vec::new();
        merged(&recording).run(|t, r| straight.push((t, r.ticks, r.code, r.words.to_vec())));
        let mut ahead = Vec::new();
        each_record(&recording, |t, r| ahead.push((t, r.ticks, r.code, r.words.to_vec())));
        assert_eq!(straight.len(), 20_000);
        assert_eq!(straight, ahead);
    }

    #[test]
    fn a_panic_among_the_records_is_one_and_no_waiting_for_ever() {
        let mut run = RunBuilder::new();
        for n in 0..100_000 {
            run.put(0, 100 + n, Scope::None, Flush { code: n, kind: 7 });
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let mut left = 10;
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            each_record(&recording, |_, _| {
                left -= 1;
                assert!(left > 0, "on purpose");
            });
        }));
        assert!(panicked.is_err());
    }
}
