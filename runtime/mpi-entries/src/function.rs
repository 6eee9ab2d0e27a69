//! Description of a function of MPI: its number, its names, the roles of its arguments, and the address of the real
//! function.

use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Position in [`Roles`] of a role that no argument has.
pub(crate) const NONE: u8 = u8::MAX;

/// Positions of arguments by their roles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Roles {
    pub(crate) communicator: u8,
    /// The address of a new communicator's handle.
    pub(crate) made: u8,
    /// The address of the handle of a communicator that is freed.
    pub(crate) freed: u8,
    pub(crate) destination: u8,
    pub(crate) source: u8,
    /// The rank whose window is accessed.
    pub(crate) target: u8,
    pub(crate) tag: u8,
    pub(crate) receive_tag: u8,
    pub(crate) root: u8,
    pub(crate) count: u8,
    pub(crate) datatype: u8,
    pub(crate) receive_count: u8,
    pub(crate) receive_datatype: u8,
    pub(crate) request: u8,
    pub(crate) requests: u8,
    pub(crate) flag: u8,
    pub(crate) status: u8,
}

impl Roles {
    pub(crate) const NONE: Roles = Roles {
        communicator: NONE,
        made: NONE,
        freed: NONE,
        destination: NONE,
        source: NONE,
        target: NONE,
        tag: NONE,
        receive_tag: NONE,
        root: NONE,
        count: NONE,
        datatype: NONE,
        receive_count: NONE,
        receive_datatype: NONE,
        request: NONE,
        requests: NONE,
        flag: NONE,
        status: NONE,
    };
}

/// Kind of a function, which determines the work besides reporting its calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Nothing,
    /// MPI_Init and MPI_Init_thread: facts on the process are known once they have ended.
    Init,
    /// MPI_Pcontrol, a command.
    Control,
    /// A point-to-point function: it sends or receives, or both.
    Message,
    /// A collective function.
    Collective,
    /// Access to a window or a file.
    Access,
    /// MPI_Start, MPI_Cancel, MPI_Request_free: the function changes the one request that is passed to it.
    Changes,
    /// A function that creates a communicator.
    Makes,
    /// A function that waits for requests.
    Waits(Waits),
    /// A function that tests requests; `None` for one that probes for a message or for something else.
    Polls(Option<Waits>),
}

/// The number of requests that a function waits for or tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// MPI_Wait, MPI_Test: one request.
    One,
    /// MPI_Waitany, MPI_Testany: one of a list.
    Any,
    /// MPI_Waitall, MPI_Testall: the whole list.
    All,
    /// MPI_Waitsome, MPI_Testsome: some of a list.
    Some,
}

/// A function of MPI.
pub(crate) struct Function {
    pub(crate) number: u32,
    pub(crate) roles: Roles,
    pub(crate) special: Special,
    /// True if the function creates a request, and true if that is a persistent one.
    pub(crate) posts: bool,
    pub(crate) is_persistent: bool,
    /// The function's own name, and the one by which tools call it (`PMPI_x`).
    pub(crate) names: [&'static CStr; 2],
    real: [AtomicPtr<()>; 2],
}

impl Function {
    pub(crate) const fn new(
        number: u32,
        names: [&'static str; 2],
        group: &str,
        roles: Roles,
    ) -> Function {
        let [name, profiled] = names;
        let special = special(name, group, &roles);
        let posts = roles.request != NONE && makes_requests(name, group);
        Function {
            number,
            roles,
            special,
            posts,
            is_persistent: ends_with(name, b"_init\0"),
            names: [c_name(name), c_name(profiled)],
            real: [const { AtomicPtr::new(core::ptr::null_mut()) }; 2],
        }
    }

    /// The real function of one of the two names; null if it is not known yet.
    #[inline(always)]
    pub(crate) fn known(&self, name: usize) -> *mut () {
        self.real.get(name).map_or(core::ptr::null_mut(), |real| real.load(Ordering::Relaxed))
    }

    /// Sets the address of the real function of a name.
    pub(crate) fn set(&self, name: usize, real: *mut ()) {
        if let Some(slot) = self.real.get(name) {
            slot.store(real, Ordering::Relaxed);
        }
    }
}

const fn c_name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}

pub(crate) const fn special(name: &str, group: &str, roles: &Roles) -> Special {
    match (name.as_bytes(), group.as_bytes()) {
        (b"MPI_Init\0" | b"MPI_Init_thread\0", _) => Special::Init,
        (b"MPI_Pcontrol\0", _) => Special::Control,
        (b"MPI_Test\0", _) => Special::Polls(Some(Waits::One)),
        (b"MPI_Testany\0", _) => Special::Polls(Some(Waits::Any)),
        (b"MPI_Testall\0", _) => Special::Polls(Some(Waits::All)),
        (b"MPI_Testsome\0", _) => Special::Polls(Some(Waits::Some)),
        (
            b"MPI_Iprobe\0" | b"MPI_Improbe\0" | b"MPI_Request_get_status\0" | b"MPI_Win_test\0",
            _,
        ) => Special::Polls(None),
        (_, b"PointToPoint")
            if roles.destination != NONE || roles.source != NONE || roles.status != NONE =>
        {
            Special::Message
        }
        (b"MPI_Imrecv\0", _) => Special::Message,
        (b"MPI_Wait\0", _) => Special::Waits(Waits::One),
        (b"MPI_Waitany\0", _) => Special::Waits(Waits::Any),
        (b"MPI_Waitall\0", _) => Special::Waits(Waits::All),
        (b"MPI_Waitsome\0", _) => Special::Waits(Waits::Some),
        (b"MPI_Start\0" | b"MPI_Cancel\0" | b"MPI_Request_free\0", _) => Special::Changes,
        (_, b"OneSided" | b"Io") if roles.target != NONE || roles.count != NONE => Special::Access,
        (_, b"Collective") => Special::Collective,
        (_, b"Other") if roles.made != NONE && roles.communicator != NONE => Special::Makes,
        _ => Special::Nothing,
    }
}

const fn makes_requests(name: &str, group: &str) -> bool {
    let is_start = matches!(name.as_bytes(), b"MPI_Start\0");
    matches!(group.as_bytes(), b"PointToPoint" | b"Collective" | b"Io" | b"OneSided") && !is_start
}

/// True if the two names are equal.
pub(crate) const fn is(name: &str, other: &[u8]) -> bool {
    name.len() == other.len() && ends_with(name, other)
}

const fn ends_with(name: &str, end: &[u8]) -> bool {
    let Some(start) = name.len().checked_sub(end.len()) else { return false };
    let (_, mut text) = name.as_bytes().split_at(start);
    let mut end = end;
    while let ([one, rest @ ..], [other, others @ ..]) = (text, end) {
        if *one != *other {
            return false;
        }
        (text, end) = (rest, others);
    }
    true
}
