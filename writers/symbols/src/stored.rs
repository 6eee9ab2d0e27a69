//! Names that a recording carries itself, for readers that have neither the program nor its sources: `symbols.json`.
//!
//! They are those of the addresses that the records have, as the files of the program's machine named them. Where a recording has
//! such names no file of a module is opened, nor any source file.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::location::{CodeFrame, CodeLocation, SourceLine};
use crate::symbolizer::CodeKind;

/// Version of the layout of `symbols.json`.
const VERSION: u32 = 1;

/// Names of code and data by address, as [`crate::AsOf`] and [`crate::Modules`] know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredNames {
    code: HashMap<(u64, CodeKind), StoredCode>,
    data: HashMap<u64, String>,
}

/// The names of a code address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoredCode {
    address: u64,
    /// True for the address of a function, false for a return address.
    is_function: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<StoredFrame>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// The linker's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    linked: Option<u64>,
    #[serde(skip_serializing_if = "SourceLine::is_plain")]
    line: SourceLine,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoredFrame {
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    is_near: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StoredData {
    address: u64,
    name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    version: u32,
    code: Vec<StoredCode>,
    data: Vec<StoredData>,
}

impl StoredNames {
    /// Reads the names; the error says what is wrong with them.
    ///
    /// # Errors
    /// The text is no JSON of these names, or of another version.
    pub fn from_json(text: &[u8]) -> Result<StoredNames, String> {
        let file: File = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if file.version != VERSION {
            return Err(format!("version {}, this program reads {VERSION}", file.version));
        }
        let key = |code: &StoredCode| (code.address, kind(code.is_function));
        Ok(StoredNames {
            code: file.code.into_iter().map(|code| (key(&code), code)).collect(),
            data: file.data.into_iter().map(|data| (data.address, data.name)).collect(),
        })
    }

    /// The names as text, the same for the same names.
    pub fn to_json(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut code: Vec<_> = self.code.values().cloned().collect();
        code.sort_by_key(|code| (code.address, code.is_function));
        let data = self.data.iter();
        let mut data: Vec<_> = data
            .map(|(address, name)| StoredData { address: *address, name: name.clone() })
            .collect();
        data.sort_by_key(|data| data.address);
        serde_json::to_vec(&File { version: VERSION, code, data })
    }

    /// Adds the names of a code address.
    pub fn add_code(&mut self, kind: CodeKind, location: CodeLocation) {
        let CodeLocation { address, frames, module, symbol, source_line, note: _ } = location;
        let linked = module.and_then(|module| module.address);
        let frames = frames.into_iter().map(|frame| {
            let CodeFrame { function: _, raw, file, line, column, is_near } = frame;
            StoredFrame { raw, file, line, column, is_near }
        });
        let frames = frames.collect();
        let (is_function, line) = (kind == CodeKind::Function, source_line.unwrap_or_default());
        let code = StoredCode { address, is_function, frames, symbol, linked, line };
        self.code.insert((address, kind), code);
    }

    /// Adds the name of a variable at a data address.
    pub fn add_data(&mut self, address: u64, name: String) {
        self.data.insert(address, name);
    }

    /// True if a code address has been added.
    pub fn has_code(&self, address: u64, kind: CodeKind) -> bool {
        self.code.contains_key(&(address, kind))
    }

    /// The location of an address, without its module but for the linker's address in it; without names where none are stored.
    pub(crate) fn code(&self, address: u64, kind: CodeKind) -> (CodeLocation, Option<u64>) {
        let Some(stored) = self.code.get(&(address, kind)) else {
            let source_line = Some(SourceLine::default());
            return (CodeLocation { address, source_line, ..CodeLocation::default() }, None);
        };
        let frames = stored.frames.iter().map(|stored| {
            let StoredFrame { raw, file, line, column, is_near } = stored.clone();
            let mut frame = CodeFrame { file, line, column, is_near, ..CodeFrame::default() };
            raw.iter().for_each(|raw| frame.set_function(raw));
            frame
        });
        let location = CodeLocation {
            address,
            frames: frames.collect(),
            symbol: stored.symbol.clone(),
            source_line: Some(stored.line.clone()),
            ..CodeLocation::default()
        };
        (location, stored.linked)
    }

    /// The name of the variable at a data address.
    pub(crate) fn data(&self, address: u64) -> Option<String> {
        self.data.get(&address).cloned()
    }
}

fn kind(is_function: bool) -> CodeKind {
    if is_function { CodeKind::Function } else { CodeKind::ReturnAddress }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::Modules;
    use crate::{Sources, Symbolizer};

    fn location(address: u64) -> CodeLocation {
        let mut frame = CodeFrame {
            file: Some("/nowhere/heat.c".into()),
            line: Some(7),
            column: Some(3),
            ..CodeFrame::default()
        };
        frame.set_function("_ZN4heat4stepEi");
        let source_line = SourceLine { critical: Some("update".into()), is_barrier: true };
        let (frames, source_line) = (vec![frame], Some(source_line));
        CodeLocation { address, frames, source_line, ..CodeLocation::default() }
    }

    #[test]
    fn names_come_back_and_no_file_is_asked() {
        let mut names = StoredNames::default();
        names.add_code(CodeKind::ReturnAddress, location(0x1010));
        names.add_data(0x5000, "locks+0x40".into());
        let text = names.to_json().unwrap();
        assert_eq!(StoredNames::from_json(&text).unwrap(), names);
        let modules = Modules::from_text(b"@ 1\n1000-2000 0 - /proc/self/exe\n");
        let mut symbolizer = Symbolizer::new(modules).with_stored(names);
        let found = symbolizer.code(0x1010, CodeKind::ReturnAddress).clone();
        assert_eq!(found.label(), "heat.c:7 (heat::step)");
        assert_eq!(Sources::default().critical_name(&found), Some("update"));
        assert!(Sources::default().is_barrier(&found));
        assert_eq!(symbolizer.code(0x1010, CodeKind::Function).label(), "exe+0x10");
        assert_eq!(symbolizer.data_symbol(0x5000).as_deref(), Some("locks+0x40"));
        assert_eq!(symbolizer.data_symbol(0x5008), None);
    }

    #[test]
    fn other_versions_and_unknown_fields_are_errors() {
        for (text, word) in [
            (&b"{\"version\": 2}"[..], "version 2"),
            (b"{\"version\": 1, \"host\": \"a\"}", "unknown field"),
            (b"{", "EOF"),
        ] {
            let error = StoredNames::from_json(text).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
