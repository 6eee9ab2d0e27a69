//! Fragments of a thread's further streams, whose records lie in memory of ours rather than in its slots.

use crate::blocks::block::Block;
use crate::host::clock;
use crate::host::sync::Ordering;
use crate::registry::recorder::Recorder;
use crate::registry::{hung_disk, inside};
use ompttrace_recording::fragment::{AREA_UNIT, AROUND, FragmentHeader, HEADER_BYTES, area_bytes};
use ompttrace_recording::pool::control;
use std::io;
// Memory of one thread: threads do not synchronise by it.
use std::sync::atomic::AtomicU64;

/// The bytes with which an area is filled up.
static GAP: [u8; AREA_UNIT] = [0; AREA_UNIT];

/// Does work on a further stream of the calling thread, unless a flush has the lock. Records of handlers that come
/// meanwhile follow the event.
pub(crate) fn locked(block: &Block, work: impl FnOnce()) {
    let lock_is_free_to_take = u64::from(!block.control.lock.is_mine());
    block.private.makes_space.store(lock_is_free_to_take, Ordering::Relaxed);
    inside::writing(|| {
        if let Some(_guard) = block.control.lock.try_lock() {
            work();
        }
    });
    block.private.makes_space.store(0, Ordering::Relaxed);
}

/// Writes records as a fragment of this stream and with this chunk number; returns true if all of them arrived. Fails
/// if the file system refuses them. The caller holds the block's lock.
pub(crate) fn write(
    recorder: &Recorder,
    block: &Block,
    (stream, chunk): (u32, u64),
    [first, second]: [&[AtomicU64]; 2],
) -> io::Result<bool> {
    let word = |index| block.control.word(index).load(Ordering::Relaxed);
    let pair = clock::clock_pair();
    let bytes = size_of_val(first) + size_of_val(second);
    let header = FragmentHeader {
        session: recorder.session,
        thread: word(control::THREAD) as u32 | stream,
        chunk,
        offset: 0,
        bytes: bytes as u32,
        os_thread: word(control::OS_THREAD) as u32,
        ticks: pair.ticks,
        monotonic: pair.monotonic,
    };
    let area = area_bytes(bytes);
    let (head, mark) = (header.to_words_in(area as u32), header.mark(area as u32));
    let part = |start: *const u64, length| libc::iovec {
        iov_base: start.cast_mut().cast(),
        iov_len: length,
    };
    let parts = [
        part(head.as_ptr(), HEADER_BYTES),
        part(first.as_ptr().cast(), size_of_val(first)),
        part(second.as_ptr().cast(), size_of_val(second)),
        part(&raw const mark, 8),
        part(GAP.as_ptr().cast(), area - AROUND - bytes),
    ];
    let written = recorder.output.write(word(control::THREAD), &parts);
    hung_disk::came_back();
    written.map(|written| written >= bytes + AROUND)
}
