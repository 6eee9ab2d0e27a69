//! Settings of a traced process: a wrong one is one line and no trace, a good one does what it says,
//! and none of them reaches the program's own output or exit status.

use std::fs;
use std::process::Command;

use anyhow::Result;
use ompttrace_recording::settings::{RunOption, SETTINGS, Setting};
use ompttrace_recording::{Event, Recording};
use ompttrace_tests::process;
use ompttrace_tests::product::{Product, number};
use ompttrace_tests::programs::{self, Program};
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use ompttrace_tests::{build, exactness, oracle};

#[allow(dead_code, reason = "its main function writes the page")]
#[path = "../cli/examples/settings.rs"]
mod table;

const BUFFER: &str = "from 4K to 64M";
const EVENTS: &str = "-name excludes one";
const OUTPUT: &str = "%e, %p, %h, %r and %%";

/// Variable, value, words of what is allowed.
const WRONG: &[(&str, &str, &str)] = &[
    ("OMPTTRACE_FORMAT", "otf3", "perfetto"),
    ("OMPTTRACE_FORMAT", "perfetto,otf3", "perfetto"),
    ("OMPTTRACE_OUTPUT", "run.%q", OUTPUT),
    ("OMPTTRACE_OUTPUT", "run.%", OUTPUT),
    ("OMPTTRACE_OUTPUT", "/proc/none/run", "OMPTTRACE_OUTPUT"),
    ("OMPTTRACE_OUTPUT", "/dev/null/run", "OMPTTRACE_OUTPUT"),
    ("OMPTTRACE_VIEW", "all", "auto, threads, regions or both"),
    ("OMPTTRACE_LIMIT", "80", "80MB"),
    ("OMPTTRACE_BUFFER", "0", BUFFER),
    ("OMPTTRACE_BUFFER", "4095", BUFFER),
    ("OMPTTRACE_BUFFER", "65M", BUFFER),
    ("OMPTTRACE_BUFFER", "-4K", BUFFER),
    ("OMPTTRACE_BUFFER", "16KB", BUFFER),
    ("OMPTTRACE_BUFFER", "18446744073709551616K", BUFFER),
    ("OMPTTRACE_BUFFER", "16K@disk", "@shm or @run"),
    ("OMPTTRACE_EVENTS", "tasks", EVENTS),
    ("OMPTTRACE_EVENTS", "-parallel_begin", EVENTS),
    ("OMPTTRACE_EVENTS", "mutex,-locks", EVENTS),
    ("OMPTTRACE_START", "later", "on or off"),
    ("OMPTTRACE_QUIET", "very", "1 or 0"),
    ("OMPTTRACE_CLOCK", "tsc", "auto or quanta"),
    ("OMPTTRACE_CORES", "on", "auto, switches, accounting or off"),
    ("OMPTTRACE_COUNTERS", "page-faults,flops", "a list of up to 8 of page-faults, "),
    ("OMPTTRACE_SAMPLE", "200,signal=9", "samples of each thread per second"),
    ("OMPTTRACE_FROMAT", "FROMAT", "OMPTTRACE_FORMAT, "),
];

/// An empty variable is treated as unset, as scripts use it to omit a setting.
#[test]
fn an_empty_variable_is_one_that_is_not_set() -> Result<()> {
    let names = SETTINGS.iter().map(Setting::variable).chain(["OMPTTRACE_FROMAT".to_owned()]);
    let settings: Vec<_> = names.map(|name| (name, "")).collect();
    let (program, scratch) = (programs::by_name("c/hello")?, Scratch::new()?);
    let mut command = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut command, By::Runtime)?;
    command.envs(settings).current_dir(scratch.path());
    let run = process::run(&mut command, program.directives.timeout)?;
    assert!(scratch.only_run()?.join("trace.pftrace").is_file(), "{run:?}");
    Ok(())
}

/// docs/settings.md, `run --help` and the man page have what the table has.
#[test]
fn documents_are_made_of_the_table() -> Result<()> {
    let page = fs::read_to_string(build::root().join("docs/settings.md"))?;
    let command = "cargo run --package ompttrace-cli --example settings";
    assert!(table::with_table(&page) == page, "docs/settings.md is not what `{command}` makes");
    let mut help = Command::new(Product::find()?.program);
    let help = build::run(help.args(["run", "--help"]), "")?;
    let help = String::from_utf8(help)?.split_whitespace().collect::<Vec<_>>().join(" ");
    for setting in SETTINGS {
        let Setting { name, default, .. } = setting;
        let text = match setting.option {
            RunOption::None => continue,
            RunOption::Takes(value) | RunOption::TakesMinus(value) => {
                format!("--{name} <{value}> {} [default: {default}]", (setting.help)())
            }
        };
        assert!(help.contains(&text), "{name}: {help}");
    }
    Ok(())
}

