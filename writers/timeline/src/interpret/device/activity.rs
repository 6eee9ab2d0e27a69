//! Activities of devices' streams, events of unified memory, and waits of streams for events.

use crate::code::Code;
use crate::devices::Synchronizations;
use crate::interpret::{Interpreter, Outcome, Reason};
use crate::names::NameAndSource;
use crate::out::{Details, address, number, word};
use crate::state::activities::Activities;
use crate::state::thread::OpenSlice;
use ompttrace_model::{Arg, ArgKey, OnDevice, SliceKind, ThreadRef, ompt};
use ompttrace_recording::Scope;
use ompttrace_recording::device_records::{kind, unified};
use ompttrace_recording::events::DeviceActivity;
use std::collections::HashMap;

/// Causes of migrations, by CUpti_ActivityUnifiedMemoryMigrationCause.
const CAUSES: [&str; 6] =
    ["unknown", "user", "coherence", "prefetch", "eviction", "access counters"];
/// Accesses of devices, by CUpti_ActivityUnifiedMemoryAccessType.
const ACCESSES: [&str; 5] = ["unknown", "read", "write", "atomic", "prefetch"];
/// Causes of remote maps, by CUpti_ActivityUnifiedMemoryRemoteMapCause.
const MAP_CAUSES: [&str; 6] =
    ["unknown", "coherence", "thrashing", "policy", "out of memory", "eviction"];

impl<'a> Interpreter<'a> {
    /// Devices reported what they did, with these names of kernels.
    pub(crate) fn expect_activities(
        &mut self,
        kernels: &'a HashMap<u64, String>,
        synchronizations: &'a Synchronizations,
    ) {
        self.activities = Activities::known(kernels, synchronizations);
        for thread in &mut self.threads {
            thread.on_devices = Some(0);
        }
    }
}

/// The cause of an activity: the flow from there, and the thread.
type Cause = (u64, ThreadRef);

impl Interpreter<'_> {
    /// A device begins or ends something.
    pub(in crate::interpret) fn device_activity(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &DeviceActivity,
    ) -> Outcome {
        // Threads' own streams have none.
        if self.thread(t).kind != ompt::Thread::Device {
            return Outcome::Dropped(Reason::OtherStream);
        }
        // A thread that called CUDA has no records of its own.
        if event.kind == u64::from(kind::CALL) {
            return self.device_call(t, at, scope, event);
        }
        let activity = OnDevice::numbered(event.kind, event.detail);
        let slice = SliceKind::Device(activity);
        if scope == Scope::End {
            self.activity_is_over(t, at);
            return self.end_here(t, at, |open| open == slice);
        }
        if activity.is_unified() {
            return self.unified(t, at, activity, event);
        }
        let named =
            NameAndSource { name: self.activity_name(activity, event), ..NameAndSource::default() };
        let args = args(activity, event);
        let cause = self.cause(event);
        let flows = self.activities.begin_event_flows(event.correlation);
        let mut flow_ends = self.activities.end_event_flows(event.correlation);
        flow_ends.extend(cause.map(|(flow, _)| flow));
        let details =
            Details { args: &args, flows: &flows, flow_ends: &flow_ends, ..Details::default() };
        let outcome = self.open(t, at, OpenSlice::new(slice, named), details);
        // Of activities that overlap on one thread the last one counts.
        self.activity_is_over(t, at);
        // A stream that waits does nothing.
        let does = activity != OnDevice::WaitEvent && matches!(outcome, Outcome::Interpreted);
        if let Some((_, by)) = cause.filter(|_| does) {
            self.thread(t).caused_by = Some(by);
            self.count_on_devices(by, at, |count| count.saturating_add(1));
        }
        outcome
    }

    fn activity_name(&mut self, activity: OnDevice, event: &DeviceActivity) -> u32 {
        let (definitions, other) = (&mut self.out.to.definitions, activity.name(event.detail));
        match activity {
            OnDevice::Kernel | OnDevice::Other => {
                self.activities.kernel(&mut self.names, definitions, event.what, other)
            }
            _ => self.names.word(definitions, other),
        }
    }

    /// The operation or the call that caused an activity.
    fn cause(&self, event: &DeviceActivity) -> Option<Cause> {
        let call = Some(event.correlation).filter(|correlation| *correlation != 0);
        let call = call.and_then(|correlation| self.activities.flow_of_call(correlation));
        self.activities.end_flow(event.host_op).or(call)
    }

    /// Something happens to unified memory.
    fn unified(&mut self, t: u32, at: u64, activity: OnDevice, event: &DeviceActivity) -> Outcome {
        let definitions = &mut self.out.to.definitions;
        let source = match activity {
            // The instruction itself, while code addresses of constructs are those to which calls return.
            OnDevice::HostFault => {
                let code = Code { address: event.what.wrapping_add(1), function: false };
                self.names.source_location(definitions, code)
            }
            _ => 0,
        };
        let name = self.names.word(definitions, activity.name(event.detail));
        let args = unified_args(activity, event);
        let slice = OpenSlice::new(SliceKind::Device(activity), NameAndSource { name, source });
        self.open(t, at, slice, Details { args: &args, ..Details::default() })
    }

    /// The open activity of a stream ends.
    fn activity_is_over(&mut self, t: u32, at: u64) {
        if let Some(by) = self.thread(t).caused_by.take() {
            self.count_on_devices(by, at, |count| count.saturating_sub(1));
        }
    }

    /// Another number of activities goes on that a thread caused.
    fn count_on_devices(&mut self, by: u32, at: u64, count: impl FnOnce(u32) -> u32) {
        let on_devices = &mut self.thread(by).on_devices;
        *on_devices = on_devices.map(count);
        self.note_activity(by, at);
    }
}

