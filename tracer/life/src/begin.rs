//! The beginning of a life: the steps when a runtime asks for this tool, initialises it and finalises it.

use crate::config::{self, Config};
use crate::{closing, code, control, exit, fork_of, modules, run};
use ompttrace_recorder::{Locked, State, caught};
use ompttrace_recording::facts::Runtime;
use ompttrace_recording::settings::{Cupti, MpiMode, Selection};

/// True if the settings allow recording; if not, a line has given the reason. A source must call it as soon as it
/// knows of its runtime: the handler for forked children must be registered before the runtime's own, for one that is
/// registered later runs after the child's first events.
pub fn is_ready() -> bool {
    settle().inspect_err(|why| closing::say(why)).is_ok()
}

/// The setting for the recording of MPI; `None` if the settings do not allow recording.
pub fn mpi_mode() -> Option<MpiMode> {
    is_ready().then(config::known)?.map(|config| config.mpi)
}

/// The setting for the recording of devices by CUPTI; `None` if the settings do not allow recording.
pub fn cupti() -> Option<Cupti> {
    is_ready().then(config::known)?.map(|config| config.cupti.clone())
}

/// Prepares the recording of a runtime: settings, run folder, and the entry in `recording.json` that `describe`
/// returns after it has registered for the wanted events. If it returns `None`, nothing is recorded, and a line has
/// given the reason. To be called outside an event.
pub fn begin(describe: impl FnOnce(&Selection) -> Runtime) -> Option<Selection> {
    if !is_ready() {
        return None;
    }
    let selection = initialize()?;
    registered(describe(&selection));
    Some(selection)
}

/// Reads the settings, once.
fn settle() -> Result<(), String> {
    ompttrace_recorder::report_panics();
    if config::known().is_none() {
        if has_others_rights() {
            return Err(OTHERS_RIGHTS.to_owned());
        }
        let config = Config::from_environment()
            .map_err(|why| format!("{why}; the program runs untraced"))?;
        config::set(config);
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    }
    Ok(())
}

const OTHERS_RIGHTS: &str = "the program has rights that its user lacks (setuid, setgid or file capabilities), \
    and that user's settings could write with them; the program runs untraced";

/// True if the kernel reports that the program has rights that its user lacks: nothing is written for this user then.
fn has_others_rights() -> bool {
    // SAFETY: asks the kernel's own table.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Handler before a fork: the child must find the state of the tool complete and unlocked, whichever thread was
/// working on it.
unsafe extern "C" fn before_fork() {
    let _ = caught(|| {
        fork_of::before_fork();
        run::park();
        modules::park();
    });
}

unsafe extern "C" fn after_fork() {
    modules::release();
    run::release();
}

unsafe extern "C" fn in_child() {
    modules::release_in_child();
    run::release_in_child();
    ompttrace_recorder::forked_child();
}

fn initialize() -> Option<Selection> {
    let config = config::known()?;
    let state = if config.start { State::Recording } else { State::Paused };
    if let Err(why) = begin_run(config, state) {
        closing::say(&why);
        return None;
    }
    ompttrace_recorder::set_arm_in_child(arm_in_child);
    ompttrace_recorder::set_outside_commands(control::command_from_outside);
    ompttrace_recorder::set_module_hook(code::module_of_code);
    ompttrace_stacks::set_find_module(modules::find);
    ompttrace_recorder::set_walker(ompttrace_stacks::WALKER);
    exit::prepare();
    Some(config.selection())
}

/// Creates the run folder and begins to record into it, unless this process has done so already.
fn begin_run(config: &Config, state: State) -> Result<(), String> {
    if let Some(folder) = run::begin(config, state)? {
        modules::open(&folder);
        closing::begun();
    }
    Ok(())
}

/// Begins the recording of a forked child at its first event, in a run folder of its own; returns false if that fails.
/// Its runtimes are its parent's, which it inherited with their registrations.
fn arm_in_child() -> bool {
    let Some(config) = config::known() else { return false };
    let inherited = run::inherited_runtimes();
    if let Err(why) = begin_run(config, ompttrace_recorder::begin_of_child()) {
        closing::say(&why);
        return false;
    }
    run::with(|run| {
        run.facts.runtimes = inherited;
        let _ = run.write_facts();
    });
    modules::snapshot();
    true
}

fn registered(runtime: Runtime) {
    let hooks = ON_RUNTIME.with(|hooks| hooks.clone()).unwrap_or_default();
    hooks.into_iter().for_each(|hook| hook(&runtime));
    run::with(|run| {
        run.facts.finalized = false;
        run.facts.runtimes.push(runtime);
        run.facts.life.silent = None;
        let _ = run.write_facts();
    });
    modules::snapshot();
}

/// Hooks of sources that are called with runtimes that other sources record.
static ON_RUNTIME: Locked<Vec<fn(&Runtime)>> = Locked::new(Vec::new());

/// Has `hook` called with every runtime that is recorded from now on.
pub fn on_runtime(hook: fn(&Runtime)) {
    ON_RUNTIME.with(|hooks| hooks.push(hook));
}

/// True if the runtime in the file `library` is recorded already.
pub fn records(library: &str) -> bool {
    run::with(|run| run.facts.runtimes.iter().any(|runtime| runtime.library == library))
        .unwrap_or(false)
}

/// Adds a note to the last runtime that was recorded through `interface`; it reaches `recording.json`
/// with the next facts, at the latest when the recording is closed.
pub fn note(interface: &str, note: &str) {
    run::with(|run| {
        let mut found = run.facts.runtimes.iter_mut().rev();
        if let Some(runtime) = found.find(|runtime| runtime.interface == interface) {
            runtime.notes.push(note.to_owned());
        }
    });
}

/// Notes that a source has ended; others may still run, or this one may begin again. If none is left, and the program
/// continues, nothing is recorded from now on, and the recording states so.
pub fn finalized() {
    ompttrace_recorder::sign_of_life();
    let now = ompttrace_recorder::nanoseconds_of(libc::CLOCK_MONOTONIC);
    run::with(|run| {
        run.finalized += 1;
        let is_silent = run.finalized >= run.facts.runtimes.len() && !exit::has_begun();
        run.facts.life.silent = is_silent.then_some(now);
    });
    ompttrace_recorder::flush();
    modules::snapshot();
    // Only where it does not end soon.
    if !exit::has_begun() {
        run::with(|run| run.write_facts());
    }
}
