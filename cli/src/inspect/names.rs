//! Functions and lines of the frames of call stacks.

use super::unwind::Walk;
use ompttrace_inspect::StackFrame;
use ompttrace_model::base_name;
use ompttrace_recording::Recording;
use ompttrace_symbols::{CodeKind, CodeLocation, Modules, Symbolizer};

/// Begins of the names of libraries whose functions are none of the program's code.
const SYSTEM: [&str; 11] = [
    "libomp.",
    "libiomp",
    "libgomp",
    "libompttrace",
    "libc.so",
    "libpthread",
    "libm.so",
    "ld-linux",
    "libdl.so",
    "[vdso]",
    "libstdc++",
];

/// Names of code addresses of one process.
pub struct Names {
    symbolizer: Symbolizer,
    runtimes: Vec<String>,
}

impl Names {
    /// Names of code of a process that runs, by the modules in its recording.
    pub fn of(recording: &Recording, pid: u32) -> Names {
        let modules = Modules::from_text(&recording.modules_text());
        let facts = &recording.facts;
        // One that is linked in shares its file with the program's own code.
        let runtimes = facts.runtimes.iter().filter(|one| one.library != facts.process.executable);
        let runtimes = runtimes.map(|runtime| base_name(&runtime.library).to_owned()).collect();
        Names { symbolizer: Symbolizer::new(modules).with_live_process(pid), runtimes }
    }

    /// Names of code of a core file, by the files that it names.
    pub fn of_modules(modules: Modules) -> Names {
        Names { symbolizer: Symbolizer::new(modules), runtimes: Vec::new() }
    }

    /// The frames of a call stack, those of inlined functions among them; `tasks` has the task of each, or is empty.
    pub fn frames(&mut self, stack: &[Walk], tasks: &[Option<usize>]) -> Vec<StackFrame> {
        let mut frames = Vec::new();
        for (at, walk) in stack.iter().enumerate() {
            let kind = if at == 0 { CodeKind::Function } else { CodeKind::ReturnAddress };
            let location = self.symbolizer.code(walk.address, kind);
            let task = tasks.get(at).copied().flatten();
            let named = named(location, &self.runtimes);
            frames.extend(named.into_iter().map(|frame| StackFrame { task, ..frame }));
        }
        frames
    }
}

/// The functions at an address, innermost first.
fn named(location: &CodeLocation, runtimes: &[String]) -> Vec<StackFrame> {
    let module = location.module.as_ref().map(|module| module.path.display().to_string());
    let module = module.map(|path| base_name(&path).to_owned());
    let is_system = |name: &String| {
        SYSTEM.iter().any(|system| name.starts_with(system)) || runtimes.contains(name)
    };
    let base = StackFrame {
        address: location.address,
        function: location
            .symbol
            .as_deref()
            .map(|name| ompttrace_symbols::demangle(name).into_owned()),
        location: location.location(),
        system: module.as_ref().is_none_or(is_system),
        module,
        has_line: false,
        task: None,
    };
    if location.frames.is_empty() {
        return vec![base];
    }
    let frames = location.frames.iter().map(|frame| StackFrame {
        function: frame.user_function().or_else(|| frame.function.clone()),
        location: frame.location().unwrap_or_else(|| base.location.clone()),
        has_line: frame.line.is_some(),
        ..base.clone()
    });
    frames.collect()
}