fn args(activity: OnDevice, event: &DeviceActivity) -> Vec<Arg> {
    let DeviceActivity { what, host_op, correlation, .. } = *event;
    let is_there = |key: ArgKey, value: u64| (value != 0).then(|| number(key, value));
    let own = match activity {
        OnDevice::Kernel | OnDevice::Other => [None, None],
        OnDevice::Region => [Some(number(ArgKey::Target, what)), None],
        OnDevice::WaitEvent => [
            Some(number(ArgKey::Event, what & u64::from(u32::MAX))),
            Some(number(ArgKey::Recorder, what >> 32)),
        ],
        _ => [Some(number(ArgKey::Bytes, what)), None],
    };
    let [first, second] = own;
    let args = [
        is_there(ArgKey::Correlation, correlation),
        first,
        second,
        is_there(ArgKey::HostOp, host_op),
    ];
    args.into_iter().flatten().collect()
}

fn unified_args(activity: OnDevice, event: &DeviceActivity) -> Vec<Arg> {
    let DeviceActivity { what, host_op, correlation: count, detail, .. } = *event;
    let flags = unified::flags(detail) as usize;
    let one_of = |key: ArgKey, words: &[&'static str]| words.get(flags).map(|text| word(key, text));
    let value = match activity {
        OnDevice::Fault => Some(number(ArgKey::Groups, what)),
        OnDevice::HostFault | OnDevice::Throttling => None,
        _ => Some(number(ArgKey::Bytes, what)),
    };
    let reason = match activity {
        OnDevice::Fault => one_of(ArgKey::Access, &ACCESSES),
        OnDevice::RemoteMap => one_of(ArgKey::Cause, &MAP_CAUSES),
        OnDevice::MigrateToDevice | OnDevice::MigrateFromDevice => one_of(ArgKey::Cause, &CAUSES),
        OnDevice::Migrate => Some(number(ArgKey::SourceDevice, detail >> 16)),
        _ => None,
    };
    let args = [
        value,
        (host_op != 0).then(|| address(ArgKey::Address, host_op)),
        reason,
        (count > 1).then(|| number(ArgKey::Count, count)),
    ];
    args.into_iter().flatten().collect()
}
