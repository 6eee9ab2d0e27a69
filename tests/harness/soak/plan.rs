//! Plan of a run that a seed determines, in addition to the steps that the program itself derives from it: how the tool is
//! loaded, the settings, how the program ends, and which optional steps it may take.

use std::fmt;
use std::time::Duration;

use crate::directives::End;
use crate::left_out::{self, CHOICES, GROUPS};
use crate::seeded::Seeded;
use crate::traced::By;

/// State of the recording after the program's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The recording is complete and closed.
    All,
    /// The recording is truncated where exit() was called in a region.
    Cut,
    /// The recording has the events stored until the tool's code last ran.
    Recording,
}

/// Way in which the program ends.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// Name of this way in `soak.c`.
    pub name: &'static str,
    /// Exit code or signal that the waiting thread gets.
    pub end: End,
    /// State of the recording after this end.
    pub left: Left,
}

const fn ending(name: &'static str, end: End, left: Left) -> Ending {
    Ending { name, end, left }
}

/// `return` more often than others: only then all of a run can be compared.
const ENDINGS: &[Ending] = &[
    ending("return", End::Exit(3), Left::All),
    ending("return", End::Exit(3), Left::All),
    ending("return", End::Exit(3), Left::All),
    ending("exit", End::Exit(4), Left::All),
    ending("exit in region", End::Exit(5), Left::Cut),
    ending("exit in region", End::Exit(5), Left::Cut),
    ending("_exit", End::Exit(6), Left::Recording),
    ending("quick_exit", End::Exit(8), Left::Recording),
    ending("abort", End::Signal(6), Left::Recording),
    ending("SIGTERM", End::Signal(15), Left::Recording),
    ending("SIGSEGV", End::Signal(11), Left::Recording),
    ending("root lives", End::Exit(3), Left::All),
    ending("pause hard", End::Exit(3), Left::All),
    ending("control end", End::Exit(3), Left::All),
    ending("killed", End::Signal(9), Left::Recording),
    ending("killed", End::Signal(9), Left::Recording),
    ending("killed", End::Signal(9), Left::Recording),
];

const BUFFERS: [&str; 5] = ["4K", "16K", "64K", "4K@run", "64K@run"];
const EVENTS: [&str; 4] = ["-mutex", "task", "sync,work", "all,-task_schedule"];
const EVENTS_SETTING: &str = "OMPTTRACE_EVENTS";
const CORES: [&str; 5] = ["auto", "auto", "switches", "accounting", "off"];
const SAMPLE: [&str; 5] = ["1000", "1000", "1000,wall", "1000,signal=45", "200"];
const COUNTERS: &str = "page-faults,context-switches,migrations";
const FORMATS: [&str; 2] = ["perfetto", "perfetto,chrome,otf2,parquet"];
const REDUCTIONS: [&str; 3] = ["tree", "critical", "atomic"];

/// Plan of one run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed that determines the plan and the program's steps.
    pub seed: u64,
    /// Way in which the program ends.
    pub ending: Ending,
    /// Optional steps that the program may take, by the letters of `soak.h`.
    pub allowed: String,
    /// Way in which the tool is loaded.
    pub by: By,
    /// Settings of the tool.
    pub settings: Vec<(&'static str, String)>,
    /// Settings of the runtime.
    pub environment: Vec<(&'static str, &'static str)>,
    /// Time from the first event until the program is killed; None if it is not.
    pub killed_after: Option<Duration>,
    /// True if traces are made in all formats and checked.
    pub is_drawn: bool,
    /// True if whole groups of events are excluded from the recording.
    pub leaves_out: bool,
    /// True if threads are sampled.
    pub is_sampled: bool,
}

impl Plan {
    /// The plan of a seed, without samples.
    pub fn new(seed: u64) -> Plan {
        let mut dice = Seeded::new(seed);
        let ending = *dice.one_of(ENDINGS);
        let is_killed = ending.name == "killed";
        let pause = Duration::from_micros(dice.draw() % 300_000);
        let mut plan = Plan {
            seed,
            ending,
            allowed: allowed(&mut dice, is_killed),
            by: *dice.one_of(&[By::Oracle, By::OraclePreloaded]),
            settings: settings(&mut dice),
            environment: environment(&mut dice),
            killed_after: is_killed.then_some(pause),
            is_drawn: dice.below(4) == 0,
            leaves_out: false,
            is_sampled: false,
        };
        plan.add_system(&mut Seeded::new(seed.rotate_left(32)));
        plan.add_unusual(&mut Seeded::new(seed.rotate_left(48)));
        plan
    }

    /// Adds recording of cores and counters, and storms of context switches in the program.
    fn add_system(&mut self, dice: &mut Seeded) {
        if dice.below(3) == 0 {
            self.allowed.push('y');
        }
        self.settings.push(("OMPTTRACE_CORES", (*dice.one_of(&CORES)).to_owned()));
        if dice.below(4) == 0 {
            self.settings.push(("OMPTTRACE_COUNTERS", COUNTERS.to_owned()));
        }
    }

