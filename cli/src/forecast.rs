//! Expected size of an overview at each resolution, estimated from a few windows of the run: a trace that will be too
//! large is not drawn at all, instead of being given up on the way.

use crate::arguments::ExportArguments;
use crate::detail::Plan;
use crate::formats::table::{Format, row};
use crate::formats::writer::Overviews;
use crate::progress::Progress;
use ompttrace_model::{MIN_RESUME_NS, Windows};
use ompttrace_recording::Recording;
use ompttrace_timeline::time_windows::Window;
use ompttrace_timeline::{WindowOptions, sample_windows};
use std::io;

/// A recording of more than so many times the limit has no forecast, which reads it once more: most resolutions are given up
/// soon after its beginning, and to draw them until then takes less.
const LONG: u64 = 50;
/// Hundredths of its share of the limit, beyond which the windows of a resolution are no longer drawn: windows are not
/// of one size.
const HOPELESS: u64 = 250;

/// Bytes of a trace by resolution, from the finest on; those that are absent are too large.
pub type BytesByResolution = Vec<(u64, u64)>;

/// Expected sizes of the overviews of a run, by format; none of a run that is too short for that.
#[derive(Debug, Default)]
pub struct Forecast(Vec<(Format, BytesByResolution)>);

/// A few windows of a run, to be drawn as overviews.
pub struct Probe<'a> {
    recording: &'a Recording,
    pub arguments: &'a ExportArguments,
    pub plan: &'a Plan,
}

impl Forecast {
    /// Draws a few windows of a run, if there are resolutions to choose from and all of the run is shown.
    pub fn of(recording: &Recording, arguments: &ExportArguments, plan: Option<&Plan>) -> Forecast {
        let is_wanted = |plan: &&Plan| plan.resolutions.len() > 1 && !arguments.is_window();
        let Some(plan) = plan.filter(is_wanted) else {
            return Forecast::default();
        };
        if !saves_time(recording.bytes_of_threads(), plan.limit) {
            return Forecast::default();
        }
        let _waiting = Progress::new(arguments.quiet);
        let probe = Probe { recording, arguments, plan };
        let sizes = arguments.formats().filter_map(|format| {
            let forecast = row(format).tracks()?.forecast;
            Some((format, forecast(&probe)?))
        });
        Forecast(sizes.collect())
    }

    /// The plan with one resolution for each format: the finest at which its trace will fit, and the coarsest where none will.
    pub fn narrowed(&self, plan: &Plan) -> Plan {
        let fits = |sizes: &BytesByResolution| {
            let fitting = sizes.iter().find(|(_, bytes)| *bytes <= plan.limit);
            fitting.or(sizes.last()).map(|(resolution, _)| *resolution)
        };
        let chosen: Vec<_> = self.0.iter().filter_map(|(_, sizes)| fits(sizes)).collect();
        match chosen.iter().min() {
            Some(_) => plan.only(|resolution| chosen.contains(&resolution)),
            None => plan.clone(),
        }
    }

    /// Completes the sizes that the writers report: the expected size of a trace of everything, for formats in which
    /// none was begun.
    pub fn complete(&self, overviews: &mut Overviews) {
        for (format, kept) in overviews.0.iter_mut().filter(|(_, kept)| kept.whole == 0) {
            let sizes = self.0.iter().filter(|(of, _)| of == format).flat_map(|(_, sizes)| sizes);
            let mut whole =
                sizes.filter(|(resolution, _)| *resolution == 0).map(|(_, bytes)| *bytes);
            kept.whole = whole.next().unwrap_or(0);
        }
    }
}

/// True if a forecast of a recording of so many bytes takes less time than it saves.
fn saves_time(bytes: u64, limit: u64) -> bool {
    bytes / LONG <= limit
}

