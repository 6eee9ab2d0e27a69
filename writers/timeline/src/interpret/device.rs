//! Devices, errors and target maps: instants with a text or a list, a few in a run.

mod activity;

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::{NameAndSource, Subject};
use crate::out::{address, number, word};
use crate::state::pending::{Gather, Pending};
use ompttrace_model::ompt::Severity;
use ompttrace_model::{Arg, ArgKey, InstantKind};
use ompttrace_recording::events::{
    DeviceFinalize, DeviceInitialize, DeviceLoad, DeviceNative, DeviceUnload, Error,
};
use ompttrace_recording::words::KIND_MASK;

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