    /// Adds steps of few programs: small stacks, coroutines, descriptors that are closed.
    fn add_unusual(&mut self, dice: &mut Seeded) {
        for letter in ['t', 'o', 'x'] {
            if dice.below(3) == 0 {
                self.allowed.push(letter);
            }
        }
    }

    /// The plan of a seed, of one in four with samples of its threads.
    pub fn usual(seed: u64) -> Plan {
        if seed % 4 == 3 { Plan::sampled(seed) } else { Plan::new(seed) }
    }

    /// The plan of a seed, with samples of its threads.
    pub fn sampled(seed: u64) -> Plan {
        let mut plan = Plan::new(seed);
        let sampling = *Seeded::new(!seed.rotate_left(16)).one_of(&SAMPLE);
        plan.settings.push(("OMPTTRACE_SAMPLE", sampling.to_owned()));
        plan.is_sampled = true;
        plan
    }

    /// The plan of a seed that excludes groups of events, each choice with the same probability; its traces are checked.
    pub fn leaving_out(seed: u64) -> Plan {
        let mut plan = Plan::new(seed);
        let choice = 1 + Seeded::new(!seed).below(CHOICES - 1);
        plan.settings.retain(|(name, _)| *name != EVENTS_SETTING);
        plan.settings.push((EVENTS_SETTING, left_out::setting(choice)));
        plan.leaves_out = true;
        plan.is_drawn = true;
        plan
    }

    /// Value of a setting of the tool; None if it has its default.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
    }

    /// Returns true if the program counts its critical sections, which it does if all events are recorded.
    pub fn counts_itself(&self) -> bool {
        self.setting(EVENTS_SETTING).is_none()
    }

    /// Returns true if each group of events is recorded or excluded as a whole, so that no event lacks another of its group.
    pub fn has_whole_groups(&self) -> bool {
        let is_group = |word: &str| word == "all" || GROUPS.contains(&word.trim_start_matches('-'));
        self.setting(EVENTS_SETTING).is_none_or(|events| events.split(',').all(is_group))
    }

    /// Returns true if the program may pause the tool, or starts with it paused, so that events are not recorded.
    pub fn pauses(&self) -> bool {
        self.allowed.contains('p')
            || self.ending.name == "control end"
            || self.setting("OMPTTRACE_START") == Some("off")
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { ending, allowed, by, settings, environment, .. } = self;
        write!(out, "ends by {}, may {allowed:?}, {by:?}", ending.name)?;
        let settings = settings.iter().map(|(name, value)| (name, value.as_str()));
        let environment = environment.iter().map(|(name, value)| (name, *value));
        settings.chain(environment).try_for_each(|(name, value)| write!(out, " {name}={value}"))
    }
}

/// Optional steps of the program. A program that is killed has no child processes, for which nobody could wait.
fn allowed(dice: &mut Seeded, is_killed: bool) -> String {
    let mut allowed = String::from("k");
    for (letter, one_in) in [('f', 2), ('r', 2), ('s', 4), ('p', 4)] {
        if dice.below(one_in) == 0 && !(letter == 'f' && is_killed) {
            allowed.push(letter);
        }
    }
    allowed
}

fn settings(dice: &mut Seeded) -> Vec<(&'static str, String)> {
    let mut settings = vec![("OMPTTRACE_BUFFER", *dice.one_of(&BUFFERS))];
    let format = if dice.below(4) == 0 { *dice.one_of(&FORMATS) } else { "recording" };
    settings.push(("OMPTTRACE_FORMAT", format));
    if dice.below(8) == 0 {
        settings.push((EVENTS_SETTING, *dice.one_of(&EVENTS)));
    }
    if dice.below(8) == 0 {
        settings.push(("OMPTTRACE_START", "off"));
    }
    if dice.below(6) == 0 {
        settings.push(("OMPTTRACE_CLOCK", "quanta"));
    }
    settings.into_iter().map(|(name, value)| (name, value.to_owned())).collect()
}

fn environment(dice: &mut Seeded) -> Vec<(&'static str, &'static str)> {
    let mut environment = vec![
        ("OMP_CANCELLATION", "true"),
        ("KMP_TEAMS_THREAD_LIMIT", "16"),
        ("OMP_MAX_ACTIVE_LEVELS", *dice.one_of(&["1", "2", "3"])),
    ];
    if dice.below(2) == 0 {
        environment.push(("KMP_BLOCKTIME", "0"));
    }
    if dice.below(3) == 0 {
        environment.push(("KMP_FORCE_REDUCTION", *dice.one_of(&REDUCTIONS)));
    }
    environment
}
