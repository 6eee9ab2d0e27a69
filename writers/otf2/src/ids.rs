//! Numbers of definitions: of a session (see `segment.rs`), and as they stand in an archive.

/// A string.
pub(crate) type StringId = u32;
/// A region. In an archive, as events name it: see `tables/regions.rs` for how that differs from its definition.
pub(crate) type RegionId = u32;
/// An attribute.
pub(crate) type AttributeId = u32;
/// A list of attributes that many events have.
pub(crate) type ListId = u32;
/// A parameter.
pub(crate) type ParameterId = u32;
/// A communicator of an archive: a team of threads.
pub(crate) type CommId = u32;
/// A window or a file of MPI. All sessions of a run, and so events and local definitions, have the run's own numbers.
pub(crate) type ObjectId = u32;
/// A team of a session, while it is alive.
pub(crate) type TeamSlot = u32;
/// A location of a session, or of an archive: a thread or a logical thread.
pub(crate) type TrackRef = u32;

/// The number of a window of MPI in events: those of devices, which have the first numbers, come up later.
pub(crate) const fn window_of(object: ObjectId) -> u32 {
    object | 1 << 31
}
