//! Defects of known runtimes that the tool avoids (measured: see tests/oracle/README.md).

use ompttrace_recording::events::{Error, MutexReleased};

/// Callbacks that are not registered with this runtime, by number, each with the reason that `info` shows. A user who
/// names a callback explicitly gets it.
///
/// `error`: LLVM's runtime takes the length of a message that `#pragma omp error at(execution)`
/// need not have, but only when a tool listens (measured: 16 and 19; before 16 the directive crashes
/// in any case). Intel's runtime does not.
///
/// `mutex_released`: at the end of a critical section these runtimes look for a return address in
/// what they keep of the thread that brought them up (LLVM to 21, pull request 169826; Intel to 2024;
/// measured: LLVM 14, 16, 19, Intel 2024). Once that thread has ended, every critical section crashes
/// as long as a tool listens. The main thread does not end before the program; any other may.
pub(crate) fn left_out(version: &str, on_main_thread: bool) -> Vec<(u16, String)> {
    let is_llvm = version.starts_with("LLVM OMP");
    let before_2025 = intel_date(version).is_some_and(|date| date < 20_250_000);
    let mut left_out = Vec::new();
    if is_llvm {
        left_out.push((
            Error::NUMBER,
            "this runtime crashes at an error directive without a message if a tool has registered the callback; \
             OMPTTRACE_EVENTS=all,error registers it anyway"
                .to_owned(),
        ));
    }
    if (is_llvm || before_2025) && !on_main_thread {
        left_out.push((
            MutexReleased::NUMBER,
            "this runtime was initialised by a thread that may end, after which critical sections crash if a \
             tool has registered the callback; OMPTTRACE_EVENTS=all,mutex_released registers it anyway"
                .to_owned(),
        ));
    }
    left_out
}

/// Reason for which this runtime cannot be traced at all; `None` if it can.
///
/// Intel's runtimes of 2018 and 2019 say that they follow OpenMP 5.0 but speak a draft of it:
/// shifted results, other arguments.
pub(crate) fn refusal(version: &str) -> Option<String> {
    let date = intel_date(version)?;
    (date < 20_191_001).then(|| {
        format!(
            "'{version}' implements a draft of the tools interface; the program runs untraced; use Intel's \
             runtime of 2020 or later, or LLVM's"
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
    use ompttrace_recording::events::name;

    #[test]
    fn what_crashes_is_left_out_where_it_does() {
        let names = |version, on_main_thread| {
            let left_out = left_out(version, on_main_thread).into_iter();
            left_out.map(|(event, _)| name(event)).collect::<Vec<_>>()
        };
        assert_eq!(names("LLVM OMP version: 5.0.20140926", true), ["error"]);
        assert_eq!(names("LLVM OMP version: 5.0.20140926", false), ["error", "mutex_released"]);
        assert_eq!(names("Intel(R) OMP version: 5.0.20230815", false), ["mutex_released"]);
        assert_eq!(names("Intel(R) OMP version: 5.0.20260828", false), [""; 0]);
    }

    #[test]
    fn drafts_of_the_interface_are_refused_by_name() {
        let reported = refusal("Intel(R) OMP version: 5.0.20180710").expect("refused");
        assert!(reported.contains("20180710") && reported.contains("2020 or later"));
        assert_eq!(refusal("Intel(R) OMP version: 5.0.20200922"), None);
        assert_eq!(refusal("LLVM OMP version: 5.0.20140926"), None);
        assert_eq!(refusal("Intel(R) OMP version: odd"), None);
    }
}
