//! Tools that do not run because this one does: a runtime has one tool at a time.

use crate::inquiry::Lookup;
use std::path::Path;

/// The name of LLVM's tool that tells ThreadSanitizer of OpenMP's synchronisation, which its runtime loads if there is no other.
const ARCHER: &str = "libarcher.so";

/// A line on the tool that the runtime would have had in our place, and what to do about it; `None`: it would have had none.
pub(crate) fn line(lookup: Lookup, version: &str) -> Option<String> {
    let listed = std::env::var("OMP_TOOL_LIBRARIES").unwrap_or_default();
    let archer = Path::new(&lookup.library()).with_file_name(ARCHER);
    let has_archer =
        version.starts_with("LLVM OMP") && is_under_thread_sanitizer() && archer.is_file();
    match (after_ours(&listed), has_archer) {
        (Some(other), _) => Some(format!(
            "{other} of OMP_TOOL_LIBRARIES is not loaded: a runtime has one tool, the first that starts; name it first, and not \
             ompttrace, where you want it"
        )),
        (None, true) => Some(format!(
            "the program runs under ThreadSanitizer, and {} is not loaded, because a runtime has one tool: races may be \
             reported that are none; trace a build without -fsanitize=thread, or look for races without ompttrace",
            archer.display()
        )),
        (None, false) => None,
    }
}

/// The first library of a list that comes after ours.
fn after_ours(listed: &str) -> Option<&str> {
    let is_ours = |path: &&str| {
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libompttrace")
    };
    let mut libraries = listed.split(':').filter(|path| !path.is_empty());
    libraries.find(is_ours)?;
    libraries.find(|path| !is_ours(path))
}

fn is_under_thread_sanitizer() -> bool {
    // SAFETY: looks a name up.
    unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__tsan_init".as_ptr()).is_null() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_ours_is_displaced() {
        assert_eq!(after_ours("/a/libompttrace.so:/b/libother.so"), Some("/b/libother.so"));
        assert_eq!(after_ours("/b/libother.so:/a/libompttrace.so"), None, "ours would be");
        assert_eq!(after_ours("/a/libompttrace.so:/c/libompttrace.so:"), None);
        assert_eq!(after_ours(""), None);
    }
}
