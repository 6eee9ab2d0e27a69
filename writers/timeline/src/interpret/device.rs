//! Devices, errors and target maps: instants with a text or a list, a few in a run; and what devices did.

use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::names::{NameAndSource, Subject};
use crate::out::{Details, address, number, word};
use crate::state::activities::Activities;
use crate::state::pending::{Gather, Pending};
use crate::state::thread::OpenSlice;
use ompttrace_model::ompt::{self, Severity};
use ompttrace_model::{Arg, ArgKey, InstantKind, OnDevice, SliceKind};
use ompttrace_recording::Scope;
use ompttrace_recording::device_records::kind;
use ompttrace_recording::events::{
    DeviceActivity, DeviceFinalize, DeviceInitialize, DeviceLoad, DeviceNative, DeviceUnload, Error,
};
use ompttrace_recording::words::KIND_MASK;
use std::collections::HashMap;

impl<'a> Interpreter<'a> {
    /// Devices reported what they did, with these names of kernels.
    pub(crate) fn expect_activities(&mut self, kernels: &'a HashMap<u64, String>) {
        self.activities = Activities::named(kernels);
        for thread in &mut self.threads {
            thread.on_devices = Some(0);
        }
    }
}

impl Interpreter<'_> {
    pub(super) fn device_initialize(
        &mut self,
        t: u32,
        at: u64,
        event: &DeviceInitialize,
    ) -> Outcome {
        let named = self.plain("device initialize");
        let args = vec![number(ArgKey::Device, event.device)];
        self.gather(t, at, InstantKind::DeviceInitialize, named, args, event.text_bytes, 0)
    }

    pub(super) fn device_finalize(&mut self, t: u32, at: u64, event: &DeviceFinalize) -> Outcome {
        let named = self.plain("device finalize");
        let args = [number(ArgKey::Device, event.device)];
        self.simple(t, at, InstantKind::DeviceFinalize, named, &args)
    }

    pub(super) fn device_unload(&mut self, t: u32, at: u64, event: &DeviceUnload) -> Outcome {
        let named = self.plain("device unload");
        let module = number(ArgKey::Module, event.module);
        let args = [number(ArgKey::Device, event.device), module];
        self.simple(t, at, InstantKind::DeviceUnload, named, &args)
    }

    pub(super) fn device_native(&mut self, t: u32, at: u64, event: &DeviceNative) -> Outcome {
        let named = self.plain("device record");
        let kind = if event.kind == 1 { "information" } else { "event" };
        let args = vec![word(ArgKey::Kind, kind)];
        self.gather(t, at, InstantKind::Native, named, args, event.text_bytes, 0)
    }

    /// A device begins or ends something.
    pub(super) fn device_activity(
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
        let DeviceActivity { kind, detail, what, host_op, correlation } = *event;
        let activity = OnDevice::numbered(kind, detail);
        let slice = SliceKind::Device(activity);
        if scope == Scope::End {
            self.activity_is_over(t, at);
            return self.end_here(t, at, |open| open == slice);
        }
        let definitions = &mut self.out.to.definitions;
        let name = match activity {
            OnDevice::Kernel | OnDevice::Other => {
                let other = activity.name(detail);
                self.activities.kernel(&mut self.names, definitions, what, other)
            }
            other => self.names.word(definitions, other.name(detail)),
        };
        let named = NameAndSource { name, ..NameAndSource::default() };
        let own = match activity {
            OnDevice::Kernel | OnDevice::Other => None,
            OnDevice::Region => Some(number(ArgKey::Target, what)),
            _ => Some(number(ArgKey::Bytes, what)),
        };
        let correlation = Some(correlation).filter(|correlation| *correlation != 0);
        let host = Some(host_op).filter(|host_op| *host_op != 0);
        let args = [
            correlation.map(|correlation| number(ArgKey::Correlation, correlation)),
            own,
            host.map(|host_op| number(ArgKey::HostOp, host_op)),
        ];
        let args: Vec<_> = args.into_iter().flatten().collect();
        let call = correlation.and_then(|correlation| self.activities.flow_of_call(correlation));
        let cause = self.activities.end_flow(host_op).or(call);
        let flow = cause.map(|(flow, _)| flow);
        let details = Details { args: &args, flow_ends: flow.as_slice(), ..Details::default() };
        let outcome = self.open(t, at, OpenSlice::new(slice, named), details);
        // Of activities that overlap on one thread the last one counts.
        self.activity_is_over(t, at);
        if let Some((_, by)) = cause.filter(|_| matches!(outcome, Outcome::Interpreted)) {
            self.thread(t).caused_by = Some(by);
            self.count_on_devices(by, at, |count| count.saturating_add(1));
        }
        outcome
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

    pub(super) fn device_load(&mut self, t: u32, at: u64, event: &DeviceLoad) -> Outcome {
        let named = self.plain("device load");
        let args = vec![
            number(ArgKey::Device, event.device),
            number(ArgKey::Module, event.module),
            number(ArgKey::Bytes, event.bytes),
            address(ArgKey::Source, event.host),
            address(ArgKey::Destination, event.device_address),
        ];
        self.gather(t, at, InstantKind::DeviceLoad, named, args, event.text_bytes, 0)
    }

    pub(super) fn target_map(
        &mut self,
        t: u32,
        at: u64,
        code: Code,
        target: u64,
        count: u64,
    ) -> Outcome {
        let named = self.names.at(&mut self.out.to.definitions, Subject::TargetMap, code);
        let args = vec![number(ArgKey::Target, target), number(ArgKey::Count, count)];
        self.gather(t, at, InstantKind::TargetMap, named, args, 0, count)
    }

    pub(super) fn error(&mut self, t: u32, at: u64, event: &Error) -> Outcome {
        let severity = Severity::from(event.kind & KIND_MASK);
        let code = Code::new(event.code, event.kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Error(severity), code);
        let args = vec![word(ArgKey::Severity, severity.name())];
        self.gather(t, at, InstantKind::Error, named, args, event.text_bytes, 0)
    }

    /// An instant that waits for its text or list.
    #[allow(clippy::too_many_arguments, reason = "one call per event above")]
    fn gather(
        &mut self,
        t: u32,
        at: u64,
        kind: InstantKind,
        named: NameAndSource,
        args: Vec<Arg>,
        text_left: u64,
        items_left: u64,
    ) -> Outcome {
        if text_left == 0 && items_left == 0 {
            return self.simple(t, at, kind, named, &args);
        }
        let thread = self.thread(t);
        let gather = Gather::new(at, kind, named, thread.current);
        let gather = Gather { args, text_left, items_left, ..gather };
        thread.pending = Pending::Gather(Box::new(gather));
        Outcome::Interpreted
    }
}
