//! The end of the archives, and how much they hold.

use ompttrace_model::Summary;

use crate::Error;
use crate::archive::{other_rank, stream};
use crate::archive_state::{LocationKind, Tenants};
use crate::define::{LocationName, World, define};
use crate::join::{Assembly, Finished};
use crate::marks::{CUT, LOST};

/// Contents of the archives that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Contents of each archive: that of OS threads first.
    pub archives: Vec<Contents>,
}

/// Numbers of items in an archive, which its readers must find again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Number of events of all locations.
    pub events: u64,
    /// Number of threads or logical threads.
    pub locations: u64,
    /// Number of distinct teams.
    pub communicators: u64,
    /// Number of regions.
    pub regions: u64,
    /// Number of tasks that were created and did not end: the recording was truncated.
    pub unfinished_tasks: u64,
}

impl Assembly {
    /// Ends the archives after the last segment.
    pub(crate) fn end(mut self, summary: &Summary) -> Result<Written, Error> {
        let views = std::mem::take(&mut self.views);
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut written = Written::default();
        for view in views {
            let (of, empty) = (view.of, self.locations_without_events());
            let done = view.finish(&empty)?;
            written.archives.push(self.end_archive(of, done, summary, &empty)?);
        }
        Ok(written)
    }

    /// Locations of devices and of the other ranks of MPI.
    fn locations_without_events(&self) -> Vec<u64> {
        let devices = (0..self.tables.devices.len() as u32).map(stream);
        let world = World::of(&self.tables.communicators);
        devices.chain(world.iter().flat_map(World::others).map(other_rank)).collect()
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

    fn end_archive(
        &mut self,
        of: LocationKind,
        mut done: Finished,
        summary: &Summary,
        empty: &[u64],
    ) -> Result<Contents, Error> {
        let names: Vec<_> = match of {
            LocationKind::Threads => {
                done.tenants.iter().map(|tenants| self.name_of(*tenants)).collect()
            }
            LocationKind::LogicalThreads => {
                let named =
                    |path: &String| LocationName { name: path.clone(), ..LocationName::default() };
                done.paths.iter().map(named).collect()
            }
        };
        let end = self.run.end.max(done.last);
        if summary.lost > 0 && !self.reports_loss {
            done.markers.mark(end, LOST, None, &format!("{} records lost", summary.lost))?;
        }
        if let Some(missing) = summary.missing {
            let text = format!("buffers missing: {missing} lost");
            done.markers.mark(end, LOST, None, &text)?;
        }
        if summary.cut > 0 {
            let text = "the recording stops here; what was open is ended here";
            done.markers.mark(end, CUT, None, text)?;
        }
        self.describe(&done, summary)?;
        let locations = done.all().map(|location| location.number);
        let locations = locations.chain(empty.iter().copied());
        done.archive.write_local_definitions(locations, &self.tables.regions.mapping())?;
        define(&mut self.tables, &self.run, &names, &done)?;
        let contents = Contents {
            events: done.all().map(|location| location.events).sum(),
            locations: done.tracks.len() as u64,
            communicators: done.comms.len() as u64,
            regions: self.tables.regions.all().len() as u64,
            unfinished_tasks: done.unfinished as u64,
        };
        let Finished { archive, markers, .. } = done;
        markers.close(&archive)?;
        match std::sync::Arc::try_unwrap(archive) {
            Ok(archive) => archive.close()?,
            Err(_) => return Err(Error::Thread("it still has the archive".into())),
        }
        Ok(contents)
    }

    fn describe(&self, done: &Finished, summary: &Summary) -> Result<(), Error> {
        let archive = &done.archive;
        let creator = format!("ompttrace {}", env!("CARGO_PKG_VERSION"));
        archive.describe(&creator, &self.run.host, &self.run.command_line())?;
        archive.property("RUNTIME", &self.run.runtimes.join("; "))?;
        archive.property("RECORDED_BY", &self.run.tool)?;
        archive.property("LOST_RECORDS", &summary.lost.to_string())?;
        if let Some(missing) = summary.missing {
            let most = missing.records_per_thread();
            archive.property("LOST_RECORDS_PER_THREAD_AT_MOST", &most.to_string())?;
        }
        archive.property("INFERRED", &summary.inferred.to_string())?;
        archive.property("UNFINISHED_TASKS", &done.unfinished.to_string())?;
        archive.property("CUT", &summary.cut.to_string())
    }
}
