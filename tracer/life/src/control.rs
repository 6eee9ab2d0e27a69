//! Commands to the recording, of the program or from outside: start, pause, flush, end.

use crate::modules;
use ompttrace_recorder::{Locked, State, caught, state};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Control, ControlTool, Scope};

/// The origin of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// ompt_control of 2014.
    OmptControl = 0,
    /// omp_control_tool.
    OmpControlTool = 1,
    /// MPI_Pcontrol.
    MpiPcontrol = 3,
    /// Another process, by `ompttrace control`.
    Outside = 4,
}

/// omp_control_tool's answer to a command that was carried out (OpenMP 5.2, 18.14).
const SUCCESS: i32 = 0;
/// omp_control_tool's answer to a command that is unknown or has no effect at the time.
const IGNORED: i32 = 1;

const START: u64 = 1;
const PAUSE: u64 = 2;
const FLUSH: u64 = 3;
const END: u64 = 4;

/// Records a command of the program, given at `code` if that is known, and carries it out. The record comes before the
/// command takes effect, so that a pause and an end are in the recording and a flush writes its own request; that of a
/// start comes after it.
pub fn command_given(command: u64, modifier: u64, code: u64, origin: Origin) -> i32 {
    if command == START {
        let result = carry_out(command, modifier, origin);
        record(command, modifier, code, result);
        return result;
    }
    let known = (START..=END).contains(&command);
    record(command, modifier, code, if known { SUCCESS } else { IGNORED });
    carry_out(command, modifier, origin)
}

fn record(command: u64, modifier: u64, address: u64, result: i32) {
    let result = i64::from(result) as u64;
    let event = ControlTool { code: address, kind: 0, command, modifier, result };
    let code = EventCode::new(ControlTool::NUMBER, Scope::None);
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, event.words()),
        None => ompttrace_recorder::slow(code, |room| {
            if let Some(room) = room {
                room.put(code, event);
            }
        }),
    }
}

/// Carries out a command; returns omp_control_tool's answer (OpenMP 5.2, 18.14).
///
/// Codes above 63 are a tool's own; we have none. They are ignored, as is every command after the
/// end and while nothing is traced.
pub fn carry_out(command: u64, modifier: u64, origin: Origin) -> i32 {
    if state() == State::Child {
        return of_child(command);
    }
    let allowed = matches!(state(), State::Recording | State::Paused);
    if !allowed || !(START..=END).contains(&command) {
        return IGNORED;
    }
    let outcome = caught(|| match command {
        START => {
            ompttrace_recorder::resume();
            pass_on(origin);
            // Code that came while we were paused was not looked at.
            modules::snapshot();
            report(command, modifier, origin);
        }
        PAUSE => {
            report(command, modifier, origin);
            ompttrace_recorder::pause();
            pass_on(origin);
        }
        FLUSH => {
            report(command, modifier, origin);
            ompttrace_recorder::flush();
            modules::snapshot();
        }
        _ => {
            report(command, modifier, origin);
            modules::snapshot();
            ompttrace_recorder::end();
            pass_on(origin);
        }
    });
    if outcome.is_some() { SUCCESS } else { IGNORED }
}

/// Carries out a command in a forked child that records nothing yet: it takes effect when the recording begins.
fn of_child(command: u64) -> i32 {
    match command {
        START | PAUSE => ompttrace_recorder::pause_child(command == PAUSE),
        FLUSH => {}
        _ => return IGNORED,
    }
    SUCCESS
}

/// Carries out a command of another process, on the thread of the program that noticed it. A command that changes nothing leaves no
/// record.
pub(crate) fn command_from_outside(command: u64) {
    let is_done = matches!((command, state()), (START, State::Recording) | (PAUSE, State::Paused));
    if !is_done {
        carry_out(command, 0, Origin::Outside);
    }
}

/// A function of a source, which gets the recorder's new state and the origin of the command that changed it.
type Hook = fn(State, Origin);

static ON_COMMAND: Locked<Vec<Hook>> = Locked::new(Vec::new());

/// Has `hook` called whenever a command has changed the recorder's state. One from outside may come anywhere in the program, amid any of
/// its locks: a hook must not allocate then, nor call what may wait for the program. And only an event can notice the command that
/// ends a pause from outside.
pub fn on_command(hook: Hook) {
    ON_COMMAND.with(|hooks| hooks.push(hook));
}

fn pass_on(origin: Origin) {
    let hook = |at| ON_COMMAND.with(|hooks: &mut Vec<Hook>| hooks.get(at).copied()).flatten();
    (0..).map_while(hook).for_each(|hook| hook(state(), origin));
}

/// Puts a record of the command into the calling thread's stream.
fn report(command: u64, modifier: u64, origin: Origin) {
    let record = Control { command, modifier, origin: origin as u64 };
    ompttrace_recorder::put_more(EventCode::new(Control::NUMBER, Scope::None), record.words());
}
