//! A core file: its threads with their call stacks, by the core's memory and the files that were mapped and are still the
//! same.

use super::memory::{Mapping, Memory};
use super::names::Names;
use super::ompd::tasks_of;
use super::stop::{Registers, Stopped};
use super::unwind::{Tables, Walked};
use nix::sys::signal::Signal;
use ompttrace_inspect::{StackFrame, stack_lines};
use ompttrace_ompd::{Answer, CoreFile, Mapped, Target};
use ompttrace_symbols::{BuildId, Mapping as Module, Modules};
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Maximum number of threads whose stacks are read.
const MOST_THREADS: usize = 1 << 12;

/// Contents of a core file that need no OMPD.
#[derive(Debug, Serialize)]
pub struct CoreView {
    /// The program, as the core calls it.
    program: Option<PathBuf>,
    threads: Vec<Thread>,
    /// Files that were mapped and have changed since.
    files_left_out: Vec<LeftOut>,
}

#[derive(Debug, Serialize)]
struct Thread {
    id: u32,
    /// Signal that the thread was to get; for the first thread the one that ended the process.
    signal: Option<String>,
    stack: Vec<StackFrame>,
    stack_note: Option<String>,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    path: PathBuf,
    why: String,
}

/// Reads a core file; `answer` is OMPD's, if there is one.
pub fn view(core: &CoreFile, answer: Option<&Answer>, stacks: bool) -> CoreView {
    let memory = Memory::of_target(core, mappings(core));
    let mut tables = Tables::of(&memory);
    let mut names = Names::of_modules(modules(core, &memory));
    let all = core.threads().iter().zip(core.states()).take(MOST_THREADS);
    let threads = all.map(|(thread, state)| {
        let registers = Registers::from(*state);
        let stopped = Stopped { registers, stack: memory.copy_stack(state.sp) };
        let walked = if stacks { tables.walk(&stopped) } else { Walked::none() };
        let tasks = answer.map(|answer| tasks_of(&walked.frames, answer, thread.id));
        let signal = Signal::try_from(i32::from(state.signal)).ok();
        Thread {
            id: thread.id,
            signal: signal.map(|signal| signal.as_str().to_owned()),
            stack: names.frames(&walked.frames, &tasks.unwrap_or_default()),
            stack_note: walked.note(),
        }
    });
    let threads = threads.collect();
    let left_out = core.left_out().into_iter();
    let left_out = left_out.map(|(path, why)| LeftOut { path: path.into(), why: why.into() });
    let program = core.executable().map(Path::to_owned);
    CoreView { program, threads, files_left_out: left_out.collect() }
}

/// All memory of the core, by the files that were mapped there.
fn mappings(core: &CoreFile) -> Vec<Mapping> {
    let mut mappings: Vec<Mapping> =
        core.memory().map(|(range, executable)| mapping(core, range, executable)).collect();
    // What the core leaves out (gdb does so with code) is as the files have it.
    let known: HashSet<u64> = mappings.iter().map(|mapping| mapping.range.start).collect();
    let files = core.mapped().iter().filter(|file| !known.contains(&file.range.start));
    mappings.extend(files.map(|file| mapping(core, file.range.clone(), true)));
    mappings.sort_by_key(|mapping| mapping.range.start);
    mappings
}

fn mapping(core: &CoreFile, range: Range<u64>, executable: bool) -> Mapping {
    let start = range.start;
    if let Some(file) = core.mapped_at(start) {
        let offset = file.offset.saturating_add(start - file.range.start);
        let path = file.path.to_string_lossy().into_owned();
        return Mapping { range, executable, offset, path };
    }
    // The kernel's own library is in the core as a whole and in no file.
    let mut head = [0; 4];
    let is_elf = executable && core.read(start, &mut head) == 4 && head == *b"\x7fELF";
    let path = if is_elf { "[vdso]" } else { "" }.to_owned();
    Mapping { range, executable, offset: 0, path }
}

/// The files in which names are searched: by build id, otherwise those that are proven to be the same.
fn modules(core: &CoreFile, memory: &Memory<'_>) -> Modules {
    let code = memory.mappings.iter().filter(|mapping| mapping.executable);
    Modules::from_mappings(code.filter_map(|mapping| {
        let start = mapping.range.start;
        let file = core.mapped_at(start)?;
        let build_id = BuildId(core.build_id(&file.path).to_vec());
        Some(Module {
            start,
            end: mapping.range.end,
            file_offset: mapping.offset,
            path: path_of(core, file, &build_id),
            build_id,
        })
    }))
}

/// Path of the file; only its name, which leads nowhere, if nothing proves the file to be the same.
fn path_of(core: &CoreFile, file: &Mapped, build_id: &BuildId) -> PathBuf {
    if core.is_read(&file.path) || build_id.is_known() {
        return file.readable_at.clone();
    }
    file.path.file_name().unwrap_or_default().into()
}

impl CoreView {
    /// The lines for people.
    pub fn lines(&self) -> Vec<String> {
        let program =
            self.program.as_ref().map_or("a program".into(), |path| path.to_string_lossy());
        let count = self.threads.len();
        let s = if count == 1 { "" } else { "s" };
        let mut lines = vec![format!("Core file of {program}: {count} thread{s}")];
        for thread in &self.threads {
            let signal = thread.signal.as_ref().map_or(String::new(), |name| format!(", {name}"));
            lines.extend([String::new(), format!("os thread {}{signal}", thread.id)]);
            lines.extend(stack_lines(&thread.stack, thread.stack_note.as_deref()));
        }
        if !self.files_left_out.is_empty() {
            lines.extend([String::new(), "Files that were not read:".to_owned()]);
            let files = self.files_left_out.iter();
            lines.extend(files.map(|file| format!("  {}: {}", file.path.display(), file.why)));
        }
        lines
    }
}
