//! Level of detail of a trace: everything in the run, or an overview of a size that viewers can open.

use crate::arguments::ExportArguments;
use crate::formats::table::row;
use crate::formats::writer::{Kept, Overviews};
use crate::units;
use ompttrace_recording::{Recording, settings};

/// `--limit` if it is not given: a size in bytes that Perfetto's page loads in less than half a minute.
pub const USUAL_LIMIT: u64 = 80_000_000;

/// Resolutions of an overview, from a millionth of the time that it shows to a five-hundredth: about as many parts as a
/// trace can have, and as a screen can show.
const FINEST: u64 = 1_000_000;
const COARSEST: u64 = 500;
/// Shortest resolution, in nanoseconds: to merge only slices that are shorter is not worth it.
const SHORTEST: u64 = 1_000;

/// Bytes in a trace for a switch of a thread, of which an overview leaves nothing out; below, bytes of its record.
const SWITCH: u64 = 30;
const SWITCH_RECORD: u64 = 16;

/// Value of `--detail`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// As many slices as `--limit` allows.
    #[default]
    Auto,
    /// Everything, however large the trace.
    All,
    /// Slices that last at least this many nanoseconds.
    From(u64),
}

/// Reads `--detail`.
pub fn parse(text: &str) -> Result<Detail, String> {
    match text.trim() {
        "auto" => Ok(Detail::Auto),
        "all" => Ok(Detail::All),
        time => match units::time(time) {
            Ok(time) if time > 0 => Ok(Detail::From(time)),
            _ => Err("auto, all, or a time such as 100us".to_owned()),
        },
    }
}

/// Reads `--limit`; without one, the largest size.
pub fn parse_limit(text: &str) -> Result<u64, String> {
    let allowed = || "none, or a size of at least 1MB, such as 80MB".to_owned();
    settings::limit(text.trim()).ok_or_else(allowed)
}

/// Resolutions and limits of an overview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Minimum durations of slices that are drawn as they are, in nanoseconds, from the shortest on; 0: everything is
    /// drawn.
    pub resolutions: Vec<u64>,
    /// A finer resolution that is not drawn, from which the finest one is made in windows.
    pub made_of: Option<u64>,
    /// Maximum size of a trace, in bytes.
    pub limit: u64,
    /// True if an overview has the cores of threads.
    pub cores: bool,
}

impl Plan {
    /// The plan with only those resolutions that are `wanted`: the finest is made from the next finer one.
    pub fn only(&self, wanted: impl Fn(u64) -> bool) -> Plan {
        let all = || self.resolutions.iter().copied();
        let resolutions: Vec<_> = all().filter(|resolution| wanted(*resolution)).collect();
        let finest = resolutions.first().copied();
        let finer = all().take_while(|resolution| Some(*resolution) != finest);
        let made_of = finer.last().filter(|resolution| *resolution > 0);
        Plan { resolutions, made_of, ..self.clone() }
    }

    /// The plan after traces of which some are larger than allowed: those at the next coarser resolution, where there is one.
    pub fn coarser(&self, drawn: &Overviews) -> Option<Plan> {
        let kept = || drawn.0.iter().map(|(_, kept)| kept);
        let next = |kept: &Kept| {
            self.resolutions.iter().copied().find(|coarser| *coarser > kept.resolution)
        };
        let is_too_large = |kept: &&Kept| kept.bytes > self.limit;
        let coarser: Vec<_> = kept().filter(is_too_large).filter_map(next).collect();
        let others = || kept().filter(|kept| !is_too_large(kept)).map(|kept| kept.resolution);
        let is_wanted = |one: u64| coarser.contains(&one) || others().any(|other| other == one);
        (!coarser.is_empty()).then(|| self.only(is_wanted))
    }

    /// A plan with all of these resolutions.
    pub fn of(resolutions: Vec<u64>, limit: u64, cores: bool) -> Plan {
        Plan { resolutions, made_of: None, limit, cores }
    }
}

