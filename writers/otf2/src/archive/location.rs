//! One location's events on their way to its file: a session's numbers are replaced by the archive's.

use std::path::PathBuf;

use super::accesses::Accesses;
use super::encode::{DEVICE, Encoder, HOST};
use super::event_file::EventFile;
use super::names::{LastCreator, Names, own};
use super::number::Number;
use super::pipe::Context;
use crate::Error;
use crate::batch::{Batch, MpiRecord};
use crate::ids::TeamSlot;
use crate::op::{Attribute, ListRef, Op, Otf2Event};

/// Number of a location's events, and the time of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub events: u64,
    /// Time of the last event, in nanoseconds.
    pub last: u64,
}

/// Writes the events of one location.
#[derive(Debug)]
pub(super) struct Location {
    to: Encoder,
    /// Numbers of the windows that were created on this location, each for transfers with one device.
    windows: Vec<u32>,
    accesses: Accesses,
    /// True while the program has begun on this location and not ended.
    has_program: bool,
    /// Number of the metric instance whose values this location records, if it records one.
    metric: u32,
}

impl Location {
    pub(super) fn new(file: PathBuf, metric: u32) -> Location {
        let to = Encoder::new(EventFile::new(file));
        let (windows, accesses) = Default::default();
        Location { to, windows, accesses, has_program: false, metric }
    }

    pub(super) fn write(
        &mut self,
        batches: &[Batch],
        names: &Names,
        context: &Context,
    ) -> Result<(), Error> {
        let mut last = LastCreator::default();
        for Batch { ops, attributes, messages } in batches {
            for op in ops {
                self.write_one(op, (attributes, messages), (names, &mut last), context);
            }
        }
        self.to.check()
    }

    #[inline]
    fn write_one(
        &mut self,
        op: &Op,
        (attributes, messages): (&[Attribute], &[MpiRecord]),
        (names, last): (&Names, &mut LastCreator),
        context: &Context,
    ) {
        let (at, definitions) = (op.at, &names.definitions);
        match op.what {
            Otf2Event::Enter(region) => self.to.enter(at, definitions.region(region)),
            Otf2Event::Leave(region) => self.to.leave(at, definitions.region(region)),
            Otf2Event::EnterListed(region, list) => {
                if let Some(list) = definitions.lists.get(list as usize) {
                    self.to.enter_listed(at, definitions.region(region), list);
                }
            }
            Otf2Event::ThreadTaskSwitch(task) => self.to.switch_task(at, names.task(task, last)),
            Otf2Event::ThreadTaskCreate(task) => self.to.create_task(at, names.task(task, last)),
            Otf2Event::ThreadTaskComplete(task) => {
                self.to.complete_task(at, names.task(task, last))
            }
            Otf2Event::ThreadAcquireLock { lock, order } => {
                let (lock, order) = locked(names, lock, order);
                self.to.acquire_lock(at, lock, order)
            }
            Otf2Event::ThreadReleaseLock { lock, order } => {
                let (lock, order) = locked(names, lock, order);
                self.to.release_lock(at, lock, order)
            }
            Otf2Event::Unlock { region, lock, order } => {
                let region = definitions.region(region);
                let (lock, order) = locked(names, lock, order);
                self.to.enter(at, region);
                self.to.release_lock(at, lock, order);
                self.to.leave(at, region);
            }
            Otf2Event::EnterWith(region, list) => {
                let attributes = listed(names, attributes, list);
                self.to.enter_with(at, definitions.region(region), attributes);
            }
            Otf2Event::LeaveWith(region, list) => {
                let attributes = listed(names, attributes, list);
                self.to.leave_with(at, definitions.region(region), attributes);
            }
            Otf2Event::ParameterString(parameter, string) => {
                self.to.string(at, parameter, own(&definitions.strings, string))
            }
            Otf2Event::ParameterUnsigned(parameter, value) => {
                self.to.unsigned(at, parameter, value)
            }
            Otf2Event::Mpi(index) => {
                if let Some(record) = messages.get(index as usize) {
                    self.write_mpi(at.max(self.to.last()), record, names);
                }
            }
            // A session does not know the last event of the session before.
            _ => self.write_rare(at.max(self.to.last()), op, names, context),
        }
    }

    fn write_mpi(&mut self, at: u64, record: &MpiRecord, names: &Names) {
        self.to.mpi(at, record, |number: u32| own(&names.communicators, number));
        match record {
            MpiRecord::Event(event) => self.accesses.event(at, event, &mut self.to),
            MpiRecord::ObjectCallEnd(call) => self.accesses.end(at, call, &mut self.to),
            MpiRecord::CollectiveEnd(_) => {}
        }
    }

