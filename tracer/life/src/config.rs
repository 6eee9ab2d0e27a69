//! The settings of a traced process: OMPTTRACE_* variables, read once.
//!
//! Only this module reads the environment. A wrong value gives one line that names the
//! variable, the value and what is allowed; the program then runs untraced.

use crate::counters;
use crate::excerpt::excerpt;
use crate::pattern;
use crate::ranks::Ranks;
use crate::samples;
use crate::selection::Selection;
use crate::started_by::StartedBy;
use crate::values::{VIEWS, buffer, callstack, cores, events, formats, is_limit, overflow, switch};
use ompttrace_recorder::{CoresMode, CounterKind, Overflow, Sampling};
use ompttrace_recording::pool::DEFAULT_SLOT;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The settings of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// Formats to export to at the end; empty: only the recording stays.
    pub(crate) formats: Vec<&'static str>,
    /// The run folder's name with %e, %p, %h, %r still in it.
    pub(crate) output: OsString,
    /// Where relative run folders lie: the working folder at the start; empty where that has no path.
    pub(crate) base: PathBuf,
    /// What the trace shows.
    pub(crate) view: Option<&'static str>,
    /// Size that a trace for viewers may have, as `ompttrace export` takes it.
    pub(crate) limit: Option<String>,
    /// Bytes of each of a thread's two slots, if the user said so.
    buffer: Option<usize>,
    /// What a thread does whose slots are both full.
    pub(crate) overflow: Overflow,
    /// Whether the pool lies in the run folder instead of /dev/shm.
    pub(crate) pool_in_run_folder: bool,
    /// Callbacks to register.
    pub(crate) events: Selection,
    /// Whether recording waits for ompt_control(1).
    pub(crate) start_paused: bool,
    /// Whether the closing line is left out.
    pub(crate) quiet: bool,
    /// Whether quanta's clock serves even where the counter is sound.
    pub(crate) force_quanta: bool,
    /// Frames to keep of call stacks, at most; 0: none.
    stack_depth: usize,
    /// How it is recorded which threads have a core.
    pub(crate) cores: CoresMode,
    /// What is counted of threads.
    pub(crate) counters: Vec<&'static CounterKind>,
    /// How often threads are sampled.
    pub(crate) sampling: Option<Sampling>,
    /// The process's number in an MPI program.
    pub(crate) rank: Option<u32>,
    /// Which `ompttrace run` the process was started under; empty: none.
    pub(crate) started_by: String,
}

/// Bytes of a slot of a flight recorder, which keeps nothing else.
const RING_SLOT: usize = 256 << 10;
const NAMES: [&str; 14] = [
    "OMPTTRACE_FORMAT",
    "OMPTTRACE_OUTPUT",
    "OMPTTRACE_VIEW",
    "OMPTTRACE_LIMIT",
    "OMPTTRACE_BUFFER",
    "OMPTTRACE_OVERFLOW",
    "OMPTTRACE_EVENTS",
    "OMPTTRACE_START",
    "OMPTTRACE_QUIET",
    "OMPTTRACE_CLOCK",
    "OMPTTRACE_CALLSTACK",
    "OMPTTRACE_CORES",
    "OMPTTRACE_COUNTERS",
    "OMPTTRACE_SAMPLE",
];

impl Config {
    /// Bytes of each of a thread's two slots.
    pub(crate) fn slot_bytes(&self) -> usize {
        self.buffer.unwrap_or(match self.overflow {
            Overflow::Ring => RING_SLOT,
            Overflow::Wait | Overflow::Drop => DEFAULT_SLOT,
        })
    }

    /// Reads the process's environment.
    pub(crate) fn from_environment() -> Result<Config, String> {
        Self::from_variables(std::env::vars_os())
    }

