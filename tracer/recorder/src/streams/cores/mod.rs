//! Core streams: the times at which each thread lost and got a core, or the kernel's accounting of it, in a separate stream.
//!
//! The kernel notes every switch of a thread in a buffer that it shares with us (a perf event, [`ring`]); where that is
//! refused its sums are asked for ([`accounts`]). Both are read on the thread's slow path, after an event: its limit is
//! set short, so that there is one about every 10 ms ([`own`]), and at a flush. The path of an event does
//! nothing for it.
//!
//! Everything that a thread has for this lies on the private page of its block, which a forked child finds empty; the
//! kernel's buffer is not mapped there at all. So no child ever touches it, however it was made.

mod counts;
mod line;
mod open;
pub(super) mod own;
mod refusal;
mod ring;
mod stream;

pub use counts::CoresSummary;
pub(crate) use counts::Counts;

use crate::blocks::block::Block;
use crate::blocks::state::{State, state};
use crate::blocks::tls;
use crate::host::sync::Ordering;
use crate::host::{accounts, clock};
use crate::registry::recorder::Recorder;
use crate::slots::fragments::locked;
use crate::streams::of_thread::of;
use ompttrace_recording::events::{
    CoresRead, CoresUnknown, RunDelay, SwitchIn, SwitchOut, cores as reason,
};
use ompttrace_recording::settings::CoresMode;
use own::{Core, Gap, Own, Source};
use refusal::Refusal;
use ring::{Entry, Ring};
use stream::Stream;

/// After an event of the calling thread, at `now`: begins its stream, or reads its switches since the last time when
/// it is time.
pub(crate) fn look(recorder: &Recorder, counts: &Counts, block: &Block, now: u64) {
    let own = own(block);
    match own.source() {
        Source::New => {
            locked(block, || begin(&Stream::of(recorder, counts, block)));
        }
        source @ (Source::Switches | Source::Accounts) => {
            let fills =
                source == Source::Switches && ring_of(block).is_some_and(|ring| ring.fills());
            if own.is_due(now, fills) {
                locked(block, || {
                    let stream = Stream::of(recorder, counts, block);
                    read(&stream, true);
                    rest_or_go_on(&stream, now);
                });
            }
        }
        _ => {}
    }
}

/// Reads everything that there is and writes it. The caller, any thread, holds the block's lock.
pub(crate) fn flush(recorder: &Recorder, counts: &Counts, block: &Block) {
    let (own, stream) = (own(block), Stream::that_writes(recorder, counts, block));
    if own.is_read() {
        let until = clock::ticks();
        read(&stream, std::ptr::eq(tls::block(), block));
        stream.put(until, CoresRead::NUMBER, &[]);
        if state() == State::Ended {
            own.set_source(Source::Over);
        }
    }
    stream.write();
}

/// The calling thread ends, and holds its block's lock.
pub(crate) fn finish(recorder: &Recorder, counts: &Counts, block: &Block) {
    flush(recorder, counts, block);
    own(block).set_source(Source::Over);
    close(counts, block);
}

/// Gives the calling thread's kernel buffer back, if it has one; the lock is its.
fn close(counts: &Counts, block: &Block) {
    if let Some(ring) = ring_of(block) {
        own(block).ring.store(0, Ordering::Relaxed);
        // SAFETY: the calling thread is the only one that looks at it without the lock, and nothing finds it any more.
        unsafe { ring.unmap() };
        counts.has_room();
    }
}

/// Prepares core streams in this mode.
pub(crate) fn begin_all(mode: CoresMode) -> Counts {
    let counts = Counts::new(mode);
    if matches!(mode, CoresMode::Auto | CoresMode::Switches) {
        let _ = open::probe().inspect_err(|refusal| counts.note(*refusal));
    }
    counts
}

fn own(block: &Block) -> &Own {
    &of(block).cores
}

fn ring_of(block: &Block) -> Option<Ring> {
    Ring::at(own(block).ring.load(Ordering::Relaxed))
}

/// Begins the stream of the calling thread.
fn begin(stream: &Stream<'_>) {
    let (own, counts) = (stream.own(), stream.counts);
    own.begin(clock::best_clock_pair());
    let refusal = match counts.mode {
        _ if counts.filters.were_added() => Some(Refusal::Filtered),
        CoresMode::Accounting => None,
        _ => match open::open(counts, stream.block) {
            Ok(ring) => return begin_switches(stream, &ring),
            Err(refusal) => Some(refusal),
        },
    };
    if let Some(refusal) = refusal {
        counts.note(refusal);
        stream.put_unknown(own.last(), refusal.reason(), 0);
    }
    let wants_accounts = counts.mode != CoresMode::Switches && refusal != Some(Refusal::Filtered);
    if wants_accounts && put_accounts(stream, true) {
        own.set_source(Source::Accounts);
        counts.add(Source::Accounts);
    } else {
        if wants_accounts {
            counts.note(Refusal::NoAccounting);
            stream.put_unknown(own.last(), reason::NO_ACCOUNTING, 0);
        }
        own.set_source(Source::Nothing);
        counts.add(Source::Nothing);
    }
}

fn begin_switches(stream: &Stream<'_>, ring: &Ring) {
    go_on_by_switches(stream, ring);
    stream.counts.add(Source::Switches);
}

