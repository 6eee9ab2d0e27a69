//! A paused recorder records nothing but goes on making ids; an ended one does not come back.

mod common;

use common::{arm_into, folder, read, record, write_facts};
use ompttrace_recorder::{State, close, end, next_id, pause, resume, state};

#[test]
fn commands_take_effect_at_once() {
    let run = folder();
    arm_into(&run, State::Paused);
    record(1);
    assert_ne!(next_id(), next_id(), "ids are made while paused");
    resume();
    record(2);
    pause();
    record(3);
    resume();
    record(4);
    end();
    record(5);
    resume();
    record(6);
    assert_eq!(state(), State::Ended);
    close(true);
    write_facts(&run, true);
    assert_eq!(read(&run).0, [[2, 4]]);
}
