//! Markers as calls of libotf2.

use std::ptr::NonNull;

use otf2_sys::*;

use super::failure::{NO_HANDLE, check, check_closed, reason};
use super::{Archive, text};
use crate::Error;

/// Severity of a marker, as OTF2 defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    Low,
    Medium,
    High,
}

/// The writer of markers.
#[derive(Debug)]
pub(crate) struct Markers {
    to: NonNull<OTF2_MarkerWriter>,
}

impl Markers {
    pub(crate) fn open(archive: &Archive) -> Result<Markers, Error> {
        // SAFETY: the archive is open.
        let to = unsafe { OTF2_Archive_GetMarkerWriter(archive.handle.as_ptr()) };
        Ok(Markers { to: NonNull::new(to).ok_or_else(|| Error::Write(reason(NO_HANDLE)))? })
    }

    /// Defines a kind of markers.
    pub(crate) fn define(
        &mut self,
        number: u32,
        category: &str,
        severity: Severity,
    ) -> Result<(), Error> {
        let severity = match severity {
            Severity::Low => OTF2_SEVERITY_LOW,
            Severity::Medium => OTF2_SEVERITY_MEDIUM,
            Severity::High => OTF2_SEVERITY_HIGH,
        } as OTF2_MarkerSeverity;
        let (group, category) = (text("ompttrace"), text(category));
        let to = self.to.as_ptr();
        // SAFETY: the writer is open, the library copies the strings.
        check(unsafe {
            OTF2_MarkerWriter_WriteDefMarker(
                to,
                number,
                group.as_ptr(),
                category.as_ptr(),
                severity,
            )
        })
    }

    /// Writes a marker of a location, or of the whole run.
    pub(crate) fn mark(
        &mut self,
        at: u64,
        marker: u32,
        location: Option<u64>,
        what: &str,
    ) -> Result<(), Error> {
        let scope = match location {
            Some(_) => OTF2_MARKER_SCOPE_LOCATION,
            None => OTF2_MARKER_SCOPE_GLOBAL,
        } as OTF2_MarkerScope;
        let (to, what) = (self.to.as_ptr(), text(what));
        // SAFETY: the writer is open, the library copies the string.
        check(unsafe {
            OTF2_MarkerWriter_WriteMarker(
                to,
                at,
                0,
                marker,
                scope,
                location.unwrap_or(OTF2_UNDEFINED_UINT64),
                what.as_ptr(),
            )
        })
    }

    pub(crate) fn close(self, archive: &Archive) -> Result<(), Error> {
        // SAFETY: both are open, and the writer is given up here.
        check_closed(unsafe {
            OTF2_Archive_CloseMarkerWriter(archive.handle.as_ptr(), self.to.as_ptr())
        })
    }
}
