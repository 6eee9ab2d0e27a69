//! What known runtimes cannot bear (measured: see tests/oracle/README.md).

/// Callbacks to leave out for this runtime, each with the reason that `info` shows.
///
/// `error`: LLVM's runtime takes the length of a message that `#pragma omp error at(execution)`
/// need not have, but only when a tool listens (measured: 16 and 19; before 16 the directive crashes
/// in any case). Intel's runtime does not. A user who insists gets it.
pub(crate) fn left_out(version: &str) -> Vec<(&'static str, String)> {
    if version.starts_with("LLVM OMP") {
        let reason = "this runtime crashes at an error directive without message if a tool listens; \
                      OMPTTRACE_EVENTS=all,error registers it all the same";
        vec![("error", reason.to_owned())]
    } else {
        Vec::new()
    }
}

/// Why this runtime cannot be traced at all, if so.
///
/// Intel's runtimes of 2018 and 2019 say that they follow OpenMP 5.0 but speak a draft of it:
/// shifted results, other arguments.
pub(crate) fn refusal(version: &str) -> Option<String> {
    let date = intel_date(version)?;
    (date < 20_191_001).then(|| {
        format!(
            "'{version}' speaks a draft of the tools interface; the program runs untraced; \
             use Intel's runtime of 2020 or later, or LLVM's"
        )
    })
}

/// The date in `Intel(R) OMP version: 5.0.YYYYMMDD`.
fn intel_date(version: &str) -> Option<u32> {
    let date = version.strip_prefix("Intel(R) OMP version: ")?.rsplit('.').next()?;
    date.get(..8).filter(|_| date.len() == 8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_of_the_interface_are_refused_by_name() {
        let told = refusal("Intel(R) OMP version: 5.0.20180710").expect("refused");
        assert!(told.contains("20180710") && told.contains("2020 or later"));
        assert_eq!(refusal("Intel(R) OMP version: 5.0.20200922"), None);
        assert_eq!(refusal("LLVM OMP version: 5.0.20140926"), None);
        assert_eq!(refusal("Intel(R) OMP version: odd"), None);
    }
}
