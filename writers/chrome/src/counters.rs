//! Names of counters: in two parts, of which viewers show the second as one of several series.

use std::collections::HashMap;

use ompttrace_model::{Counter, RunInfo, thread_name};
use ompttrace_recording::facts;

use crate::texts::quoted;

/// The two parts of a name, in quotes.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) name: Box<[u8]>,
    pub(crate) series: Box<[u8]>,
}

/// The names of the run's counters.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    threads: Vec<String>,
    counted: Vec<facts::Counter>,
    names: HashMap<Counter, Names>,
}

impl Counters {
    pub(crate) fn new(run: &RunInfo<'_>) -> Counters {
        let threads = run.threads.iter().map(|thread| thread_name(run.facts, thread)).collect();
        let counted = run.facts.counters.counted.clone();
        Counters { threads, counted, names: HashMap::new() }
    }

    pub(crate) fn names(&mut self, counter: Counter) -> &Names {
        let Counters { threads, counted, names } = self;
        names.entry(counter).or_insert_with(|| {
            let (name, series) = match counter {
                Counter::ThreadsWorking => ("threads".to_owned(), "working"),
                Counter::ThreadsIdle => ("workers".to_owned(), "idle"),
                Counter::LiveTasks => ("live".to_owned(), "tasks"),
                Counter::OfThread(thread, counter) => {
                    let counted = counted.get(counter as usize);
                    let (name, unit) =
                        counted.map_or(("", ""), |counted| (&*counted.name, &*counted.unit));
                    let thread = threads.get(thread as usize).map_or("", String::as_str);
                    (format!("{name} of {thread}"), unit)
                }
            };
            Names { name: quoted(&name), series: quoted(series) }
        })
    }
}
