//! `ompttrace`: the command, whose code is in the library of this package.

fn main() -> std::process::ExitCode {
    ompttrace_cli::main()
}
