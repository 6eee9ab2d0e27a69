//! Tools that do not run because this one does: a runtime has one tool at a time.

use crate::inquiry::Lookup;
use ompttrace_recording::displaced::{ARCHER, archer, of_list};
use std::path::Path;

/// A line on the tool that the runtime would have had in our place, and what to do about it; `None`: it would have had none.
pub(crate) fn line(lookup: Lookup, version: &str) -> Option<String> {
    let file = Path::new(&lookup.library()).with_file_name(ARCHER);
    let has_archer =
        version.starts_with("LLVM OMP") && is_under_thread_sanitizer() && file.is_file();
    of_list(&std::env::var("OMP_TOOL_LIBRARIES").unwrap_or_default())
        .or_else(|| has_archer.then(|| archer(&file)))
}

fn is_under_thread_sanitizer() -> bool {
    // SAFETY: looks a name up.
    unsafe { !libc::dlsym(libc::RTLD_DEFAULT, c"__tsan_init".as_ptr()).is_null() }
}
