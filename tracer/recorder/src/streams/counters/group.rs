//! A thread's group of perf events, which are read all at once.
//!
//! As a guest: the descriptors lie high up, close on exec, and are at most half of what the process may have. Before
//! each reading the kernel is asked whether it is still our event: the program may have closed it and got the number
//! for a file of its own, from which nothing must be taken. A forked child inherits them and knows nothing of them.

use super::kinds::{Counted, Counters};
use super::own::Own;
use crate::host::descriptors::high_copy;
use crate::host::perf::{self, Attributes, SOFTWARE};
use crate::host::sync::Ordering;
use crate::host::system::limit;
use ompttrace_recording::settings::{CounterKind, MOST_COUNTERS, Origin};

/// Returns true if the counter exists here and counts the kernel's own work too, false if it does not count that;
/// otherwise the system's error number.
pub(super) fn probe(kind: &CounterKind) -> Result<bool, i32> {
    let Origin::Perf { kind, config } = kind.origin else { return Ok(true) };
    let open = |in_kernel| Attributes::of_counter(kind, config, in_kernel).open(None);
    let (opened, in_kernel) = match open(true) {
        // Software events count in kernel code.
        Err(libc::EACCES | libc::EPERM) if kind != SOFTWARE => (open(false), false),
        opened => (opened, true),
    };
    close(opened?);
    Ok(in_kernel)
}

/// Opens one event for each of the counters that are perf's; returns true if it could.
pub(super) fn open(counters: &Counters, own: &Own) -> bool {
    let perfs = counters.perfs();
    let open = counters.open.fetch_add(perfs, Ordering::Relaxed) + perfs;
    let mut attributes = counters.counted.iter().filter_map(attributes);
    let mut pairs = own.descriptors.iter().zip(&mut attributes);
    let is_open = open <= limit(libc::RLIMIT_NOFILE) / 2
        && pairs.all(|(descriptor_slot, attributes)| {
            let descriptor = open_high(&attributes, first(own));
            descriptor_slot
                .store(descriptor.map_or(0, |descriptor| descriptor as u64 + 1), Ordering::Relaxed);
            descriptor.is_some()
        });
    let id = first(own).and_then(perf::id);
    own.id.store(id.unwrap_or(0), Ordering::Relaxed);
    if !is_open || id.is_none() {
        close_all(counters, own);
    }
    is_open && id.is_some()
}

/// The values of the calling thread's group, by position among the counters that are perf's; `None`: it has none, or
/// the program has closed it.
pub(super) fn read(counters: &Counters, own: &Own) -> Option<[u64; MOST_COUNTERS]> {
    let first = first(own).filter(|first| is_ours(*first, own))?;
    let mut words = [0; 1 + MOST_COUNTERS];
    let filled = words.get_mut(..=counters.perfs() as usize)?;
    let [count, values @ ..] = (perf::read(first, filled)).then_some(words)?;
    (count == counters.perfs()).then_some(values)
}

/// Closes what the calling thread has open, as far as the program has not done so.
pub(super) fn close_all(counters: &Counters, own: &Own) {
    let is_ours = first(own).is_some_and(|first| is_ours(first, own));
    for descriptor_slot in &own.descriptors {
        let descriptor = descriptor_slot.swap(0, Ordering::Relaxed).checked_sub(1);
        let descriptor = descriptor.filter(|_| is_ours).map(|descriptor| descriptor as libc::c_int);
        descriptor.filter(|one| perf::id(*one).is_some()).into_iter().for_each(close);
    }
    counters.open.fetch_sub(counters.perfs(), Ordering::Relaxed);
}

fn first(own: &Own) -> Option<libc::c_int> {
    let [first, ..] = &own.descriptors;
    Some(first.load(Ordering::Relaxed).checked_sub(1)? as libc::c_int)
}

fn is_ours(first: libc::c_int, own: &Own) -> bool {
    perf::id(first) == Some(own.id.load(Ordering::Relaxed))
}

fn attributes(counted: &Counted) -> Option<Attributes> {
    let Origin::Perf { kind, config } = counted.kind.origin else { return None };
    Some(Attributes::of_counter(kind, config, counted.in_kernel))
}

fn open_high(attributes: &Attributes, group: Option<libc::c_int>) -> Option<libc::c_int> {
    let low = attributes.open(group).ok()?;
    let high = high_copy(low);
    close(low);
    high
}

fn close(descriptor: libc::c_int) {
    // SAFETY: a descriptor of our own.
    unsafe { libc::close(descriptor) };
}
