//! What known runtimes cannot bear, found out by looking at them, not by their version alone.

use crate::inquiry::Lookup;

/// Callbacks to leave out for this runtime, each with the reason that `info` shows.
pub(crate) fn left_out(version: &str, lookup: Lookup) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    if crashes_on_error(version, lookup) {
        found.push(("error", "this runtime crashes when it is registered".to_owned()));
    }
    found
}

/// Whether registering `error` crashes the runtime: LLVM before 15 and Intel before 2024 do.
fn crashes_on_error(version: &str, lookup: Lookup) -> bool {
    match intel_date(version) {
        Some(date) => date < 20_240_101,
        None => !lookup.exports(c"__kmpc_error"),
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
