//! Calls of CUDA on the host that are made by threads which have records of their own: they are slices of these threads.

use crate::devices::Device;
use ompttrace_model::ThreadInfo;
use ompttrace_recording::reader::Stream;
use std::collections::HashMap;

/// The calls of each such thread, and the thread's position.
#[derive(Debug, Default)]
pub(crate) struct Calls(Vec<(Device, u32)>);

impl Calls {
    /// Takes from `devices` the calls of the host's threads. Those of other threads stay, as threads of the timeline.
    pub(crate) fn of(devices: &mut Vec<Device>, host: &[ThreadInfo]) -> Calls {
        // An id that the system has given again is that of the later thread.
        let threads = host.iter().zip(0..).filter(|(info, _)| info.os_thread != 0);
        let positions: HashMap<u32, u32> =
            threads.map(|(info, position)| (info.os_thread, position)).collect();
        let caller = |device: &Device| positions.get(&device.caller?).copied();
        let all = std::mem::take(devices);
        let (calls, others) = all.into_iter().partition(|device| caller(device).is_some());
        *devices = others;
        let calls: Vec<Device> = calls;
        Calls(
            calls.into_iter().filter_map(|of| caller(&of).map(|position| (of, position))).collect(),
        )
    }

    pub(crate) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Times of the first and last call, in ticks.
    pub(crate) fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().filter_map(|(device, _)| device.span())
    }

    /// The streams, in an order that [`Calls::caller`] knows.
    pub(crate) fn streams<'a>(&self) -> impl Iterator<Item = Stream<'a>> {
        self.0.iter().map(|(device, _)| device.stream())
    }

    /// The position of the thread that makes the calls of this stream.
    pub(crate) fn caller(&self, stream: u32) -> Option<u32> {
        self.0.get(stream as usize).map(|(_, position)| *position)
    }
}
