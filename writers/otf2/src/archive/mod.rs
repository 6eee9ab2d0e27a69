//! An archive under way: libotf2's handle, owned. All calls of the library are in this folder.

mod accesses;
mod define;
mod descriptors;
mod encode;
mod encode_mpi;
#[cfg(test)]
mod encode_tests;
mod event_file;
mod failure;
mod id_map;
mod lists;
mod local;
mod location;
mod markers;
mod memory;
mod names;
mod number;
mod objects;
mod pipe;
mod record;

pub(crate) use define::{
    CUDA, CallingContext, ClockProperties, Definitions, LocationKind, MPI, OPENMP, Region, TARGET,
};
pub(crate) use lists::EncodedList;
pub(crate) use local::Mapping;
pub(crate) use location::Count;
pub(crate) use markers::{Markers, Severity};
pub(crate) use names::{
    DefinitionNames, EarlierName, LockName, Names, OwnTaskName, TeamComm, UNDEFINED, rank,
};
pub(crate) use number::Number;
pub(crate) use pipe::{
    Context, Counts, METRICS, Pipe, metric_instance, other_rank, rank_locations, stream,
};

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};

use otf2_sys::*;

use crate::Error;
use event_file::EventFile;
use failure::{NO_HANDLE, check, check_closed};
use memory::Memory;

/// The name of the files in an archive's folder, as everybody's tools expect it.
const NAME: &std::ffi::CStr = c"traces";
/// The folder in it with the files of each location.
const LOCATIONS: &str = "traces";
/// A chunk must hold the longest definition: a group of half a million locations.
const DEFINITION_CHUNK: u64 = 4 << 20;

/// An archive being written. If it is given up, the library's data of it stays until the end of the process: closed
/// after a file could not be written, libotf2 3.0 uses data that it has freed.
#[derive(Debug)]
pub(crate) struct Archive {
    handle: NonNull<OTF2_Archive>,
    folder: PathBuf,
    /// Memory that the callbacks have a pointer to.
    _memory: Box<Memory>,
}

// SAFETY: the handle is the library's own memory, bound to no thread, and the archive owns it.
unsafe impl Send for Archive {}
// SAFETY: threads that encode read only its folder; the library, which is given locks, is called by the thread that
// assembles the archive.
unsafe impl Sync for Archive {}

impl Archive {
    /// Begins an archive in `folder`, which must not exist.
    pub(crate) fn create(folder: &Path) -> Result<Archive, Error> {
        failure::catch();
        descriptors::want_many();
        let path = CString::new(folder.as_os_str().as_bytes())
            .map_err(|_| Error::Open("a zero byte in its name".into()))?;
        // SAFETY: the strings outlive the call.
        let handle = unsafe {
            OTF2_Archive_Open(
                path.as_ptr(),
                NAME.as_ptr(),
                OTF2_FILEMODE_WRITE as OTF2_FileMode,
                OTF2_CHUNK_SIZE_MIN,
                DEFINITION_CHUNK,
                OTF2_SUBSTRATE_POSIX as OTF2_FileSubstrate,
                OTF2_COMPRESSION_NONE as OTF2_Compression,
            )
        };
        let handle = NonNull::new(handle).ok_or_else(|| Error::Open(failure::reason(NO_HANDLE)))?;
        let memory = Box::<Memory>::default();
        let data: *const Memory = &*memory;
        let archive = Archive { handle, folder: folder.to_owned(), _memory: memory };
        archive.prepare(data).map_err(|error| Error::Open(error.to_string()))?;
        Ok(archive)
    }

    fn prepare(&self, memory: *const Memory) -> Result<(), Error> {
        let archive = self.handle.as_ptr();
        // SAFETY: the archive is open and known here only; the callbacks are static, and `memory`
        // lives as long as the archive.
        unsafe {
            check(locks::set_locking_callbacks(archive))?;
            check(OTF2_Archive_SetSerialCollectiveCallbacks(archive))?;
            check(OTF2_Archive_SetMemoryCallbacks(
                archive,
                &memory::CALLBACKS,
                memory.cast_mut().cast(),
            ))?;
            check(OTF2_Archive_SetFlushCallbacks(archive, &FLUSH, null_mut()))?;
            check(OTF2_Archive_OpenEvtFiles(archive))
        }
    }

    /// Path of a location's file.
    fn file(&self, location: u64, kind: &str) -> PathBuf {
        self.folder.join(LOCATIONS).join(format!("{location}.{kind}"))
    }

    /// Writes the file of a location that has no events.
    pub(crate) fn write_empty(&self, location: u64) -> Result<(), Error> {
        EventFile::new(self.file(location, "evt")).close().map(drop)
    }

    /// Names the tool that wrote the archive, the machine, and what else is worth knowing as a whole.
    pub(crate) fn describe(
        &self,
        creator: &str,
        machine: &str,
        description: &str,
    ) -> Result<(), Error> {
        let archive = self.handle.as_ptr();
        let [creator, machine, description] = [creator, machine, description].map(text);
        // SAFETY: the archive is open, the library copies the strings.
        unsafe {
            check(OTF2_Archive_SetCreator(archive, creator.as_ptr()))?;
            check(OTF2_Archive_SetMachineName(archive, machine.as_ptr()))?;
            check(OTF2_Archive_SetDescription(archive, description.as_ptr()))
        }
    }

    /// Writes a property of the archive, with `OMPTTRACE::` before its name; an empty value is not written.
    pub(crate) fn property(&self, name: &str, value: &str) -> Result<(), Error> {
        let (name, value) = (text(&format!("OMPTTRACE::{name}")), text(value));
        if value.is_empty() {
            // To the library that means: take the property away, which it refuses if there is none.
            return Ok(());
        }
        // SAFETY: the archive is open, the library copies the strings.
        check(unsafe {
            OTF2_Archive_SetProperty(self.handle.as_ptr(), name.as_ptr(), value.as_ptr(), true)
        })
    }

    /// Ends the archive: readers open it from now on.
    pub(crate) fn close(self) -> Result<(), Error> {
        // SAFETY: all its writers are closed, and the memory is dropped afterwards.
        check_closed(unsafe { OTF2_Archive_Close(self.handle.as_ptr()) })
    }
}

/// A text as the library takes it: without the zero bytes that it cannot hold.
fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

static FLUSH: OTF2_FlushCallbacks =
    OTF2_FlushCallbacks { otf2_pre_flush: Some(pre_flush), otf2_post_flush: None };

/// Whenever a buffer is full its file takes it. Without the other callback no event is added for
/// this: it is our work, not the program's.
unsafe extern "C" fn pre_flush(
    _: *mut std::ffi::c_void,
    _: OTF2_FileType,
    _: OTF2_LocationRef,
    _: *mut std::ffi::c_void,
    _: bool,
) -> OTF2_FlushType {
    OTF2_FLUSH as OTF2_FlushType
}