/// A set-user-ID program is not traced: its user could have the tool write files with rights that the user does not have.
#[test]
fn a_program_with_rights_that_its_user_has_not_is_not_traced() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let source = build::root().join("tests/settings/secure.c");
    let flags = ["-O1", "-fPIC", "-shared", "-ldl"];
    let secure = oracle::compiled(&[source], "settings/libsecure.so", &flags)?;
    for by in [By::Runtime, By::Preload] {
        let scratch = Scratch::new()?;
        let mut command = program.command(&runtimes::libomp_19()?)?;
        scratch.attach(&mut command, by)?;
        runtimes::prepend(&mut command, "LD_PRELOAD", &secure);
        let run = process::run(&mut command, program.directives.timeout)?;
        assert!(run.ended_by(program.directives.end), "{by:?}: {run:?}");
        assert_eq!(run.stdout, untraced(&program)?, "{by:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{by:?}: {}", run.stderr);
        assert!(run.stderr.contains("rights that its user lacks"), "{by:?}: {}", run.stderr);
        assert!(scratch.runs()?.is_empty(), "{by:?}");
    }
    Ok(())
}

fn run(program: &Program, settings: &[(&str, &str)]) -> Result<Traced> {
    traced::run(program, &runtimes::libomp_19()?, By::Runtime, settings)
}

/// Standard output of the program without any tool.
fn untraced(program: &Program) -> Result<String> {
    let mut command = program.command(&runtimes::libomp_19()?)?;
    Ok(process::run(&mut command, program.directives.timeout)?.stdout)
}

fn assert_undisturbed(program: &Program, traced: &Traced, what: &str) -> Result<()> {
    let run = &traced.run;
    assert!(run.ended_by(program.directives.end), "{what}: {run:?}");
    assert_eq!(run.stdout, untraced(program)?, "{what}");
    Ok(())
}

#[test]
fn a_wrong_value_is_one_line_and_the_program_runs_untraced() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    for (variable, value, allowed) in WRONG {
        let what = format!("{variable}={value}");
        let traced = run(&program, &[(variable, value)])?;
        assert_undisturbed(&program, &traced, &what)?;
        let stderr = &traced.run.stderr;
        assert_eq!(stderr.lines().count(), 1, "{what}: {stderr}");
        for word in ["ompttrace: ", variable, value, allowed, "runs untraced"] {
            assert!(stderr.contains(word), "{what}: no {word:?} in {stderr}");
        }
        assert_eq!(traced.scratch.names()?, [""; 0], "{what}: left something");
    }
    Ok(())
}

/// A value cannot forge a second line or speak to the terminal.
#[test]
fn control_characters_stay_out_of_the_line() -> Result<()> {
    let traced = run(&programs::by_name("c/hello")?, &[("OMPTTRACE_VIEW", "a\nb\x1b[2J")])?;
    assert_eq!(traced.run.stderr.lines().count(), 1, "{}", traced.run.stderr);
    assert!(!traced.run.stderr.contains('\x1b'));
    Ok(())
}

#[test]
fn the_run_folder_is_named_as_asked() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let host = fs::read_to_string("/proc/sys/kernel/hostname")?;
    let pattern = ("OMPTTRACE_OUTPUT", "new/folder/%e-%p-%h-100%%");
    let traced = run(&program, &[pattern, RECORD_ONLY])?;
    assert_undisturbed(&program, &traced, "pattern")?;
    let name = format!("new/folder/hello-{}-{}-100%", traced.run.pid, host.trim());
    let folder = traced.scratch.path().join(&name);
    assert_eq!(number(&Product::find()?.info(&folder)?, "/events/lost")?, 0);
    assert!(traced.run.stderr.contains(&name), "{}", traced.run.stderr);
    let default = run_without_output(&program)?;
    assert_eq!(default.scratch.names()?, [format!("hello.{}.ompttrace", default.run.pid)]);
    Ok(())
}

