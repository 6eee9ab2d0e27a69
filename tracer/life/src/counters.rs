//! Facts in `recording.json` on the counters of threads.

use ompttrace_recorder::counters_summary;
use ompttrace_recording::facts::{Counter, Counters, Refused};

/// Facts that are known so far.
pub(crate) fn facts() -> Counters {
    let summary = counters_summary().unwrap_or_default();
    let counted = summary.counted.iter().map(|(kind, in_kernel)| Counter {
        name: kind.name.to_owned(),
        unit: kind.unit.to_owned(),
        outside_kernel: !in_kernel,
    });
    let refused = summary
        .refused
        .iter()
        .map(|(kind, errno)| Refused { name: kind.name.to_owned(), why: in_words(*errno) });
    Counters {
        counted: counted.collect(),
        refused: refused.collect(),
        threads_without: summary.without,
    }
}

/// A message that lists the counters that were refused; `None` if none was.
pub(crate) fn refusal(counters: &Counters) -> Option<String> {
    let refused: Vec<_> =
        counters.refused.iter().map(|one| format!("{} ({})", one.name, one.why)).collect();
    (!refused.is_empty()).then(|| format!("not counted: {}", refused.join(", ")))
}

fn in_words(errno: i32) -> String {
    match errno {
        libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP => "this machine has no such counter".into(),
        errno => crate::cores::refused(errno),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_counter_has_its_reason() {
        let counters = Counters {
            refused: vec![Refused { name: "cycles".into(), why: in_words(libc::ENOENT) }],
            ..Counters::default()
        };
        let said = refusal(&counters).expect("a line");
        assert_eq!(said, "not counted: cycles (this machine has no such counter)");
        assert_eq!(refusal(&Counters::default()), None);
    }
}