    #[cold]
    fn write_rare(
        &mut self,
        at: u64,
        &Op { at: transfer, what }: &Op,
        names: &Names,
        context: &Context,
    ) {
        let comm = |team: TeamSlot| names.comm_and_rank(team, 0).0;
        match what {
            Otf2Event::ThreadFork { requested } => self.to.fork(at, requested),
            Otf2Event::ThreadJoin => self.to.join(at),
            Otf2Event::ThreadTeamBegin { team, os_thread } => self.to.begin_team(
                at,
                comm(team),
                context.os_thread_attributes(os_thread).into_iter(),
            ),
            Otf2Event::ThreadTeamEnd { team } => self.to.end_team(at, comm(team)),
            Otf2Event::MissingPrimary { team, os_thread } => {
                if names.teams.get(team as usize).is_some_and(|team| team.lacks_primary) {
                    self.to.begin_team(
                        at,
                        comm(team),
                        context.os_thread_attributes(os_thread).into_iter(),
                    );
                    self.to.end_team(at, comm(team));
                }
            }
            Otf2Event::UnknownTaskCreate(index) => match names.earlier.get(index as usize) {
                Some(task) if task.is_unknown => self.to.create_task(at, task.name),
                _ => {}
            },
            Otf2Event::EarlierTaskComplete(index) => match names.earlier.get(index as usize) {
                Some(task) if !task.is_unknown => self.to.complete_task(at, task.name),
                _ => {}
            },
            Otf2Event::Metric { value } => self.to.metric(at, self.metric, value),
            Otf2Event::CallingContextSample { context } => {
                self.to.sample(at, own(&names.definitions.contexts, context))
            }
            Otf2Event::MeasurementOnOff(on) => self.to.measurement(at, on),
            Otf2Event::BufferFlush { until } => self.to.flush(at, until),
            Otf2Event::ProgramBegin { os_thread } => {
                if !names.begins_program {
                    return;
                }
                self.has_program = true;
                self.to.begin_program(
                    at,
                    context,
                    context.os_thread_attributes(os_thread).into_iter(),
                )
            }
            Otf2Event::ProgramEnd => {
                if std::mem::take(&mut self.has_program) {
                    self.to.end_program(at);
                }
            }
            Otf2Event::RmaPut { win, bytes } => {
                let win = self.window(at, win, names);
                self.to.put(at, (win, DEVICE), bytes, transfer)
            }
            Otf2Event::RmaGet { win, bytes } => {
                let win = self.window(at, win, names);
                self.to.get(at, (win, DEVICE), bytes, transfer)
            }
            Otf2Event::StreamPut { win, bytes } => {
                let win = self.window(at, win, names);
                self.to.put(at, (win, HOST), bytes, transfer)
            }
            Otf2Event::StreamGet { win, bytes } => {
                let win = self.window(at, win, names);
                self.to.get(at, (win, HOST), bytes, transfer)
            }
            Otf2Event::RmaComplete { win, transfer } => {
                self.to.complete_transfer(at, own(&names.definitions.devices, win), transfer)
            }
            // Written above.
            Otf2Event::Enter(_)
            | Otf2Event::Leave(_)
            | Otf2Event::EnterListed(..)
            | Otf2Event::EnterWith(..)
            | Otf2Event::LeaveWith(..)
            | Otf2Event::ThreadTaskCreate(_)
            | Otf2Event::ThreadTaskSwitch(_)
            | Otf2Event::ThreadTaskComplete(_)
            | Otf2Event::ThreadAcquireLock { .. }
            | Otf2Event::ThreadReleaseLock { .. }
            | Otf2Event::ParameterString(..)
            | Otf2Event::ParameterUnsigned(..)
            | Otf2Event::Unlock { .. }
            | Otf2Event::Mpi(_) => {}
        }
    }

    /// The window of a device, which is created with its first transfer.
    fn window(&mut self, at: u64, device: u32, names: &Names) -> u32 {
        let window = own(&names.definitions.devices, device);
        if !self.windows.contains(&window) {
            self.windows.push(window);
            self.to.create_window(at, window);
        }
        window
    }

    /// Ends the file; returns its number of events and the time of the last one.
    pub(super) fn close(mut self) -> Result<Count, Error> {
        let last = self.to.last();
        for window in std::mem::take(&mut self.windows) {
            self.to.destroy_window(last, window);
        }
        Ok(Count { events: self.to.close()?, last })
    }
}

#[inline(always)]
fn locked(names: &Names, lock: u32, order: u32) -> (Number, u32) {
    match names.locks.get(lock as usize) {
        Some(lock) => (lock.encoded, lock.order(order)),
        None => Default::default(),
    }
}

#[inline]
fn listed<'a>(
    names: &'a Names,
    attributes: &'a [Attribute],
    list: ListRef,
) -> impl ExactSizeIterator<Item = Attribute> {
    let attributes = attributes.get(list.range()).unwrap_or_default();
    attributes.iter().map(|attribute| names.definitions.attribute(*attribute))
}