fn run_without_output(program: &Program) -> Result<Traced> {
    let scratch = Scratch::new()?;
    let mut command = program.command(&runtimes::libomp_19()?)?;
    scratch.attach(&mut command, By::Runtime)?;
    command.env_remove("OMPTTRACE_OUTPUT").env(RECORD_ONLY.0, RECORD_ONLY.1);
    let run = process::run(command.current_dir(scratch.path()), program.directives.timeout)?;
    Ok(Traced { run, scratch })
}

#[test]
fn an_earlier_run_folder_is_never_touched() -> Result<()> {
    let (program, runtime) = (programs::by_name("c/hello")?, runtimes::libomp_19()?);
    let scratch = Scratch::new()?;
    let settings = [("OMPTTRACE_OUTPUT", "run"), RECORD_ONLY];
    let mut first = Vec::new();
    for name in ["run", "run.2", "run.3"] {
        let run = traced::run_in(&scratch, &program, &runtime, By::Runtime, &settings)?;
        assert!(run.stderr.contains(&format!("{name}: ")), "{}", run.stderr);
        let info = Product::find()?.info(&scratch.path().join(name))?;
        assert_eq!(number(&info, "/process/pid")?, u64::from(run.pid));
        if name == "run" {
            first = everything(&scratch)?;
        }
    }
    assert_eq!(scratch.names()?, ["run", "run.2", "run.3"]);
    assert_eq!(everything(&scratch)?, first);
    Ok(())
}

/// Names and bytes of the first run folder.
fn everything(scratch: &Scratch) -> Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(scratch.path().join("run"))? {
        let path = entry?.path();
        all.push((path.display().to_string(), fs::read(path)?));
    }
    all.sort();
    Ok(all)
}

