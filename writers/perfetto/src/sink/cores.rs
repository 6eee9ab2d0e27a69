//! The stays of threads on cores, from which viewers draw the machine's cores and the state of each thread.
//!
//! Only the process's own threads are known: in between a core seems to idle, whatever ran on it. Of several processes in
//! one trace the stays are put together first, as [`SharedCores`].

use std::io::Write;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use ompttrace_model::{Core, FastMap, RunInfo, ThreadRef};
use ompttrace_perfetto_protos::{ProcessTree, trace_packet::Data};

use super::process::{self, thread_id};
use super::switches::{EndState, Stay, Switches};
use super::texts::TraceTexts;
use crate::Error;
use crate::encode::{Options, Packets, SwitchEvents, Texts};

/// Switches of a core that are written as one packet.
const BUNDLE: usize = 256;

/// The cores of processes that ran on one machine: their clocks agree within less than a microsecond each, so the order
/// of threads on a core is determined for all together.
///
/// Holds 32 bytes for each time that a thread was on a core.
#[derive(Clone, Debug, Default)]
pub struct SharedCores(Arc<Mutex<Vec<Stay>>>);

impl SharedCores {
    /// Appends the switches of the sinks that share these cores ([`super::PerfettoSink::beside`]), as packets that may
    /// follow any trace.
    pub fn write(&self, writer: &mut dyn Write) -> Result<(), Error> {
        let mut stays = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        stays.sort_unstable_by_key(|stay| (stay.core, stay.from, stay.to));
        let mut out = Packets::new(writer, TraceTexts::new(), Options::default());
        let mut cores = Machine::default();
        stays.into_iter().for_each(|stay| cores.add(&mut out, stay));
        cores.finish(&mut out);
        out.finish().map(drop)
    }

    /// Adds those of other sinks.
    pub fn take(&self, other: &SharedCores) {
        let mut stays = mem::take(&mut *other.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.add(&mut stays);
    }

    fn add(&self, stays: &mut Vec<Stay>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).append(stays);
    }
}

/// The cores of a machine, as far as they are known.
#[derive(Debug, Default)]
struct Machine(FastMap<u32, (Switches, SwitchEvents)>);

impl Machine {
    fn add<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>, stay: Stay) {
        let (switches, unwritten) = self.0.entry(stay.core).or_default();
        switches.add(stay, unwritten);
        if unwritten.count() >= BUNDLE {
            out.switches(stay.core, unwritten);
        }
    }

    fn finish<W: Write, T: Texts>(self, out: &mut Packets<W, T>) {
        let mut cores: Vec<_> = self.0.into_iter().collect();
        cores.sort_unstable_by_key(|(core, _)| *core);
        for (core, (switches, mut unwritten)) in cores {
            switches.finish(&mut unwritten);
            out.switches(core, &mut unwritten);
        }
    }
}

/// The cores that the threads of one process have, as far as they are known, and the stays that are not yet written.
#[derive(Debug, Default)]
pub(super) struct Cores {
    /// CLOCK_BOOTTIME less the clock of all other times, nanoseconds.
    boottime_offset: u64,
    threads: Vec<Thread>,
    /// The thread on each core.
    users: FastMap<u32, ThreadRef>,
    machine: Machine,
    /// For a trace of several processes the cores that they share, and the stays that are next to be added there.
    shared: Option<(SharedCores, Vec<Stay>)>,
    /// The names of the threads, until they are written.
    names: Option<ProcessTree>,
}

/// A thread, and the core that it has or had last.
#[derive(Debug)]
struct Thread {
    /// The kernel's id of it.
    id: i32,
    /// The core that it has, and since when.
    on: Option<(u32, u64)>,
    /// The core that it was seen to leave, when and how, while it has none.
    left: Option<(u32, u64, EndState)>,
}

impl Cores {
    /// Cores of a process that are written together with those of other processes.
    pub(super) fn beside(shared: &SharedCores) -> Cores {
        Cores { shared: Some((shared.clone(), Vec::new())), ..Cores::default() }
    }

