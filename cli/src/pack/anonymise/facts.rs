//! `recording.json` without texts that say where, by whom and with what a program was run.
//!
//! Every field is named here: what a later version adds does not compile until it is decided about, and what a later tool has written is
//! not in [`Facts`] at all.

use super::replacer::Replacer;
use super::settings;
use ompttrace_recording::facts::{
    self, Clock, Cores, Counter, Counters, End, Facts, Life, Process, Quota, Refused, Runtime,
    Samples, Surroundings, end,
};
use ompttrace_recording::{EventCode, events};
use std::collections::BTreeMap;

/// Interfaces of runtimes.
const INTERFACES: [&str; 8] =
    ["ompt", "ompt-tr2", "collector", "gomp", "ompi", facts::MPI, facts::CUPTI, facts::PHASES];

/// The facts with texts replaced. The files are those of the copy, and are yet to be named.
pub fn facts(facts: &Facts, last_sign: Option<u64>, by: &Replacer) -> Facts {
    let Facts {
        format,
        tool,
        little_endian,
        process: of,
        surroundings: around,
        clock: ticks,
        life: lived,
        // Where the buffers were is a path, and they are in the copy's records.
        pool: _,
        pool_moved_from: _,
        buffer_bytes,
        closed,
        finalized,
        runtimes,
        overflow,
        lost,
        record_picoseconds,
        cores: on_cores,
        counters: counts,
        files: _,
        gapless_threads,
        emptied,
        snapshot_left_out,
        samples: sampled,
        drains,
    } = facts;
    Facts {
        format: *format,
        tool: by.words(tool),
        little_endian: *little_endian,
        process: process(of, by),
        surroundings: surroundings(around, by),
        clock: clock(ticks, by),
        life: life(lived, last_sign, by),
        pool: None,
        pool_moved_from: None,
        buffer_bytes: *buffer_bytes,
        closed: *closed,
        finalized: *finalized,
        runtimes: runtimes.iter().map(|one| runtime(one, by)).collect(),
        overflow: by.one_of(overflow, &["", "wait", "drop", "ring"]),
        lost: lost.iter().map(|(name, count)| (event(name, by), *count)).collect(),
        record_picoseconds: *record_picoseconds,
        cores: cores(on_cores, by),
        counters: counters(counts, by),
        files: BTreeMap::new(),
        gapless_threads: *gapless_threads,
        emptied: *emptied,
        snapshot_left_out: *snapshot_left_out,
        samples: samples(sampled, by),
        drains: *drains,
    }
}

/// The texts that no name in the recording may contain: the host, and the words of the command line.
pub fn hide(facts: &Facts, by: &Replacer) {
    let Process { host, arguments, .. } = &facts.process;
    by.hide(host);
    // A host's name without its domain.
    host.split('.').take(1).for_each(|host| by.hide(host));
    arguments.iter().skip(1).for_each(|argument| by.hide_in_names(argument));
}

fn process(process: &Process, by: &Replacer) -> Process {
    let Process {
        pid,
        start,
        pid_namespace,
        time_namespace,
        parent,
        fork_of,
        executable,
        arguments,
        argument_bytes: _,
        host,
        cores,
        rank,
        ranks,
        started_by: _,
    } = process;
    let executable = by.path(executable);
    let arguments = arguments.iter().enumerate().map(|(at, argument)| match at {
        0 => by.path(argument),
        _ => by.value("argument", argument),
    });
    Process {
        pid: *pid,
        start: *start,
        pid_namespace: *pid_namespace,
        time_namespace: *time_namespace,
        parent: *parent,
        fork_of: *fork_of,
        executable,
        arguments: arguments.collect(),
        argument_bytes: 0,
        host: by.value("host", host),
        cores: *cores,
        rank: *rank,
        ranks: *ranks,
        started_by: String::new(),
    }
}

fn surroundings(surroundings: &Surroundings, by: &Replacer) -> Surroundings {
    let Surroundings { online, allowed, quota, load, load_at_end, bound, settings } = surroundings;
    let quota = quota.as_ref().map(|Quota { cores, group, throttled_ns }| Quota {
        cores: *cores,
        group: by.path(group),
        throttled_ns: *throttled_ns,
    });
    let settings = settings.iter().map(|(name, value)| settings::replaced(name, value, by));
    Surroundings {
        online: *online,
        allowed: list_of_cores(allowed, by),
        quota,
        load: *load,
        load_at_end: *load_at_end,
        bound: bound.iter().map(|(list, threads)| (list_of_cores(list, by), *threads)).collect(),
        settings: settings.collect(),
    }
}

