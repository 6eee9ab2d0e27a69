//! The entry point: it finds the source location of an address in the traced process.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::code_file::Search;
use crate::history::AsOf;
use crate::image::Image;
use crate::location::{CodeLocation, ModuleRef};
use crate::modules::{BuildId, Mapping, Modules};
use crate::names;
use crate::perf_map::PerfMap;
use crate::stored::StoredNames;

/// Meaning of a code address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    /// The address to which a call returns: the call itself is before it.
    ReturnAddress,
    /// The address of a function.
    Function,
}

/// Finds source locations; every answer is cached.
pub struct Symbolizer {
    modules: Modules,
    search: Search,
    stored: Option<StoredNames>,
    perf_map: PerfMap,
    images: Vec<Image>,
    image_of: HashMap<(PathBuf, BuildId), usize>,
    locations: HashMap<(u64, CodeKind), CodeLocation>,
    data: HashMap<u64, Option<String>>,
}

impl Symbolizer {
    /// Creates a symbolizer that looks for separate debug files below /usr/lib/debug.
    pub fn new(modules: Modules) -> Self {
        Self {
            modules,
            search: Search { debug_roots: vec!["/usr/lib/debug".into()], process: None },
            stored: None,
            perf_map: PerfMap::default(),
            images: Vec::new(),
            image_of: HashMap::new(),
            locations: HashMap::new(),
            data: HashMap::new(),
        }
    }

    /// Sets the folders below which separate debug files are looked for.
    pub fn with_debug_roots(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        self.search.debug_roots = roots.into_iter().collect();
        self
    }

    /// Sets the id of the traced process, which still exists, so that even its deleted files can be read.
    pub fn with_live_process(mut self, process: u32) -> Self {
        self.search.process = Some(process);
        self
    }

    /// Sets the names that the recording carries itself: the files of modules are not opened then.
    pub fn with_stored(mut self, names: StoredNames) -> Self {
        self.stored = Some(names);
        self
    }

    /// Sets the functions that the program made while it ran.
    pub fn with_perf_map(mut self, map: PerfMap) -> Self {
        self.perf_map = map;
        self
    }

    /// Location of a code address.
    pub fn code(&mut self, address: u64, kind: CodeKind) -> &CodeLocation {
        let key = (address, kind);
        if !self.locations.contains_key(&key) {
            let location = self.find_code(address, kind);
            self.locations.insert(key, location);
        }
        &self.locations[&key]
    }

    /// Name of the variable at a data address at a time, since several modules may have been mapped there, and the
    /// address that represents it. Without a name, the address is the given one.
    pub fn data_symbol_as_of(&mut self, address: u64, as_of: &AsOf) -> (Option<String>, u64) {
        let mut candidates = as_of.data(address).map(|moved| (self.data_symbol(moved), moved));
        let named = candidates.find(|(name, _)| name.is_some());
        named.unwrap_or((None, address))
    }

    /// Demangled name of the variable at a data address; `locks+0x40` for an address inside it.
    pub fn data_symbol(&mut self, address: u64) -> Option<String> {
        if !self.data.contains_key(&address) {
            let name = self.find_data(address);
            self.data.insert(address, name);
        }
        self.data[&address].clone()
    }

    fn find_code(&mut self, address: u64, kind: CodeKind) -> CodeLocation {
        // A call may be the last instruction of its function: only its own bytes are
        // sure to belong there.
        let probe = match kind {
            CodeKind::ReturnAddress => address.saturating_sub(1),
            CodeKind::Function => address,
        };
        let mapping = self.modules.lookup(probe).cloned();
        let module = mapping.as_ref().map(|mapping| ModuleRef::of(mapping, address));
        if let Some(stored) = &self.stored {
            let (location, linked) = stored.code(address, kind);
            let module = match module {
                Some(module) => Some(ModuleRef { address: linked, ..module }),
                None => linked.map(ModuleRef::jit),
            };
            return CodeLocation { module, ..location };
        }
        let (Some(mapping), Some(mut module)) = (mapping, module) else {
            let unknown = || CodeLocation { address, ..CodeLocation::default() };
            return self.perf_map.find(address, probe).unwrap_or_else(unknown);
        };
        let image = self.image(&mapping);
        match image.bias(&mapping) {
            Err(note) => {
                let (module, note) = (Some(module), Some(note));
                CodeLocation { address, module, note, ..CodeLocation::default() }
            }
            Ok(bias) => {
                module.address = Some(address.wrapping_sub(bias));
                let found = image.find(probe.wrapping_sub(bias));
                CodeLocation {
                    address,
                    frames: found.frames,
                    module: Some(module),
                    symbol: found.symbol,
                    note: found.note,
                    source_line: None,
                }
            }
        }
    }

    fn find_data(&mut self, address: u64) -> Option<String> {
        if let Some(stored) = &self.stored {
            return stored.data(address);
        }
        let mappings: Vec<_> = self.modules.neighbours(address).cloned().collect();
        mappings.iter().find_map(|mapping| {
            let image = self.image(mapping);
            let inside = address.wrapping_sub(image.bias(mapping).ok()?);
            let (raw, offset) = image.symbol(inside)?;
            let name = names::demangle(&raw).into_owned();
            Some(if offset == 0 { name } else { format!("{name}+{offset:#x}") })
        })
    }

    /// The opened module of a mapping, which all mappings of one file share.
    fn image(&mut self, mapping: &Mapping) -> &Image {
        let key = (mapping.path.clone(), mapping.build_id.clone());
        let at = *self.image_of.entry(key).or_insert_with(|| {
            self.images.push(Image::open(mapping, &self.search));
            self.images.len() - 1
        });
        &self.images[at]
    }
}
