//! The definitions of an archive, in the order in which readers want them.

mod devices;
mod metrics;
mod mpi;
mod objects;
mod run;

pub(crate) use mpi::World;
pub(crate) use run::{COUNTERS, LocationName, MOST_ARGUMENTS, RunProperties};

use otf2_sys::OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY;

use crate::Error;
use crate::archive::{
    Archive, CUDA, ClockProperties, Definitions, LocationKind, Mapping, OPENMP, TARGET,
};
use crate::join::Tables;
use crate::process::Process;
use crate::tables::{ITERATIONS, SCHEDULE};
use crate::written::Part;

/// The group that every archive has; all others are numbered as they come, which readers want.
const THREADS: u32 = 0;

/// Writes one definition.
type Step = Box<dyn FnOnce(&Definitions<'_>) -> Result<(), Error>>;

/// The definitions of an archive. Readers want a string before what names it, and strings come up while definitions are made: so
/// these are planned first, and written after all strings.
pub(crate) struct Plan<'a> {
    parts: &'a [Part<'a>],
    /// The definitions that processes have in common.
    tables: Tables,
    /// The archive's numbers by those of each process.
    mappings: Vec<Mapping>,
    /// Number of ranks, where the processes are ranks.
    ranks: Option<u32>,
    /// True if the archive is to have all ranks, and not those of one process only.
    is_of_job: bool,
    /// The machines of the processes.
    hosts: Vec<&'a str>,
    /// The numbers of the next group, communicator and window.
    next_group: u32,
    next_comm: u32,
    next_window: u32,
    communicators: mpi::Communicators,
    objects: objects::Objects,
    metrics: metrics::Numbers,
    steps: Vec<Step>,
}

