//! The definitions of an archive, in the order in which readers want them.

mod devices;
mod mpi;

pub(crate) use mpi::World;

use ompttrace_model::RunInfo;
use otf2_sys::{OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY};

use crate::Error;
use crate::archive::{
    CUDA, ClockProperties, Definitions, LocationKind, OPENMP, TARGET, metric_instance, stream,
};
use crate::archive_state::{CORE_MEANING, MetricMember};
use crate::join::{Finished, Tables};
use crate::tables::{ITERATIONS, SCHEDULE};

/// The group that every archive has; all others are numbered as they come, which readers want.
const THREADS: u32 = 0;

/// Properties of the run as a whole, for the definitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProperties {
    pub host: String,
    pub process_name: String,
    pub arguments: Vec<String>,
    pub process: u32,
    pub begin: u64,
    pub end: u64,
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds.
    pub realtime_offset: i64,
    pub tool: String,
    pub runtimes: Vec<String>,
    /// Names and values that describe the machine as the process found it.
    pub surroundings: Vec<(String, String)>,
    /// Counters that were read for each thread.
    pub counted: Vec<ompttrace_recording::facts::Counter>,
    /// Period of the samples of a thread, in nanoseconds, if there are samples.
    pub sampled_every: Option<u64>,
    /// True if samples come by the time of day rather than by CPU time.
    pub of_wall_time: bool,
    /// True if releases of mutexes were recorded.
    pub has_releases: bool,
    /// True if task switches were recorded.
    pub has_switches: bool,
}

/// A thread or logical thread as its definition names it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocationName {
    pub name: String,
    /// Kernel id of a thread.
    pub os_thread: Option<u32>,
    /// Of a stream the device's number.
    pub device: Option<i64>,
}

/// Names and meanings of the counters of the process.
pub(crate) const COUNTERS: [(&str, &str); 3] = [
    ("threads working", "threads in a task that wait for nothing"),
    ("workers idle", "worker threads outside of any team"),
    ("live tasks", "explicit tasks created and not complete"),
];

/// Meaning of the counters of threads, which are read where a thread changes tasks.
const COUNTED: &str = "so far, of this thread";

/// Arguments of the program that an archive reports, and letters of its command line: a record must
/// fit into a chunk.
pub(crate) const MOST_ARGUMENTS: usize = 1000;
const LONGEST_LINE: usize = 16 << 10;

impl RunProperties {
    /// The program's arguments in one line; a very long one is truncated, which its end shows.
    pub(crate) fn command_line(&self) -> String {
        let line = self.arguments.join(" ");
        match line.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{} …", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }

    /// The name of a metric of threads.
    fn metric(&self, member: MetricMember) -> &str {
        match member {
            MetricMember::Core => "core",
            MetricMember::Counter(counter) => {
                self.counted.get(counter as usize).map_or("", |counter| counter.name.as_str())
            }
        }
    }

    pub(crate) fn of(run: &RunInfo<'_>) -> RunProperties {
        let facts = run.facts;
        RunProperties {
            host: facts.process.host.clone(),
            process_name: ompttrace_model::process_name(facts),
            arguments: facts.process.arguments.clone(),
            process: facts.process.pid,
            begin: run.begin,
            end: run.end,
            realtime_offset: run.realtime_offset,
            tool: facts.tool.clone(),
            surroundings: ompttrace_model::surroundings(facts),
            counted: facts.counters.counted.clone(),
            runtimes: facts.runtimes.iter().map(|runtime| runtime.version.clone()).collect(),
            sampled_every: None,
            of_wall_time: facts.samples.are_of_wall_time(),
            has_releases: facts.runtimes.iter().all(|runtime| runtime.reports("mutex_released")),
            has_switches: facts.runtimes.iter().all(|runtime| runtime.reports("task_schedule")),
        }
    }
}

/// Writes all definitions of one archive.
pub(crate) fn define(
    tables: &mut Tables,
    run: &RunProperties,
    names: &[LocationName],
    done: &Finished,
) -> Result<(), Error> {
    let devices = &tables.devices.clone();
    let (world, next_group) = (World::of(&tables.communicators), THREADS + 1);
    let (alone, steps) = Default::default();
    let mut plan = Plan { tables, run, names, devices, done, world, next_group, alone, steps };
    plan.make();
    let Plan { steps, .. } = plan;
    let to = done.archive.definitions()?;
    tables.strings.all().try_for_each(|(number, text)| to.string(number, text))?;
    steps.into_iter().try_for_each(|step| step(&to))?;
    to.close()
}

/// Writes one definition.
type Step = Box<dyn FnOnce(&Definitions<'_>) -> Result<(), Error>>;

/// Readers want a string before what names it, and strings come up while definitions are made: so
/// these are planned first, and written after all strings.
struct Plan<'a> {
    tables: &'a mut Tables,
    run: &'a RunProperties,
    names: &'a [LocationName],
    devices: &'a [i64],
    done: &'a Finished,
    /// MPI_COMM_WORLD, if it is known.
    world: Option<World>,
    /// The number of the next group.
    next_group: u32,
    /// The group of communicators of one rank.
    alone: Option<u32>,
    steps: Vec<Step>,
}

impl Plan<'_> {
    fn make(&mut self) {
        self.clock();
        self.paradigms();
        self.attributes();
        self.system();
        self.locations();
        self.regions();
        self.contexts();
        self.interrupt_generator();
        self.teams();
        self.windows();
        self.metrics();
    }

