//! Sizes of traces that the viewer in a browser can open, with remarks on those that are larger.
//!
//! Measured: Perfetto's reader takes two to four times a trace's size in memory, and a browser gives a
//! page 2 to 4 GB.

use anyhow::{Context, Result};
use std::path::Path;

/// Size up to which traces open in a browser, in bytes.
pub const COMFORTABLE: u64 = 500 << 20;

/// A file's size in words.
pub fn size(path: &Path) -> Result<String> {
    let metadata = path.metadata().with_context(|| format!("{}", path.display()))?;
    Ok(in_words(metadata.len()))
}

/// A number of bytes in words, such as `1.50 GiB`.
pub fn in_words(bytes: u64) -> String {
    indicatif::BinaryBytes(bytes).to_string()
}

/// A remark on a trace that may be too large for the browser, with the ways to make that of `run` smaller.
pub fn remark(trace: &Path, run: &Path) -> Option<String> {
    let is_for_browsers = |name: &str| name.contains(".pftrace") || name.contains(".json");
    let bytes = trace.metadata().ok()?.len();
    if !is_for_browsers(trace.file_name()?.to_str()?) {
        return None;
    }
    let run = if run.is_dir() { crate::say::shown(run) } else { "RUN".to_owned() };
    (bytes > COMFORTABLE).then(|| too_large(bytes, &run))
}

/// A remark on a merged trace that may be too large, which becomes smaller with fewer ranks or one view.
pub fn remark_merged(trace: &Path) -> Option<String> {
    let bytes = trace.metadata().ok()?.len();
    (bytes > COMFORTABLE).then(|| {
        let (bytes, most) = (in_words(bytes), in_words(COMFORTABLE));
        format!(
            "the trace has {bytes}, and browsers fail with more than about {most}: merge fewer ranks, or only \
             one view with `--view regions`"
        )
    })
}

fn too_large(bytes: u64, run: &str) -> String {
    format!(
        "the trace has {}, and browsers fail with more than about {}: `ompttrace export {run} --split 500M`, or \
         a part of it with `--from 2s --to 2.5s`; Perfetto's `trace_processor --httpd TRACE` opens the whole \
         trace, and the page finds it by itself",
        in_words(bytes),
        in_words(COMFORTABLE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn only_large_traces_of_the_browser_are_remarked_upon() {
        let run = tempfile::tempdir().expect("a folder");
        for (name, bytes, reported) in [
            ("trace.pftrace", COMFORTABLE + 1, true),
            ("trace.json", COMFORTABLE + 1, true),
            ("trace.2.pftrace", COMFORTABLE, false),
            ("traces.otf2", COMFORTABLE + 1, false),
        ] {
            let path = run.path().join(name);
            // A hole: it takes no room.
            File::create(&path).and_then(|file| file.set_len(bytes)).expect("made");
            let remark = remark(&path, run.path());
            assert_eq!(remark.is_some(), reported, "{name}");
            assert!(remark.is_none_or(|words| words.contains("--split") && words.contains("500")));
        }
    }
}
