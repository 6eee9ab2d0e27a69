//! Starting `ompttrace export` at the end: what is heavy runs in a process of its own.

use crate::closing;
use crate::config::Config;
use crate::counter::Readable;
use crate::signals::{Attributes, Changed};
use crate::start_folder::Actions;
use ompttrace_recording::INCOMPLETE_STATUS;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Exports the run folder and waits; without the program the closing line gives the command.
pub(crate) fn at_exit(run: &Path, config: &Config) {
    let program = exporter();
    if config.formats.is_empty() {
        return count(program.as_deref(), run, config);
    }
    let command = format!("ompttrace export {}", shown(run, config));
    let Some(program) = program else {
        return closing::report(&format!("no exporter beside the library: run `{command}`"));
    };
    let formats = config.formats.join(",");
    let how = if config.quiet { "--quiet" } else { "--closing-line" };
    let mut words = vec!["export", "--format", &formats, how];
    if let Some(view) = config.view {
        words.extend(["--view", view]);
    }
    if let Some(limit) = &config.limit {
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

/// True for a status with which the exporter has made its output.
fn is_done(status: i32) -> bool {
    status == 0 || status == i32::from(INCOMPLETE_STATUS)
}

/// The path as it leads there from where the program was started.
fn shown(path: &Path, config: &Config) -> String {
    path.strip_prefix(&config.base).unwrap_or(path).display().to_string()
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

/// Runs the exporter; its exit status, or `None` when it cannot be started.
fn spawn(program: &Path, words: &[&str], run: &Path, config: &Config) -> Option<i32> {
    let arguments = [&["ompttrace"], words, &["--"]].concat();
    let program = CString::new(program.as_os_str().as_bytes()).ok()?;
    let mut owned: Vec<CString> =
        arguments.into_iter().filter_map(|a| CString::new(a).ok()).collect();
    owned.push(CString::new(run.as_os_str().as_bytes()).ok()?);
    let environment = environment();
    let (_signals, attributes) =
        (Changed::without_child_signals(), Attributes::with_signals_open()?);
    let mut actions = Actions::none();
    if let Some(actions) = &mut actions {
        let _ = actions.go_back_to(&config.base);
        if !ompttrace_recorder::message::is_stderr() {
            actions.say_nothing();
        }
    }
    let inherited = (Changed::limits_are_errors(), Readable::begin());
    let mut process = 0;
    // SAFETY: all arrays are null-terminated arrays of C strings that live during the call, and so
    // do the attributes and the actions, of which there may be none.
    let failed = unsafe {
        libc::posix_spawn(
            &raw mut process,
            program.as_ptr(),
            actions.as_ref().map_or(std::ptr::null(), |actions| &raw const actions.0),
            &raw const attributes.0,
            pointers(&owned).as_ptr(),
            pointers(&environment).as_ptr(),
        )
    };
    drop(inherited);
    if failed != 0 { None } else { wait(process) }
}

fn pointers(strings: &[CString]) -> Vec<*mut libc::c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
    pointers.chain([std::ptr::null_mut()]).collect()
}

/// The program's environment without what would bring us, or another tool, into the exporter.
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
