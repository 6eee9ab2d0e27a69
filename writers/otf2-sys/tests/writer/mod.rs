//! A small archive: one process with two threads that enter and leave one region.
#![allow(dead_code, reason = "each test uses its part")]

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use otf2_sys::*;

/// Texts that the definitions refer to by their positions.
const STRINGS: [&str; 7] =
    ["", "!$omp parallel", "machine", "node", "process 1", "thread 0", "thread 1"];

#[derive(Default)]
struct Memory {
    allocated: AtomicU64,
    freed: AtomicU64,
}

/// An archive that is being written.
pub struct Archive {
    archive: *mut OTF2_Archive,
    memory: Box<Memory>,
}

// SAFETY: the archive has locks, and each thread uses its own writers.
unsafe impl Sync for Archive {}

fn ok(code: OTF2_ErrorCode) {
    assert_eq!(code, OTF2_SUCCESS);
}

impl Archive {
    pub fn open(path: &Path) -> Archive {
        let path = CString::new(path.to_str().expect("UTF-8")).expect("no zero byte");
        let memory = Box::<Memory>::default();
        let data: *const Memory = &*memory;
        // SAFETY: strings and callbacks outlive their calls, `memory` outlives the archive.
        let archive = unsafe {
            let archive = OTF2_Archive_Open(
                path.as_ptr(),
                c"traces".as_ptr(),
                OTF2_FILEMODE_WRITE as OTF2_FileMode,
                OTF2_CHUNK_SIZE_MIN,
                OTF2_CHUNK_SIZE_MIN,
                OTF2_SUBSTRATE_POSIX as OTF2_FileSubstrate,
                OTF2_COMPRESSION_NONE as OTF2_Compression,
            );
            assert!(!archive.is_null());
            ok(locks::set_locking_callbacks(archive));
            ok(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
            ok(OTF2_Archive_SetMemoryCallbacks(archive, &MEMORY, data.cast_mut().cast()));
            ok(OTF2_Archive_SetFlushCallbacks(archive, &FLUSH, null_mut()));
            ok(OTF2_Archive_OpenEvtFiles(archive));
            archive
        };
        Archive { archive, memory }
    }

    pub fn events(&self, location: u64) -> *mut OTF2_EvtWriter {
        // SAFETY: the archive is open, and has locks.
        let events = unsafe { OTF2_Archive_GetEvtWriter(self.archive, location) };
        assert!(!events.is_null());
        events
    }

    pub fn write_events(&self, location: u64, rounds: u64) -> u64 {
        let events = self.events(location);
        for at in 0..rounds {
            // SAFETY: the writer is open and used by this thread alone.
            unsafe {
                ok(OTF2_EvtWriter_Enter(events, null_mut(), 10 * at, 0));
                ok(OTF2_EvtWriter_Leave(events, null_mut(), 10 * at + 5, 0));
            }
        }
        self.finish_events(location, events)
    }

    pub fn finish_events(&self, location: u64, events: *mut OTF2_EvtWriter) -> u64 {
        let mut count = 0;
        // SAFETY: the writer is open, and closed here.
        unsafe {
            ok(OTF2_EvtWriter_GetNumberOfEvents(events, &mut count));
            ok(OTF2_Archive_CloseEvtWriter(self.archive, events));
        }
        assert!(location < 2);
        count
    }

    /// Closes the archive; returns the number of chunks that were allocated, and the number of calls that freed them.
    pub fn close(self, counts: &[u64; 2]) -> (u64, u64) {
        let archive = self.archive;
        // SAFETY: nothing writes events any more; every handle is closed once.
        unsafe {
            ok(OTF2_Archive_CloseEvtFiles(archive));
            ok(OTF2_Archive_OpenDefFiles(archive));
            for location in [0, 1] {
                let local = OTF2_Archive_GetDefWriter(archive, location);
                ok(OTF2_Archive_CloseDefWriter(archive, local));
            }
            ok(OTF2_Archive_CloseDefFiles(archive));
            let global = OTF2_Archive_GetGlobalDefWriter(archive);
            define(global, counts);
            ok(OTF2_Archive_CloseGlobalDefWriter(archive, global));
            ok(OTF2_Archive_Close(archive));
        }
        (self.memory.allocated.load(Relaxed), self.memory.freed.load(Relaxed))
    }
}

/// # Safety
/// `to` is open.
unsafe fn define(to: *mut OTF2_GlobalDefWriter, counts: &[u64; 2]) {
    let none = OTF2_UNDEFINED_STRING;
    // SAFETY: the caller's; strings outlive their calls.
    unsafe {
        ok(OTF2_GlobalDefWriter_WriteClockProperties(to, 1_000_000_000, 0, 1 << 30, 1 << 60));
        for (text, number) in STRINGS.iter().zip(0..) {
            let text = CString::new(*text).expect("no zero byte");
            ok(OTF2_GlobalDefWriter_WriteString(to, number, text.as_ptr()));
        }
        ok(OTF2_GlobalDefWriter_WriteRegion(
            to,
            0,
            1,
            1,
            0,
            OTF2_REGION_ROLE_PARALLEL as OTF2_RegionRole,
            OTF2_PARADIGM_OPENMP as OTF2_Paradigm,
            OTF2_REGION_FLAG_NONE as OTF2_RegionFlag,
            none,
            0,
            0,
        ));
        ok(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, 2, 3, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        let process = OTF2_LOCATION_GROUP_TYPE_PROCESS as OTF2_LocationGroupType;
        let creator = OTF2_UNDEFINED_LOCATION_GROUP;
        ok(OTF2_GlobalDefWriter_WriteLocationGroup(to, 0, 4, process, 0, creator));
        for (&count, location) in counts.iter().zip(0u64..) {
            let cpu = OTF2_LOCATION_TYPE_CPU_THREAD as OTF2_LocationType;
            let name = 5 + location as OTF2_StringRef;
            ok(OTF2_GlobalDefWriter_WriteLocation(to, location, name, cpu, count, 0));
        }
    }
}

static FLUSH: OTF2_FlushCallbacks =
    OTF2_FlushCallbacks { otf2_pre_flush: Some(pre_flush), otf2_post_flush: None };

unsafe extern "C" fn pre_flush(
    _: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    _: *mut c_void,
    _: bool,
) -> OTF2_FlushType {
    OTF2_FLUSH as OTF2_FlushType
}

static MEMORY: OTF2_MemoryCallbacks =
    OTF2_MemoryCallbacks { otf2_allocate: Some(allocate), otf2_free_all: Some(free_all) };

/// Chunks of a buffer, which are kept until the library frees all of them.
type Chunks = Vec<Box<[u64]>>;

unsafe extern "C" fn allocate(
    memory: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    buffer: *mut *mut c_void,
    size: u64,
) -> *mut c_void {
    // SAFETY: both are what this file gave to the library; a buffer belongs to one thread at a time.
    unsafe {
        (*memory.cast::<Memory>()).allocated.fetch_add(1, Relaxed);
        if (*buffer).is_null() {
            *buffer = Box::into_raw(Box::<Chunks>::default()).cast();
        }
        let chunks = &mut *(*buffer).cast::<Chunks>();
        if chunks.len() >= 2 {
            // The library then writes what it has and frees all.
            return null_mut();
        }
        chunks.push(vec![0; size as usize / 8].into());
        chunks.last_mut().map_or(null_mut(), |chunk| chunk.as_mut_ptr().cast())
    }
}

unsafe extern "C" fn free_all(
    memory: *mut c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    buffer: *mut *mut c_void,
    last: bool,
) {
    // SAFETY: both are what this file gave to the library; a buffer belongs to one thread at a time.
    unsafe {
        (*memory.cast::<Memory>()).freed.fetch_add(1, Relaxed);
        if (*buffer).is_null() {
            return;
        }
        (*(*buffer).cast::<Chunks>()).clear();
        if last {
            drop(Box::from_raw((*buffer).cast::<Chunks>()));
            *buffer = null_mut();
        }
    }
}
