//! Records of calls. The records that belong to a call come before that of its begin or its end, so that readers of
//! that record have all of them; both are stored together.

use crate::late;
use core::ffi::c_char;
use ompttrace_life::Origin;
use ompttrace_mpi_interface::{Clock, MemberRun, World};
use ompttrace_recorder::{Group, group, put, put_group};
use ompttrace_recording::events::{
    EventCode, MpiAccess, MpiClock, MpiCollective, MpiCommunicator, MpiDone, MpiEnter, MpiLeave,
    MpiLeft, MpiMembers, MpiName, MpiObject, MpiPost, MpiReceive, MpiReceived, MpiRequest, MpiSend,
    MpiWorld, Scope,
};

macro_rules! code {
    ($event:ident) => {
        const { EventCode::new($event::NUMBER, Scope::None) }
    };
}
pub(crate) use code;

/// Defines functions of the interface that store a few records together. Without room a function is left at once for one that is
/// given the same arguments: those are in registers, so that nothing is stored for it.
macro_rules! reports {
    ($(
        $(#[$attribute:meta])*
        $name:ident($($arg:ident: $type:ty),*) as $event:ident, |$group:ident| $body:expr;
    )*) => {$(
        $(#[$attribute])*
        pub(crate) extern "C" fn $name($($arg: $type),*) {
            #[inline(always)]
            fn store($group: Group, $($arg: $type),*) {
                $body.commit();
            }
            #[cold]
            #[inline(never)]
            fn store_without_room($($arg: $type),*) {
                put_group(code!($event), |group| store(group, $($arg),*));
            }
            match group() {
                Some(group) => store(group, $($arg),*),
                None => store_without_room($($arg),*),
            }
        }
    )*};
}

reports! {
    /// Records that a call begins.
    enter(code: u64, function: u32, communicator: u64) as MpiEnter, |group| {
        group.add(code!(MpiEnter), entered(code, function, communicator))
    };

    /// Records a message that is sent, and the begin of the call.
    enter_send(code: u64, function: u32, communicator: u64, at: u64, bytes: u64) as MpiEnter, |group| {
        let (peer, tag) = halves(at);
        group
            .add(code!(MpiSend), MpiSend { peer, tag, bytes })
            .add(code!(MpiEnter), entered(code, function, communicator))
    };

    /// Records a message that is to be received, and the begin of the call.
    enter_receive(code: u64, function: u32, communicator: u64, at: u64, bytes: u64) as MpiEnter, |group| {
        let (peer, tag) = halves(at);
        group
            .add(code!(MpiReceive), MpiReceive { peer, tag, bytes })
            .add(code!(MpiEnter), entered(code, function, communicator))
    };

    /// Records a collective operation, and the begin of the call.
    enter_collective(
        code: u64, function: u32, communicator: u64, root: u32, given: u64, taken: u64
    ) as MpiEnter, |group| {
        group
            .add(code!(MpiCollective), MpiCollective { root: root.into(), flags: 0, given, taken })
            .add(code!(MpiEnter), entered(code, function, communicator))
    };

    /// Records an access to a window or a file, and the begin of the call.
    enter_access(code: u64, function: u32, object: u64, at: u64, bytes: u64) as MpiEnter, |group| {
        let (peer, flags) = halves(at);
        group
            .add(code!(MpiAccess), MpiAccess { peer, flags, bytes })
            .add(code!(MpiEnter), entered(code, function, object))
    };

    /// Records the one request that a call is given, and its begin.
    enter_wait(code: u64, function: u32, request: u64) as MpiEnter, |group| {
        group
            .add(code!(MpiRequest), MpiRequest { request, index: 0 })
            .add(code!(MpiEnter), entered(code, function, 0))
    };

    /// Records a request that the next call is given.
    request(request: u64, index: u32) as MpiRequest, |group| {
        group.add(code!(MpiRequest), MpiRequest { request, index: index.into() })
    };

    /// Records the message that a call has received, and its end.
    leave_received(at: u64, bytes: u64) as MpiLeft, |group| {
        let (peer, tag) = halves(at);
        group.add(code!(MpiReceived), MpiReceived { peer, tag, bytes }).add(code!(MpiLeft), MpiLeft {})
    };

    /// Records the request that a call has made, and its end.
    leave_posted(request: u64, kind: u32) as MpiLeft, |group| {
        group
            .add(code!(MpiPost), MpiPost { request, kind: kind.into() })
            .add(code!(MpiLeft), MpiLeft {})
    };

    /// Records that a request is complete, and the end of the call.
    leave_done(index: u32, flags: u32, at: u64, bytes: u64) as MpiLeft, |group| {
        group.add(code!(MpiDone), is_done(index, flags, at, bytes)).add(code!(MpiLeft), MpiLeft {})
    };

    /// Records that a request is complete.
    done(index: u32, flags: u32, at: u64, bytes: u64) as MpiDone, |group| {
        group.add(code!(MpiDone), is_done(index, flags, at, bytes))
    };
}

#[inline(always)]
pub(crate) fn entered(code: u64, function: u32, communicator: u64) -> MpiEnter {
    MpiEnter { code, kind: function.into(), communicator }
}

pub(crate) extern "C" fn leave(function: u32, result: u32) {
    if result == 0 {
        put(code!(MpiLeft), MpiLeft {});
    } else {
        put(code!(MpiLeave), MpiLeave { function: function.into(), result: result.into() });
    }
}

#[inline(always)]
fn is_done(index: u32, flags: u32, at: u64, bytes: u64) -> MpiDone {
    let (peer, tag) = halves(at);
    MpiDone { index: index.into(), flags: flags.into(), peer, tag, bytes }
}

/// Two numbers that are combined in one argument.
#[inline(always)]
fn halves(both: u64) -> (u64, u64) {
    (both & u64::from(u32::MAX), both >> 32)
}

pub(crate) extern "C" fn world(found: &World) {
    if !late::keeps_world(found) {
        put_world(found);
    }
}

pub(crate) fn put_world(found: &World) {
    let World { rank, size, level, abi, world, itself } = *found;
    let [rank, size, level, abi] = [rank, size, level, abi].map(u64::from);
    put(code!(MpiWorld), MpiWorld { rank, size, level, abi, world, itself });
}

pub(crate) extern "C" fn clock(compared: &Clock) {
    if !late::keeps_clock(compared) {
        put_clock(compared);
    }
}

pub(crate) fn put_clock(compared: &Clock) {
    let Clock { reference, measured_by, time, offset, error, rounds } = *compared;
    let [reference, measured_by, rounds] = [reference, measured_by, rounds].map(u64::from);
    let offset = offset as u64;
    put(code!(MpiClock), MpiClock { reference, measured_by, time, offset, error, rounds });
}

pub(crate) extern "C" fn members(run: &MemberRun) {
    let MemberRun { first, count, stride, group } = *run;
    let [first, count, stride, group] = [first, count, stride as u32, group].map(u64::from);
    put(code!(MpiMembers), MpiMembers { first, count, stride, group });
}

pub(crate) extern "C" fn name(handle: u64, name: *const c_char) {
    put_name(handle, text(&name));
}

/// The first bytes of a C string, as many as a record has; none of a null pointer.
fn text(name: &*const c_char) -> &[u8] {
    if name.is_null() {
        return &[];
    }
    // SAFETY: the program's C string, which outlives the call that it is an argument of; no byte after its end is read.
    unsafe {
        let bytes = libc::strnlen(*name, MpiName::LONGEST as usize);
        core::slice::from_raw_parts((*name).cast::<u8>(), bytes)
    }
}

fn put_name(handle: u64, text: &[u8]) {
    for (part, at) in text.chunks(MpiName::TEXT_BYTES).zip((0..).step_by(MpiName::TEXT_BYTES)) {
        put(code!(MpiName), MpiName::part(handle, part, at, text.len() as u64));
    }
}

pub(crate) extern "C" fn communicator(handle: u64, parent: u64, size: u32, rank: u32) {
    let (size, rank) = (size.into(), rank.into());
    put(code!(MpiCommunicator), MpiCommunicator { handle, parent, size, rank });
}

pub(crate) extern "C" fn object(handle: u64, communicator: u64, what: u64, name: *const c_char) {
    let ((kind, mode), text) = (halves(what), text(&name));
    let bytes = text.len() as u64;
    put(code!(MpiObject), MpiObject { handle, communicator, kind, mode, bytes });
    put_name(handle, text);
}

/// Carries out MPI_Pcontrol: level 0 pauses, 1 starts, 2 flushes; other levels belong to the program.
pub(crate) extern "C" fn control(level: u32) {
    const PAUSE: u64 = 2;
    const START: u64 = 1;
    const FLUSH: u64 = 3;
    let command = match level {
        0 => PAUSE,
        1 => START,
        2 => FLUSH,
        _ => return,
    };
    ompttrace_life::carry_out(command, 0, Origin::MpiPcontrol);
}