impl<'a> Plan<'a> {
    /// Plans the definitions of an archive of these processes: of a job of so many ranks, or of one process.
    pub(crate) fn of(parts: &'a [Part<'a>], ranks: Option<u32>) -> Plan<'a> {
        let mut tables = Tables::default();
        let mappings = parts.iter().map(|(process, _)| {
            let mapping = tables.add_process(&process.definitions, &process.regions);
            (mapping, &process.run.host[..])
        });
        let (mappings, hosts): (_, Vec<_>) = mappings.unzip();
        let of_worlds = parts.iter().filter_map(|(process, _)| process.world);
        let size = of_worlds.map(|world| world.size).max();
        let mut plan = Plan {
            parts,
            tables,
            mappings,
            ranks: size.map(|size| size.max(ranks.unwrap_or(0))).or(ranks),
            is_of_job: ranks.is_some(),
            hosts: Vec::new(),
            next_group: THREADS + 1,
            next_comm: 0,
            next_window: 0,
            communicators: mpi::Communicators::default(),
            objects: objects::Objects::default(),
            metrics: metrics::Numbers::default(),
            steps: Vec::new(),
        };
        for host in hosts {
            if !plan.hosts.contains(&host) {
                plan.hosts.push(host);
            }
        }
        plan.make();
        plan
    }

    /// The archive's numbers by those of each process, in their order.
    pub(crate) fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// Writes everything; returns the numbers of communicators and regions.
    pub(crate) fn write(self, archive: &Archive) -> Result<(u64, u64), Error> {
        let to = archive.definitions()?;
        self.tables.strings.all().try_for_each(|(number, text)| to.string(number, text))?;
        let counts = (self.communicators.count, self.tables.regions.all().len() as u64);
        self.steps.into_iter().try_for_each(|step| step(&to))?;
        to.close()?;
        Ok(counts)
    }

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
        let windows = self.windows();
        let metrics: Vec<_> = self.parts.iter().map(|part| self.metrics(*part)).collect();
        for ((mapping, windows), metrics) in self.mappings.iter_mut().zip(windows).zip(metrics) {
            mapping.windows = windows;
            mapping.metrics = metrics;
        }
        self.objects();
    }

    fn step(&mut self, step: impl FnOnce(&Definitions<'_>) -> Result<(), Error> + 'static) {
        self.steps.push(Box::new(step));
    }

    fn string(&mut self, text: &str) -> u32 {
        self.tables.strings.number(text)
    }

    fn clock(&mut self) {
        let begins = self.parts.iter().map(|(process, _)| process.run.begin);
        let begin = begins.min().unwrap_or(0);
        let end = self.parts.iter().map(|(process, of)| process.end(of)).max().unwrap_or(0);
        let offset = self.parts.first().map_or(0, |(process, _)| process.run.realtime_offset);
        let clock = ClockProperties {
            offset: begin,
            length: end.saturating_sub(begin),
            realtime: begin.saturating_add_signed(offset),
        };
        self.step(move |to| to.clock(clock));
    }

    fn paradigms(&mut self) {
        let (openmp, template) = (self.string("OpenMP"), self.string("Thread team ${id}"));
        self.step(move |to| to.fork_join(openmp));
        self.step(move |to| to.team_names(template));
        let offloads = self.tables.regions.all().any(|region| region.paradigm == TARGET);
        if offloads || self.has_devices() {
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

    /// The node of the machine that a process ran on.
    fn node_of(&self, process: &Process) -> u32 {
        self.hosts.iter().position(|host| *host == process.run.host).unwrap_or(0) as u32
    }

    /// The machines, their processes, and below them the devices.
    fn system(&mut self) {
        for (number, host) in (0..).zip(self.hosts.clone()) {
            let (host, machine) = (self.string(host), self.string("node"));
            self.step(move |to| to.node(number, host, machine, None));
            self.step(move |to| to.domain(number, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
        }
        self.processes();
        self.devices();
        for (process, _) in self.parts {
            let line = self.string(&process.run.command_line());
            let mut about = vec![("command line".to_owned(), line)];
            for (name, value) in process.run.surroundings.clone() {
                about.push((name, self.string(&value)));
            }
            let own = process.number;
            for (name, value) in about {
                let name = self.string(&format!("OMPTTRACE::{name}"));
                self.step(move |to| to.group_property(own, name, value));
            }
        }
    }

    fn locations(&mut self) {
        for part in self.parts {
            self.threads(*part);
            self.device_locations(*part);
        }
        self.other_ranks();
    }

    /// Threads of a process, and locations that record values.
    fn threads(&mut self, (process, of): Part<'_>) {
        let (first, own) = (process.first_location, process.number);
        for (named, location) in of.names.iter().zip(&of.done.tracks) {
            let name = self.string(&named.name);
            let (number, events) = (first + location.number, location.events);
            let (kind, group) = match self.group_of(process, named) {
                Some(group) => (LocationKind::Stream, group),
                None => (LocationKind::Thread, own),
            };
            self.step(move |to| to.location(number, name, kind, events, group));
            if let Some(os_thread) = named.os_thread {
                let property = self.string("OMPTTRACE::OS thread");
                self.step(move |to| to.location_property(number, property, os_thread.into()));
            }
        }
        let mut records = |location: crate::join::Location, name: &str| {
            let name = self.string(name);
            let (number, events) = (first + location.number, location.events);
            self.step(move |to| to.location(number, name, LocationKind::Metric, events, own));
        };
        for (location, (name, _)) in of.done.counters.iter().zip(COUNTERS) {
            records(*location, name);
        }
        for metric in &of.done.metrics {
            let named = of.names.get(metric.of as usize).map_or("", |named| named.name.as_str());
            records(metric.location, &format!("{} of {named}", process.run.metric(metric.member)));
        }
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
        let runs = self.parts.iter().map(|(process, _)| &process.run);
        let timer = |run: &RunProperties| Some((run.sampled_every?, run.of_wall_time));
        if let Some((period, of_wall_time)) = runs.filter_map(timer).next() {
            let name = self.string(if of_wall_time { "time" } else { "CPU time of a thread" });
            self.step(move |to| to.interrupt_generator(name, period));
        }
    }

    /// All threads, then the members of each team by their positions among them.
    fn teams(&mut self) {
        let (mut threads, mut positions) = (Vec::new(), Vec::new());
        for (process, of) in self.parts {
            let mut own = Vec::new();
            for (named, track) in of.names.iter().zip(&of.done.tracks) {
                own.push(threads.len() as u64);
                if named.device.is_none() {
                    threads.push(process.first_location + track.number);
                }
            }
            positions.push(own);
        }
        self.step(move |to| to.comm_locations(THREADS, 0, OPENMP, &threads));
        self.mpi_locations();
        self.name_communicators();
        for (at, positions) in positions.into_iter().enumerate() {
            let comms = self.comms(at, &positions);
            if let Some(mapping) = self.mappings.get_mut(at) {
                mapping.comms = comms;
            }
        }
        self.communicators.count = self.next_comm.into();
    }

    /// The communicators of a process: teams, by the positions of their threads among all, and those of MPI.
    fn comms(&mut self, at: usize, positions: &[u64]) -> Vec<u32> {
        let Some((process, of)) = self.parts.get(at).copied() else { return Vec::new() };
        let position = |track: &u32| positions.get(*track as usize).copied().unwrap_or_default();
        let (mut numbers, mut of_mpi) = (Vec::new(), Vec::new());
        for comm in &of.done.comms {
            let parent = comm.parent.and_then(|parent| numbers.get(parent as usize).copied());
            if let Some(communicator) = comm.communicator {
                let number = self.communicator(process, communicator, parent);
                numbers.push(number);
                of_mpi.push(number);
                continue;
            }
            let members: Vec<_> = comm.members.iter().map(position).collect();
            let (group, number) = (self.take_group(), self.take_comm());
            self.step(move |to| to.comm_group(group, 0, OPENMP, &members));
            self.step(move |to| to.comm(number, 0, group, parent));
            numbers.push(number);
        }
        self.objects.comms.push(of_mpi);
        numbers
    }

    fn take_group(&mut self) -> u32 {
        self.next_group += 1;
        self.next_group - 1
    }

    fn take_comm(&mut self) -> u32 {
        self.next_comm += 1;
        self.next_comm - 1
    }

    fn take_window(&mut self) -> u32 {
        self.next_window += 1;
        self.next_window - 1
    }
}
