//! Code addresses to source locations: the only file that uses the symbolizer.

use crate::code::Code;
use crate::moves::Moves;
use ompttrace_model::SourceLocation;
use ompttrace_recording::facts::Runtime;
use ompttrace_symbols::{self as symbols, CodeKind, Sources, Symbolizer};
use std::path::{Path, PathBuf};

/// Properties of a code address that names are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// `stencil.c:42 (heat_step)`; `None` inside the runtime, whose insides are nobody's construct.
    pub label: Option<String>,
    /// `stencil.c:42`; `None` inside the runtime.
    pub location: Option<String>,
    /// True if the address lies in the library that begins target regions, or in one of its plugins.
    pub is_offload: bool,
    /// The name of the critical section there, if the source line reports one.
    pub critical: Option<String>,
    /// Source location, for [`ompttrace_model::Definitions::add_source_location`].
    pub source: SourceLocation,
}

/// A function of a call stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FunctionFrame {
    pub function: String,
    /// `solve.c:80`.
    pub location: String,
    pub outlined: bool,
    pub libc_or_runtime: bool,
    pub runtime: bool,
    pub source: SourceLocation,
}

impl FunctionFrame {
    fn of(
        code: &symbols::CodeLocation,
        raw: Option<&str>,
        frame: Option<&symbols::CodeFrame>,
    ) -> FunctionFrame {
        let user = raw.map(symbols::user_function).filter(|name| !name.is_empty());
        let location = frame.and_then(symbols::CodeFrame::location);
        let source = SourceLocation {
            function: user.as_deref().map(str::to_owned),
            file: frame.and_then(|frame| frame.file.clone()),
            line: frame.and_then(|frame| frame.line),
            column: frame.and_then(|frame| frame.column),
            is_near: frame.is_some_and(|frame| frame.is_near),
            module: if location.is_some() { None } else { module(code) },
            in_runtime: false,
        };
        FunctionFrame {
            outlined: raw.is_some_and(symbols::is_outlined),
            function: user.map_or_else(|| code.location(), |name| name.into_owned()),
            location: location.unwrap_or_else(|| code.location()),
            libc_or_runtime: false,
            runtime: false,
            source,
        }
    }
}

/// Symbols of the traced process.
pub(crate) struct CodeNames {
    symbolizer: Symbolizer,
    sources: Sources,
    /// The runtimes' own files.
    runtimes: Vec<PathBuf>,
}

impl CodeNames {
    /// Names of code addresses, by what a recording says of files, and by its facts about runtimes.
    pub(crate) fn new(symbolizer: Symbolizer, runtimes: &[Runtime]) -> CodeNames {
        let runtimes = runtimes.iter().filter(|runtime| !runtime.library.is_empty());
        let runtimes = runtimes.map(|runtime| resolved(Path::new(&runtime.library))).collect();
        CodeNames { symbolizer, sources: Sources::default(), runtimes }
    }

    /// Label, location and other properties of a code address; `None` for the address 0.
    pub(crate) fn spot(&mut self, code: Code) -> Option<Spot> {
        if code.address == 0 {
            return None;
        }
        let kind = if code.function { CodeKind::Function } else { CodeKind::ReturnAddress };
        let code = self.symbolizer.code(code.address, kind);
        let critical = self.sources.critical_name(code).map(str::to_owned);
        let located = code.located();
        let inside = code.module.as_ref().is_some_and(|module| {
            self.runtimes.iter().any(|runtime| *runtime == resolved(&module.path))
        });
        let source = SourceLocation {
            function: code.user_function(),
            file: located.and_then(|frame| frame.file.clone()),
            line: located.and_then(|frame| frame.line),
            column: located.and_then(|frame| frame.column),
            is_near: located.is_some_and(|frame| frame.is_near),
            module: if located.is_some() { None } else { module(code) },
            in_runtime: inside,
        };
        let is_offload = code.module.as_ref().is_some_and(|module| is_offload(&module.path));
        let label = (!inside).then(|| code.label());
        let location = (!inside).then(|| code.location());
        Some(Spot { label, location, is_offload, critical, source })
    }

    /// Returns true if the source line at a code address is a barrier directive.
    pub(crate) fn is_barrier(&mut self, code: Code) -> bool {
        let code = self.symbolizer.code(code.address, CodeKind::ReturnAddress);
        self.sources.is_barrier(code)
    }

    /// The functions at a return address, outermost first.
    pub(crate) fn frames(&mut self, code: Code) -> Vec<FunctionFrame> {
        let code = self.symbolizer.code(code.address, CodeKind::ReturnAddress).clone();
        let (libc_or_runtime, runtime) =
            (self.is_libc_or_runtime(&code), self.is_for_openmp(&code));
        let mut frames: Vec<FunctionFrame> = code
            .frames
            .iter()
            .rev()
            .map(|frame| FunctionFrame::of(&code, frame.raw.as_deref(), Some(frame)))
            .collect();
        if frames.is_empty() {
            frames.push(FunctionFrame::of(&code, code.symbol.as_deref(), None));
        }
        for frame in &mut frames {
            let linked_in = frame.function.starts_with("__kmp");
            frame.libc_or_runtime = libc_or_runtime || linked_in;
            frame.runtime = runtime || linked_in;
        }
        frames
    }

    /// Returns true if code belongs to a runtime or to the C library.
    fn is_libc_or_runtime(&self, code: &symbols::CodeLocation) -> bool {
        code.module.as_ref().is_some_and(|module| {
            let name = module.path.file_name().unwrap_or_default().to_string_lossy();
            let c_library = ["libc.so.", "libpthread.so.", "libc.musl-"];
            c_library.iter().any(|start| name.starts_with(start)) || self.is_runtime(&module.path)
        })
    }

    /// Returns true if code belongs to a runtime, to its library of target regions or to this tool, not to the program.
    fn is_for_openmp(&self, code: &symbols::CodeLocation) -> bool {
        code.module.as_ref().is_some_and(|module| {
            let name = module.path.file_name().unwrap_or_default().as_encoded_bytes();
            let is_ours = name.starts_with(b"libompttrace");
            is_ours || is_offload(&module.path) || self.is_runtime(&module.path)
        })
    }

    fn is_runtime(&self, path: &Path) -> bool {
        let path = resolved(path);
        self.runtimes.contains(&path)
    }

    /// The variable at a data address, such as a lock's, and the address that stands for it.
    pub(crate) fn variable(&mut self, address: u64, moves: &Moves<'_>) -> (Option<String>, u64) {
        if moves.are_there() {
            return self.symbolizer.data_symbol_as_of(address, &moves.as_of);
        }
        (self.symbolizer.data_symbol(address), address)
    }
}

/// Returns true if a file is LLVM's or Intel's library of target regions (`libomptarget.so.19.1`), or one of its
/// plugins (`libomptarget.rtl.x86_64.so`).
fn is_offload(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"libomptarget."))
}

/// The file behind symbolic links, where it is there: the same one has several names.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Module, offset and build id, so that symbols found elsewhere can still report the line.
fn module(code: &symbols::CodeLocation) -> Option<String> {
    let module = code.module.as_ref()?;
    let path = module.path.display();
    let offset = module.address.unwrap_or(module.file_offset);
    if !module.build_id.is_known() {
        return Some(format!("{path}+{offset:#x}"));
    }
    Some(format!("{path}+{offset:#x} (build id {})", module.build_id))
}

/// The name of a critical section by the symbol of its lock.
pub(crate) fn critical_of_symbol(symbol: &str) -> Option<&str> {
    symbols::critical_name(symbol)
}
