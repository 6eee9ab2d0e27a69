//! Packets of a window of a run, which are appended to the trace after those of the previous windows.

use std::io::Write;

use ompttrace_model::Blocks;
use ompttrace_tracks::{Format, Window, Windowed};

use super::trace::{CoreChange, Trace};
use crate::Error;

/// Packets of a window, their number and the changes of threads' cores in it.
#[derive(Debug)]
pub(super) struct WindowPackets {
    blocks: Blocks,
    packets: u64,
    changes: Vec<CoreChange>,
}

impl Window for Trace<Blocks> {
    type Made = WindowPackets;

    fn part(&mut self) -> Option<WindowPackets> {
        let next = Blocks::new(&self.buffers);
        let (blocks, changes) = self.take_part(next);
        Some(WindowPackets { blocks, packets: 0, changes })
    }

    fn made(self) -> Result<WindowPackets, Error> {
        let (blocks, packets, changes) = self.into_window()?;
        Ok(WindowPackets { blocks, packets, changes })
    }
}

impl<W: Write> Windowed for Trace<W> {
    type Window = Trace<Blocks>;

    fn windows(&self) -> impl Fn() -> Trace<Blocks> + Sync + use<W> {
        let buffers = self.buffers.clone();
        move || Trace::of_window(&buffers)
    }

    fn append(&mut self, mut made: WindowPackets) {
        made.blocks.take(u64::MAX, |packets| self.out.append(packets));
        self.out.add_packets(made.packets);
        for (at, thread, core) in made.changes {
            self.core(at, thread, core);
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.out.check()
    }
}
