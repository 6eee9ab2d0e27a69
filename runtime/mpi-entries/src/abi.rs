//! Differences between the binary interfaces of MPI libraries: handles, constants, the layout of a status.

use crate::{files, library};
use core::ffi::{CStr, c_int};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use ompttrace_recording::mpi::{lock, mode, rank};

/// The number of MPI 5.0's binary interface.
pub(crate) const STANDARD: u32 = 3;

/// A binary interface.
pub(crate) struct Abi {
    /// Number of the interface in records.
    pub(crate) number: u32,
    any_source: i32,
    any_tag: i32,
    pub(crate) proc_null: i32,
    root: i32,
    /// MPI_LOCK_EXCLUSIVE.
    exclusive: i32,
    pub(crate) in_place: usize,
    /// MPI_STATUS_IGNORE.
    pub(crate) status_ignore: usize,
    /// Positions of the source and of the tag in a status, in ints.
    pub(crate) source_at: usize,
    pub(crate) tag_at: usize,
    /// Size of a status, in bytes.
    pub(crate) status_bytes: usize,
    /// True if handles are ints.
    has_ints: bool,
    /// The levels of thread support in ascending order, as the interface numbers them.
    levels: [i32; 4],
    /// The modes of files, in the order of [`mode::ALL`].
    modes: [i32; mode::ALL.len()],
}

/// Modes of files in Open MPI and MPICH.
const MODES: [i32; mode::ALL.len()] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

static ABIS: [Abi; 3] = [
    Abi {
        number: 1,
        any_source: -1,
        any_tag: -1,
        proc_null: -2,
        root: -4,
        exclusive: 1,
        in_place: 1,
        status_ignore: 0,
        source_at: 0,
        tag_at: 1,
        status_bytes: 24,
        has_ints: false,
        levels: [0, 1, 2, 3],
        modes: MODES,
    },
    Abi {
        number: 2,
        any_source: -2,
        any_tag: -1,
        proc_null: -1,
        root: -3,
        exclusive: 234,
        in_place: usize::MAX,
        status_ignore: 1,
        source_at: 2,
        tag_at: 3,
        status_bytes: 20,
        has_ints: true,
        levels: [0, 1, 2, 3],
        modes: MODES,
    },
    Abi {
        number: STANDARD,
        any_source: -1,
        any_tag: -2,
        proc_null: -3,
        root: -4,
        exclusive: 301,
        in_place: 1,
        status_ignore: 0,
        source_at: 0,
        tag_at: 1,
        status_bytes: 32,
        has_ints: false,
        levels: [0, 0x400, 0x800, 0x1000],
        modes: [2, 16, 256, 32, 4, 128, 8, 1, 64],
    },
];

/// The library's interface, one of [`ABIS`].
static FOUND: AtomicPtr<Abi> = AtomicPtr::new((&raw const ABIS[0]).cast_mut());

/// A handle that every library has ready.
#[derive(Clone, Copy)]
pub(crate) enum Handle {
    /// MPI_COMM_WORLD.
    World,
    /// MPI_COMM_SELF.
    Itself,
    /// MPI_BYTE.
    Byte,
    /// MPI_COMM_NULL.
    NoCommunicator,
    /// MPI_REQUEST_NULL.
    NoRequest,
    /// MPI_INFO_NULL.
    NoInfo,
    /// MPI_ERRORS_RETURN.
    ErrorsReturn,
}

const HANDLES: usize = 7;

/// The library's, in the order of [`Handle`].
static HANDLES_FOUND: [AtomicUsize; HANDLES] = [const { AtomicUsize::new(0) }; HANDLES];

/// The library's interface.
#[inline(always)]
pub(crate) fn abi() -> &'static Abi {
    // SAFETY: the address of one of the static's elements, which nobody changes.
    unsafe { &*FOUND.load(Ordering::Relaxed) }
}

