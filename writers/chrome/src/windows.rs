//! What is made of a window of a run: lines, which go to the trace's own after those of the windows before.

use std::io::Write;

use ompttrace_model::{Blocks, Core, ThreadRef};
use ompttrace_tracks::{Format, Window, Windowed};

use crate::Error;
use crate::arrows::LeftFlows;
use crate::trace::Trace;
use crate::tracks::NewTrack;

/// What a window leaves to the trace that it becomes part of.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) flows: LeftFlows,
    /// Those without names.
    pub(crate) tracks: Vec<NewTrack>,
    /// Which thread got or lost which core.
    pub(crate) changes: Vec<CoreChange>,
}

/// A thread gets a core or loses it.
type CoreChange = (u64, ThreadRef, Core);

/// What was made of a window.
#[derive(Debug)]
pub(crate) struct Made {
    blocks: Blocks,
    lines: u64,
    left: Left,
}

impl Window for Trace<Blocks> {
    type Made = Made;

    fn part(&mut self) -> Option<Made> {
        let next = Blocks::new(&self.buffers);
        let (blocks, lines, left) = self.take_part(next);
        Some(Made { blocks, lines, left })
    }

    fn made(self) -> Result<Made, Error> {
        let (lines, left) = self.into_window();
        let (blocks, lines) = lines.into_window()?;
        Ok(Made { blocks, lines, left })
    }
}

impl<W: Write> Windowed for Trace<W> {
    type Window = Trace<Blocks>;

    fn windows(&self) -> impl Fn() -> Trace<Blocks> + Sync + use<W> {
        let buffers = self.buffers.clone();
        move || Trace::of_window(&buffers)
    }

    fn append(&mut self, made: Made) {
        let Left { flows, tracks, changes } = made.left;
        tracks.into_iter().for_each(|track| self.describe(track));
        flows.put_between(made.blocks, &mut self.lines, &mut self.flows);
        self.lines.add_lines(made.lines);
        for (at, thread, core) in changes {
            self.core(at, thread, core);
        }
    }

    fn check(&self) -> Result<(), Error> {
        Ok(self.lines.check()?)
    }
}