    fn from_variables(
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Config, String> {
        let mut config = Config {
            formats: vec!["perfetto"],
            output: "%e.%p.ompttrace".into(),
            base: PathBuf::new(),
            view: None,
            limit: None,
            buffer: None,
            overflow: Overflow::Wait,
            pool_in_run_folder: false,
            events: Selection::default(),
            start_paused: false,
            quiet: false,
            force_quanta: false,
            stack_depth: 0,
            cores: CoresMode::Auto,
            counters: Vec::new(),
            sampling: None,
            rank: None,
            started_by: String::new(),
        };
        let mut ranks = Ranks::default();
        for (name, value) in variables {
            ranks.look(&name, &value);
            // An empty one is how a shell's script leaves a variable out.
            if name.as_bytes().starts_with(b"OMPTTRACE_") && !value.is_empty() {
                config.set(&name, &value)?;
            }
        }
        match std::env::current_dir() {
            Ok(base) => config.base = base,
            Err(error) if Path::new(&config.output).is_relative() => {
                return Err(format!(
                    "the working folder has no path ({error}): OMPTTRACE_OUTPUT or --output must begin with /"
                ));
            }
            Err(_) => {}
        }
        config.rank = ranks.rank();
        config.events.stack_depth = config.stack_depth;
        Ok(config)
    }

    fn set(&mut self, name: &OsStr, value: &OsStr) -> Result<(), String> {
        let (name_shown, value_shown) = (excerpt(name), excerpt(value));
        let wrong =
            |allowed: &str| Err(format!("{name_shown}={value_shown} is not allowed: {allowed}"));
        let text = value.to_str().unwrap_or("\u{fffd}").trim();
        match name.to_str().unwrap_or("") {
            "OMPTTRACE_FORMAT" => match formats(text) {
                Some(formats) => self.formats = formats,
                None => {
                    return wrong(
                        "a list of perfetto, chrome, otf2, parquet, folded, pprof, recording",
                    );
                }
            },
            "OMPTTRACE_OUTPUT" => match pattern::check(value) {
                Ok(()) => self.output = value.to_owned(),
                Err(allowed) => return wrong(allowed),
            },
            "OMPTTRACE_VIEW" => match VIEWS.into_iter().find(|view| *view == text) {
                Some(view) => self.view = Some(view),
                None => return wrong("auto, threads, regions or both"),
            },
            "OMPTTRACE_LIMIT" => match is_limit(text) {
                true => self.limit = Some(text.to_owned()),
                false => return wrong("none, or a size of at least 1MB, such as 80MB or 2G"),
            },
            "OMPTTRACE_BUFFER" => match buffer(text) {
                Some((bytes, in_run_folder)) => {
                    self.buffer = bytes;
                    self.pool_in_run_folder = in_run_folder;
                }
                None => {
                    return wrong(
                        "a size for each of a thread's two buffers from 4K to 64M (16K), with @shm or @run for \
                         where they are",
                    );
                }
            },
            "OMPTTRACE_OVERFLOW" => match overflow(text) {
                Some(overflow) => self.overflow = overflow,
                None => return wrong("wait, drop or ring"),
            },
            "OMPTTRACE_EVENTS" => match events(text) {
                Some(selection) => self.events = selection,
                None => {
                    return wrong(
                        "a list of all, task, work, sync, mutex, control, target or names of callbacks; -name \
                         excludes one",
                    );
                }
            },
            "OMPTTRACE_START" => match switch(text) {
                Some(on) => self.start_paused = !on,
                None => return wrong("on or off"),
            },
            "OMPTTRACE_QUIET" => match switch(text) {
                Some(on) => self.quiet = on,
                None => return wrong("1 or 0"),
            },
            "OMPTTRACE_CLOCK" => match text {
                "auto" => self.force_quanta = false,
                "quanta" => self.force_quanta = true,
                _ => return wrong("auto or quanta"),
            },
            "OMPTTRACE_CALLSTACK" => match callstack(text) {
                Some(depth) => self.stack_depth = depth,
                None => return wrong("off, regions or regions:N with N frames from 1 to 128"),
            },
            "OMPTTRACE_CORES" => match cores(text) {
                Some(mode) => self.cores = mode,
                None => return wrong("auto, switches, accounting or off"),
            },
            "OMPTTRACE_COUNTERS" => match counters::asked(text) {
                Some(kinds) => self.counters = kinds,
                None => return wrong(&counters::allowed()),
            },
            "OMPTTRACE_SAMPLE" => match samples::asked(text) {
                Some(sampling) => self.sampling = sampling,
                None => return wrong(samples::ALLOWED),
            },
            // Set only by `ompttrace run`.
            "OMPTTRACE_RUN" => match StartedBy::read(text) {
                Some(run) => self.started_by = run.word.to_owned(),
                None => return wrong("only `ompttrace run` sets it"),
            },
            _ => {
                return Err(format!(
                    "{name_shown} is not a setting of ompttrace: {}",
                    NAMES.join(", ")
                ));
            }
        }
        Ok(())
    }
}

/// The variable of the `ompttrace run` that the process was started under, whatever the other settings are.
pub(crate) fn variable_of_run() -> Option<String> {
    std::env::var("OMPTTRACE_RUN").ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::Family;

    fn read(name: &str, value: &str) -> Result<Config, String> {
        Config::from_variables([(name.into(), value.into())].into_iter())
    }

    #[test]
    fn good_values_are_taken() {
        let config = read("OMPTTRACE_FORMAT", "recording").expect("allowed");
        assert!(config.formats.is_empty());
        let config = read("OMPTTRACE_FORMAT", "otf2,chrome, recording,perfetto").expect("allowed");
        assert_eq!(config.formats, ["otf2", "chrome", "perfetto"]);
        let config = read("OMPTTRACE_BUFFER", "64K@run").expect("allowed");
        assert_eq!((config.slot_bytes(), config.pool_in_run_folder), (65536, true));
        assert_eq!(read("OMPTTRACE_BUFFER", "@shm").expect("allowed").slot_bytes(), DEFAULT_SLOT);
        let config = read("OMPTTRACE_OVERFLOW", "ring").expect("allowed");
        assert_eq!((config.overflow, config.slot_bytes()), (Overflow::Ring, RING_SLOT));
        let config = read("OMPTTRACE_OVERFLOW", "drop").expect("allowed");
        assert_eq!((config.overflow, config.slot_bytes()), (Overflow::Drop, DEFAULT_SLOT));
        assert!(read("OMPTTRACE_START", "off").expect("allowed").start_paused);
        assert!(read("OMPTTRACE_QUIET", "1").expect("allowed").quiet);
        let depth = |value| read("OMPTTRACE_CALLSTACK", value).expect("allowed").events.stack_depth;
        assert_eq!(["off", "regions", "regions:1", "regions: 128"].map(depth), [0, 32, 1, 128]);
        let cores = |value| read("OMPTTRACE_CORES", value).expect("allowed").cores;
        assert_eq!(CoresMode::ALL.map(|mode| cores(mode.name())), CoresMode::ALL);
        assert_eq!(read("OTHER", "x").expect("allowed").cores, CoresMode::Auto);
        assert_eq!(read("OMPTTRACE_RUN", "1f-2c.3d").expect("allowed").started_by, "1f-2c");
        assert!(read("OTHER", "x").is_ok());
    }

    #[test]
    fn events_are_kept_or_left_out() {
        let config = read("OMPTTRACE_EVENTS", "-mutex,-flush").expect("allowed");
        assert_eq!(config.events.without, [Family::Mutex]);
        assert_eq!(config.events.without_names, ["flush"]);
        let config = read("OMPTTRACE_EVENTS", "sync, task").expect("allowed");
        assert!(!config.events.without.contains(&Family::Sync));
        assert!(config.events.without.contains(&Family::Mutex));
        let config = read("OMPTTRACE_EVENTS", "flush").expect("allowed");
        assert_eq!(config.events.without.len(), Family::NAMED.len());
        let config = read("OMPTTRACE_EVENTS", "all,error").expect("allowed");
        assert!(config.events.without.is_empty() && config.events.insisted == ["error"]);
    }

    #[test]
    fn wrong_values_name_variable_value_and_what_is_allowed() {
        for (name, value, allowed) in [
            ("OMPTTRACE_FORMAT", "otf3", "perfetto"),
            ("OMPTTRACE_VIEW", "both ways", "auto, threads, regions or both"),
            ("OMPTTRACE_LIMIT", "1K", "80MB"),
            ("OMPTTRACE_BUFFER", "1G", "4K to 64M"),
            ("OMPTTRACE_BUFFER", "4095", "4K to 64M"),
            ("OMPTTRACE_BUFFER", "99999999999999999999", "4K to 64M"),
            ("OMPTTRACE_BUFFER", "64K@nowhere", "@shm or @run"),
            ("OMPTTRACE_OVERFLOW", "block", "wait, drop or ring"),
            ("OMPTTRACE_EVENTS", "-parallel_begin", "excludes one"),
            ("OMPTTRACE_START", "maybe", "on or off"),
            ("OMPTTRACE_QUIET", "2", "1 or 0"),
            ("OMPTTRACE_CALLSTACK", "tasks", "off, regions or regions:N"),
            ("OMPTTRACE_CALLSTACK", "regions:0", "from 1 to 128"),
            ("OMPTTRACE_CALLSTACK", "regions:129", "from 1 to 128"),
            ("OMPTTRACE_CORES", "on", "auto, switches, accounting or off"),
            ("OMPTTRACE_RUN", "1f-2c", "ompttrace run"),
            ("OMPTTRACE_OUTPUT", "x.%q", "%r"),
            ("OMPTTRACE_FROMAT", "perfetto", "OMPTTRACE_FORMAT"),
        ] {
            let line = read(name, value).expect_err(value);
            assert!(line.contains(name) && line.contains(allowed), "{line}");
            assert!(name == "OMPTTRACE_FROMAT" || line.contains(&format!("{value:?}")), "{line}");
            assert!(!line.contains('\n'));
        }
    }

    #[test]
    fn an_empty_value_is_none() {
        let unset = Config::from_variables(std::iter::empty()).expect("allowed");
        for name in NAMES.into_iter().chain(["OMPTTRACE_RUN", "OMPTTRACE_FROMAT"]) {
            assert_eq!(read(name, ""), Ok(unset.clone()), "{name}");
        }
    }

    #[test]
    fn control_characters_stay_out_of_the_line() {
        let line = read("OMPTTRACE_VIEW", "a\nb\u{1b}[2J").expect_err("not allowed");
        assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
    }
}
