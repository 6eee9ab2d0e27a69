//! Paths of test artefacts, and the way in which they are built: each under a name of its own and then renamed, so
//! that concurrent tests never see half a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result, bail};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root").to_path_buf()
}

/// Cargo's target directory: CARGO_TARGET_DIR, otherwise `target` in the root.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// True when `made` exists and none of `sources` is newer.
pub fn is_current(made: &Path, sources: &[PathBuf]) -> bool {
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
    let Ok(made) = modified(made) else { return false };
    sources.iter().all(|source| modified(source).is_ok_and(|source| source <= made))
}

/// Makes `path` by letting `make` write a file or folder of another name, which is then renamed.
pub fn make_in_place(path: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let folder = path.parent().context("nothing is built in the root")?;
    fs::create_dir_all(folder)?;
    let name = path.file_name().context("no name to build")?.to_string_lossy();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let draft = folder.join(format!(".{name}.{}.{number}", std::process::id()));
    if let Err(error) = make(&draft) {
        let _ = fs::remove_dir_all(&draft).or_else(|_| fs::remove_file(&draft));
        return Err(error);
    }
    match fs::rename(&draft, path) {
        Ok(()) => Ok(()),
        // Another process created the folder first: use its result.
        Err(_) if path.is_dir() => Ok(fs::remove_dir_all(&draft)?),
        Err(error) => Err(error).with_context(|| format!("cannot rename to {}", path.display())),
    }
}

/// Runs a command to its end; an error holds what it printed. `package` is named when the program
/// itself is missing.
pub fn run(command: &mut Command, package: &str) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("{program} is missing: apt-get install {package}")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot run {program}")),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} failed ({}):\n{said}", output.status);
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_names_its_package() {
        let error = run(&mut Command::new("no-such-compiler"), "the-package").unwrap_err();
        assert_eq!(error.to_string(), "no-such-compiler is missing: apt-get install the-package");
    }

    #[test]
    fn a_failed_build_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let made = make_in_place(&folder.path().join("binary"), |draft| {
            fs::write(draft, "half")?;
            bail!("the compiler gave up")
        });
        assert!(made.is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
