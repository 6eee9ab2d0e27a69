//! Numbers in records of MPI: functions, their groups, and the binary interfaces of MPI libraries.

mod clock;
mod communicators;
#[allow(clippy::module_inception, reason = "the table that is generated")]
mod functions;
mod later_functions;

pub use clock::Clock;
pub use communicators::{MOST_MEMBERS, Members};

/// Functions of one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Sends, receives and probes.
    PointToPoint,
    /// All ranks of a communicator together.
    Collective,
    /// Waits for requests, and tests of them.
    Wait,
    /// Windows, and access to the memory of others.
    OneSided,
    /// Files.
    Io,
    /// Everything else: begin and end, communicators, datatypes.
    Other,
}

/// A function of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The number in records.
    pub number: u16,
    /// The function's name: `MPI_Send`.
    pub name: &'static str,
    /// The function's purpose.
    pub group: Group,
    /// True if it makes a request, which another call completes.
    pub posts: bool,
    /// True if the handle that its calls are given is that of a window or, of a function of files, of a file.
    pub takes_object: bool,
}

impl Function {
    /// True if the request that it makes is started by other calls, again and again.
    pub fn is_persistent(&self) -> bool {
        self.posts && is_persistent(self.name)
    }
}

macro_rules! table {
    ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) { $($role:ident: $at:literal),* })*) => {
        &[$(Function {
                number: $number,
                name: stringify!($name),
                group: Group::$group,
                posts: makes_request(
                    stringify!($name),
                    has_role(&[$(stringify!($role)),*], "request"),
                ),
                takes_object: has_role(&[$(stringify!($role)),*], "object")
                    || has_role(&[$(stringify!($role)),*], "freed_object"),
            }),*]
    };
}

/// Functions that all libraries of MPI have.
const COMMON: &[Function] = crate::mpi_functions!(table);
/// Functions that only some have, with higher numbers.
const LATER: &[Function] = crate::mpi_later_functions!(table);

const COUNT: usize = COMMON.len() + LATER.len();

/// All functions that are recorded, in the order of their numbers.
pub static FUNCTIONS: &[Function] = &{
    #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
    const ALL: [Function; COUNT] = {
        let mut all = [COMMON[0]; COUNT];
        let mut at = 1;
        while at < COUNT {
            all[at] = if at < COMMON.len() { COMMON[at] } else { LATER[at - COMMON.len()] };
            at += 1;
        }
        all
    };
    ALL
};

/// True for the name, which may end with 0, of a function whose request is started by other calls, again and again.
pub const fn is_persistent(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        [.., b'_', b'i', b'n', b'i', b't']
            | [.., b'_', b'i', b'n', b'i', b't', 0]
            | [.., b'_', b'i', b'n', b'i', b't', b'_', b'c']
            | [.., b'_', b'i', b'n', b'i', b't', b'_', b'c', 0]
    )
}

/// True if a function makes a request, by its name, which may end with 0, and by whether one of its arguments is a single request:
/// most others that have one are given it.
pub const fn makes_request(name: &str, has_request: bool) -> bool {
    const TAKE: [&[u8]; 11] = [
        b"MPI_Wait",
        b"MPI_Test",
        b"MPI_Start",
        b"MPI_Cancel",
        b"MPI_Request_free",
        b"MPI_Request_get_status",
        b"MPI_Grequest_complete",
        b"MPI_Pready",
        b"MPI_Pready_range",
        b"MPI_Pready_list",
        b"MPI_Parrived",
    ];
    let name = match name.as_bytes() {
        [name @ .., 0] => name,
        name => name,
    };
    let mut one = 0;
    while one < TAKE.len() {
        #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
        if is_same(name, TAKE[one]) {
            return false;
        }
        one += 1;
    }
    has_request
}

