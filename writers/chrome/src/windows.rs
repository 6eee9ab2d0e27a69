//! Windows of a run: their lines, which are appended to the trace's own after those of the windows before.

use std::io::Write;

use ompttrace_model::{Blocks, Core, ThreadRef};
use ompttrace_tracks::{Format, Window, Windowed};

use crate::Error;
use crate::arrows::LeftFlows;
use crate::trace::Trace;
use crate::tracks::NewTrack;

/// Parts of a window that are left to the trace that it becomes part of.
#[derive(Debug, Default)]
pub(crate) struct WindowRest {
    pub(crate) flows: LeftFlows,
    /// Tracks that are not named yet.
    pub(crate) tracks: Vec<NewTrack>,
    /// Changes of threads' cores.
    pub(crate) changes: Vec<CoreChange>,
}

/// Time in nanoseconds at which a thread gets a core or loses it, the thread, and the core.
type CoreChange = (u64, ThreadRef, Core);

/// Result of a window: its lines, their number, and the parts that are left to the whole trace.
#[derive(Debug)]
pub(crate) struct WindowLines {
    blocks: Blocks,
    lines: u64,
    left: WindowRest,
}

impl Window for Trace<Blocks> {
    type Made = WindowLines;

    fn part(&mut self) -> Option<WindowLines> {
        let next = Blocks::new(&self.buffers);
        let (blocks, lines, left) = self.take_part(next);
        Some(WindowLines { blocks, lines, left })
    }

    fn made(self) -> Result<WindowLines, Error> {
        let (lines, left) = self.into_window();
        let (blocks, lines) = lines.into_window()?;
        Ok(WindowLines { blocks, lines, left })
    }
}

impl<W: Write> Windowed for Trace<W> {
    type Window = Trace<Blocks>;

    fn windows(&self) -> impl Fn() -> Trace<Blocks> + Sync + use<W> {
        let buffers = self.buffers.clone();
        move || Trace::of_window(&buffers)
    }

    fn append(&mut self, made: WindowLines) {
        let WindowRest { flows, tracks, changes } = made.left;
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