    fn step(&mut self, step: impl FnOnce(&Definitions<'_>) -> Result<(), Error> + 'static) {
        self.steps.push(Box::new(step));
    }

    fn string(&mut self, text: &str) -> u32 {
        self.tables.strings.number(text)
    }

    fn clock(&mut self) {
        let RunProperties { begin, end, realtime_offset, .. } = *self.run;
        let end = end.max(self.done.last);
        let clock = ClockProperties {
            offset: begin,
            length: end.saturating_sub(begin),
            realtime: begin.saturating_add_signed(realtime_offset),
        };
        self.step(move |to| to.clock(clock));
    }

    fn paradigms(&mut self) {
        let (openmp, template) = (self.string("OpenMP"), self.string("Thread team ${id}"));
        self.step(move |to| to.fork_join(openmp));
        self.step(move |to| to.team_names(template));
        let offloads = self.tables.regions.all().any(|region| region.paradigm == TARGET);
        if offloads || !self.devices.is_empty() {
            let target = self.string("OpenMP Target");
            self.step(move |to| to.accelerator(TARGET, target));
            self.step(|to| to.is_rma_only(TARGET));
        }
        if self.has_streams() {
            let cuda = self.string("CUDA");
            self.step(move |to| to.accelerator(CUDA, cuda));
            self.step(|to| to.is_rma_only(CUDA));
        }
        self.mpi_paradigm();
    }

    fn attributes(&mut self) {
        for (number, (name, kind)) in (0..).zip(self.tables.attributes.clone()) {
            self.step(move |to| to.attribute(number, name, 0, kind));
        }
        let (schedule, iterations) = (self.string("schedule"), self.string("iterations"));
        self.step(move |to| to.parameter(SCHEDULE, schedule, true));
        self.step(move |to| to.parameter(ITERATIONS, iterations, false));
    }

    /// The machine, and below it the devices.
    fn system(&mut self) {
        let (host, machine) = (self.string(&self.run.host.clone()), self.string("node"));
        self.step(move |to| to.node(0, host, machine, None));
        self.step(move |to| to.domain(0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
        let process = format!("{} {}", self.run.process_name, self.run.process);
        let process = self.string(&process);
        let own = self.own_group();
        self.processes(process);
        let numbers = self.first_device_node()..;
        for ((device, number), group) in self.devices.iter().zip(numbers).zip(self.device_groups())
        {
            let (name, class) = (self.string(&format!("device {device}")), self.string("device"));
            self.step(move |to| to.node(number, name, class, Some(0)));
            self.step(move |to| to.domain(number, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE));
            self.step(move |to| to.group(group, name, number, Some(own)));
        }
        let line = self.string(&self.run.command_line());
        let mut about = vec![("command line".to_owned(), line)];
        for (name, value) in self.run.surroundings.clone() {
            about.push((name, self.string(&value)));
        }
        for (name, value) in about {
            let name = self.string(&format!("OMPTTRACE::{name}"));
            self.step(move |to| to.group_property(own, name, value));
        }
    }

    fn locations(&mut self) {
        let own = self.own_group();
        for (named, location) in self.names.iter().zip(&self.done.tracks) {
            let name = self.tables.strings.number(&named.name);
            let (number, events) = (location.number, location.events);
            let (kind, group) = match self.group_of(named) {
                Some(group) => (LocationKind::Stream, group),
                None => (LocationKind::Thread, own),
            };
            self.step(move |to| to.location(number, name, kind, events, group));
            if let Some(os_thread) = named.os_thread {
                let property = self.string("OMPTTRACE::OS thread");
                self.step(move |to| to.location_property(number, property, os_thread.into()));
            }
        }
        for (location, (name, _)) in self.done.counters.iter().zip(COUNTERS) {
            let name = self.string(name);
            let (number, events) = (location.number, location.events);
            self.step(move |to| to.location(number, name, LocationKind::Metric, events, own));
        }
        for metric in &self.done.metrics {
            let named = self.names.get(metric.of as usize).map_or("", |named| named.name.as_str());
            let what = self.run.metric(metric.member);
            let name = self.tables.strings.number(&format!("{what} of {named}"));
            let (number, events) = (metric.location.number, metric.location.events);
            self.step(move |to| to.location(number, name, LocationKind::Metric, events, own));
        }
        for ((device, number), group) in self.devices.iter().zip(0..).zip(self.device_groups()) {
            let is = if self.has_streams() { "memory" } else { "stream" };
            let name = self.string(&format!("device {device} {is}"));
            let location = stream(number);
            self.step(move |to| to.location(location, name, LocationKind::Stream, 0, group));
        }
        self.other_ranks();
    }

    fn regions(&mut self) {
        let regions: Vec<_> = self.tables.regions.all().copied().collect();
        for (number, region) in (0..).zip(regions) {
            self.step(move |to| to.region(number, &region));
        }
    }

    fn contexts(&mut self) {
        let (lines, contexts) = (self.tables.lines.clone(), self.tables.contexts.clone());
        for (number, (file, line)) in (0..).zip(lines) {
            self.step(move |to| to.source_line(number, file, line));
        }
        for (number, context) in (0..).zip(contexts) {
            self.step(move |to| to.calling_context(number, context));
        }
    }

    /// Plans the definition of the timer that causes samples, if there are samples.
    fn interrupt_generator(&mut self) {
        if let Some(period) = self.run.sampled_every {
            let of_wall_time = self.run.of_wall_time;
            let name = self.string(if of_wall_time { "time" } else { "CPU time of a thread" });
            self.step(move |to| to.interrupt_generator(name, period));
        }
    }

    /// All threads, then the members of each team by their positions among them.
    fn teams(&mut self) {
        let (mut threads, mut positions) = (Vec::new(), Vec::new());
        for (named, track) in self.names.iter().zip(&self.done.tracks) {
            positions.push(threads.len() as u64);
            if named.device.is_none() {
                threads.push(track.number);
            }
        }
        let position = |track: &u32| positions.get(*track as usize).copied().unwrap_or_default();
        self.step(move |to| to.comm_locations(THREADS, 0, OPENMP, &threads));
        self.mpi_locations();
        for (comm, number) in self.done.comms.iter().zip(0..) {
            if let Some(communicator) = comm.communicator {
                self.communicator(number, communicator, comm.parent);
                continue;
            }
            let members: Vec<_> = comm.members.iter().map(position).collect();
            let (group, parent) = (self.take_group(), comm.parent);
            self.step(move |to| to.comm_group(group, 0, OPENMP, &members));
            self.step(move |to| to.comm(number, 0, group, parent));
        }
    }

    fn take_group(&mut self) -> u32 {
        self.next_group += 1;
        self.next_group - 1
    }

    fn metrics(&mut self) {
        for ((location, (name, meaning)), number) in
            self.done.counters.iter().zip(COUNTERS).zip(0u32..)
        {
            let [name, meaning, unit] = [name, meaning, "#"].map(|text| self.string(text));
            let (instance, recorder) = (metric_instance(number), location.number);
            self.step(move |to| to.metric_member(number, name, meaning, unit));
            self.step(move |to| to.metric_class(instance - 1, number));
            let own = self.own_group();
            self.step(move |to| to.metric_instance(instance, instance - 1, recorder, own));
        }
        self.metrics_of_locations();
    }

    /// Plans the metrics of threads: the core of each, and its counters. Each location has a class and an instance.
    fn metrics_of_locations(&mut self) {
        let first = COUNTERS.len() as u32;
        let core = first + self.run.counted.len() as u32;
        for (counter, number) in self.run.counted.iter().zip(first..) {
            let texts = [&counter.name, COUNTED, &counter.unit];
            let [name, meaning, unit] = texts.map(|text| self.tables.strings.number(text));
            self.step(move |to| to.accumulated_member(number, name, meaning, unit));
        }
        if self.done.metrics.iter().any(|metric| metric.member == MetricMember::Core) {
            let [name, meaning, unit] = ["core", CORE_MEANING, "#"].map(|text| self.string(text));
            self.step(move |to| to.metric_member(core, name, meaning, unit));
        }
        for (metric, number) in self.done.metrics.iter().zip(first..) {
            let Some(thread) = self.done.tracks.get(metric.of as usize) else { continue };
            let (instance, recorder) = (metric_instance(number), metric.location.number);
            let member = match metric.member {
                MetricMember::Core => core,
                MetricMember::Counter(counter) => first + counter,
            };
            let thread = thread.number;
            self.step(move |to| to.metric_class(instance - 1, member));
            self.step(move |to| to.metric_of_location(instance, instance - 1, recorder, thread));
        }
    }
}
