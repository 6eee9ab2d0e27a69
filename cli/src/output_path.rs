//! The file or folder that a trace goes to: written under a temporary name in the same folder, renamed when it is
//! whole, never over an earlier one.

use crate::interrupted::{self, Draft};
use crate::{leftovers, say};
use anyhow::{Context, Result, bail};
use ompttrace_recording::{PinnedFolder, folder};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of a trace of several files in the private folder in which it is written.
const MADE: &str = "trace";

/// A trace being written.
pub struct OutputPath {
    draft: Arc<Draft>,
    /// The path of the draft's folder, as it was given.
    parent: PathBuf,
    wanted: Wanted,
    kind: Kind,
}

enum Wanted {
    /// The name that the user gave.
    Exactly(OsString),
    /// The first free of `stem.extension`, `stem.2.extension`, …; the extension may be empty.
    Free { stem: String, extension: &'static str },
}

enum Kind {
    File,
    /// A folder that is made in one of our own, into which no other user can put anything.
    #[cfg_attr(not(any(feature = "otf2", feature = "parquet")), allow(dead_code))]
    Folder {
        private: PinnedFolder,
        /// The name of the file in it that a reader opens; empty: the folder itself.
        anchor: &'static str,
    },
}

impl OutputPath {
    /// Opens the file to write into: `stem.extension` in the run folder, or `output`; with a number
    /// in its name where it is a part of the trace.
    pub fn open(
        run: &Path,
        output: Option<&Path>,
        part: Option<usize>,
        (stem, extension): (String, &'static str),
    ) -> Result<(OutputPath, File)> {
        let (stem, output) = match part {
            None => (stem, output.map(Path::to_owned)),
            Some(part) => (format!("{stem}-part{part}"), output.map(|path| of_part(path, part))),
        };
        OutputPath::file(run, output.as_deref(), (stem, extension))
    }

    /// Opens a file in `folder` with the first free name, or `output`.
    pub fn file(
        folder: &Path,
        output: Option<&Path>,
        name: (String, &'static str),
    ) -> Result<(OutputPath, File)> {
        OutputPath::of(folder, output, name, |draft| {
            Ok((Kind::File, draft.folder.create(&draft.name)?))
        })
    }

    /// Makes a private folder for a trace of several files, of which a reader opens `anchor`.
    #[cfg_attr(not(any(feature = "otf2", feature = "parquet")), allow(dead_code))]
    pub fn folder(
        run: &Path,
        output: Option<&Path>,
        stem: String,
        anchor: &'static str,
    ) -> Result<OutputPath> {
        OutputPath::of_folder(run, output, (stem, ""), anchor)
    }

    fn of_folder(
        parent: &Path,
        output: Option<&Path>,
        name: (String, &'static str),
        anchor: &'static str,
    ) -> Result<OutputPath> {
        let made = OutputPath::of(parent, output, name, |draft| {
            let private = draft.folder.private(&draft.name)?;
            Ok((Kind::Folder { private, anchor }, ()))
        });
        made.map(|(output_path, ())| output_path)
    }

    /// Makes a private folder for a recording, whose name is `stem` and a run folder's ending.
    pub fn run_folder(parent: &Path, output: Option<&Path>, stem: String) -> Result<OutputPath> {
        let extension = folder::SUFFIX.trim_start_matches('.');
        OutputPath::of_folder(parent, output, (stem, extension), "")
    }

    fn of<T>(
        run: &Path,
        output: Option<&Path>,
        (stem, extension): (String, &'static str),
        make: impl FnOnce(&Draft) -> io::Result<(Kind, T)>,
    ) -> Result<(OutputPath, T)> {
        // Without a slash at its end, after which the draft's name would be another folder's.
        let output: Option<PathBuf> = output.map(|path| path.components().collect());
        let (parent, wanted) = match &output {
            Some(path) => {
                let exists = || format!("{} exists: give another name", path.display());
                let name = path.file_name().with_context(exists)?;
                (path.parent().unwrap_or(Path::new("")), Wanted::Exactly(name.to_owned()))
            }
            None => (run, Wanted::Free { stem, extension }),
        };
        let shown = parent.join(wanted.numbered(1)).display().to_string();
        let folder = PinnedFolder::open(parent).with_context(|| shown.clone())?;
        if let Wanted::Exactly(name) = &wanted {
            if folder.entry(name).is_ok() {
                bail!("{shown} exists: give another name");
            }
            remark_leftovers(parent, name);
        }
        let name = beside(&folder, &wanted.numbered(1));
        let name = name.context("no unused name for an unfinished trace")?;
        let draft = Arc::new(Draft { folder, name });
        interrupted::drafts().push(Arc::clone(&draft));
        match make(&draft) {
            Ok((kind, made)) => {
                Ok((OutputPath { draft, parent: parent.to_owned(), wanted, kind }, made))
            }
            Err(error) => {
                forget(&draft);
                Err(error).context(shown)
            }
        }
    }

    /// Path by which messages name the trace while it is being written.
    pub fn name(&self) -> PathBuf {
        self.parent.join(self.wanted.numbered(1))
    }

    /// The folder in which the trace is written.
    pub fn parent(&self) -> &PinnedFolder {
        &self.draft.folder
    }

    /// A path for a library that makes the trace's folder itself, by paths alone.
    #[cfg_attr(not(feature = "otf2"), allow(dead_code))]
    pub fn to_make(&self) -> PathBuf {
        match &self.kind {
            Kind::File => self.draft.folder.path().join(&self.draft.name),
            Kind::Folder { private, .. } => private.path().join(MADE),
        }
    }

    /// Makes the trace's folder.
    pub fn made(&self) -> io::Result<PinnedFolder> {
        match &self.kind {
            Kind::File => Err(ErrorKind::NotADirectory.into()),
            Kind::Folder { private, .. } => private.private(MADE),
        }
    }

    /// Moves the complete trace to its output path; returns what a reader opens.
    pub fn done(self) -> Result<PathBuf> {
        // A signal waits, and then finds no draft.
        let mut drafts = interrupted::drafts();
        let path = self.put_somewhere()?;
        drafts.retain(|draft| !Arc::ptr_eq(draft, &self.draft));
        drop(drafts);
        Ok(match self.kind {
            Kind::File | Kind::Folder { anchor: "", .. } => path,
            Kind::Folder { anchor, .. } => path.join(anchor),
        })
    }

    fn put_somewhere(&self) -> Result<PathBuf> {
        for number in 1..10_000 {
            let name = self.wanted.numbered(number);
            let path = self.parent.join(&name);
            match self.put(&name) {
                Ok(()) => return Ok(path),
                Err(error)
                    if error.kind() == ErrorKind::AlreadyExists && self.wanted.may_be_another() => {
                }
                Err(error) => return Err(error).with_context(|| format!("{}", path.display())),
            }
        }
        bail!("no unused name for a trace in the run folder")
    }

    fn put(&self, name: &OsStr) -> io::Result<()> {
        let folder = &self.draft.folder;
        match &self.kind {
            Kind::File => folder.place(&self.draft.name, folder, name),
            Kind::Folder { private, .. } => private.place(MADE, folder, name),
        }
    }
}

impl Wanted {
    fn numbered(&self, number: u32) -> OsString {
        match self {
            Wanted::Exactly(name) => name.clone(),
            Wanted::Free { stem, extension } => {
                let number = if number == 1 { String::new() } else { format!(".{number}") };
                let dot = if extension.is_empty() { "" } else { "." };
                format!("{stem}{number}{dot}{extension}").into()
            }
        }
    }

    fn may_be_another(&self) -> bool {
        matches!(self, Wanted::Free { .. })
    }
}

impl Drop for OutputPath {
    /// Removes an unfinished trace; a finished one has its own name by now.
    fn drop(&mut self) {
        self.draft.remove();
        forget(&self.draft);
    }
}

/// Removes the draft from the list of those that a signal removes.
fn forget(draft: &Arc<Draft>) {
    interrupted::drafts().retain(|known| !Arc::ptr_eq(known, draft));
}

/// The name of a part: `heat.pftrace` becomes `heat-part2.pftrace`.
fn of_part(path: &Path, part: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-part{part}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Reports unfinished traces in the folder of a trace; those in a run folder are reported when the recording is opened.
fn remark_leftovers(folder: &Path, name: &OsStr) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let remark = leftovers::remark(folder, &format!("{}.", name.to_string_lossy()));
    remark.iter().for_each(|remark| say::remark(remark));
}

/// A free name in the folder of the trace. One with our process's number may be taken by an unfinished trace of a
/// process that had the same number and was killed, or by a file of the user's.
fn beside(folder: &PinnedFolder, name: &OsStr) -> Option<OsString> {
    let process = std::process::id();
    let numbered = |number: u32| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = name.to_owned();
        name.push(format!(".{process}{number}.part"));
        name
    };
    (1..10_000).map(numbered).find(|draft| folder.entry(draft).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn name() -> (String, &'static str) {
        ("trace".to_owned(), "pftrace")
    }

    fn write(run: &Path, text: &str) -> PathBuf {
        let (output_path, mut file) = OutputPath::open(run, None, None, name()).expect("opened");
        file.write_all(text.as_bytes()).expect("written");
        output_path.done().expect("in place")
    }

    #[test]
    fn an_earlier_trace_is_kept() {
        let run = std::env::temp_dir().join(format!("ompttrace-output-{}", std::process::id()));
        std::fs::create_dir_all(&run).expect("a folder");
        let (first, second) = (write(&run, "one"), write(&run, "two"));
        assert!(first.ends_with("trace.pftrace") && second.ends_with("trace.2.pftrace"));
        assert_eq!(std::fs::read_to_string(&first).expect("read"), "one");
        assert!(OutputPath::open(&run, Some(&first), None, name()).is_err());
        assert_eq!(std::fs::read_dir(&run).expect("listed").count(), 2);
        std::fs::remove_dir_all(&run).expect("removed");
    }

    #[test]
    fn a_file_with_the_name_of_the_unfinished_trace_is_kept() {
        let run = tempfile::tempdir().expect("a folder");
        let folder = PinnedFolder::open(run.path()).expect("a folder");
        let taken = run.path().join(beside(&folder, "trace.pftrace".as_ref()).expect("a name"));
        std::fs::write(&taken, "mine").expect("written");
        drop(OutputPath::open(run.path(), None, None, name()).expect("opened"));
        assert!(write(run.path(), "one").ends_with("trace.pftrace"));
        assert_eq!(std::fs::read_to_string(&taken).expect("read"), "mine");
        assert_eq!(std::fs::read_dir(run.path()).expect("listed").count(), 2);
    }

    #[test]
    fn a_part_has_its_number_before_the_extension() {
        for (path, part) in
            [("a/x.pftrace", "a/x-part3.pftrace"), ("x", "x-part3"), (".x", ".x-part3")]
        {
            assert_eq!(of_part(Path::new(path), 3), Path::new(part));
        }
    }
}
