//! Description of a function of MPI: its number, its names, the roles of its arguments, and the address of the real
//! function.

use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, Ordering};
use ompttrace_recording::mpi::{is_persistent, makes_request};

/// Position in [`Roles`] of a role that no argument has.
pub(crate) const NONE: u8 = u8::MAX;

/// Positions of arguments by their roles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Roles {
    pub(crate) communicator: u8,
    /// The address of a new communicator's handle.
    pub(crate) made: u8,
    /// A window, or a file where the function is one of files.
    pub(crate) object: u8,
    /// The address of the handle of one that is made, and of one that is gone afterwards.
    pub(crate) made_object: u8,
    pub(crate) freed_object: u8,
    pub(crate) file_name: u8,
    /// The mode in which a file is opened.
    pub(crate) mode: u8,
    pub(crate) lock_type: u8,
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
    /// The address of an int that is 0 if nothing was found: a flag, or the number of requests that are complete.
    pub(crate) flag: u8,
    pub(crate) status: u8,
}

impl Roles {
    pub(crate) const NONE: Roles = Roles {
        communicator: NONE,
        made: NONE,
        object: NONE,
        made_object: NONE,
        freed_object: NONE,
        file_name: NONE,
        mode: NONE,
        lock_type: NONE,
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
    /// MPI_Finalize: what has to be done before it.
    Finalize,
    /// MPI_Pcontrol, a command.
    Control,
    /// A point-to-point function: it sends or receives, or both.
    Message,
    /// A collective function.
    Collective,
    /// Access to a window or a file.
    Access,
    /// The end of an access to a file that another function began.
    AccessEnd,
    /// A function that makes a window or opens a file.
    MakesObject,
    /// MPI_Start, MPI_Cancel, MPI_Request_free: the function changes the one request that is passed to it.
    Changes,
    /// A function that creates a communicator.
    Makes,
    /// MPI_Comm_set_name.
    Names,
    /// MPI_Startall: starts all requests of a list.
    StartsAll,
    /// Waits for requests.
    Waits(Waits),
    /// A function that tests requests; `None` for one that probes for a message or for something else.
    Polls(Option<Waits>),
}

impl Special {
    /// True for a function that has an effect on the recording also while nothing is recorded.
    pub(crate) const fn is_heeded(self) -> bool {
        matches!(self, Special::Init | Special::Finalize | Special::Control)
    }
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

/// Facts of a function. Its entry points have them as constants, so that a call looks nothing up.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    pub(crate) number: u32,
    pub(crate) roles: Roles,
    pub(crate) special: Special,
    /// True if the function creates a request, and true if that is a persistent one.
    pub(crate) posts: bool,
    pub(crate) is_persistent: bool,
    /// True if its counts are as large as an address, and not ints.
    pub(crate) has_large_counts: bool,
    /// True for a function of files.
    pub(crate) is_of_files: bool,
}

impl Facts {
    pub(crate) const fn new(number: u32, name: &str, group: &str, roles: Roles) -> Facts {
        Facts {
            number,
            roles,
            special: special(name, group, &roles),
            posts: makes_request(name, roles.request != NONE),
            is_persistent: is_persistent(name),
            has_large_counts: ends_with(name, b"_c\0"),
            is_of_files: matches!(group.as_bytes(), b"Io"),
        }
    }
}

/// A function of MPI.
pub(crate) struct Function {
    /// Its name, and the one that tools call it by.
    pub(crate) names: [&'static CStr; 2],
    real: [AtomicPtr<()>; 2],
}

impl Function {
    pub(crate) const fn new(names: [&'static str; 2]) -> Function {
        let [name, profiled] = names;
        Function {
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
        (b"MPI_Finalize\0", _) => Special::Finalize,
        (b"MPI_Pcontrol\0", _) => Special::Control,
        // Their counts are those of one partition of several.
        (b"MPI_Psend_init\0" | b"MPI_Precv_init\0", _) => Special::Nothing,
        (b"MPI_Comm_set_name\0", _) => Special::Names,
        (b"MPI_Startall\0", _) => Special::StartsAll,
        (b"MPI_Test\0", _) => Special::Polls(Some(Waits::One)),
        (b"MPI_Testany\0", _) => Special::Polls(Some(Waits::Any)),
        (b"MPI_Testall\0", _) => Special::Polls(Some(Waits::All)),
        (b"MPI_Testsome\0", _) => Special::Polls(Some(Waits::Some)),
        (
            b"MPI_Iprobe\0"
            | b"MPI_Improbe\0"
            | b"MPI_Request_get_status\0"
            | b"MPI_Request_get_status_any\0"
            | b"MPI_Request_get_status_all\0"
            | b"MPI_Request_get_status_some\0"
            | b"MPI_Parrived\0"
            | b"MPI_Win_test\0",
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
        (_, b"OneSided" | b"Io") if roles.made_object != NONE => Special::MakesObject,
        (_, b"OneSided" | b"Io") if roles.target != NONE || roles.count != NONE => Special::Access,
        (_, b"Io") if roles.status != NONE => Special::AccessEnd,
        (_, b"Collective") => Special::Collective,
        (_, b"Other") if roles.made != NONE && roles.communicator != NONE => Special::Makes,
        _ => Special::Nothing,
    }
}

/// True if a name is this one.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names, groups and roles of a table.
    macro_rules! rows {
        ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*)
            { $($role:ident: $at:literal),* })*) => {
            &[$((
                concat!(stringify!($name), "\0"),
                stringify!($group),
                Roles { $($role: $at,)* ..Roles::NONE },
            )),*]
        };
    }

    #[test]
    fn polls_say_whether_they_have_found_something() {
        let all: &[(&str, &str, Roles)] = ompttrace_recording::mpi_functions!(rows);
        let later: &[(&str, &str, Roles)] = ompttrace_recording::mpi_later_functions!(rows);
        let kinds = all
            .iter()
            .chain(later)
            .map(|(name, group, roles)| (*name, special(name, group, roles), roles.flag));
        let polls: Vec<_> =
            kinds.filter(|(_, special, _)| matches!(special, Special::Polls(_))).collect();
        assert_eq!(polls.len(), 12);
        for (name, _, flag) in polls {
            assert_ne!(flag, NONE, "{name}");
        }
    }
}
