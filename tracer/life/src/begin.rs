//! The beginning of a life: what happens when a runtime asks, initialises and finalises us.

use crate::config::{self, Config};
use crate::{closing, code, exit, fork_of, modules, run};
use ompttrace_recorder::{Locked, State, caught};
use ompttrace_recording::facts::Runtime;
use ompttrace_recording::settings::{Cupti, MpiMode, Selection};

/// Whether the settings allow to record; if not, a line has said why. To be called by a source as soon as it
/// knows of its runtime: the handler for forked children must be registered before the runtime's own, for one that is
/// registered later runs after the child's first events.
pub fn is_ready() -> bool {
    settle().inspect_err(|why| closing::say(why)).is_ok()
}

/// The setting of what is recorded of MPI; `None`: the settings do not allow to record.
pub fn mpi_mode() -> Option<MpiMode> {
    is_ready().then(config::known)?.map(|config| config.mpi)
}

/// The setting of what is recorded of devices by CUPTI; `None`: the settings do not allow to record.
pub fn cupti() -> Option<Cupti> {
    is_ready().then(config::known)?.map(|config| config.cupti.clone())
}

/// Makes ready to record a runtime: settings, run folder, and the entry in `recording.json` that `describe`
/// makes of what is wanted, after it has registered for that. `None`, and a line that says why: nothing is
/// recorded. To be called outside an event.
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

/// Whether the kernel says so: then nothing is written for this user.
fn has_others_rights() -> bool {
    // SAFETY: asks the kernel's own table.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// The child must find our state whole and unlocked, whichever thread was working on it.
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
    ompttrace_recorder::set_module_hook(code::module_of_code);
    ompttrace_stacks::set_find_module(modules::find);
    ompttrace_recorder::set_walker(ompttrace_stacks::WALKER);
    exit::prepare();
    Some(config.selection())
}

/// Makes the run folder and begins to record into it, if this process does not do so yet.
fn begin_run(config: &Config, state: State) -> Result<(), String> {
    if let Some(folder) = run::begin(config, state)? {
        modules::open(&folder);
        closing::begun();
    }
    Ok(())
}

/// A forked child has something to say: it gets a run folder of its own. Its runtimes are its
/// parent's, which it inherited with their registrations.
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

/// Sources to notify of runtimes that other sources record.
static ON_RUNTIME: Locked<Vec<fn(&Runtime)>> = Locked::new(Vec::new());

/// Has `hook` called with every runtime that is recorded from now on.
pub fn on_runtime(hook: fn(&Runtime)) {
    ON_RUNTIME.with(|hooks| hooks.push(hook));
}

/// Whether the runtime in the file `library` is recorded already.
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

/// A source is done; another may still run, or this one come again. If none does, and the program goes on, nothing is recorded
/// from now on, and the recording says so.
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
