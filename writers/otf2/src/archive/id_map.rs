//! Mapping tables: what the numbers of events stand for among the definitions.

use std::ptr::NonNull;

use otf2_sys::*;

use super::failure::{NO_HANDLE, check, reason};
use crate::Error;

/// Numbers by which events name something, and those of its definitions.
#[derive(Debug)]
pub(super) struct IdMap(NonNull<OTF2_IdMap>);

/// A map of pairs of numbers, unless every number stands for itself: then there are none.
pub(super) fn id_map(mapping: &[(u32, u32)]) -> Result<Option<IdMap>, Error> {
    if mapping.is_empty() {
        return Ok(None);
    }
    // SAFETY: gives a map or null.
    let map =
        unsafe { OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE as OTF2_IdMapMode, mapping.len() as u64) };
    let map = IdMap(NonNull::new(map).ok_or_else(|| Error::Write(reason(NO_HANDLE)))?);
    for &(local, global) in mapping {
        // SAFETY: the map is open.
        check(unsafe { OTF2_IdMap_AddIdPair(map.0.as_ptr(), local.into(), global.into()) })?;
    }
    Ok(Some(map))
}

/// A map for things with numbers from 0 on, unless every number stands for itself.
pub(super) fn dense_map(mapping: &[u32]) -> Result<Option<IdMap>, Error> {
    if (0..).zip(mapping).all(|(local, global)| local == *global) {
        return Ok(None);
    }
    // SAFETY: the library copies the array; it gives a map or null.
    let map =
        unsafe { OTF2_IdMap_CreateFromUint32Array(mapping.len() as u64, mapping.as_ptr(), true) };
    Ok(Some(IdMap(NonNull::new(map).ok_or_else(|| Error::Write(reason(NO_HANDLE)))?)))
}

impl IdMap {
    /// Writes the map for definitions of this kind, an OTF2_MappingType.
    ///
    /// # Safety
    /// `writer` is open.
    pub(super) unsafe fn write(
        &self,
        kind: OTF2_MappingType_enum,
        writer: *mut OTF2_DefWriter,
    ) -> Result<(), Error> {
        // SAFETY: both are open.
        check(unsafe {
            OTF2_DefWriter_WriteMappingTable(writer, kind as OTF2_MappingType, self.0.as_ptr())
        })
    }
}

impl Drop for IdMap {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { OTF2_IdMap_Free(self.0.as_ptr()) };
    }
}
