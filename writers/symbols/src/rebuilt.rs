//! Files that were rebuilt since the run: their code has no names then, or, without a build id, wrong ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::elf::build_id_at;
use crate::modules::{Mapping, Modules};

/// A file that was rebuilt since it was mapped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rebuilt {
    /// Path of the file.
    pub path: PathBuf,
    /// True if build ids prove it: nothing is read from the file then. False if only its time indicates it: names from
    /// the file may be wrong.
    pub is_sure: bool,
}

/// Finds the files of `modules` that were rebuilt since a run that began at `begun`.
pub fn rebuilt(modules: &Modules, begun: SystemTime) -> Vec<Rebuilt> {
    let files: BTreeSet<_> =
        modules.iter().map(|mapping| (&mapping.path, &mapping.build_id)).collect();
    let mappings = files.into_iter().filter_map(|(path, build_id)| {
        modules.iter().find(|mapping| mapping.path == *path && mapping.build_id == *build_id)
    });
    let mut found: Vec<_> = mappings.filter_map(|mapping| judge(mapping, begun)).collect();
    found.dedup();
    found
}

fn judge(mapping: &Mapping, begun: SystemTime) -> Option<Rebuilt> {
    let path = &mapping.path;
    let is_sure = match mapping.build_id.is_known() {
        true if build_id_at(path).ok()? != mapping.build_id => true,
        false if is_newer(path, begun) => false,
        _ => return None,
    };
    Some(Rebuilt { path: path.clone(), is_sure })
}

fn is_newer(path: &Path, begun: SystemTime) -> bool {
    let metadata = path.metadata().ok().filter(|metadata| path.is_absolute() && metadata.is_file());
    let modified = metadata.and_then(|metadata| metadata.modified().ok());
    modified.is_some_and(|modified| modified > begun)
}
