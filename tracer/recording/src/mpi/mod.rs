//! Numbers in records of MPI: functions, their groups, and the binary interfaces of MPI libraries.

#[allow(clippy::module_inception, reason = "the table that is generated")]
mod functions;

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
}

impl Function {
    /// True if the request that it makes is started by other calls, again and again.
    pub fn is_persistent(&self) -> bool {
        self.posts && self.name.ends_with("_init")
    }
}

macro_rules! table {
    ($($number:literal $name:ident $profiled:ident $group:ident ($($arg:ident)*) { $($role:ident: $at:literal),* })*) => {
        /// All functions that are recorded, in the order of their numbers.
        pub static FUNCTIONS: &[Function] =
            &[$(Function {
                number: $number,
                name: stringify!($name),
                group: Group::$group,
                posts: posts(stringify!($name), &[$(stringify!($role)),*]),
            }),*];
    };
}

crate::mpi_functions!(table);

/// True if a function with these roles makes a request: those that are given one have no other arguments of a transfer.
const fn posts(name: &str, roles: &[&str]) -> bool {
    let (mut at, mut has_request) = (0, false);
    while at < roles.len() {
        #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
        let role = roles[at].as_bytes();
        has_request |= is_same(role, b"request");
        at += 1;
    }
    const TAKE: [&[u8]; 7] = [
        b"MPI_Wait",
        b"MPI_Test",
        b"MPI_Start",
        b"MPI_Cancel",
        b"MPI_Request_free",
        b"MPI_Request_get_status",
        b"MPI_Grequest_complete",
    ];
    let mut one = 0;
    while one < TAKE.len() {
        #[allow(clippy::indexing_slicing, reason = "checked while compiling")]
        if is_same(name.as_bytes(), TAKE[one]) {
            return false;
        }
        one += 1;
    }
    has_request
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
        for name in ["MPI_Isend", "MPI_Irecv", "MPI_Ibarrier", "MPI_Send_init", "MPI_Rput"] {
            assert!(posts(name), "{name}");
        }
        for name in ["MPI_Send", "MPI_Wait", "MPI_Test", "MPI_Start", "MPI_Cancel", "MPI_Iprobe"] {
            assert!(!posts(name), "{name}");
        }
        let persistent = FUNCTIONS.iter().filter(|one| one.is_persistent()).map(|one| one.name);
        assert!(persistent.clone().all(|name| name != "MPI_Init"));
        assert_eq!(persistent.count(), 5);
    }

    #[test]
    fn what_programs_look_for_to_find_an_mpi_is_not_there() {
        for name in ["MPI_Get_version", "MPI_Get_library_version", "MPI_Abi_get_version"] {
            assert!(FUNCTIONS.iter().all(|one| one.name != name), "{name}");
        }
    }
}
