//! What is made of a window of a run: packets, which go to the trace's own after those of the windows before.

use std::io::Write;

use ompttrace_tracks::{Format, Window, Windowed};

use super::trace::{CoreChange, Trace};
use crate::Error;

/// What was made of a window.
#[derive(Debug)]
pub(super) struct Made {
    bytes: Vec<u8>,
    packets: u64,
    changes: Vec<CoreChange>,
}

impl Window for Trace<Vec<u8>> {
    type Made = Made;

    fn part(&mut self) -> Option<Made> {
        let next = self.buffers.take();
        let (bytes, changes) = self.take_part(next);
        Some(Made { bytes, packets: 0, changes })
    }

    fn made(self) -> Result<Made, Error> {
        let (bytes, packets, changes) = self.into_window()?;
        Ok(Made { bytes, packets, changes })
    }
}

impl<W: Write> Windowed for Trace<W> {
    type Window = Trace<Vec<u8>>;

    fn windows(&self) -> impl Fn() -> Trace<Vec<u8>> + Sync + use<W> {
        let buffers = self.buffers.clone();
        move || Trace::of_window(&buffers)
    }

    fn append(&mut self, made: Made) {
        self.out.append(made.packets, &made.bytes);
        self.buffers.give_back_buffer(made.bytes);
        for (at, thread, core) in made.changes {
            self.core(at, thread, core);
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.out.check()
    }
}
