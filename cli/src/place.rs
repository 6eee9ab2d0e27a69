//! The file that a trace goes to: written beside its name, put in place when it is whole, never
//! over an earlier one.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A trace being written.
pub struct Place {
    draft: PathBuf,
    wanted: Wanted,
}

enum Wanted {
    /// The user named the file.
    Exactly(PathBuf),
    /// The first free of `stem.extension`, `stem.2.extension`, …
    Free { folder: PathBuf, stem: &'static str, extension: &'static str },
}

impl Place {
    /// Opens the file to write into.
    pub fn open(
        run: &Path,
        output: Option<&Path>,
        extension: &'static str,
    ) -> Result<(Place, File)> {
        let (draft, wanted) = match output {
            Some(path) if path.symlink_metadata().is_ok() => {
                bail!("{} exists: name another file with --output", path.display())
            }
            Some(path) => (beside(path), Wanted::Exactly(path.to_owned())),
            None => {
                let wanted = Wanted::Free { folder: run.to_owned(), stem: "trace", extension };
                (beside(&run.join(format!("trace.{extension}"))), wanted)
            }
        };
        let file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .with_context(|| format!("{}", wanted.numbered(1).display()))?;
        Ok((Place { draft, wanted }, file))
    }

    /// What to call the trace while it is being written.
    pub fn name(&self) -> PathBuf {
        self.wanted.numbered(1)
    }

    /// Puts the whole trace in its place; returns where that is.
    pub fn done(self) -> Result<PathBuf> {
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
        bail!("no free name for a trace in the run folder")
    }

    /// A second name for the draft fails where the name is taken; file systems without second
    /// names get a rename after a look.
    fn put(&self, path: &Path) -> std::io::Result<()> {
        match std::fs::hard_link(&self.draft, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                if path.symlink_metadata().is_ok() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                std::fs::rename(&self.draft, path)
            }
            other => other,
        }
    }
}

impl Wanted {
    fn numbered(&self, number: u32) -> PathBuf {
        match self {
            Wanted::Exactly(path) => path.clone(),
            Wanted::Free { folder, stem, extension } if number == 1 => {
                folder.join(format!("{stem}.{extension}"))
            }
            Wanted::Free { folder, stem, extension } => {
                folder.join(format!("{stem}.{number}.{extension}"))
            }
        }
    }
}

impl Drop for Place {
    /// An unfinished trace leaves nothing behind; a finished one has its own name by now.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.draft);
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn write(run: &Path, text: &str) -> PathBuf {
        let (place, mut file) = Place::open(run, None, "pftrace").expect("opened");
        file.write_all(text.as_bytes()).expect("written");
        place.done().expect("in place")
    }

    #[test]
    fn an_earlier_trace_is_kept() {
        let run = std::env::temp_dir().join(format!("ompttrace-place-{}", std::process::id()));
        std::fs::create_dir_all(&run).expect("a folder");
        let (first, second) = (write(&run, "one"), write(&run, "two"));
        assert!(first.ends_with("trace.pftrace") && second.ends_with("trace.2.pftrace"));
        assert_eq!(std::fs::read_to_string(&first).expect("read"), "one");
        assert!(Place::open(&run, Some(&first), "pftrace").is_err());
        assert_eq!(std::fs::read_dir(&run).expect("listed").count(), 2);
        std::fs::remove_dir_all(&run).expect("removed");
    }
}
