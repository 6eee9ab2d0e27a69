//! A record for each thing that is reported. What belongs to a call comes before it or before its end, so that the
//! call's own record is complete for readers as it comes.

use ompttrace_life::Origin;
use ompttrace_mpi_interface::World;
use ompttrace_recorder::put;
use ompttrace_recording::events::{
    EventCode, MpiCollective, MpiCommunicator, MpiDone, MpiEnter, MpiLeave, MpiPost, MpiReceive,
    MpiReceived, MpiRequest, MpiSend, MpiWorld, Scope,
};

macro_rules! code {
    ($event:ident) => {
        const { EventCode::new($event::NUMBER, Scope::None) }
    };
}

pub(crate) extern "C" fn send(peer: u32, tag: u32, bytes: u64) {
    put(code!(MpiSend), MpiSend { peer: peer.into(), tag: tag.into(), bytes });
}

pub(crate) extern "C" fn receive(peer: u32, tag: u32, bytes: u64) {
    put(code!(MpiReceive), MpiReceive { peer: peer.into(), tag: tag.into(), bytes });
}

pub(crate) extern "C" fn collective(root: u32, given: u64, taken: u64) {
    put(code!(MpiCollective), MpiCollective { root: root.into(), flags: 0, given, taken });
}

pub(crate) extern "C" fn enter(code: u64, function: u32, communicator: u64) {
    put(code!(MpiEnter), MpiEnter { code, kind: function.into(), communicator });
}

pub(crate) extern "C" fn received(peer: u32, tag: u32, bytes: u64) {
    put(code!(MpiReceived), MpiReceived { peer: peer.into(), tag: tag.into(), bytes });
}

pub(crate) extern "C" fn post(request: u64, kind: u32) {
    put(code!(MpiPost), MpiPost { request, kind: kind.into() });
}

pub(crate) extern "C" fn request(request: u64, index: u32) {
    put(code!(MpiRequest), MpiRequest { request, index: index.into() });
}

pub(crate) extern "C" fn done(index: u32, peer: u32, tag: u32, bytes: u64) {
    let [index, peer, tag] = [index, peer, tag].map(u64::from);
    put(code!(MpiDone), MpiDone { index, flags: 0, peer, tag, bytes });
}

pub(crate) extern "C" fn leave(function: u32, result: u32) {
    put(code!(MpiLeave), MpiLeave { function: function.into(), result: result.into() });
}

pub(crate) extern "C" fn world(found: &World) {
    let World { rank, size, level, abi, world, itself } = *found;
    let [rank, size, level, abi] = [rank, size, level, abi].map(u64::from);
    put(code!(MpiWorld), MpiWorld { rank, size, level, abi, world, itself });
}

pub(crate) extern "C" fn communicator(handle: u64, parent: u64, size: u32, rank: u32) {
    let (size, rank) = (size.into(), rank.into());
    put(code!(MpiCommunicator), MpiCommunicator { handle, parent, size, rank });
}

/// MPI_Pcontrol: 0 pauses, 1 starts, 2 flushes; other levels are the program's own.
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
