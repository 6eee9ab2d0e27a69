//! Start of `ompttrace export` at the end: expensive work is done in a process of its own.

use crate::closing;
use crate::config::Config;
use crate::counter::Readable;
use crate::signals::Changed;
use ompttrace_direct::{Child, start};
use ompttrace_recording::INCOMPLETE_STATUS;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Exports the run folder and waits; without the program the closing line gives the command.
pub(crate) fn at_exit(run: &Path, config: &Config) {
    find_exporter();
    let program = EXPORTER.get().cloned().flatten();
    if config.format.is_empty() {
        return count(program.as_deref(), run, config);
    }
    let command = format!("ompttrace export {}", shown(run, config));
    let Some(program) = program else {
        return closing::report(&format!("no exporter beside the library: run `{command}`"));
    };
    let formats: Vec<_> = config.format.iter().map(|format| format.name()).collect();
    let formats = formats.join(",");
    let how = if config.quiet { "--quiet" } else { "--closing-line" };
    let mut words = vec!["export", "--format", &formats, how];
    if let Some(view) = config.view {
        words.extend(["--view", view.name()]);
    }
    let limit = config.limit.map(|bytes| match bytes {
        u64::MAX => "none".to_owned(),
        bytes => bytes.to_string(),
    });
    if let Some(limit) = &limit {
        words.extend(["--limit", limit]);
    }
    match spawn(&program, &words, run, config) {
        Some(status) if is_done(status) => {}
        Some(status) => closing::say(&format!(
            "the export ended with status {status}; the recording is kept: run `{command}`"
        )),
        None => closing::say(&format!("{} cannot be started: run `{command}`", program.display())),
    }
}

/// The closing line of a run that is only recorded; its events are counted by the same program.
fn count(program: Option<&Path>, run: &Path, config: &Config) {
    let counted = !config.quiet
        && program.is_some_and(|program| {
            spawn(program, &["info", "--closing-line"], run, config).is_some_and(is_done)
        });
    if !counted {
        closing::report(&format!("{} holds the recording", shown(run, config)));
    }
}

/// True for an exit status with which the exporter has written its output.
fn is_done(status: i32) -> bool {
    status == 0 || status == i32::from(INCOMPLETE_STATUS)
}

/// The path as it is reachable from the folder in which the program was started.
fn shown(path: &Path, config: &Config) -> String {
    path.strip_prefix(&config.base).unwrap_or(path).display().to_string()
}

/// The program, once it was looked for.
static EXPORTER: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Looks for the program while the dynamic linker can be asked.
pub(crate) fn find_exporter() {
    EXPORTER.get_or_init(exporter);
}

/// The `ompttrace` program beside this library, in ../bin of it, or (for a program that has us
/// linked in) on the PATH.
fn exporter() -> Option<PathBuf> {
    let beside = library_folder();
    let beside = beside.iter().flat_map(|folder| [folder.clone(), folder.join("../bin")]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside
        .chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute()))
        .map(|folder| folder.join("ompttrace"))
        .find(|program| program.is_file())
}

fn library_folder() -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let address: *const libc::c_void = (&raw const closing::ANCHOR).cast();
    // SAFETY: dladdr fills the structure when it answers non-zero; the name is then a C string.
    let library = unsafe {
        if libc::dladdr(address, found.as_mut_ptr()) == 0 {
            return None;
        }
        CStr::from_ptr(found.assume_init().dli_fname)
    };
    let library = std::fs::canonicalize(OsStr::from_bytes(library.to_bytes())).ok()?;
    Some(library.parent()?.to_owned())
}

/// Runs the exporter; returns its exit status, or `None` if it cannot be started.
fn spawn(program: &Path, words: &[&str], run: &Path, config: &Config) -> Option<i32> {
    let program = c_string(program)?;
    let words = [&["ompttrace"], words, &["--"]].concat();
    let words = words.into_iter().map(|word| CString::new(word).ok());
    let arguments: Vec<CString> = words.chain([c_string(run)]).collect::<Option<_>>()?;
    let environment = environment();
    let _no_signal = Changed::without_child_signals();
    let readable = Readable::begin();
    let process = start(&Child {
        program: &program,
        arguments: &pointers(&arguments),
        environment: &pointers(&environment),
        folder: &c_string(&config.base)?,
        is_silent: !ompttrace_recorder::message::is_stderr(),
    });
    drop(readable);
    wait(process.ok()?)
}

fn c_string(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
}

/// The program's environment without variables that would load this tool, or another one, into the exporter.
fn environment() -> Vec<CString> {
    let unwanted = ["LD_PRELOAD", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "LD_AUDIT"];
    let variables = std::env::vars_os().filter(|(name, _)| !unwanted.iter().any(|n| name == *n));
    let lines = variables.map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
    lines.filter_map(|line| CString::new(line).ok()).collect()
}

fn wait(process: libc::pid_t) -> Option<i32> {
    let mut status = 0;
    loop {
        // SAFETY: waits for the child that was just started; the status is on this stack.
        let waited = unsafe { libc::waitpid(process, &raw mut status, 0) };
        if waited == process {
            return Some(if libc::WIFEXITED(status) {
                libc::WEXITSTATUS(status)
            } else {
                128 + libc::WTERMSIG(status)
            });
        }
        match std::io::Error::last_os_error().raw_os_error() {
            Some(libc::EINTR) => {}
            // Another thread of the program waits for any child: the status is gone.
            _ => return Some(0),
        }
    }
}
