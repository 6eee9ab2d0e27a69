//! Functions that a program made while it ran, as it listed them for `perf`: a line for each, its address, its size and its name.
//!
//! Such code is in memory that belongs to no file. CPython's names (`-X perf`) have the source file, node's the line as well.

use crate::location::{CodeFrame, CodeLocation, ModuleRef};
use crate::modules::BuildId;

/// Path that stands for code that is in no file.
pub(crate) const JIT: &str = "[jit]";
/// Functions that are kept at most: those that were listed last.
const MOST: usize = 1 << 20;
/// Words at the begin of node's names, which have `*` or `~` or `^` or nothing before the function.
const NODE: [&str; 5] = ["JS:", "LazyCompile:", "Function:", "Eval:", "Script:"];

/// The functions by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PerfMap(Vec<Function>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    start: u64,
    end: u64,
    name: String,
}

impl PerfMap {
    /// Reads `perf-PID.map`. Lines that are none, as the last one of a killed program, are left out; of two functions at one address
    /// the later one counts.
    pub fn from_text(text: &[u8]) -> PerfMap {
        let lines = text.split_inclusive(|byte| *byte == b'\n');
        let whole = lines.filter_map(|line| line.strip_suffix(b"\n"));
        let mut functions: Vec<_> = whole.filter_map(Function::parse).collect();
        functions.drain(..functions.len().saturating_sub(MOST));
        functions.reverse();
        functions.sort_by_key(|function| function.start);
        functions.dedup_by_key(|function| function.start);
        PerfMap(functions)
    }

    /// The location of a code address that belongs to no file. `probe` is in the function: for a return address the call is.
    pub(crate) fn find(&self, address: u64, probe: u64) -> Option<CodeLocation> {
        let before = self.0.partition_point(|function| function.start <= probe);
        let found = self.0.get(before.checked_sub(1)?).filter(|found| probe < found.end)?;
        let module = Some(ModuleRef::jit(address.wrapping_sub(found.start)));
        let frames = vec![frame(&found.name)];
        Some(CodeLocation { address, frames, module, ..CodeLocation::default() })
    }
}

impl ModuleRef {
    /// A position in a function that belongs to no file.
    pub(crate) fn jit(offset: u64) -> ModuleRef {
        let (path, build_id) = (JIT.into(), BuildId::default());
        ModuleRef { path, build_id, file_offset: offset, address: Some(offset) }
    }
}

impl Function {
    fn parse(line: &[u8]) -> Option<Function> {
        let line = String::from_utf8_lossy(line);
        let mut fields = line.trim_start().splitn(3, ' ');
        let number = |text: &str| {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            u64::from_str_radix(digits, 16).ok().filter(|_| is_plain)
        };
        let (start, size) = (number(fields.next()?)?, number(fields.next()?)?);
        let name = fields.next().map(str::trim).filter(|name| !name.is_empty())?;
        Some(Function { start, end: start.checked_add(size)?, name: name.to_owned() })
    }
}

/// The function, and the file and line that its name may have.
fn frame(name: &str) -> CodeFrame {
    let mut frame = CodeFrame::default();
    if let Some((function, file)) = python(name) {
        frame.set_function(function);
        frame.file = Some(file.to_owned());
        return frame;
    }
    let Some((function, file, line, column)) = node(name) else {
        frame.set_function(name);
        return frame;
    };
    frame.set_function(function);
    // It is that of the function's begin.
    (frame.file, frame.line, frame.column) = (Some(file.to_owned()), Some(line), Some(column));
    frame.is_near = true;
    frame
}

/// `py::step:/src/heat.py`
fn python(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("py::")?.split_once(':').filter(|(function, _)| !function.is_empty())
}

/// `JS:*step /src/heat.js:12:3`
fn node(name: &str) -> Option<(&str, &str, u32, u32)> {
    let rest = NODE.iter().find_map(|kind| name.strip_prefix(kind))?;
    let (function, place) = rest.trim_start_matches(['*', '~', '^', '+', '\'']).split_once(' ')?;
    let (place, column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    let function = if function.is_empty() { "(anonymous)" } else { function };
    Some((function, file, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CodeKind, Modules, Symbolizer};

    const TEXT: &[u8] = b"7f0000001000 20 old\n\
        7f0000001000 40 py::step:/src/heat.py\n\
        0x7f0000002000 0x10 JS:*fib /src/a b.js:12:3\n\
        7f0000003000 10 JS:~ /src/x.js:1:1\n\
        7f0000004000 10 Builtin:Call [x]\n\
        +7f0000005000 10 sign\n\
        7f0000005000 zz nonsense\n\
        ffffffffffffffff 10 too far\n\
        7f0000006000 10 torn";

    fn found(address: u64) -> String {
        let modules = Modules::from_text(b"@ 1\n7f0000004008-7f0000005000 0 - /nowhere/libx.so\n");
        let mut symbolizer = Symbolizer::new(modules).with_perf_map(PerfMap::from_text(TEXT));
        symbolizer.code(address, CodeKind::Function).label()
    }

    #[test]
    fn functions_have_their_names_files_and_lines() {
        assert_eq!(found(0x7f00_0000_103f), "[jit]+0x3f (step)");
        assert_eq!(found(0x7f00_0000_1040), "0x7f0000001040");
        assert_eq!(found(0x7f00_0000_2004), "near a b.js:12 (fib)");
        assert_eq!(found(0x7f00_0000_3000), "near x.js:1 ((anonymous))");
        assert_eq!(found(0x7f00_0000_4001), "[jit]+0x1 (Builtin:Call [x])");
        assert_eq!(
            found(0x7f00_0000_4008),
            "libx.so+0x0",
            "what is mapped from a file is no such code"
        );
        let step = PerfMap::from_text(TEXT).find(0x7f00_0000_1000, 0x7f00_0000_1000).unwrap();
        assert_eq!(step.frames[0].file.as_deref(), Some("/src/heat.py"));
    }

    #[test]
    fn what_is_no_line_is_left_out() {
        assert_eq!(PerfMap::from_text(TEXT).0.len(), 4);
        for address in [0x7f00_0000_5000, 0x7f00_0000_6000, u64::MAX] {
            assert_eq!(found(address), format!("{address:#x}"));
        }
        assert_eq!(PerfMap::from_text(b"\xff\xfe 1 x\n\n"), PerfMap::default());
    }
}
