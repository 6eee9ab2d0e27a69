//! Target constructs, data operations and submissions, in both forms of the events.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::Subject;
use crate::out::{Details, address, number};
use crate::state::thread::OpenSlice;
use ompttrace_model::ompt::{self, DataOp};
use ompttrace_model::{Arg, ArgKey, InstantKind, SliceKind};
use ompttrace_recording::Scope;
use ompttrace_recording::events::{
    Target, TargetDataOp, TargetDataOpEmi, TargetEmi, TargetSubmit, TargetSubmitEmi,
};
use ompttrace_recording::words::KIND_MASK;

impl Interpreter<'_> {
    pub(super) fn target_emi(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &TargetEmi,
    ) -> Outcome {
        let TargetEmi { code, kind, device, target, .. } = *event;
        self.construct(
            t,
            at,
            scope,
            Code::new(code, kind),
            (kind & KIND_MASK).into(),
            device,
            target,
        )
    }

    pub(super) fn target(&mut self, t: u32, at: u64, scope: Scope, event: &Target) -> Outcome {
        let Target { code, kind, device, target, .. } = *event;
        self.construct(
            t,
            at,
            scope,
            Code::new(code, kind),
            (kind & KIND_MASK).into(),
            device,
            target,
        )
    }

    #[allow(clippy::too_many_arguments, reason = "the fields that both forms share")]
    fn construct(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        code: Code,
        kind: ompt::Target,
        device: u64,
        target: u64,
    ) -> Outcome {
        let slice = SliceKind::Target(kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(slice), code);
        let args = [device_arg(ArgKey::Device, device), number(ArgKey::Target, target)];
        let open = OpenSlice { code, ..OpenSlice::new(slice, named) };
        self.scoped(t, at, scope, open, Details::args(&args), |open| open == slice)
    }

    pub(super) fn data_op_emi(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &TargetDataOpEmi,
    ) -> Outcome {
        let TargetDataOpEmi {
            code,
            kind,
            target,
            host_op,
            src,
            dest,
            src_device,
            dest_device,
            bytes,
            ..
        } = *event;
        let old =
            TargetDataOp { code, kind, target, host_op, src, dest, src_device, dest_device, bytes };
        self.data_op(t, at, scope, &old)
    }

    pub(super) fn data_op(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &TargetDataOp,
    ) -> Outcome {
        let (kind, code) =
            (DataOp::from(event.kind & KIND_MASK), Code::new(event.code, event.kind));
        let slice = SliceKind::DataOp(kind);
        let named = self.names.at(&mut self.out.to.definitions, Subject::Slice(slice), code);
        let args = [
            number(ArgKey::Target, event.target),
            number(ArgKey::HostOp, event.host_op),
            address(ArgKey::Source, event.src),
            device_arg(ArgKey::SourceDevice, event.src_device),
            address(ArgKey::Destination, event.dest),
            device_arg(ArgKey::DestinationDevice, event.dest_device),
            number(ArgKey::Bytes, event.bytes),
        ];
        if scope == Scope::None {
            return self.simple(t, at, InstantKind::DataOp, named, &args);
        }
        let open = OpenSlice::new(slice, named);
        let flow = self.flow_of_operation(t, scope, event.host_op);
        let details = Details { args: &args, flows: flow.as_slice(), ..Details::default() };
        self.scoped(t, at, scope, open, details, |open| open == slice)
    }

    fn flow_of_operation(&mut self, t: u32, scope: Scope, host_op: u64) -> Option<u64> {
        if scope == Scope::Begin { self.activities.begin_flow(host_op, t) } else { None }
    }

    pub(super) fn submit_emi(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &TargetSubmitEmi,
    ) -> Outcome {
        let TargetSubmitEmi { target, host_op, teams } = *event;
        self.submit(t, at, scope, &TargetSubmit { target, host_op, teams })
    }

    pub(super) fn submit(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        event: &TargetSubmit,
    ) -> Outcome {
        let named = self.names.at(
            &mut self.out.to.definitions,
            Subject::Slice(SliceKind::Submit),
            Code::default(),
        );
        let args = [
            number(ArgKey::Target, event.target),
            number(ArgKey::HostOp, event.host_op),
            number(ArgKey::Teams, event.teams),
        ];
        if scope == Scope::None {
            return self.simple(t, at, InstantKind::Submit, named, &args);
        }
        let open = OpenSlice::new(SliceKind::Submit, named);
        let flow = self.flow_of_operation(t, scope, event.host_op);
        let details = Details { args: &args, flows: flow.as_slice(), ..Details::default() };
        self.scoped(t, at, scope, open, details, |open| open == SliceKind::Submit)
    }
}

/// A device's number; sources count with sign in 32 bits.
fn device_arg(key: ArgKey, device: u64) -> Arg {
    Arg { key, value: ompttrace_model::ArgValue::Signed(i64::from(device as u32 as i32)) }
}
