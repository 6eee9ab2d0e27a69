//! Builds and runs the test programs, and turns what they print into modules and marks.
#![allow(dead_code, reason = "every test binary uses a part of this")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ompttrace_symbols::{CodeKind, CodeLocation, Modules, Symbolizer};

/// A marked call in a test program: its return address, line and function, as the program prints them.
pub struct Mark {
    pub address: u64,
    pub line: u32,
    pub function: String,
}

/// Output of a run of a test program.
#[derive(Default)]
pub struct TracedRun {
    /// Calls that the program marked, with their return addresses.
    pub marks: Vec<Mark>,
    /// Addresses of variables, with their names.
    pub data: Vec<(u64, String)>,
    /// Addresses of functions, with their names.
    pub functions: Vec<(u64, String)>,
    /// The `modules` file as the tool would have written it.
    pub modules: Vec<u8>,
}

impl TracedRun {
    pub fn symbolizer(&self) -> Symbolizer {
        Symbolizer::new(Modules::from_text(&self.modules))
    }

    pub fn mark(&self, function: &str) -> &Mark {
        self.marks.iter().find(|mark| mark.function == function).expect("no such mark")
    }

    /// The source location of a mark, found by a new symbolizer.
    pub fn location(&self, function: &str) -> CodeLocation {
        let address = self.mark(function).address;
        self.symbolizer().code(address, CodeKind::ReturnAddress).clone()
    }

    /// The modules without a build id, as from a program whose notes could not be read.
    pub fn without_build_ids(mut self) -> Self {
        let text = String::from_utf8(self.modules).unwrap();
        let line = |line: &str| match *line.splitn(4, ' ').collect::<Vec<_>>() {
            [range, offset, _, path] => format!("{range} {offset} - {path}\n"),
            _ => format!("{line}\n"),
        };
        self.modules = text.lines().map(line).collect::<String>().into_bytes();
        self
    }
}

pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name)
}

/// Runs a command that must succeed; what it printed.
pub fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    output.stdout
}

/// Runs a tool with arguments that are words or paths.
pub fn tool(name: &str, arguments: &[&dyn AsRef<OsStr>]) -> Vec<u8> {
    run(Command::new(name).args(arguments.iter().map(|argument| argument.as_ref())))
}

/// Compiles `source` with the words of `flags` to `output`.
pub fn compile(compiler: &str, flags: &str, source: &str, output: &Path) {
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).arg(program(source)).arg("-o").arg(output);
    run(command.arg("-ldl"));
}

/// Runs a built program and collects its output. The files are as they were meanwhile.
pub fn trace(executable: &Path, arguments: &[&Path]) -> TracedRun {
    parse(&run(Command::new(executable).args(arguments).stdin(Stdio::null())))
}

/// A program's output.
pub fn parse(output: &[u8]) -> TracedRun {
    let mut traced = TracedRun { modules: b"@ 1\n".to_vec(), ..TracedRun::default() };
    for line in output.split(|&byte| byte == b'\n') {
        let (word, rest) = line.split_at(line.iter().position(|&b| b == b' ').unwrap_or(0));
        let rest = rest.strip_prefix(b" ").unwrap_or_default();
        let text = String::from_utf8_lossy(rest);
        let mut fields = text.split(' ');
        let mut field = || fields.next().unwrap().to_owned();
        match word {
            b"mark" => traced.marks.push(Mark {
                address: address(&field()),
                line: field().parse().unwrap(),
                function: field(),
            }),
            b"data" => traced.data.push((address(&field()), field())),
            b"function" => traced.functions.push((address(&field()), field())),
            b"map" => traced.modules.extend(module_line(rest).unwrap_or_default()),
            _ => {}
        }
    }
    traced
}

fn address(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// A line of /proc/self/maps as the tool writes it, where it is executable and of a file.
fn module_line(line: &[u8]) -> Option<Vec<u8>> {
    let path = &line[line.iter().position(|&byte| byte == b'/')?..];
    let head = std::str::from_utf8(&line[..line.len() - path.len()]).ok()?;
    let fields: Vec<_> = head.split_whitespace().collect();
    let (range, rights, offset) = (fields[0], fields[1], fields[2]);
    if !rights.contains('x') {
        return None;
    }
    // The program prints the kernel's escapes as they are.
    let real = String::from_utf8_lossy(path).contains("\\012").then(|| unescaped(path));
    let build_id = build_id(Path::new(OsStr::from_bytes(real.as_deref().unwrap_or(path))));
    Some([format!("{range} {offset} {build_id} ").as_bytes(), path, b"\n"].concat())
}

fn unescaped(path: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(path).replace("\\012", "\n").into_bytes()
}

/// The build id as binutils reads it, `-` for none.
pub fn build_id(file: &Path) -> String {
    let notes = tool("readelf", &[&"-n", &file]);
    let notes = String::from_utf8_lossy(&notes);
    let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
    id.unwrap_or("-").to_owned()
}

/// Every mark must be found with the line and function that the program printed.
pub fn assert_all_marks(traced: &TracedRun) {
    assert!(!traced.marks.is_empty());
    let mut symbolizer = traced.symbolizer();
    for mark in &traced.marks {
        let location = symbolizer.code(mark.address, CodeKind::ReturnAddress);
        let found = location.located().unwrap_or_else(|| panic!("{}: {location:?}", mark.function));
        assert_eq!(found.line, Some(mark.line), "{location:?}");
        let function = found.user_function().unwrap();
        assert_eq!(function.rsplit("::").next().unwrap(), mark.function, "{location:?}");
    }
}

/// Return address and callee of every call in the program.
pub fn calls(executable: &Path) -> Vec<(u64, String)> {
    let listing = tool("objdump", &[&"-d", &"--no-show-raw-insn", &executable]);
    let listing = String::from_utf8(listing).unwrap();
    let lines: Vec<_> = listing.lines().collect();
    let call = |pair: &[&str]| {
        let is_call = |word| word == "call" || word == "bl";
        pair[0].split_whitespace().any(is_call).then_some(())?;
        let callee = pair[0].rsplit_once('<')?.1.trim_end_matches('>').to_owned();
        let next = pair[1].split_once(':')?.0.trim();
        Some((u64::from_str_radix(next, 16).ok()?, callee))
    };
    lines.windows(2).filter_map(call).collect()
}