/// The plan of an overview, if a trace of everything could exceed the limit or an overview is requested.
pub fn plan(recording: &Recording, arguments: &ExportArguments) -> Option<Plan> {
    let switches = recording.bytes_of_cores() / SWITCH_RECORD * SWITCH;
    let limit = arguments.limit.unwrap_or(USUAL_LIMIT);
    let cores = switches <= limit / 4;
    match arguments.detail {
        Detail::All => None,
        Detail::From(time) => Some(Plan::of(vec![time], u64::MAX, cores)),
        Detail::Auto => {
            let per_byte = arguments.formats().map(|format| row(format).most_per_byte).max();
            let events = recording.bytes_of_threads().saturating_mul(per_byte.unwrap_or(0));
            let most = events.saturating_add(switches);
            let parts = arguments.split.is_some() || limit == u64::MAX;
            let needed = most > limit && !parts;
            needed.then(|| Plan::of(steps(shown(recording, arguments)), limit, cores))
        }
    }
}

/// Length of the time that the trace shows, in nanoseconds.
fn shown(recording: &Recording, arguments: &ExportArguments) -> u64 {
    let (begin, end) = ompttrace_timeline::span_of(recording);
    let whole = end.saturating_sub(begin);
    let to = arguments.to.map_or(whole, |to| to.min(whole));
    to.saturating_sub(arguments.from.unwrap_or(0))
}

/// Resolutions for a time of this length, in nanoseconds: 0 for everything, then 1, 2, 5, 10 and so on.
fn steps(shown: u64) -> Vec<u64> {
    let (finest, coarsest) = ((shown / FINEST).max(SHORTEST), shown / COARSEST);
    let decades = (0..19).map(|power| 10u64.pow(power));
    let all = decades.flat_map(|decade| [1, 2, 5].map(|digit| digit * decade));
    let steps = all.filter(|step| *step >= finest && *step <= coarsest.max(2 * SHORTEST));
    std::iter::once(0).chain(steps).collect()
}

/// Nanoseconds as a resolution is written: `200us`, `5ms`.
pub fn in_words(resolution: u64) -> String {
    match resolution {
        1_000_000_000.. => format!("{}s", resolution as f64 / 1e9),
        1_000_000.. => format!("{}ms", resolution as f64 / 1e6),
        _ => format!("{}us", resolution as f64 / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::table::Format;

    #[test]
    fn a_detail_is_a_word_or_a_time() {
        assert_eq!(parse("all"), Ok(Detail::All));
        assert_eq!(parse("auto"), Ok(Detail::Auto));
        assert_eq!(parse("100us"), Ok(Detail::From(100_000)));
        for wrong in ["", "0", "0us", "some", "-1ms"] {
            assert!(parse(wrong).is_err_and(|allowed| allowed.contains("100us")), "{wrong}");
        }
        assert_eq!((parse_limit("none"), parse_limit("2MB")), (Ok(u64::MAX), Ok(2_000_000)));
        assert!(parse_limit("1").is_err_and(|allowed| allowed.contains("80MB")));
    }

    #[test]
    fn what_is_too_large_is_drawn_at_the_next_coarser_resolution() {
        let plan = Plan::of(vec![0, 1, 2, 5], 100, true);
        let after = |kept: &[(u64, u64)]| {
            let kept = kept.iter().map(|(resolution, bytes)| {
                (Format::Perfetto, Kept { resolution: *resolution, bytes: *bytes, whole: 0 })
            });
            plan.coarser(&Overviews(kept.collect())).map(|plan| (plan.resolutions, plan.made_of))
        };
        assert_eq!(after(&[(1, 100)]), None);
        assert_eq!(after(&[(0, 101)]), Some((vec![1], None)));
        assert_eq!(after(&[(1, 101)]), Some((vec![2], Some(1))));
        assert_eq!(after(&[(1, 101), (2, 90)]), Some((vec![2], Some(1))));
        assert_eq!(after(&[(2, 101), (1, 90)]), Some((vec![1, 5], None)));
        assert_eq!(after(&[(5, 101)]), None, "there is no coarser one");
    }

    #[test]
    fn resolutions_go_from_what_a_trace_can_hold_to_what_a_screen_can_show() {
        assert_eq!(steps(0), [0, 1_000, 2_000]);
        let of_minutes = steps(100_000_000_000);
        assert_eq!(of_minutes[..3], [0, 100_000, 200_000]);
        assert_eq!(of_minutes.last(), Some(&200_000_000));
        assert_eq!(
            [100, 1_500, 5_000_000, 2_000_000_000].map(in_words),
            ["0.1us", "1.5us", "5ms", "2s"]
        );
    }
}
