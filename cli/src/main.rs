//! `ompttrace`: turns recordings into traces and says what is in them.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage.

mod arguments;
mod export;
mod info;
mod place;
mod process;
mod progress;
mod recover;
mod say;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Export(arguments) => export::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say::aside(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
