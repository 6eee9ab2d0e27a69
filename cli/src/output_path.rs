//! The file or folder that a trace goes to: written beside its name, put in place when it is whole,
//! never over an earlier one.

use crate::{interrupted, leftovers, say};
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A trace being written.
pub struct OutputPath {
    draft: PathBuf,
    wanted: Wanted,
    kind: Kind,
}

enum Wanted {
    /// The user named it.
    Exactly(PathBuf),
    /// The first free of `stem.extension`, `stem.2.extension`, …; the extension may be empty.
    Free { folder: PathBuf, stem: String, extension: &'static str },
}

enum Kind {
    File,
    /// With the name of the file in it that a reader opens; empty: the folder itself.
    #[cfg_attr(not(any(feature = "otf2", feature = "parquet")), allow(dead_code))]
    Folder(&'static str),
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
        let output_path = OutputPath::of(folder, output, name, Kind::File)?;
        let file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&output_path.draft)
            .with_context(|| format!("{}", output_path.name().display()))?;
        Ok((output_path, file))
    }

    /// A folder for a trace of several files, which the writer makes: its name while it is being
    /// written. A reader opens `anchor` in it.
    #[cfg_attr(not(any(feature = "otf2", feature = "parquet")), allow(dead_code))]
    pub fn folder(
        run: &Path,
        output: Option<&Path>,
        stem: String,
        anchor: &'static str,
    ) -> Result<(OutputPath, PathBuf)> {
        let output_path = OutputPath::of(run, output, (stem, ""), Kind::Folder(anchor))?;
        let draft = output_path.draft.clone();
        Ok((output_path, draft))
    }

    fn of(
        run: &Path,
        output: Option<&Path>,
        (stem, extension): (String, &'static str),
        kind: Kind,
    ) -> Result<OutputPath> {
        // Without a slash at its end, after which the draft's name would be another folder's.
        let output: Option<PathBuf> = output.map(|path| path.components().collect());
        let wanted = match output {
            Some(path) if path.symlink_metadata().is_ok() => {
                bail!("{} exists: give another name", path.display())
            }
            Some(path) => {
                remark_leftovers(&path);
                Wanted::Exactly(path)
            }
            None => Wanted::Free { folder: run.to_owned(), stem, extension },
        };
        let draft =
            beside(&wanted.numbered(1)).context("no unused name for an unfinished trace")?;
        interrupted::drafts().insert(draft.clone());
        Ok(OutputPath { draft, wanted, kind })
    }

    /// What to call the trace while it is being written.
    pub fn name(&self) -> PathBuf {
        self.wanted.numbered(1)
    }

    /// The folder in which the trace is written.
    pub fn parent(&self) -> PathBuf {
        let folder = self.draft.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new(".")).to_owned()
    }

    /// Moves the complete trace to its output path; returns what a reader opens.
    pub fn done(self) -> Result<PathBuf> {
        let mut drafts = interrupted::drafts();
        let path = self.put_somewhere()?;
        drafts.remove(&self.draft);
        drop(drafts);
        Ok(match self.kind {
            Kind::File | Kind::Folder("") => path,
            Kind::Folder(anchor) => path.join(anchor),
        })
    }

    fn put_somewhere(&self) -> Result<PathBuf> {
        if let Wanted::Exactly(path) = &self.wanted {
            self.put(path).with_context(|| format!("{}", path.display()))?;
            return Ok(path.clone());
        }
        for number in 1..10_000 {
            let path = self.wanted.numbered(number);
            match self.put(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("{}", path.display())),
            }
        }
        bail!("no unused name for a trace in the run folder")
    }

    /// A second name for the draft fails where the name is taken; folders, and file systems without
    /// second names, get a rename after a look.
    fn put(&self, path: &Path) -> std::io::Result<()> {
        if matches!(self.kind, Kind::Folder(_)) {
            return self.rename(path);
        }
        match std::fs::hard_link(&self.draft, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => self.rename(path),
            other => other,
        }
    }

    fn rename(&self, path: &Path) -> std::io::Result<()> {
        if path.symlink_metadata().is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        // Somebody else's folder may have come since.
        std::fs::rename(&self.draft, path).map_err(|error| match error.kind() {
            ErrorKind::DirectoryNotEmpty => ErrorKind::AlreadyExists.into(),
            _ => error,
        })
    }
}

impl Wanted {
    fn numbered(&self, number: u32) -> PathBuf {
        match self {
            Wanted::Exactly(path) => path.clone(),
            Wanted::Free { folder, stem, extension } => {
                let number = if number == 1 { String::new() } else { format!(".{number}") };
                let dot = if extension.is_empty() { "" } else { "." };
                folder.join(format!("{stem}{number}{dot}{extension}"))
            }
        }
    }
}

impl Drop for OutputPath {
    /// An unfinished trace leaves nothing behind; a finished one has its own name by now.
    fn drop(&mut self) {
        let _ = match self.kind {
            Kind::File => std::fs::remove_file(&self.draft),
            Kind::Folder(_) => std::fs::remove_dir_all(&self.draft),
        };
        interrupted::drafts().remove(&self.draft);
    }
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

/// Those in a run folder are named when the recording is opened.
fn remark_leftovers(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let remark = leftovers::remark(folder.unwrap_or(Path::new(".")), &format!("{name}."));
    remark.iter().for_each(|remark| say::remark(remark));
}

/// A free name beside the trace's. One with our process's number may be taken, by the leavings of a process
/// that had the same and was killed, or by somebody's own file.
fn beside(path: &Path) -> Option<PathBuf> {
    let process = std::process::id();
    let numbered = |number: u32| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{process}{number}.part"));
        PathBuf::from(name)
    };
    (1..10_000).map(numbered).find(|draft| draft.symlink_metadata().is_err())
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
        let taken = beside(&run.path().join("trace.pftrace")).expect("a name");
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
