//! Numbers of definitions, as they stand in an archive.

/// A string.
pub(crate) type StringId = u32;
/// A region, as events name it: see `tables/regions.rs` for how that differs from its definition.
pub(crate) type RegionId = u32;
/// An attribute.
pub(crate) type AttributeId = u32;
/// A parameter.
pub(crate) type ParameterId = u32;
/// A communicator: a team of threads.
pub(crate) type CommId = u32;

/// The team of an event: its communicator or, while its members are not all known, the team itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TeamId(u32);

/// The bit that tells a team from a communicator.
const OPEN: u32 = 1 << 31;

impl TeamId {
    /// No team at all.
    pub(crate) const NONE: TeamId = TeamId(u32::MAX);

    pub(crate) const fn comm(comm: CommId) -> TeamId {
        TeamId(comm & !OPEN)
    }

    pub(crate) const fn open(slot: u32) -> TeamId {
        TeamId(slot | OPEN)
    }

    /// The place of a team whose members are not all known yet.
    #[inline]
    pub(crate) const fn slot(self) -> Option<u32> {
        if self.0 & OPEN == 0 || self.0 == u32::MAX { None } else { Some(self.0 & !OPEN) }
    }

    /// The number in the archive; that of "undefined" where there is none.
    #[inline]
    pub(crate) const fn number(self) -> CommId {
        if self.0 & OPEN == 0 { self.0 } else { u32::MAX }
    }
}