#[test]
fn one_closing_line_or_none() -> Result<()> {
    let program = programs::by_name("c/critical")?;
    for (format, trace) in [("recording", false), ("perfetto", true), ("perfetto,recording", true)]
    {
        for quiet in ["0", "1"] {
            let settings = [("OMPTTRACE_FORMAT", format), ("OMPTTRACE_QUIET", quiet)];
            let traced = run(&program, &settings)?;
            assert_undisturbed(&program, &traced, format)?;
            let folder = traced.scratch.only_run()?;
            assert_eq!(folder.join("trace.pftrace").is_file(), trace, "{format}");
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let lines: Vec<&str> = traced.run.stderr.lines().collect();
            assert_eq!(lines.len(), usize::from(quiet == "0"), "{format}: {lines:?}");
            assert!(lines.iter().all(|line| line.contains(&name)), "{format}: {lines:?}");
            if trace {
                let events = number(&Product::find()?.info(&folder)?, "/events/recorded")?;
                let words = format!("{events} events, 0 lost");
                assert!(lines.iter().all(|line| line.contains(&words)), "{words}: {lines:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn recording_begins_on_command() -> Result<()> {
    let program = programs::of_test("tests/settings/starts_late.c")?;
    for (start, regions) in [("off", 3), ("on", 5)] {
        let traced = run(&program, &[("OMPTTRACE_START", start), RECORD_ONLY])?;
        assert!(traced.run.ended_by(program.directives.end), "{:?}", traced.run);
        assert!(traced.run.stdout.contains("start gave 0\n"), "{}", traced.run.stdout);
        let info = Product::find()?.info(&traced.scratch.only_run()?)?;
        for event in ["parallel_begin", "parallel_end"] {
            let recorded = number(&info, &format!("/callbacks/{event}/recorded"))?;
            assert_eq!(recorded, regions, "{event} with START={start}");
        }
        assert_eq!(number(&info, "/callbacks/control_tool/recorded")?, 1);
        let recording = Recording::open(&traced.scratch.only_run()?)?;
        let known =
            (0..recording.threads.len()).filter(|&thread| reports_its_thread(&recording, thread));
        assert_eq!(known.count(), recording.threads.len(), "threads with START={start}");
    }
    Ok(())
}

/// Returns true if the thread's first record has its number and name.
fn reports_its_thread(recording: &Recording, thread: usize) -> bool {
    let mut stream = recording.stream(thread);
    let reported = |event| matches!(event, Event::ThreadInfo(info) if info.os_thread != 0);
    stream.take(|record| reported(record.event())).unwrap_or(false)
}

#[test]
fn events_are_left_out() -> Result<()> {
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("-mutex", &["mutex_acquire", "mutex_released", "lock_init"], &["work", "sync_region"]),
        ("-flush,-work", &["flush", "work", "dispatch"], &["mutex_acquire", "sync_region"]),
        ("sync", &["mutex_acquire", "work", "task_create"], &["sync_region", "parallel_begin"]),
        ("all,-mutex_acquired", &["mutex_acquired"], &["mutex_acquire", "mutex_released"]),
    ];
    for (events, without, with) in cases {
        let settings = [("OMPTTRACE_EVENTS", events), RECORD_ONLY];
        let traced = run(&programs::by_name("c/critical")?, &settings)?;
        let info = Product::find()?.info(&traced.scratch.only_run()?)?;
        for name in without {
            assert_eq!(info["callbacks"][name]["registered"], "not wanted", "{events}: {name}");
            assert_eq!(number(&info, &format!("/callbacks/{name}/observed"))?, 0);
        }
        for name in with {
            assert_eq!(info["callbacks"][name]["registered"], "always", "{events}: {name}");
        }
    }
    Ok(())
}

/// Whatever buffers, events and clock: what the tool asked for is in the recording to the last one.
#[test]
fn no_setting_costs_an_event() -> Result<()> {
    let runtime = runtimes::libomp_19()?;
    let settings = [
        ("OMPTTRACE_BUFFER", "4K@run"),
        ("OMPTTRACE_BUFFER", "64K"),
        ("OMPTTRACE_BUFFER", "@run"),
        ("OMPTTRACE_CLOCK", "quanta"),
        ("OMPTTRACE_EVENTS", "-sync"),
        ("OMPTTRACE_EVENTS", "task,-task_schedule"),
        ("OMPTTRACE_EVENTS", "all,-sync_region_wait"),
        ("OMPTTRACE_EVENTS", "all,error"),
        ("OMPTTRACE_START", "on"),
    ];
    for name in [
        "c/fib",
        "c/many_events",
        "c/nested",
        "c/two_roots",
        "c/exit_in_worker",
        "c/closing_depend",
    ] {
        let program = programs::by_name(name)?;
        for setting in settings {
            let said = exactness::check_with(&program, &runtime, By::Oracle, &[setting])?;
            assert!(said.is_empty(), "{name} with {setting:?}:\n{said}");
        }
    }
    Ok(())
}

#[test]
fn buffers_are_as_large_as_asked_and_lie_where_asked() -> Result<()> {
    let (events, killed) = (programs::by_name("c/many_events")?, programs::by_name("c/killed")?);
    let mut waits = Vec::new();
    for (buffer, in_run) in [("4K@run", true), ("64K@shm", false)] {
        let settings = [("OMPTTRACE_BUFFER", buffer), RECORD_ONLY];
        let traced = run(&events, &settings)?;
        let info = Product::find()?.info(&traced.scratch.only_run()?)?;
        waits.push(number(&info, "/waits/count")?);
        let killed = run(&killed, &settings)?.scratch;
        let folder = killed.only_run()?;
        let pool = traced::pool_of(&folder)?.unwrap_or_default();
        assert_eq!(pool.starts_with(&folder), in_run, "{buffer}: {}", pool.display());
        assert!(pool.is_file(), "{buffer}: no {}", pool.display());
    }
    // A slot sixteen times as large is full a sixteenth as often.
    assert!(waits[0] > 12 * waits[1] && waits[1] > 0, "{waits:?}");
    Ok(())
}

#[test]
fn quantas_clock_counts_nanoseconds() -> Result<()> {
    let program = programs::of_test("tests/settings/sleeps.c")?;
    let traced = run(&program, &[("OMPTTRACE_CLOCK", "quanta"), RECORD_ONLY])?;
    let recording = Recording::open(&traced.scratch.only_run()?)?;
    assert_eq!(recording.facts.clock.source, "quanta");
    let lasted = u128::from(region_ticks(&recording));
    assert!(lasted >= 60_000_000, "the region slept 60 ms but lasted {lasted} ns");
    let elapsed = traced.run.elapsed.as_nanos();
    assert!(lasted <= elapsed * 21 / 20, "a region of {lasted} ns in a run of {elapsed} ns");
    Ok(())
}

/// Ticks from the first parallel_begin to its end.
fn region_ticks(recording: &Recording) -> u64 {
    let (mut begin, mut end) = (0, 0);
    let mut stream = recording.stream(0);
    let mut more = true;
    while more {
        let taken = stream.take(|record| match record.event() {
            Event::ParallelBegin(_) => begin = record.ticks,
            Event::ParallelEnd(_) => end = record.ticks,
            _ => {}
        });
        more = taken.is_some();
    }
    end - begin
}