/// True if one of the roles is this one.
const fn has_role(roles: &[&str], role: &str) -> bool {
    let mut at = 0;
    while at < roles.len() {
        #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
        if is_same(roles[at].as_bytes(), role.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

/// Equality of bytes, for constants.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() {
        #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    one.len() == other.len()
}

/// The function with this number; `None` for one that this version does not know.
pub fn function(number: u64) -> Option<&'static Function> {
    let at = FUNCTIONS.binary_search_by_key(&number, |function| function.number.into()).ok()?;
    FUNCTIONS.get(at)
}

/// Special values of a rank, a tag or a root in a record.
pub mod rank {
    /// No rank: a collective function without a root.
    pub const NONE: u32 = i32::MIN as u32;
    /// Any rank, or any tag.
    pub const ANY: u32 = (i32::MIN + 1) as u32;
    /// This rank is the root, or takes no part, as it is in the other group of an intercommunicator.
    pub const OTHER_GROUP: u32 = (i32::MIN + 2) as u32;
}

/// For the group of a communicator's members.
pub mod group {
    /// Its only one, or of an intercommunicator that of this process.
    pub const OWN: u32 = 0;
    /// The other one of an intercommunicator.
    pub const REMOTE: u32 = 1;
}

/// Kinds of mpi_object.
pub mod object {
    /// A window.
    pub const WINDOW: u32 = 1;
    /// A file.
    pub const FILE: u32 = 2;
}

/// Modes of files in an mpi_object.
pub mod mode {
    /// The file is made if it is not there.
    pub const CREATE: u32 = 1;
    /// It is read only.
    pub const READ_ONLY: u32 = 2;
    /// It is written only.
    pub const WRITE_ONLY: u32 = 4;
    /// It is read and written.
    pub const READ_WRITE: u32 = 8;
    /// It is deleted when it is closed.
    pub const DELETE_ON_CLOSE: u32 = 16;
    /// Nobody else opens it.
    pub const UNIQUE: u32 = 32;
    /// It must not be there.
    pub const EXCLUSIVE: u32 = 64;
    /// It is written at its end.
    pub const APPEND: u32 = 128;
    /// It is accessed in order only.
    pub const SEQUENTIAL: u32 = 256;
    /// All of them.
    pub const ALL: [u32; 9] = [
        CREATE,
        READ_ONLY,
        WRITE_ONLY,
        READ_WRITE,
        DELETE_ON_CLOSE,
        UNIQUE,
        EXCLUSIVE,
        APPEND,
        SEQUENTIAL,
    ];
}

/// Flags of the mpi_access of a function that locks a window.
pub mod lock {
    /// Nobody else has the lock.
    pub const EXCLUSIVE: u32 = 1;
    /// Others may have it, too.
    pub const SHARED: u32 = 2;
}

/// Kind of mpi_post: the request is persistent.
pub const PERSISTENT: u64 = 1;

/// Flag of mpi_done: the request was cancelled.
pub const CANCELLED: u64 = 1;

/// The binary interfaces that MPI libraries have, by the number in records.
pub const ABIS: [&str; 4] = ["unknown", "Open MPI", "MPICH", "MPI standard"];

/// Levels of thread support, by the number in records.
pub const LEVELS: [&str; 4] = ["single", "funneled", "serialized", "multiple"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_lead_to_their_functions() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.number));
        for one in FUNCTIONS {
            assert_eq!(function(one.number.into()), Some(one));
        }
        assert_eq!((function(0), function(u64::MAX)), (None, None));
        let send = FUNCTIONS.iter().find(|one| one.name == "MPI_Send");
        assert_eq!(send.map(|one| one.group), Some(Group::PointToPoint));
    }

    #[test]
    fn functions_that_make_requests_are_known() {
        let posts = |name| FUNCTIONS.iter().any(|one| one.name == name && one.posts);
        for name in ["MPI_Isend", "MPI_Irecv", "MPI_Ibarrier", "MPI_Send_init", "MPI_Comm_idup"] {
            assert!(posts(name), "{name}");
        }
        for name in ["MPI_Send", "MPI_Wait", "MPI_Test", "MPI_Start", "MPI_Cancel", "MPI_Pready"] {
            assert!(!posts(name), "{name}");
        }
        let persistent = FUNCTIONS.iter().filter(|one| one.is_persistent()).map(|one| one.name);
        assert!(persistent.clone().all(|name| name != "MPI_Init"));
        for name in ["MPI_Recv_init", "MPI_Send_init_c", "MPI_Barrier_init"] {
            assert!(persistent.clone().any(|one| one == name), "{name}");
        }
    }

    #[test]
    fn functions_of_windows_and_files_are_given_one() {
        let takes = |name| FUNCTIONS.iter().any(|one| one.name == name && one.takes_object);
        for name in ["MPI_Put", "MPI_Rget_c", "MPI_Win_fence", "MPI_Win_free", "MPI_File_close"] {
            assert!(takes(name), "{name}");
        }
        for name in ["MPI_Win_create", "MPI_File_open", "MPI_File_delete", "MPI_Send"] {
            assert!(!takes(name), "{name}");
        }
    }

    #[test]
    fn what_programs_look_for_to_find_an_mpi_is_not_there() {
        for name in ["MPI_Get_version", "MPI_Get_library_version", "MPI_Abi_get_version"] {
            assert!(FUNCTIONS.iter().all(|one| one.name != name), "{name}");
        }
    }
}
