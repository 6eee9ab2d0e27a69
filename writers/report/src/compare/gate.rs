//! A limit for what may become slower: `compare --fail-above 5%`.

use super::tables::signed_percent;
use super::{Change, Spread};
use crate::text::{duration, percent};

/// Result of comparing the change of the wall time with a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// False if the runs after are slower than allowed.
    pub passes: bool,
    /// The result and its reason in words, in one line.
    pub line: String,
}

/// Compares the change of the wall time's median with a limit, a share of the median before. What the runs of both sides
/// differ by themselves is noise: only more than that counts.
pub fn gate(change: &Change, runs: [usize; 2], allowed: f64) -> Verdict {
    let [before, after] = [change.before, change.after].map(Option::unwrap_or_default);
    let noise = noise(before, after);
    let passes = change.share <= allowed || change.share <= noise;
    let why = match (passes, change.share > allowed) {
        (false, _) => "slower than allowed",
        (true, false) => "within the limit",
        (true, true) => "no more than runs differ",
    };
    let known = match runs {
        [1, 1] => "unknown with one run a side".to_owned(),
        [one, other] => format!("{} of {one} and {other} runs", percent(noise)),
    };
    let line = format!(
        "{}: {why}: {} ({} after {}), allowed {}; noise {known}",
        if passes { "passed" } else { "failed" },
        signed_percent(change.share),
        duration(after.median_ns),
        duration(before.median_ns),
        signed_percent(allowed),
    );
    Verdict { passes, line }
}

/// The distance from the least to the most of the side whose runs differ more, as a share of the median before.
fn noise(before: Spread, after: Spread) -> f64 {
    let range = |side: Spread| (side.most_ns - side.least_ns) as f64;
    range(before).max(range(after)) / before.median_ns.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::model::Report;

    fn gated(before: &[u64], after: &[u64]) -> Verdict {
        let runs = |walls: &[u64]| -> Vec<Report> {
            walls.iter().map(|wall_ns| Report { wall_ns: *wall_ns, ..Report::default() }).collect()
        };
        gate(&compare(&runs(before), &runs(after)).wall, [before.len(), after.len()], 0.05)
    }

    #[test]
    fn slower_than_the_limit_and_than_the_noise_fails() {
        assert!(!gated(&[100, 101, 102], &[110, 111, 112]).passes);
        assert!(gated(&[100, 101, 102], &[104, 105, 106]).passes, "within the limit");
        assert!(gated(&[100, 101, 102], &[90, 91, 92]).passes, "faster");
        let noisy = gated(&[100, 101, 130], &[100, 111, 140]);
        assert!(noisy.passes && noisy.line.contains("no more than runs differ"), "{}", noisy.line);
        let one_sided = gated(&[100, 100, 100], &[100, 110, 112]);
        assert!(one_sided.passes, "runs of one side differ by more: {}", one_sided.line);
        let alone = gated(&[100], &[110]);
        assert!(!alone.passes && alone.line.contains("unknown with one run"), "{}", alone.line);
    }
}