/// Determines the library's interface and its handles. It must be called after a function of the library was found.
pub(crate) fn find() {
    // A program that is linked to a fixed address has Open MPI's handles in its own memory.
    let object = |name: &CStr| {
        let visible = files::function_in(libc::RTLD_DEFAULT, name);
        visible.or_else(|| library::symbol(name)).map_or(0, |object| object.addr())
    };
    let (found, handles) = if is_standard() {
        (2, [0x101, 0x102, 0x247, 0x100, 0x180, 0x130, 0x143])
    } else if object(c"ompi_mpi_comm_world") != 0 {
        let names = [
            c"ompi_mpi_comm_world",
            c"ompi_mpi_comm_self",
            c"ompi_mpi_byte",
            c"ompi_mpi_comm_null",
            c"ompi_request_null",
            c"ompi_mpi_info_null",
            c"ompi_mpi_errors_return",
        ];
        (0, names.map(object))
    } else {
        let (world, itself, byte) = (0x4400_0000, 0x4400_0001, 0x4c00_010d);
        (1, [world, itself, byte, 0x0400_0000, 0x2c00_0000, 0x1c00_0000, 0x5400_0001])
    };
    if let Some(abi) = ABIS.get(found) {
        FOUND.store((&raw const *abi).cast_mut(), Ordering::Relaxed);
    }
    for (place, handle) in HANDLES_FOUND.iter().zip(handles) {
        place.store(handle, Ordering::Relaxed);
    }
}

/// True if the library reports that it has the interface of the MPI standard.
fn is_standard() -> bool {
    let Some(function) = library::symbol(c"PMPI_Abi_get_version") else { return false };
    let (mut major, mut minor): (c_int, c_int) = (-1, -1);
    // SAFETY: the function's type in MPI 5.0; it may be called at any time.
    unsafe {
        let function: extern "C" fn(*mut c_int, *mut c_int) -> c_int =
            core::mem::transmute(function);
        function(&raw mut major, &raw mut minor);
    }
    major >= 1
}

/// A handle as it is recorded: the upper half of an int is undefined.
#[inline(always)]
pub(crate) fn handle(word: usize) -> u64 {
    if abi().has_ints { word as u32 as u64 } else { word as u64 }
}

/// Reads the handle at an address.
///
/// # Safety
/// A handle of MPI's is stored there.
#[inline(always)]
pub(crate) unsafe fn handle_at(address: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        match abi().has_ints {
            true => *core::ptr::with_exposed_provenance::<u32>(address) as usize,
            false => *core::ptr::with_exposed_provenance::<usize>(address),
        }
    }
}

/// One of the library's own handles.
#[inline(always)]
pub(crate) fn own(handle: Handle) -> usize {
    HANDLES_FOUND.get(handle as usize).map_or(0, |found| found.load(Ordering::Relaxed))
}

/// Size of a handle in a list, in bytes.
pub(crate) fn handle_bytes() -> usize {
    if abi().has_ints { 4 } else { 8 }
}

impl Abi {
    /// The mode of a file as it is recorded.
    pub(crate) fn mode(&self, word: usize) -> u32 {
        let modes = self.modes.into_iter().zip(mode::ALL);
        modes.filter(|(own, _)| word as i32 & own != 0).fold(0, |all, (_, mode)| all | mode)
    }

    /// The type of a lock as it is recorded.
    pub(crate) fn lock(&self, word: usize) -> u32 {
        if word as i32 == self.exclusive { lock::EXCLUSIVE } else { lock::SHARED }
    }

    /// A rank as it is recorded.
    #[inline(always)]
    pub(crate) fn rank(&self, word: usize) -> u32 {
        match word as i32 {
            rank if rank == self.any_source => rank::ANY,
            rank if rank == self.proc_null => rank::NONE,
            rank => rank as u32,
        }
    }

    /// A tag as it is recorded.
    #[inline(always)]
    pub(crate) fn tag(&self, word: usize) -> u32 {
        let tag = word as i32;
        if tag == self.any_tag { rank::ANY } else { tag as u32 }
    }

    /// The root of a collective function as it is recorded.
    #[inline(always)]
    pub(crate) fn root(&self, word: usize) -> u32 {
        let root = word as i32;
        if root == self.root || root == self.proc_null { rank::OTHER_GROUP } else { root as u32 }
    }

    /// A level of thread support as it is recorded, from 0.
    pub(crate) fn level(&self, level: i32) -> u32 {
        self.levels.iter().rposition(|known| *known <= level).unwrap_or(0) as u32
    }
}
