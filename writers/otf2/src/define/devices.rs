//! Definitions of devices: the groups of their streams, and a window of each for copies.

use super::{LocationName, Plan};
use crate::archive::{CUDA, TARGET, stream};

impl Plan<'_> {
    /// True if devices report what they do, in streams of their own.
    pub(super) fn has_streams(&self) -> bool {
        self.names.iter().any(|named| named.device.is_some())
    }

    /// The location group of a stream's device; `None`: it is a thread.
    pub(super) fn group_of(&self, named: &LocationName) -> Option<u32> {
        let device = named.device?;
        let at = self.devices.iter().position(|known| *known == device)?;
        self.device_groups().nth(at)
    }

    /// A window per device, in which the device has the first rank and all threads follow, streams among them.
    pub(super) fn windows(&mut self) {
        if self.devices.is_empty() {
            return;
        }
        let paradigm = if self.has_streams() { CUDA } else { TARGET };
        let comms = self.done.comms.len() as u32;
        let all = self.take_group();
        let streams = (0..self.devices.len() as u32).map(stream);
        let threads = self.done.tracks.iter().map(|track| track.number);
        let members: Vec<u64> = streams.chain(threads).collect();
        let (count, total) = (self.devices.len() as u64, members.len() as u64);
        self.step(move |to| to.comm_locations(all, 0, paradigm, &members));
        for (device, number) in self.devices.iter().zip(0u32..) {
            let threads = count..total;
            let group: Vec<u64> = [u64::from(number)].into_iter().chain(threads).collect();
            let (group_number, comm) = (self.take_group(), comms + number);
            self.step(move |to| to.comm_group(group_number, 0, paradigm, &group));
            let name = self.tables.strings.number(&format!("device {device}"));
            self.step(move |to| to.comm(comm, name, group_number, None));
            self.step(move |to| to.window(number, name, comm));
        }
    }
}
