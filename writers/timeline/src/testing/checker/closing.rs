//! The checks after everything was reported.

use super::Checker;
use ompttrace_model::Summary;

impl Checker {
    /// Checks that nothing is open any more, and that the summary matches the reported events.
    pub(super) fn check_end(&mut self, summary: &Summary) {
        let tracks = self.tracks.values().chain(self.logical_threads.values());
        let open: usize = tracks.map(|track| track.open.len()).sum();
        let team_threads = self.team_threads.open();
        let regions = self.regions.values().filter(|(open, _)| open.is_some()).count();
        let holds = self.holds.values().filter(|(open, _)| open.is_some()).count();
        self.check(open + regions + holds + team_threads == 0, || {
            format!("left open: {open} slices, {regions} regions, {holds} holds, {team_threads} team threads")
        });
        self.check_states();
        // What only the interpretation knows is not checked except for its sum.
        let seen = Summary {
            events: summary.events,
            records: summary.records,
            interpreted: summary.interpreted,
            absorbed: summary.absorbed,
            dropped: summary.dropped.clone(),
            lost: summary.lost,
            missing: summary.missing,
            clamped: summary.clamped,
            untracked_holds: summary.untracked_holds,
            unreported_resumes: summary.unreported_resumes,
            unreported_ns: summary.unreported_ns,
            skipped: summary.skipped,
            ..self.seen.clone()
        };
        self.check(seen == *summary, || {
            format!("the summary says {summary:?}, reported was {seen:?}")
        });
        let dropped: u64 = summary.dropped.iter().map(|(_, count)| count).sum();
        let sum = summary.interpreted + summary.absorbed + dropped;
        self.check(sum == summary.records, || {
            format!("{} records, but {sum} accounted for", summary.records)
        });
    }
}
