//! Facts in `recording.json` on the recording of cores: the method by which it was recorded which threads had a core.

use ompttrace_recorder::{CoresSummary, cores_summary};
use ompttrace_recording::events::cores as reason;
use ompttrace_recording::facts::Cores;
use ompttrace_recording::settings::CoresMode;

/// Facts at the start: the mode that was requested.
pub(crate) fn asked(mode: CoresMode) -> Cores {
    Cores { asked: mode.name().to_owned(), ..Cores::default() }
}

/// Facts at the end of the run.
pub(crate) fn at_end() -> Cores {
    cores_summary().map_or_else(Cores::default, |summary| Cores {
        asked: summary.mode.name().to_owned(),
        used: used(&summary).name().to_owned(),
        why: summary.why.map_or_else(String::new, |(reason, errno)| in_words(reason, errno)),
        threads_by_switches: summary.switches,
        threads_by_accounting: summary.accounts,
        threads_unknown: summary.nothing,
        lost_switches: summary.lost,
        storms: summary.storms,
    })
}

/// The best method that any thread had.
fn used(summary: &CoresSummary) -> CoresMode {
    match summary {
        CoresSummary { switches: 1.., .. } => CoresMode::Switches,
        CoresSummary { accounts: 1.., .. } => CoresMode::Accounting,
        _ => CoresMode::Off,
    }
}

fn in_words(why: u64, errno: i32) -> String {
    match why {
        reason::REFUSED => refused(errno),
        reason::NO_MEMORY => {
            "no locked memory left for perf buffers (kernel.perf_event_mlock_kb)".into()
        }
        reason::NO_DESCRIPTOR => "no descriptor left for a perf event".into(),
        reason::FILTERED => "the program added a seccomp filter".into(),
        _ => "the kernel has no accounting per thread (/proc/thread-self/schedstat)".into(),
    }
}

pub(crate) fn refused(errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    let level = paranoid.map_or_else(|_| "unknown".to_owned(), |level| level.trim().to_owned());
    format!("perf events are refused: {error}; kernel.perf_event_paranoid is {level}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_that_a_thread_got_counts() {
        let summary = |switches, accounts| CoresSummary {
            mode: CoresMode::Auto,
            switches,
            accounts,
            nothing: 1,
            lost: 0,
            storms: 0,
            why: None,
        };
        let used = [(1, 5), (0, 5), (0, 0)].map(|(one, other)| used(&summary(one, other)).name());
        assert_eq!(used, ["switches", "accounting", "off"]);
    }

    #[test]
    fn refusals_have_words() {
        let text = in_words(reason::REFUSED, 13);
        assert!(
            text.contains("Permission denied") && text.contains("perf_event_paranoid is"),
            "{text}"
        );
        assert!(in_words(reason::NO_MEMORY, 0).contains("perf_event_mlock_kb"));
    }
}
