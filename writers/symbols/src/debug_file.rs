//! Search for the debug information that was split off a file.
//!
//! The folders are those that debuggers search: by build id below the debug roots, and by the link that was stored
//! when the file was split. A found file must prove that it belongs to the code.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::elf::{Elf, Link};
use crate::modules::BuildId;

/// The debug file that belongs to `code`, if one is installed.
pub(crate) fn find(code: &Elf, roots: &[PathBuf]) -> Option<Elf> {
    by_build_id(&code.build_id, roots).or_else(|| by_link(code, roots))
}

/// The debug file of code with that build id.
pub(crate) fn by_build_id(id: &BuildId, roots: &[PathBuf]) -> Option<Elf> {
    let text = id.is_known().then(|| id.to_string())?;
    let (folder, rest) = text.split_at(2);
    roots
        .iter()
        .map(|root| root.join(".build-id").join(folder).join(format!("{rest}.debug")))
        .filter_map(|path| Elf::open(&path).ok())
        .find(|debug| debug.build_id == *id && is_useful(debug))
}

fn by_link(code: &Elf, roots: &[PathBuf]) -> Option<Elf> {
    let link = code.debug_link.as_ref()?;
    let folder = code.path.parent()?;
    let inner = folder.strip_prefix("/").unwrap_or(folder);
    [folder.join(&link.name), folder.join(".debug").join(&link.name)]
        .into_iter()
        .chain(roots.iter().map(|root| root.join(inner).join(&link.name)))
        .filter_map(|path| Elf::open(&path).ok())
        .find(|debug| is_useful(debug) && belongs(code, link, debug))
}

fn is_useful(debug: &Elf) -> bool {
    debug.has_lines || !debug.symbols.is_empty()
}

/// Maximum size in bytes of a file that is read for its checksum. Larger files must prove by a build id that they
/// belong; a file with holes may have any size.
const LARGEST_TO_READ: u64 = 4 << 30;

/// True if a debug file belongs to the code. Build ids decide; only if one is missing, the whole file is read for its
/// checksum.
fn belongs(code: &Elf, link: &Link, debug: &Elf) -> bool {
    if code.build_id.is_known() && debug.build_id.is_known() {
        return code.build_id == debug.build_id;
    }
    checksum(&debug.path) == Some(link.crc)
}

fn checksum(path: &Path) -> Option<u32> {
    let mut file = std::fs::File::open(path).ok()?;
    if file.metadata().ok()?.len() > LARGEST_TO_READ {
        return None;
    }
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(hasher.finalize()),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// The file into which dwz moved debug information that `debug` has in common with others.
pub(crate) fn shared(debug: &Elf) -> Option<PathBuf> {
    let (name, id) = debug.shared_debug.as_ref()?;
    // The name is relative to where the debug file really is, not to a link to it.
    let home = debug.path.canonicalize().ok()?;
    let path = home.parent()?.join(name);
    let shared = Elf::open(&path).ok()?;
    (shared.build_id == *id).then_some(path)
}
