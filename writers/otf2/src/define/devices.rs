//! Definitions of devices: the groups of their streams, and a window of each for copies.

use super::{LocationName, Plan};
use crate::archive::{CUDA, LocationKind, TARGET, stream};
use crate::process::Process;
use crate::written::Part;
use otf2_sys::OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE;

impl Plan<'_> {
    /// True if devices of any process report what they do.
    pub(super) fn has_streams(&self) -> bool {
        self.parts.iter().any(|(_, of)| of.has_streams())
    }

    /// True if any process has devices.
    pub(super) fn has_devices(&self) -> bool {
        self.parts.iter().any(|(process, _)| !process.definitions.devices.is_empty())
    }

    /// The location groups of a process's devices follow those of all processes, and of the devices before.
    pub(super) fn device_groups(&self, of: &Process) -> std::ops::RangeFrom<u32> {
        let before = self.parts.iter().take_while(|(process, _)| process.number != of.number);
        let before: usize = before.map(|(process, _)| process.definitions.devices.len()).sum();
        self.process_count() + before as u32..
    }

    /// The location group of a stream's device; `None`: it is a thread.
    pub(super) fn group_of(&self, process: &Process, named: &LocationName) -> Option<u32> {
        let device = named.device?;
        let at = process.definitions.devices.iter().position(|known| *known == device)?;
        self.device_groups(process).nth(at)
    }

    /// Nodes of the devices below that of their machine, and the location groups of the processes that use them.
    pub(super) fn devices(&mut self) {
        let mut known = Vec::new();
        let first = self.first_device_node();
        for (process, _) in self.parts {
            let (host, own) = (self.node_of(process), process.number);
            let groups = self.device_groups(process);
            for (device, group) in process.definitions.devices.iter().zip(groups) {
                let (name, class) =
                    (self.string(&format!("device {device}")), self.string("device"));
                let at = known.iter().position(|one| *one == (host, *device));
                let number = first + at.unwrap_or(known.len()) as u32;
                if at.is_none() {
                    known.push((host, *device));
                    self.step(move |to| to.node(number, name, class, Some(host)));
                    self.step(move |to| {
                        to.domain(number, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE)
                    });
                }
                self.step(move |to| to.group(group, name, number, Some(own)));
            }
        }
    }

    /// Locations of the devices of a process, which have no events.
    pub(super) fn device_locations(&mut self, (process, of): Part<'_>) {
        let groups = self.device_groups(process);
        for ((device, number), group) in process.definitions.devices.iter().zip(0..).zip(groups) {
            let is = if of.has_streams() { "memory" } else { "stream" };
            let name = self.string(&format!("device {device} {is}"));
            let location = process.first_location + stream(number);
            self.step(move |to| to.location(location, name, LocationKind::Stream, 0, group));
        }
    }

    /// A window for each device of each process, in which the device has the first rank and all threads follow, streams among them.
    /// Returns the numbers of the windows in events and in definitions, by process.
    pub(super) fn windows(&mut self) -> Vec<Vec<(u32, u32)>> {
        if !self.has_devices() {
            return vec![Vec::new(); self.parts.len()];
        }
        let paradigm = if self.has_streams() { CUDA } else { TARGET };
        let mut members = Vec::new();
        let mut positions = Vec::new();
        for (process, of) in self.parts {
            let first = members.len() as u64;
            let count = process.definitions.devices.len() as u64;
            if count > 0 {
                let devices = (0..count as u32).map(stream);
                let threads = of.done.tracks.iter().map(|track| track.number);
                let all = devices.chain(threads).map(|number| process.first_location + number);
                members.extend(all);
            }
            positions.push((first, first + count..members.len() as u64));
        }
        let all = self.take_group();
        self.step(move |to| to.comm_locations(all, 0, paradigm, &members));
        let mut windows = Vec::new();
        for ((process, _), (first, threads)) in self.parts.iter().zip(positions) {
            let mut own = Vec::new();
            for (device, at) in process.definitions.devices.iter().zip(first..) {
                let group: Vec<u64> = [at].into_iter().chain(threads.clone()).collect();
                let (group_number, comm) = (self.take_group(), self.take_comm());
                self.step(move |to| to.comm_group(group_number, 0, paradigm, &group));
                let name = self.string(&format!("device {device}"));
                let number = self.take_window();
                self.step(move |to| to.comm(comm, name, group_number, None));
                self.step(move |to| to.window(number, name, comm, true));
                own.push((own.len() as u32, number));
            }
            windows.push(own);
        }
        windows
    }
}
