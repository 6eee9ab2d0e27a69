//! `ompttrace`: the command, whose code is in the library beside this file.

fn main() -> std::process::ExitCode {
    ompttrace_cli::main()
}
