//! `cargo xtask <command>`: everything a developer or CI does with this
//! repository, without scripts that only run on one person's machine.

mod attachments;
mod bench;
mod bindings;
mod checked;
mod demo;
mod dist;
mod fuzz;
mod imports;
mod lines;
mod many_ranks;
mod mpi_functions;
mod packages;
mod product;
mod publish;
mod repository;
mod revisions;
mod same_exports;
mod shell;
mod soak;
mod test;
mod tidy;
mod views;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <command>

  circles [REVISION...]   files that use each other in a circle, by crate; also of other revisions
  demo                    install what is missing, build, trace an example, say what to open
  build                   libraries and command in target/ompttrace
  test [--all] [STEP...]  everything that CI runs; with --all, also what takes too long for CI
  attachments [--count N] look a thousand times at a busy program, which has to end with the right result
  bench [--rounds N] [--json FILE] [--direct] [--instructions] [LOAD...]
                          cost per event, beside tools written in C
  bench collector|cores|drains|gomp|ompi|scale|stacks [--rounds N] [--json FILE] [--turns N] [LOAD...]
                          the other interfaces, full buffers, many threads (--turns), call stacks
  bench advice [--busy|--jobs] [--rounds N] [--json FILE] [PROGRAM...]
                          what reports expect of cures, beside what they bring; what they find first in jobs
  bench export [--rounds N] [--times N] [--json FILE] [LOAD|FORMAT...]
                          speed, size and memory of exports
  bench export --instructions [--json FILE] [LOAD...] [REVISION...]
                          instructions per event of exports, also of other revisions
  bench large [--rounds N] [--small] [--json FILE] [LOAD...]
                          a run of 300 million events, to the open trace
  dist                    a tarball of library, command, header, man pages, completions, licences
  bindings [--check]      write the bindings to omp-tools.h and OTF2 again (or only compare)
  fuzz TARGET [--seconds N]
                          feed a reader with made-up files, guided by what they reach
  lines [REVISION...]     lines of code by crate, without tests, comments and blank lines; also of other revisions
  many-ranks [--ranks N] [--intervals N] [--messages N] [--job FOLDER] [--spark]
                          tables of a thousand ranks, and their joins and queries by DuckDB and Spark
  mpi-functions APIS.json LIBRARY...
                          write the table of MPI's functions again, from the MPI Forum's interface and libraries
  packages [demo|test|bench|bindings|spark]
                          name and install the Debian packages that are missing
  publish                 pack and build the crates that others can use as a registry gets them; publishes nothing
  same-exports --base REV [--seeds N] [--only PATTERN] [--keep]
                          compare all exports of many recordings with those of another revision
  soak [--minutes N] [--seed S] [--once SEED] [--left-out | --sampled]
                          random programs, each checked for exactness
  tidy                    the house rules a program can check
  views [--check]         write the macros and the extension for Perfetto's UI again (or only compare)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let result = match command.as_str() {
        "attachments" => attachments::run(rest),
        "bench" => bench::run(rest),
        "build" => product::run(rest),
        "bindings" => bindings::run(rest),
        "circles" => imports::run(rest),
        "demo" => demo::run(rest),
        "dist" => dist::run(rest),
        "fuzz" => fuzz::run(rest),
        "lines" => lines::run(rest),
        "many-ranks" => many_ranks::run(rest),
        "mpi-functions" => mpi_functions::run(rest),
        "packages" => packages::run(rest),
        "publish" => publish::run(rest),
        "same-exports" => same_exports::run(rest),
        "soak" => soak::run(rest),
        "test" => test::run(rest),
        "tidy" => tidy::run(rest),
        "views" => views::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("unknown command `{command}`\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\ncargo xtask {command}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
