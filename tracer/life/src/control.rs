//! Commands of the program: start, pause, flush, end.

use crate::modules;
use ompttrace_ompt::{CONTROL_IGNORED, CONTROL_SUCCESS};
use ompttrace_recorder::{Locked, State, caught, state};
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Control, Scope};

/// Who asked.
#[derive(Clone, Copy, Debug)]
enum Origin {
    OmptControl = 0,
    OmpControlTool = 1,
}

const START: u64 = 1;
const PAUSE: u64 = 2;
const FLUSH: u64 = 3;
const END: u64 = 4;

/// The handler for omp_control_tool.
pub(crate) fn from_omp_control_tool(command: u64, modifier: u64) -> i32 {
    carry_out(command, modifier, Origin::OmpControlTool)
}

/// The handler for ompt_control where the program's call reached the runtime, which delivers it.
pub(crate) fn from_ompt_control(command: u64, modifier: u64) -> i32 {
    carry_out(command, modifier, Origin::OmptControl)
}

/// The program called our own ompt_control: recorded as a call of omp_control_tool is, where anything is.
pub(crate) fn from_program(command: u64, modifier: u64) {
    if matches!(state(), State::Recording | State::Paused) {
        ompttrace_ompt_tr2::introduce_caller();
        ompttrace_ompt::control_called(command, modifier, 0, from_ompt_control);
    } else {
        from_ompt_control(command, modifier);
    }
}

/// Carries out a command; the answer is omp_control_tool's (OpenMP 5.2, 18.14).
///
/// Codes above 63 are a tool's own; we have none. They are ignored, as is every command after the
/// end and while nothing is traced.
fn carry_out(command: u64, modifier: u64, origin: Origin) -> i32 {
    if state() == State::Child {
        return of_child(command);
    }
    let allowed = matches!(state(), State::Recording | State::Paused);
    if !allowed || !(START..=END).contains(&command) {
        return CONTROL_IGNORED;
    }
    let outcome = caught(|| match command {
        START => {
            ompttrace_recorder::resume();
            pass_on();
            // Code that came while we were paused was not looked at.
            modules::snapshot();
            tell(command, modifier, origin);
        }
        PAUSE => {
            tell(command, modifier, origin);
            ompttrace_recorder::pause();
            pass_on();
        }
        FLUSH => {
            tell(command, modifier, origin);
            ompttrace_recorder::flush();
            modules::snapshot();
        }
        _ => {
            tell(command, modifier, origin);
            modules::snapshot();
            ompttrace_recorder::end();
            pass_on();
        }
    });
    if outcome.is_some() { CONTROL_SUCCESS } else { CONTROL_IGNORED }
}

/// A forked child that records nothing yet: what it is told now holds when it begins.
fn of_child(command: u64) -> i32 {
    match command {
        START | PAUSE => ompttrace_recorder::pause_child(command == PAUSE),
        FLUSH => {}
        _ => return CONTROL_IGNORED,
    }
    CONTROL_SUCCESS
}

/// Sources that can have their runtime's events held back.
static ON_COMMAND: Locked<Vec<fn(State)>> = Locked::new(Vec::new());

/// Has `hook` called with what the recorder does now, whenever a command has changed it.
pub fn on_command(hook: fn(State)) {
    ON_COMMAND.with(|hooks| hooks.push(hook));
}

fn pass_on() {
    let hooks = ON_COMMAND.with(|hooks| hooks.clone()).unwrap_or_default();
    hooks.into_iter().for_each(|hook| hook(state()));
}

/// Puts a record of the command into the calling thread's stream.
fn tell(command: u64, modifier: u64, origin: Origin) {
    let record = Control { command, modifier, origin: origin as u64 };
    ompttrace_recorder::put_more(EventCode::new(Control::NUMBER, Scope::None), record.words());
}