    /// The threads of the run, none of which is known to have a core.
    pub(super) fn start(&mut self, run: &RunInfo<'_>) {
        self.boottime_offset = run.facts.clock.boottime_offset;
        let id = |info| i32::try_from(thread_id(info)).unwrap_or(i32::MAX);
        let thread = |info| Thread { id: id(info), on: None, left: None };
        self.threads = run.threads.iter().map(thread).collect();
        self.names = Some(process::threads(run));
    }

    /// A thread gets a core, or loses the one that it has.
    pub(super) fn change<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        thread: ThreadRef,
        core: Core,
    ) {
        if let Some(names) = self.names.take() {
            out.cold(Data::ProcessTree(names));
        }
        let at = at.wrapping_add(self.boottime_offset);
        let now = if let Core::On(core) = core { Some(core) } else { None };
        let has = self.threads.get(thread as usize).and_then(|thread| thread.on);
        if has.is_some_and(|(core, _)| now == Some(core)) {
            return;
        }
        if has.is_none() && core == Core::Unknown {
            return self.unseen(out, at, thread);
        }
        let (until, left) = match core {
            Core::Blocked(_) => (at, EndState::Asleep),
            Core::Preempted(_) => (at, EndState::Runnable),
            Core::Unknown => (at, EndState::Unknown),
            // It was not seen to leave the other core; at one time readers take the two in any order.
            Core::On(_) => (at.saturating_sub(1), EndState::Unknown),
        };
        self.leaves(out, until, thread, left);
        if let Some(core) = now {
            // The thread on the core was not seen to leave.
            if let Some(&before) = self.users.get(&core) {
                self.leaves(out, at, before, EndState::Unknown);
            }
            self.users.insert(core, thread);
            if let Some(thread) = self.threads.get_mut(thread as usize) {
                (thread.on, thread.left) = (Some((core, at)), None);
            }
        }
    }

    /// Recording of a thread stopped after the thread was seen to leave its core. Viewers would show it runnable or
    /// asleep until it is seen again, a second later or at the end: a stay of one nanosecond on its core, if that is
    /// free, is written so that they show its state as unknown.
    fn unseen<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>, at: u64, thread: ThreadRef) {
        let Some(Thread { id, left, .. }) = self.threads.get_mut(thread as usize) else { return };
        let (id, left) = (*id, left.take());
        let Some((core, since, left)) = left else { return };
        // The end of a thread is the last that is seen of it, and looks as if it slept.
        let ends = left == EndState::Asleep && since == at;
        if !ends && !self.users.contains_key(&core) {
            let from = at.max(since.saturating_add(1));
            let (to, left) = (from.saturating_add(1), EndState::Unknown);
            self.add(out, Stay { core, thread: id, from, to, left });
        }
    }

    /// A thread leaves the core that it has, if any.
    fn leaves<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        thread: ThreadRef,
        left: EndState,
    ) {
        let Some(Thread { id, on, left: off }) = self.threads.get_mut(thread as usize) else {
            return;
        };
        if let Some((core, from)) = on.take() {
            *off = (left != EndState::Unknown).then_some((core, at, left));
            // Where nothing is known from the last switch on, only a stay that lasts has viewers show that.
            let shortest = u64::from(left == EndState::Unknown);
            let stay =
                Stay { core, thread: *id, from, to: at.max(from.saturating_add(shortest)), left };
            self.users.remove(&core);
            self.add(out, stay);
        }
    }

    fn add<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>, stay: Stay) {
        match &mut self.shared {
            None => self.machine.add(out, stay),
            Some((shared, stays)) => {
                stays.push(stay);
                if stays.len() >= BUNDLE {
                    shared.add(stays);
                }
            }
        }
    }

    /// The run is over, at `end`: a thread that has a core then is not seen to lose it.
    pub(super) fn finish<W: Write, T: Texts>(mut self, out: &mut Packets<W, T>) {
        for Thread { id, on, .. } in mem::take(&mut self.threads) {
            if let Some((core, from)) = on {
                self.add(
                    out,
                    Stay { core, thread: id, from, to: u64::MAX, left: EndState::Runnable },
                );
            }
        }
        if let Some((shared, mut stays)) = self.shared {
            shared.add(&mut stays);
        }
        self.machine.finish(out);
    }
}