impl Probe<'_> {
    /// Writers of overviews, one for each resolution, which discard all bytes.
    pub fn nowhere(&self) -> impl Iterator<Item = (u64, io::Sink)> {
        self.plan.resolutions.iter().map(|resolution| (*resolution, io::sink()))
    }

    /// Expected size of the whole run's trace, in bytes, at each resolution that is not hopeless, by the sizes of a few
    /// windows. `make` gets the maximum size of a trace, in bytes.
    pub fn sizes<'w, O, E>(
        &self,
        make: impl Fn(u64) -> Windows<'w, Option<ompttrace_tracks::Written<O>>, E>,
    ) -> Option<BytesByResolution> {
        let watch = &mut |_, _| {};
        let options = window_options(self.arguments, watch);
        let hopeless = |of: u64| self.plan.limit.saturating_mul(HOPELESS) / 100 / of.max(1);
        // What fails here fails again when the trace is made, and is said then.
        let bytes_per_thread = make(u64::MAX).bytes_per_thread();
        let make = |of| make(hopeless(of));
        let sample = sample_windows(self.recording, bytes_per_thread, make, options).ok()??;
        let sizes = sample.output.as_ref()?.sizes.iter();
        Some(sizes.map(|(resolution, bytes)| (*resolution, sample.of_all(*bytes))).collect())
    }
}

/// Options of a pass in windows.
pub fn window_options<'o>(
    arguments: &ExportArguments,
    watch: &'o mut dyn FnMut(u64, u64),
) -> WindowOptions<'o> {
    WindowOptions {
        min_resume_ns: if arguments.exact { 0 } else { MIN_RESUME_NS },
        jobs: arguments.jobs.count(),
        window: arguments.window_size,
        shown: Window { from: arguments.from, to: arguments.to },
        watch,
        job: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::writer::Kept;

    const PERFETTO: Format = Format::Perfetto;
    const CHROME: Format = Format::Chrome;

    fn plan() -> Plan {
        Plan::of(vec![0, 1, 2, 5], 100, true)
    }

    #[test]
    fn one_resolution_is_drawn_of_each_format() {
        let left = |perfetto: Option<_>, chrome: Option<_>| {
            let of = |format, sizes: Option<_>| sizes.map(|sizes| (format, sizes));
            let all = [of(PERFETTO, perfetto), of(CHROME, chrome)];
            Forecast(all.into_iter().flatten().collect()).narrowed(&plan()).resolutions
        };
        let sizes = |bytes: [u64; 4]| {
            Some(plan().resolutions.into_iter().zip(bytes).collect::<BytesByResolution>())
        };
        assert_eq!(left(None, None), [0, 1, 2, 5]);
        assert_eq!(left(sizes([100, 81, 80, 26]), None), [0]);
        assert_eq!(left(sizes([900, 101, 100, 81]), None), [2]);
        assert_eq!(left(sizes([900, 800, 700, 600]), None), [5]);
        assert_eq!(left(sizes([200, 80, 70, 10]), sizes([900, 400, 90, 10])), [1, 2]);
    }

    #[test]
    fn long_recordings_have_none() {
        assert!(saves_time(4_000_000_000, 80_000_000));
        assert!(!saves_time(4_100_000_000, 80_000_000));
        assert!(saves_time(u64::MAX, u64::MAX));
    }

    #[test]
    fn the_finest_is_made_of_the_next_finer_one() {
        let made_of = |bytes: [u64; 4]| {
            let sizes = plan().resolutions.into_iter().zip(bytes).collect();
            Forecast(vec![(PERFETTO, sizes)]).narrowed(&plan()).made_of
        };
        assert_eq!(made_of([900, 800, 90, 30]), Some(1));
        assert_eq!(made_of([900, 90, 80, 30]), None, "of everything");
        assert_eq!(made_of([90, 80, 70, 30]), None);
    }

    #[test]
    fn what_was_not_begun_has_the_expected_size() {
        let forecast = Forecast(vec![(PERFETTO, vec![(0, 900), (1, 90)])]);
        let completed = |kept: &[(Format, u64)]| {
            let kept = kept
                .iter()
                .map(|(of, whole)| (*of, Kept { resolution: 1, bytes: 1, whole: *whole }));
            let mut overviews = Overviews(kept.collect());
            forecast.complete(&mut overviews);
            overviews.0.iter().map(|(_, kept)| kept.whole).collect::<Vec<_>>()
        };
        assert_eq!(completed(&[(PERFETTO, 0), (CHROME, 0)]), [900, 0]);
        assert_eq!(completed(&[(PERFETTO, 870)]), [870]);
    }
}
