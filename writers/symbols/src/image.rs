//! One module of the traced process, with the content of its files.

use std::cell::OnceCell;

use crate::bias;
use crate::code_file::{self, Search};
use crate::debug_file;
use crate::elf::Elf;
use crate::error::Error;
use crate::lines::Lines;
use crate::location::CodeFrame;
use crate::modules::Mapping;
use crate::names;

/// The files of a module; any of them may be missing.
pub(crate) struct Image {
    /// The file that was mapped.
    code: Option<Elf>,
    /// The debug file that was split off it.
    debug: Option<Elf>,
    lines: OnceCell<Result<Lines, Error>>,
    /// Reason why the mapped file is missing; `None` if it is not.
    note: Option<Error>,
}

/// Result of the files for one address.
#[derive(Default)]
pub(crate) struct ResolvedAddress {
    pub frames: Vec<CodeFrame>,
    pub symbol: Option<String>,
    pub note: Option<String>,
}

impl Image {
    /// Opens the files of `mapping`. It never fails: the reason becomes a note.
    pub(crate) fn open(mapping: &Mapping, search: &Search) -> Self {
        let roots = &search.debug_roots;
        let (code, note) = match code_file::find(mapping, search.process) {
            Ok(code) => (Some(code), None),
            Err(error) => (None, Some(error)),
        };
        let debug = match &code {
            Some(code) if code.has_lines && code.symbols.full => None,
            Some(code) => debug_file::find(code, roots),
            None => debug_file::by_build_id(&mapping.build_id, roots),
        };
        Self { code, debug, lines: OnceCell::new(), note }
    }

    /// The load bias, which must be subtracted from the addresses in `mapping` to get the linker's.
    pub(crate) fn bias(&self, mapping: &Mapping) -> Result<u64, String> {
        let bias = match (&self.code, &self.debug) {
            (Some(code), _) => bias::load_bias(code, mapping),
            (None, Some(debug)) => bias::bias_by_size(debug, mapping),
            (None, None) => None,
        };
        bias.ok_or_else(|| self.note.as_ref().unwrap_or(&Error::Segment).to_string())
    }

    /// Functions and lines at a linker's address.
    pub(crate) fn find(&self, address: u64) -> ResolvedAddress {
        let (mut frames, note) = match self.lines() {
            None => Default::default(),
            Some(Ok(lines)) => lines.frames(address),
            Some(Err(error)) => (Vec::new(), Some(error.to_string())),
        };
        if frames.iter().all(|frame| frame.line.is_none()) {
            self.give_nearest_line(address, &mut frames);
        }
        let Some(name) = frames.last().and_then(|frame| frame.raw.clone()) else {
            let symbol = self.symbol(address).map(|(name, _)| name);
            if let (Some(frame), Some(symbol)) = (frames.last_mut(), &symbol) {
                frame.set_function(symbol);
            }
            return ResolvedAddress { frames, symbol, note };
        };
        let whole =
            self.whole_name(address, &name).or_else(|| self.in_main_program(address, &name));
        if let (Some(frame), Some(whole)) = (frames.last_mut(), whole) {
            frame.set_function(&whole);
        }
        ResolvedAddress { frames, symbol: None, note }
    }

    /// Sets the nearest line of the function for code that the compiler generated without a line of its own.
    fn give_nearest_line(&self, address: u64, frames: &mut [CodeFrame]) {
        let Some(function) = frames.last_mut() else { return };
        let extent = self.files().find_map(|elf| elf.symbols.extent(address));
        let (Some(extent), Some(Ok(lines))) = (extent, self.lines()) else { return };
        if let Some(CodeFrame { file, line, .. }) = lines.nearest(address, extent) {
            (function.file, function.line, function.is_near) = (file, line, true);
        }
    }

    /// The full name of a function without linkage, `static` or in an unnamed namespace: GCC's line tables have only
    /// its last part, but its symbol has the scopes around it.
    fn whole_name(&self, address: u64, name: &str) -> Option<String> {
        let (symbol, _) = self.symbol(address).filter(|(symbol, _)| symbol.starts_with("_Z"))?;
        let whole = names::demangle(&symbol);
        let scope = whole.strip_suffix(name)?;
        scope.ends_with("::").then(|| symbol.clone())
    }

    /// The full name of a part that gfortran took out of a main program. It names the main program itself by its own
    /// name, and the parts by that of its symbol.
    fn in_main_program(&self, address: u64, name: &str) -> Option<String> {
        let part = name.strip_prefix(names::MAIN_PROGRAM)?;
        let part = part.starts_with("._omp").then_some(part)?;
        let main = self.files().find_map(|elf| elf.symbols.near(address, "MAIN__"))?;
        let frame = self.lines()?.ok()?.frames(main).0.pop()?;
        Some(frame.raw? + part)
    }

    /// The symbol that covers a linker's address, and the distance from its begin, in bytes. The table of a debug file
    /// is preferred: the code's was reduced to exported symbols.
    pub(crate) fn symbol(&self, address: u64) -> Option<(String, u64)> {
        let mut files = self.debug.iter().chain(&self.code);
        files.find_map(|elf| elf.symbols.find(address))
    }

    fn files(&self) -> impl Iterator<Item = &Elf> {
        self.code.iter().chain(&self.debug)
    }

    /// The debug information, opened when it is first needed; `None` if there is none.
    fn lines(&self) -> Option<Result<&Lines, &Error>> {
        let elf = self.files().find(|elf| elf.has_lines)?;
        Some(self.lines.get_or_init(|| Lines::open(elf)).as_ref())
    }
}