fn go_on_by_switches(stream: &Stream<'_>, ring: &Ring) {
    let own = stream.own();
    own.ring.store(ring.address(), Ordering::Relaxed);
    ring.forget();
    own.begin(clock::best_clock_pair());
    put_in(stream, own.last(), this_core());
    if stream.counts.mode == CoresMode::Auto {
        put_accounts(stream, true);
    }
    own.set_source(Source::Switches);
}

/// A thread whose switches come as a storm has the kernel's sums for a while, where it may.
fn rest_or_go_on(stream: &Stream<'_>, now: u64) {
    let (own, counts) = (stream.own(), stream.counts);
    match own.source() {
        Source::Switches if counts.mode == CoresMode::Auto && own.is_stormy(now) => {
            close(stream.counts, stream.block);
            own.set_source(Source::Accounts);
            counts.rests();
            stream.put_unknown(own.last(), reason::OVERFLOWED, 0);
            put_accounts(stream, true);
            own.set_gap(Gap::None);
        }
        Source::Accounts if own.has_rested(now) && !counts.filters.were_added() => {
            if let Ok(ring) = open::open(counts, stream.block) {
                go_on_by_switches(stream, &ring);
            }
        }
        _ => {}
    }
}

/// Reads the switches, or the sums, since the last time.
fn read(stream: &Stream<'_>, by_owner: bool) {
    match stream.own().source() {
        Source::Switches => read_switches(stream, by_owner),
        Source::Accounts => read_accounts(stream, by_owner),
        _ => {}
    }
}

fn read_switches(stream: &Stream<'_>, by_owner: bool) {
    let Some(ring) = ring_of(stream.block) else { return };
    let own = stream.own();
    // First the end, then the clock: what is read is older.
    let mut entries = ring.entries();
    let before = own.pair();
    let line = own.line_to(clock::best_clock_pair());
    let overflowed = entries.are_full();
    while !stream.is_deferred() {
        let Some(entry) = entries.next() else {
            return all_is_read(stream, overflowed, by_owner);
        };
        match entry {
            Entry::Switch { time, cpu, out, preempted } => {
                own.add_changes(1);
                let at = line.ticks_of(time.wrapping_add_signed(stream.counts.kernels_clock));
                if out { put_out(stream, at, cpu, preempted) } else { put_in(stream, at, cpu) }
            }
            Entry::Lost(count) => {
                stream.counts.lost(count);
                own.add_changes(count);
                if own.gap() != Gap::Reported {
                    put_gap(stream, Gap::Open);
                } else {
                    own.set_gap(Gap::None);
                }
            }
            Entry::Other => {}
        }
        entries.done();
    }
    own.goes_on_from(before);
    if overflowed {
        own.set_gap(Gap::Ahead);
    }
}

/// Completes a reading after which the kernel's buffer is empty. If the buffer was full the sums cover the time that
/// it does not.
fn all_is_read(stream: &Stream<'_>, overflowed: bool, by_owner: bool) {
    let own = stream.own();
    if overflowed || own.gap() == Gap::Ahead {
        put_gap(stream, Gap::Reported);
    } else if own.gap() != Gap::Open {
        return;
    } else {
        own.set_gap(Gap::None);
    }
    if stream.counts.mode == CoresMode::Auto {
        put_accounts(stream, by_owner);
    }
    if by_owner {
        put_in(stream, clock::ticks(), this_core());
    }
}

/// Puts a record after which switches are missing, at the time of the last record.
fn put_gap(stream: &Stream<'_>, gap: Gap) {
    stream.put_unknown(stream.own().last(), reason::OVERFLOWED, 0);
    stream.own().set_gap(gap);
}

fn read_accounts(stream: &Stream<'_>, by_owner: bool) {
    stream.own().line_to(clock::best_clock_pair());
    if stream.counts.filters.were_added() {
        stream.counts.note(Refusal::Filtered);
        stream.put_unknown(clock::ticks(), reason::FILTERED, 0);
        stream.own().set_source(Source::Nothing);
        return;
    }
    put_accounts(stream, by_owner);
}

/// Puts the kernel's sums into the stream; returns true if there are any.
fn put_accounts(stream: &Stream<'_>, by_owner: bool) -> bool {
    let sums = if by_owner { accounts::of_caller() } else { accounts::of(stream.os_thread()) };
    if let Some(sums) = sums {
        stream.put(clock::ticks(), RunDelay::NUMBER, &sums.words());
    }
    sums.is_some()
}

fn put_in(stream: &Stream<'_>, at: u64, cpu: u64) {
    if stream.own().becomes(Core::On) {
        stream.put(at, SwitchIn::NUMBER, &SwitchIn { cpu }.words());
    }
}

fn put_out(stream: &Stream<'_>, at: u64, cpu: u64, preempted: bool) {
    if stream.own().becomes(Core::Off) {
        let event = SwitchOut { cpu, preempted: preempted.into() };
        stream.put(at, SwitchOut::NUMBER, &event.words());
    }
}

impl Stream<'_> {
    fn put_unknown(&self, at: u64, reason: u64, count: u64) {
        self.own().becomes(Core::Unknown);
        self.put(at, CoresUnknown::NUMBER, &CoresUnknown { reason, count }.words());
    }
}

/// The core that the calling thread is on.
fn this_core() -> u64 {
    // SAFETY: a question without arguments.
    let core = unsafe { libc::sched_getcpu() };
    u64::try_from(core).unwrap_or(u64::from(u32::MAX))
}
