//! Messages of ours between ranks: by functions of the library itself, in communicators that the program never sees.

use crate::abi::{self, Handle};
use crate::library;
use core::ffi::c_int;

type Split = extern "C" fn(usize, c_int, c_int, *mut usize) -> c_int;
type SetHandler = extern "C" fn(usize, usize) -> c_int;
type Free = extern "C" fn(*mut usize) -> c_int;
type Send = extern "C" fn(*const u64, c_int, usize, c_int, c_int, usize) -> c_int;
type Receive = extern "C" fn(*mut u64, c_int, usize, c_int, c_int, usize, usize) -> c_int;
type Broadcast = extern "C" fn(*mut u64, c_int, usize, c_int, usize) -> c_int;

/// MPI_UNDEFINED in every library.
const UNDEFINED: c_int = -32766;
const TAG: c_int = 1;

/// The library's functions.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    split: Split,
    set_handler: SetHandler,
    free: Free,
    send: Send,
    receive: Receive,
    broadcast: Broadcast,
}

/// A communicator of ours.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    communicator: usize,
    pub(crate) rank: u32,
    pub(crate) size: u32,
}

impl Exchange {
    pub(crate) fn find() -> Option<Exchange> {
        let symbols = [
            c"PMPI_Comm_split",
            c"PMPI_Comm_set_errhandler",
            c"PMPI_Comm_free",
            c"PMPI_Send",
            c"PMPI_Recv",
            c"PMPI_Bcast",
        ];
        let [split, set_handler, free, send, receive, broadcast] = symbols.map(library::symbol);
        // SAFETY: the functions' types in every MPI, with handles as machine words.
        unsafe {
            Some(Exchange {
                split: core::mem::transmute::<*mut (), Split>(split?),
                set_handler: core::mem::transmute::<*mut (), SetHandler>(set_handler?),
                free: core::mem::transmute::<*mut (), Free>(free?),
                send: core::mem::transmute::<*mut (), Send>(send?),
                receive: core::mem::transmute::<*mut (), Receive>(receive?),
                broadcast: core::mem::transmute::<*mut (), Broadcast>(broadcast?),
            })
        }
    }

    /// All ranks of the program.
    pub(crate) fn all(&self) -> Option<Group> {
        self.split_communicator(abi::own(Handle::World), Some(0))
    }

    /// The ranks of a group that give the same part; `None`: this one gives none, or there is an error.
    pub(crate) fn split(&self, group: Group, part: Option<u32>) -> Option<Group> {
        self.split_communicator(group.communicator, part)
    }

    fn split_communicator(&self, communicator: usize, part: Option<u32>) -> Option<Group> {
        let part = part.map_or(UNDEFINED, |part| (part & i32::MAX as u32) as c_int);
        let mut new = 0usize;
        // Ranks of a part stay in their order.
        let is_split = (self.split)(communicator, part, 0, &raw mut new) == 0;
        if !is_split || abi::handle(new) == abi::handle(abi::own(Handle::NoCommunicator)) {
            return None;
        }
        // An error of ours must not end the program.
        (self.set_handler)(new, abi::own(Handle::ErrorsReturn));
        let (rank, size) = crate::communicators::rank_and_size(new);
        Some(Group { communicator: new, rank, size })
    }

    pub(crate) fn free(&self, mut group: Group) {
        (self.free)(&raw mut group.communicator);
    }

    /// True once the words are sent to a rank of the group.
    pub(crate) fn send<const N: usize>(&self, group: &Group, to: u32, words: &[u64; N]) -> bool {
        let (byte, bytes) = (abi::own(Handle::Byte), size_of::<[u64; N]>() as c_int);
        (self.send)(words.as_ptr(), bytes, byte, to as c_int, TAG, group.communicator) == 0
    }

    /// Words from a rank of the group.
    pub(crate) fn receive<const N: usize>(&self, group: &Group, from: u32) -> Option<[u64; N]> {
        let (byte, bytes) = (abi::own(Handle::Byte), size_of::<[u64; N]>() as c_int);
        let (mut words, ignore) = ([0; N], abi::abi().status_ignore);
        let address = words.as_mut_ptr();
        let result =
            (self.receive)(address, bytes, byte, from as c_int, TAG, group.communicator, ignore);
        (result == 0).then_some(words)
    }

    /// The words of the group's first rank; `None`: there is an error.
    pub(crate) fn of_first<const N: usize>(
        &self,
        group: &Group,
        mut words: [u64; N],
    ) -> Option<[u64; N]> {
        let (byte, bytes) = (abi::own(Handle::Byte), size_of::<[u64; N]>() as c_int);
        let result = (self.broadcast)(words.as_mut_ptr(), bytes, byte, 0, group.communicator);
        (result == 0).then_some(words)
    }
}
