//! Calls of MPI by function and call site, and the sizes of messages. What it keeps grows with the number of call sites.

use crate::model::{MessageSizes, MessageSums, MpiCallReport, MpiReport};
use crate::sink::ReportSink;
use crate::state::State;
use ompttrace_model::{
    ArgKey, ArgValue, MpiEvent, NameRef, Slice, SliceKind, SourceRef, ThreadRef,
};
use ompttrace_recording::mpi::Group;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Call sites in a report.
const MAX_REPORTED: usize = 1000;
/// Sizes of messages by powers of two: 0, 1, 2, 4 and so on up to all that a number holds.
const SIZES: usize = 66;

/// The sums of one function at one call site.
#[derive(Clone, Copy, Debug)]
struct CallSums {
    name: NameRef,
    source: SourceRef,
    group: Group,
    calls: u64,
    time: u64,
    longest: u64,
    sent: MessageSums,
    received: MessageSums,
}

/// Sums of all functions, call sites and sizes.
#[derive(Debug)]
pub(crate) struct MpiSums {
    calls: Vec<CallSums>,
    known: FxHashMap<(NameRef, SourceRef), usize>,
    /// The open call of each thread, and since when.
    open: Vec<Option<(usize, u64)>>,
    /// Messages by size, sent and received.
    sizes: [(u64, u64); SIZES],
}

impl Default for MpiSums {
    fn default() -> MpiSums {
        let (calls, known, open) = Default::default();
        MpiSums { calls, known, open, sizes: [(0, 0); SIZES] }
    }
}

impl MpiSums {
    /// A call begins, and counts or not; `source` is the first location that says the same.
    pub(crate) fn begins(
        &mut self,
        (t, at): (ThreadRef, u64),
        slice: &Slice<'_>,
        source: SourceRef,
        counts: bool,
    ) {
        let SliceKind::Mpi(group) = slice.kind else { return };
        let key = (slice.name, source);
        let call = *self.known.entry(key).or_insert(self.calls.len());
        if call == self.calls.len() {
            let (sent, received) = Default::default();
            let (name, calls, time, longest) = (slice.name, 0, 0, 0);
            self.calls.push(CallSums { name, source, group, calls, time, longest, sent, received });
        }
        if let Some(sums) = self.calls.get_mut(call) {
            sums.calls += if slice.resumed || !counts { 0 } else { calls_of(slice) };
        }
        let thread = t as usize;
        if self.open.len() <= thread {
            self.open.resize(thread + 1, None);
        }
        if let Some(open) = self.open.get_mut(thread) {
            *open = Some((call, at));
        }
    }

    /// The open call of a thread ends.
    pub(crate) fn ends(&mut self, t: ThreadRef, at: u64) {
        let Some((call, since)) = self.open.get_mut(t as usize).and_then(Option::take) else {
            return;
        };
        if let Some(sums) = self.calls.get_mut(call) {
            let time = at.saturating_sub(since);
            sums.time = sums.time.saturating_add(time);
            sums.longest = sums.longest.max(time);
        }
    }

    /// The open call of a thread sends or receives.
    pub(crate) fn transfers(&mut self, t: ThreadRef, event: &MpiEvent) {
        let open = self.open.get(t as usize).copied().flatten();
        let Some(sums) = open.and_then(|(call, _)| self.calls.get_mut(call)) else { return };
        match event {
            MpiEvent::Sent(message, _) => {
                sums.sent.add(message.bytes);
                self.sizes[bucket(message.bytes)].0 += 1;
            }
            MpiEvent::Received(message, _) => {
                sums.received.add(message.bytes);
                self.sizes[bucket(message.bytes)].1 += 1;
            }
            MpiEvent::Collective(operation) | MpiEvent::CollectivePosted(operation, _) => {
                sums.sent.bytes = sums.sent.bytes.saturating_add(operation.sent);
                sums.received.bytes = sums.received.bytes.saturating_add(operation.received);
            }
            MpiEvent::Accessed(access) | MpiEvent::AccessPosted(access) => {
                let (given, taken) = access.given_and_taken();
                sums.sent.bytes = sums.sent.bytes.saturating_add(given);
                sums.received.bytes = sums.received.bytes.saturating_add(taken);
            }
            MpiEvent::ObjectMade(..)
            | MpiEvent::AccessComplete(_)
            | MpiEvent::AccessTested(_)
            | MpiEvent::AccessCancelled(_)
            | MpiEvent::ObjectCall(_)
            | MpiEvent::SendComplete(_)
            | MpiEvent::ReceivePosted(_)
            | MpiEvent::CollectiveComplete(..)
            | MpiEvent::Tested(_)
            | MpiEvent::Cancelled(_)
            | MpiEvent::Freed(_) => {}
        }
    }
}

/// The calls that a slice stands for: a run of polls is one slice.
fn calls_of(slice: &Slice<'_>) -> u64 {
    let count = slice.args.iter().find(|arg| arg.key == ArgKey::Count);
    match count.map(|count| count.value) {
        Some(ArgValue::Number(count)) => count,
        _ => 1,
    }
}

impl MessageSums {
    fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// The index of a size: that of the smallest power of two that is not less.
fn bucket(bytes: u64) -> usize {
    match bytes {
        0 => 0,
        bytes => 1 + (u64::BITS - (bytes - 1).leading_zeros()) as usize,
    }
}

/// The largest size with an index.
fn up_to(bucket: usize) -> u64 {
    match bucket {
        0 => 0,
        bucket => 1_u64.checked_shl(bucket as u32 - 1).unwrap_or(u64::MAX),
    }
}

/// The part of a report that is about MPI; `None`: nothing of it was recorded.
pub(crate) fn report(sink: &ReportSink) -> Option<MpiReport> {
    let sums = &sink.mpi;
    let is_in_window = |call: &&CallSums| call.calls > 0 || call.time > 0;
    let mut calls: Vec<_> = sums.calls.iter().filter(is_in_window).collect();
    calls.sort_by_key(|call| (Reverse((call.time, call.calls)), call.name, call.source));
    let call = |call: &&CallSums| MpiCallReport {
        function: sink.construct_table.text(call.name).to_owned(),
        state: State::of_mpi(call.group).name(),
        location: sink.construct_table.site(call.source),
        calls: call.calls,
        time_ns: call.time,
        longest_ns: call.longest,
        sent: call.sent,
        received: call.received,
    };
    let sizes = sums.sizes.iter().enumerate().filter(|(_, counts)| **counts != (0, 0));
    let size = |(bucket, &(sent, received)): (usize, &(u64, u64))| MessageSizes {
        up_to_bytes: up_to(bucket),
        sent,
        received,
    };
    (!calls.is_empty()).then(|| MpiReport {
        calls_in_all: calls.iter().map(|call| call.calls).sum(),
        time_ns: calls.iter().map(|call| call.time).sum(),
        calls: calls.iter().take(MAX_REPORTED).map(call).collect(),
        message_sizes: sizes.map(size).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_to_powers_of_two() {
        let rounded =
            [0, 1, 2, 3, 4, 5, 1 << 40, (1 << 40) + 1, u64::MAX].map(|bytes| up_to(bucket(bytes)));
        assert_eq!(rounded, [0, 1, 2, 4, 4, 8, 1 << 40, 1 << 41, u64::MAX]);
    }
}