fn list_of_cores(list: &str, by: &Replacer) -> String {
    let is_list = list.chars().all(|letter| letter.is_ascii_digit() || ",- \n".contains(letter));
    if is_list { list.to_owned() } else { by.value("cores", list) }
}

fn clock(clock: &Clock, by: &Replacer) -> Clock {
    let Clock { source, pairs, realtime, boottime_offset } = clock;
    Clock {
        source: by.one_of(source, &["", "tsc", "cntvct", "quanta"]),
        pairs: pairs.clone(),
        realtime: *realtime,
        boottime_offset: *boottime_offset,
    }
}

fn life(life: &Life, last_sign: Option<u64>, by: &Replacer) -> Life {
    const ENDS: [&str; 6] =
        [end::EXIT, end::AT_ONCE, end::SIGNAL, end::EXEC, end::UNKNOWN, end::SNAPSHOT];
    let Life { began, paused, silent, seen: _, ended } = life;
    let ended = ended.as_ref().map(|End { monotonic, by: way, number }| End {
        monotonic: *monotonic,
        by: by.one_of(way, &ENDS),
        number: *number,
    });
    let seen = last_sign.filter(|_| ended.is_none());
    Life { began: *began, paused: *paused, silent: *silent, seen, ended }
}

fn runtime(runtime: &Runtime, by: &Replacer) -> Runtime {
    let Runtime {
        interface,
        dialect,
        version,
        omp_version,
        library,
        callbacks,
        notes,
        states,
        mutex_implementations,
    } = runtime;
    let numbered =
        |of: &[(u64, String)]| of.iter().map(|(number, name)| (*number, by.words(name))).collect();
    let answers = callbacks.iter().map(|(name, answer)| (event(name, by), by.words(answer)));
    Runtime {
        interface: by.one_of(interface, &INTERFACES),
        dialect: by.words(dialect),
        version: by.words(version),
        omp_version: *omp_version,
        library: by.path(library),
        callbacks: answers.collect(),
        notes: notes.iter().map(|note| by.words(note)).collect(),
        states: numbered(states),
        mutex_implementations: numbered(mutex_implementations),
    }
}

/// The name of an event, after which its end may follow: `work:begin`.
fn event(text: &str, by: &Replacer) -> String {
    let (name, end) = text.split_once(':').unwrap_or((text, "none"));
    let is_known = EventCode::numbers().any(|number| name == events::name(number));
    let is_end = ["none", "begin", "end", "beginend"].contains(&end);
    if is_known && is_end { text.to_owned() } else { by.words(text) }
}

fn cores(cores: &Cores, by: &Replacer) -> Cores {
    let Cores {
        asked,
        used,
        why,
        threads_by_switches,
        threads_by_accounting,
        threads_unknown,
        lost_switches,
        storms,
    } = cores;
    Cores {
        asked: by.words(asked),
        used: by.words(used),
        why: by.words(why),
        threads_by_switches: *threads_by_switches,
        threads_by_accounting: *threads_by_accounting,
        threads_unknown: *threads_unknown,
        lost_switches: *lost_switches,
        storms: *storms,
    }
}

fn counters(counters: &Counters, by: &Replacer) -> Counters {
    let Counters { counted, refused, threads_without } = counters;
    let counted = counted.iter().map(|Counter { name, unit, outside_kernel }| Counter {
        name: by.words(name),
        unit: by.words(unit),
        outside_kernel: *outside_kernel,
    });
    let refused = refused
        .iter()
        .map(|Refused { name, why }| Refused { name: by.words(name), why: by.words(why) });
    Counters {
        counted: counted.collect(),
        refused: refused.collect(),
        threads_without: *threads_without,
    }
}

fn samples(samples: &Samples, by: &Replacer) -> Samples {
    let Samples {
        asked,
        why,
        perf,
        threads,
        threads_by_timer,
        threads_without,
        lost,
        longest_period_ns,
    } = samples;
    Samples {
        asked: by.words(asked),
        why: by.words(why),
        perf: by.words(perf),
        threads: *threads,
        threads_by_timer: *threads_by_timer,
        threads_without: *threads_without,
        lost: *lost,
        longest_period_ns: *longest_period_ns,
    }
}
