//! The files of definitions that belong to locations: what the numbers of their events stand for among the definitions of the archive.
//!
//! All locations of a process have the same: libotf2 makes the first one, for which it clears memory for the longest
//! definition that there may be, and the others are copies.

use otf2_sys::*;

use super::Archive;
use super::failure::{NO_HANDLE, check, check_closed, reason};
use super::id_map::{dense_map, id_map};
use crate::Error;
use crate::ids::{AttributeId, CommId, StringId};

/// The archive's numbers by those in the events of one process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapping {
    pub strings: Vec<StringId>,
    pub attributes: Vec<AttributeId>,
    /// Numbers by which events name regions, and those of the definitions; none where both are the same for all.
    pub regions: Vec<(u32, u32)>,
    pub contexts: Vec<u32>,
    pub comms: Vec<CommId>,
    /// Numbers of windows in events, and those of the definitions; below, of handles of files.
    pub windows: Vec<(u32, u32)>,
    pub handles: Vec<(u32, u32)>,
    /// Classes of metrics and their instances.
    pub metrics: Vec<u32>,
}

impl Archive {
    /// Begins the local definitions, after the last event.
    pub(crate) fn begin_local_definitions(&self) -> Result<(), Error> {
        let archive = self.handle.as_ptr();
        // SAFETY: the archive is open, and no writer of events is.
        unsafe {
            check_closed(OTF2_Archive_CloseEvtFiles(archive))?;
            check(OTF2_Archive_OpenDefFiles(archive))
        }
    }

    /// Ends the local definitions.
    pub(crate) fn end_local_definitions(&self) -> Result<(), Error> {
        // SAFETY: the archive is open, and so are its files of definitions.
        check_closed(unsafe { OTF2_Archive_CloseDefFiles(self.handle.as_ptr()) })
    }

    /// Writes the local definitions of these locations, all of which have this mapping.
    pub(crate) fn write_local_definitions(
        &self,
        mut locations: impl Iterator<Item = u64>,
        mapping: &Mapping,
    ) -> Result<(), Error> {
        let Some(first) = locations.next() else { return Ok(()) };
        self.write_mapping(first, mapping)?;
        let first = self.file(first, "def");
        for location in locations {
            let path = self.file(location, "def");
            std::fs::copy(&first, &path).map_err(|error| Error::file(&path, error))?;
        }
        Ok(())
    }

    fn write_mapping(&self, location: u64, mapping: &Mapping) -> Result<(), Error> {
        let dense = [
            (OTF2_MAPPING_STRING, &mapping.strings),
            (OTF2_MAPPING_ATTRIBUTE, &mapping.attributes),
            (OTF2_MAPPING_CALLING_CONTEXT, &mapping.contexts),
            (OTF2_MAPPING_COMM, &mapping.comms),
            (OTF2_MAPPING_METRIC, &mapping.metrics),
        ];
        let sparse = [
            (OTF2_MAPPING_REGION, &mapping.regions),
            (OTF2_MAPPING_RMA_WIN, &mapping.windows),
            (OTF2_MAPPING_IO_HANDLE, &mapping.handles),
        ];
        let archive = self.handle.as_ptr();
        // SAFETY: the archive is open; the handle is used between its getting and its closing, by this thread.
        unsafe {
            let writer = OTF2_Archive_GetDefWriter(archive, location);
            if writer.is_null() {
                return Err(Error::Write(reason(NO_HANDLE)));
            }
            for (kind, numbers) in sparse {
                if let Some(map) = id_map(numbers)? {
                    map.write(kind, writer)?;
                }
            }
            for (kind, numbers) in dense {
                if let Some(map) = dense_map(numbers)? {
                    map.write(kind, writer)?;
                }
            }
            check_closed(OTF2_Archive_CloseDefWriter(archive, writer))
        }
    }
}
