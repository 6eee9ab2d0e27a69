//! Words on tools that a runtime does not load because it loads ompttrace: it has one tool at a time. The library says them of its
//! own process, `ompttrace doctor` of a program that is to be recorded.

use std::path::Path;

/// File of LLVM's tool that tells ThreadSanitizer of OpenMP's synchronisation, which its runtime loads if there is no other.
pub const ARCHER: &str = "libarcher.so";

/// A line on the tool of a list (`OMP_TOOL_LIBRARIES`) that would be loaded in our place, and what to do; `None`: none would be.
pub fn of_list(list: &str) -> Option<String> {
    let other = after_ours(list)?;
    Some(format!(
        "{other} of OMP_TOOL_LIBRARIES is not loaded: a runtime has one tool, the first that starts; name it first, and not \
         ompttrace, where you want it"
    ))
}

/// A line on Archer, which lies in this file, for a program under ThreadSanitizer, and what to do.
pub fn archer(file: &Path) -> String {
    format!(
        "the program runs under ThreadSanitizer, and {} is not loaded, because a runtime has one tool: races may be \
         reported that are none; trace a build without -fsanitize=thread, or look for races without ompttrace",
        file.display()
    )
}

/// The first library of a list that comes after ours.
fn after_ours(list: &str) -> Option<&str> {
    let is_ours = |path: &&str| {
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libompttrace")
    };
    let mut libraries = list.split(':').filter(|path| !path.is_empty());
    libraries.find(is_ours)?;
    libraries.find(|path| !is_ours(path))
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
