//! Who has which core: switches of the scheduler, from which viewers draw the machine's cores and the state of each
//! thread.
//!
//! Only the process's own threads are known: in between a core seems to idle, whoever had it.

use std::collections::HashMap;
use std::io::Write;

use ompttrace_model::{Core, RunInfo, ThreadRef};
use ompttrace_perfetto_protos::{
    FtraceEvent, FtraceEventBundle, ProcessTree, SchedSwitchFtraceEvent, trace_packet::Data,
};

use super::process::{self, thread_id};
use crate::encode::{Packets, Texts};

/// The thread of an idle core.
const IDLE: i32 = 0;
/// Why a thread left its core: it wants to run on, or it sleeps until something wakes it.
const RUNNABLE: i64 = 0;
const ASLEEP: i64 = 1;
/// The priority of threads without one of their own.
const PRIORITY: i32 = 120;
/// Switches of a core that are written as one packet.
const BUNDLE: usize = 256;

/// What is known of cores.
#[derive(Debug, Default)]
pub(super) struct Cores {
    /// CLOCK_BOOTTIME less the clock of all other times, nanoseconds.
    boottime_offset: u64,
    /// The kernel's id of each thread, and the core that it has.
    threads: Vec<(i32, Option<u32>)>,
    cores: HashMap<u32, Running>,
    /// The names of the threads, until they are written.
    names: Option<ProcessTree>,
}

/// One core.
#[derive(Debug, Default)]
struct Running {
    thread: Option<ThreadRef>,
    unwritten: Vec<FtraceEvent>,
}

impl Cores {
    /// The threads of a run, none of which is known to have a core.
    pub(super) fn new(run: &RunInfo<'_>) -> Cores {
        let boottime_offset = run.facts.clock.boottime_offset;
        let thread = |info| (i32::try_from(thread_id(info)).unwrap_or(i32::MAX), None);
        let threads = run.threads.iter().map(thread).collect();
        let names = Some(process::threads(run));
        Cores { boottime_offset, threads, names, ..Cores::default() }
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
        let Some(&(_, had)) = self.threads.get(thread as usize) else { return };
        let state = if let Core::Blocked(_) = core { ASLEEP } else { RUNNABLE };
        let now = if let Core::On(core) = core { Some(core) } else { None };
        if let Some(had) = had.filter(|had| now != Some(*had)) {
            self.switch(out, at, had, state, None);
        }
        if let Some(core) = now.filter(|core| had != Some(*core)) {
            self.switch(out, at, core, RUNNABLE, Some(thread));
        }
    }

    /// A core goes on with `next`, or with no thread of ours.
    fn switch<W: Write, T: Texts>(
        &mut self,
        out: &mut Packets<W, T>,
        at: u64,
        core: u32,
        state: i64,
        next: Option<ThreadRef>,
    ) {
        let running = self.cores.entry(core).or_default();
        let before = std::mem::replace(&mut running.thread, next);
        let mut id = |thread: Option<ThreadRef>, core: Option<u32>| {
            let known = thread.and_then(|thread| self.threads.get_mut(thread as usize));
            known.map_or(IDLE, |(id, has)| {
                *has = core;
                *id
            })
        };
        let (before, next) = (id(before, None), id(next, Some(core)));
        running.unwritten.push(FtraceEvent {
            timestamp: Some(at.wrapping_add(self.boottime_offset)),
            pid: Some(before as u32),
            sched_switch: Some(SchedSwitchFtraceEvent {
                prev_pid: Some(before),
                prev_prio: Some(PRIORITY),
                prev_state: Some(if before == IDLE { RUNNABLE } else { state }),
                next_pid: Some(next),
                next_prio: Some(PRIORITY),
                ..SchedSwitchFtraceEvent::default()
            }),
        });
        if running.unwritten.len() >= BUNDLE {
            write(out, core, &mut running.unwritten);
        }
    }

    /// The run is over.
    pub(super) fn finish<W: Write, T: Texts>(&mut self, out: &mut Packets<W, T>) {
        let mut cores: Vec<_> = self.cores.iter_mut().collect();
        cores.sort_unstable_by_key(|(core, _)| **core);
        for (core, running) in cores {
            write(out, *core, &mut running.unwritten);
        }
    }
}

fn write<W: Write, T: Texts>(out: &mut Packets<W, T>, core: u32, unwritten: &mut Vec<FtraceEvent>) {
    if !unwritten.is_empty() {
        let event = std::mem::take(unwritten);
        out.cold(Data::FtraceEvents(FtraceEventBundle { cpu: Some(core), event }));
    }
}
