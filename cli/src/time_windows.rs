//! `export --split`: writers for the parts of a run, or of a window of its time, and their files.

use crate::arguments::ExportArguments;
use crate::detail::{self, Plan};
use crate::formats::writer::{Overviews, Writers};
use crate::formats::{self, Draft, Sizes};
use crate::output_path::OutputPath;
use anyhow::Result;
use ompttrace_model::{Sink, Summary};
use ompttrace_recording::Recording;
use ompttrace_timeline::Options;
use ompttrace_timeline::time_windows::{Supply, SupplyError, TimeWindows, Window, WindowSummary};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering::Relaxed;

/// A finished window, and the resolutions of its overviews.
pub type Written = WindowSummary<(Vec<PathBuf>, Overviews)>;

/// Writes the traces that are requested; the summary is that of all windows together.
pub fn write(
    recording: &Recording,
    arguments: &ExportArguments,
    watch: impl FnMut(u64, u64),
) -> Result<(Vec<Written>, Summary)> {
    let drafts = Rc::default();
    let plan = detail::plan(recording, arguments);
    let parts = Parts { arguments, plan, drafts: Rc::clone(&drafts), sizes: Sizes::default() };
    let window = Window { from: arguments.from, to: arguments.to };
    let min_resume_ns = if arguments.exact { 0 } else { Writers::MIN_RESUME_NS };
    let options = Options { min_resume_ns, window: (arguments.from, arguments.to), watch };
    let outcome = ompttrace_timeline::run_with(recording, TimeWindows::new(window, parts), options);
    recording.check()?;
    let drafts = drafts.take();
    let (windows, whole) =
        outcome.map_err(|error| formats::about(drafts.iter().flatten(), error))?;
    let mut written = Vec::new();
    for (window, drafts) in windows.into_iter().zip(drafts) {
        let WindowSummary { begin, end, output: overviews, summary, continued_regions } = window;
        let kept = drafts.into_iter().filter_map(|draft| draft.kept(&overviews));
        let paths = kept.map(OutputPath::done).collect::<Result<_>>()?;
        let output = (paths, overviews);
        written.push(WindowSummary { begin, end, output, summary, continued_regions });
    }
    let summary = sum(whole, &written);
    Ok((written, summary))
}

/// The counts of all windows, in the summary of the run. A region counts once, however many windows show it.
fn sum(whole: Summary, written: &[Written]) -> Summary {
    let all = |count: fn(&Summary) -> u64| {
        written.iter().map(|time_window| count(&time_window.summary)).sum()
    };
    let continued: u64 = written.iter().map(|time_window| time_window.continued_regions).sum();
    Summary {
        slices: all(|summary| summary.slices),
        logical_thread_slices: all(|summary| summary.logical_thread_slices),
        instants: all(|summary| summary.instants),
        logical_thread_instants: all(|summary| summary.logical_thread_instants),
        region_slices: all(|summary| summary.region_slices) - continued,
        hold_slices: all(|summary| summary.hold_slices),
        counter_values: all(|summary| summary.counter_values),
        samples: all(|summary| summary.samples),
        inferred: all(|summary| summary.inferred),
        cut: all(|summary| summary.cut),
        ..whole
    }
}

/// Opens the writers of one part after the other.
struct Parts<'a> {
    arguments: &'a ExportArguments,
    plan: Option<Plan>,
    drafts: Rc<RefCell<Vec<Vec<Draft>>>>,
    /// Sizes of the files of the last part.
    sizes: Sizes,
}

impl Supply for Parts<'_> {
    type Sink = Writers;

    fn next(&mut self) -> Result<Writers, SupplyError> {
        let mut drafts = self.drafts.borrow_mut();
        let number = drafts.len() + 1;
        let (writers, opened, sizes) =
            formats::open(self.arguments, self.plan.as_ref(), Some(number))?;
        drafts.push(opened);
        self.sizes = sizes;
        Ok(writers)
    }

    #[inline]
    fn is_full(&self) -> bool {
        let Some(most) = self.arguments.split else { return false };
        self.sizes.iter().any(|size| size.load(Relaxed) >= most)
    }
}
