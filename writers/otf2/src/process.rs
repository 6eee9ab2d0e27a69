//! Definitions and counts that one process leaves for its archives, when all of its events are written.

use ompttrace_model::Summary;

use crate::Error;
use crate::archive::stream;
use crate::archive_state::{LocationKind, Tenants};
use crate::define::{LocationName, RunProperties, World};
use crate::ids::RegionId;
use crate::join::{Assembly, Finished};
use crate::segment::NewDefinitions;

/// Definitions and counts of a process in archives that others may share. Its events are written; their numbers are its own.
#[derive(Debug)]
pub struct Process {
    /// The number of its location group: its rank, or 0.
    pub(crate) number: u32,
    /// The number in the archives of its first location.
    pub(crate) first_location: u64,
    pub(crate) run: RunProperties,
    /// MPI_COMM_WORLD, if it is known.
    pub(crate) world: Option<World>,
    pub(crate) definitions: NewDefinitions,
    /// Numbers of regions in events, and of their definitions.
    pub(crate) regions: Vec<(RegionId, u32)>,
    /// Its part of each archive.
    pub(crate) views: Vec<OfArchive>,
    pub(crate) summary: Summary,
    /// True if an event says what was lost.
    pub(crate) reports_loss: bool,
    /// True if the archive has a part of its time only.
    pub(crate) is_part: bool,
}

/// The locations of a process in one archive, with their names.
#[derive(Debug)]
pub(crate) struct OfArchive {
    pub names: Vec<LocationName>,
    pub done: Finished,
}

impl OfArchive {
    /// True if devices report what they do, in streams of their own.
    pub(crate) fn has_streams(&self) -> bool {
        self.names.iter().any(|named| named.device.is_some())
    }
}

impl Process {
    /// Time of the end of the process, in nanoseconds, which no event of this archive follows.
    pub(crate) fn end(&self, of: &OfArchive) -> u64 {
        self.run.end.max(of.done.last)
    }

    /// True if nothing is known to be missing here of what it did while it was recorded.
    pub(crate) fn is_whole(&self) -> bool {
        let Summary { lost, missing, missing_bytes, .. } = self.summary;
        self.run.is_ended && !self.is_part && lost == 0 && missing.is_none() && missing_bytes == 0
    }

    /// All locations of an archive that have files, as numbers of the archive.
    pub(crate) fn locations(&self, of: &OfArchive) -> impl Iterator<Item = u64> {
        let own = of.done.all().map(|location| location.number).collect::<Vec<_>>();
        let first = self.first_location;
        own.into_iter().chain(self.device_locations()).map(move |number| first + number)
    }

    /// Locations of the devices, which have no events.
    fn device_locations(&self) -> impl Iterator<Item = u64> + use<> {
        (0..self.definitions.devices.len() as u32).map(stream)
    }
}

impl Assembly {
    /// Ends the events after the last segment.
    pub(crate) fn leave(mut self, summary: &Summary) -> Result<Process, Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let devices: Vec<_> = (0..self.tables.devices.len() as u32).map(stream).collect();
        let mut views = Vec::new();
        for view in std::mem::take(&mut self.views) {
            let of = view.of;
            let done = view.finish(&devices)?;
            views.push(OfArchive { names: self.names(of, &done), done });
        }
        let world = World::of(&self.tables.communicators);
        let number = self.rank.or(world.map(|world| world.rank)).unwrap_or(0);
        let first_location = self.first_location();
        let (definitions, regions) = self.tables.into_new();
        Ok(Process {
            number,
            first_location,
            run: self.run,
            world,
            definitions,
            regions,
            views,
            summary: summary.clone(),
            reports_loss: self.reports_loss,
            is_part: false,
        })
    }

    fn names(&self, of: LocationKind, done: &Finished) -> Vec<LocationName> {
        let named = |path: &String| LocationName { name: path.clone(), ..LocationName::default() };
        match of {
            LocationKind::Threads => {
                done.tenants.iter().map(|tenants| self.name_of(*tenants)).collect()
            }
            LocationKind::LogicalThreads => done.paths.iter().map(named).collect(),
        }
    }

    /// Name of the location of one or more OS threads.
    fn name_of(&self, Tenants { first, others }: Tenants) -> LocationName {
        let named = self.threads.get(first as usize).cloned().unwrap_or_default();
        match others {
            0 => named,
            1 => LocationName {
                name: format!("{} and another", named.name),
                ..LocationName::default()
            },
            _ => LocationName {
                name: format!("{} and {others} others", named.name),
                ..LocationName::default()
            },
        }
    }
}
