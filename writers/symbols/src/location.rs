//! Source location of a code address, and short texts for it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::modules::{BuildId, Mapping};
use crate::names;

/// One function at an address: a real function, or one that was inlined into the next frame's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFrame {
    /// Name of the function for users: demangled, without parameters.
    pub function: Option<String>,
    /// Name of the function as the compiler wrote it.
    pub raw: Option<String>,
    /// Path of the source file, as it was when it was compiled.
    pub file: Option<String>,
    /// Line number, from 1.
    pub line: Option<u32>,
    /// Column number, from 1.
    pub column: Option<u32>,
    /// True if the code itself has no line: `line` is that of the nearest code of its function.
    pub is_near: bool,
}

impl CodeFrame {
    /// Sets the name of the function as the compiler wrote it.
    pub fn set_function(&mut self, raw: &str) {
        self.function = Some(names::demangle(raw).into_owned());
        self.raw = Some(raw.to_owned());
    }

    /// Name of the function that the user wrote, also if this is an outlined part of it.
    pub fn user_function(&self) -> Option<String> {
        let name = names::user_function(self.raw.as_deref()?);
        (!name.is_empty()).then(|| name.into_owned())
    }

    /// Text such as `stencil.c:42`, or `near stencil.c:42` for the nearest line; `None` if file or line is unknown.
    pub fn location(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        let near = if self.is_near { "near " } else { "" };
        Some(format!("{near}{}:{}", base_name(Path::new(file)), self.line?))
    }
}

/// Position of an address in its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleRef {
    /// Path of the file in the traced process.
    pub path: PathBuf,
    /// Build id of the file; empty if it is unknown.
    pub build_id: BuildId,
    /// Offset of the address in the file, in bytes.
    pub file_offset: u64,
    /// The linker's address, which addr2line and objdump take; `None` if the file could not be read.
    pub address: Option<u64>,
}

impl ModuleRef {
    /// The position of an address in a mapping, without the linker's address.
    pub(crate) fn of(mapping: &Mapping, address: u64) -> ModuleRef {
        ModuleRef {
            file_offset: address.wrapping_sub(mapping.start).wrapping_add(mapping.file_offset),
            address: None,
            build_id: mapping.build_id.clone(),
            path: mapping.path.clone(),
        }
    }
}

/// All information on a code address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLocation {
    /// The address in the traced process.
    pub address: u64,
    /// Frames at the address, innermost first: inlined functions, then the real one. Empty without line tables.
    pub frames: Vec<CodeFrame>,
    /// The module; `None` if no executable mapping is known at the address.
    pub module: Option<ModuleRef>,
    /// Name from the symbol table, as the compiler wrote it, if the line tables have none.
    pub symbol: Option<String>,
    /// Reason why information is missing.
    pub note: Option<String>,
    /// Directives of the source line, if the recording has them: the source file is not read then.
    pub source_line: Option<SourceLine>,
}

/// The directives of a source line that are used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceLine {
    /// Name of the critical section there.
    pub critical: Option<String>,
    /// True for a barrier.
    pub is_barrier: bool,
}

impl SourceLine {
    pub(crate) fn is_plain(&self) -> bool {
        *self == SourceLine::default()
    }
}

impl CodeLocation {
    /// The innermost frame with file and line.
    pub fn located(&self) -> Option<&CodeFrame> {
        self.frames.iter().find(|frame| frame.file.is_some() && frame.line.is_some())
    }

    /// Text for the location: `stencil.c:42`; `libfoo.so+0x1234` without a line; else the bare address.
    pub fn location(&self) -> String {
        let in_source = self.located().and_then(CodeFrame::location);
        in_source.or_else(|| self.in_module()).unwrap_or_else(|| format!("{:#x}", self.address))
    }

    /// Text such as `stencil.c:42 (heat_step)`; as [`Self::location`] if the function is unknown.
    pub fn label(&self) -> String {
        match self.user_function() {
            Some(function) => format!("{} ({function})", self.location()),
            None => self.location(),
        }
    }

    /// Name of the innermost function that the user wrote.
    pub fn user_function(&self) -> Option<String> {
        let located = self.frames.iter().position(|frame| frame.line.is_some()).unwrap_or(0);
        let behind = self.frames.iter().skip(located);
        behind.filter_map(CodeFrame::user_function).next().or_else(|| {
            let name = names::user_function(self.symbol.as_deref()?);
            (!name.is_empty()).then(|| name.into_owned())
        })
    }

    fn in_module(&self) -> Option<String> {
        let module = self.module.as_ref()?;
        let offset = module.address.unwrap_or(module.file_offset);
        Some(format!("{}+{offset:#x}", base_name(&module.path)))
    }
}

fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(raw: &str, line: Option<u32>) -> CodeFrame {
        let mut frame =
            CodeFrame { file: Some("/src/stencil.c".into()), line, ..CodeFrame::default() };
        frame.set_function(raw);
        frame
    }

    fn module() -> Option<ModuleRef> {
        let path = "/opt/libfoo.so".into();
        Some(ModuleRef { path, build_id: BuildId::default(), file_offset: 0x234, address: None })
    }

    #[test]
    fn a_label_names_line_and_user_function() {
        let frames = vec![frame("heat_step.omp_outlined", Some(42)), frame("main", Some(90))];
        let code = CodeLocation { frames, ..CodeLocation::default() };
        assert_eq!(code.label(), "stencil.c:42 (heat_step)");
        assert_eq!(code.location(), "stencil.c:42");
    }

    #[test]
    fn a_nameless_outlined_part_takes_the_name_of_what_it_was_inlined_into() {
        let frames = vec![frame(".omp_outlined.", Some(42)), frame("solve", Some(90))];
        let code = CodeLocation { frames, ..CodeLocation::default() };
        assert_eq!(code.label(), "stencil.c:42 (solve)");
    }

    #[test]
    fn a_frame_without_a_line_is_passed_over() {
        let frames = vec![frame("tiny", None), frame("main", Some(9))];
        let code = CodeLocation { frames, ..CodeLocation::default() };
        assert_eq!(code.label(), "stencil.c:9 (main)");
    }

    #[test]
    fn without_lines_the_module_stands_in() {
        let mut code =
            CodeLocation { address: 0x7f00, module: module(), ..CodeLocation::default() };
        assert_eq!(code.label(), "libfoo.so+0x234");
        code.symbol = Some("_ZN4heat4stepEi".into());
        assert_eq!(code.label(), "libfoo.so+0x234 (heat::step)");
        code.module = None;
        assert_eq!(code.location(), "0x7f00");
    }
}
