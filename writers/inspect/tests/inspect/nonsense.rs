//! Recordings that no runtime would produce.

use crate::script::snapshot;
use ompttrace_inspect::render;
use ompttrace_timeline::testing::nonsense;

#[test]
fn nonsense_is_detected_and_reported() {
    for seed in 1..200 {
        let mut seen = snapshot(&nonsense(seed, 2000));
        seen.analyse();
        let text = render(&seen);
        let lines: Vec<_> = text.iter().filter(|line| line.contains('\n')).collect();
        assert!(lines.is_empty(), "{seed}: {lines:?}");
        let positions = seen.findings.iter().flat_map(|finding| &finding.threads);
        assert!(positions.into_iter().all(|at| *at < seen.threads.len()), "{seed}");
        serde_json::to_string(&seen).expect("it can be written");
    }
}
