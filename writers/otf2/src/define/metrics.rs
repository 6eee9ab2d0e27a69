//! Definitions of metrics: the counters of each process, and those of its locations.

use super::{COUNTERS, Plan};
use crate::archive::metric_instance;
use crate::archive_state::{CORE_MEANING, MetricMember};
use crate::written::Part;

/// Meaning of the counters of threads, which are read where a thread changes tasks.
const COUNTED: &str = "so far, of this thread";

/// Members of metrics, and numbers of classes with their instances.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Names and units of the members so far.
    members: Vec<(String, String)>,
    instances: u32,
}

impl Numbers {
    /// The number of a member, and true if it is new.
    fn member(&mut self, name: &str, unit: &str) -> (u32, bool) {
        let is = |(known, of): &(String, String)| known == name && of == unit;
        if let Some(known) = self.members.iter().position(is) {
            return (known as u32, false);
        }
        self.members.push((name.to_owned(), unit.to_owned()));
        (self.members.len() as u32 - 1, true)
    }

    /// The number of the next instance, whose class has the one before.
    fn instance(&mut self) -> u32 {
        self.instances += 1;
        metric_instance(self.instances - 1)
    }
}

impl Plan<'_> {
    /// Plans the metrics of a process, in the order of its own numbers.
    pub(super) fn metrics(&mut self, (process, of): Part<'_>) -> Vec<u32> {
        let (first, own) = (process.first_location, process.number);
        let mut mapping = Vec::new();
        for (location, (name, meaning)) in of.done.counters.iter().zip(COUNTERS) {
            let (member, is_new) = self.metrics.member(name, "#");
            if is_new {
                let [name, meaning, unit] = [name, meaning, "#"].map(|text| self.string(text));
                self.step(move |to| to.metric_member(member, name, meaning, unit));
            }
            let (instance, recorder) = (self.metrics.instance(), first + location.number);
            self.step(move |to| to.metric_class(instance - 1, member));
            self.step(move |to| to.metric_instance(instance, instance - 1, recorder, own));
            mapping.extend([instance - 1, instance]);
        }
        let counted = self.counted(process.run.counted.iter());
        let has_cores = of.done.metrics.iter().any(|metric| metric.member == MetricMember::Core);
        let core = if has_cores { self.core() } else { 0 };
        for metric in &of.done.metrics {
            let instance = self.metrics.instance();
            mapping.extend([instance - 1, instance]);
            let Some(thread) = of.done.tracks.get(metric.of as usize) else { continue };
            let recorder = first + metric.location.number;
            let member = match metric.member {
                MetricMember::Core => core,
                MetricMember::Counter(counter) => {
                    counted.get(counter as usize).copied().unwrap_or_default()
                }
            };
            let thread = first + thread.number;
            self.step(move |to| to.metric_class(instance - 1, member));
            self.step(move |to| to.metric_of_location(instance, instance - 1, recorder, thread));
        }
        mapping
    }

    /// The members of the counters that are read for each thread.
    fn counted<'c>(
        &mut self,
        counted: impl Iterator<Item = &'c ompttrace_recording::facts::Counter>,
    ) -> Vec<u32> {
        let mut members = Vec::new();
        for counter in counted {
            let (member, is_new) = self.metrics.member(&counter.name, &counter.unit);
            members.push(member);
            if is_new {
                let texts = [&counter.name, COUNTED, &counter.unit];
                let [name, meaning, unit] = texts.map(|text| self.string(text));
                self.step(move |to| to.accumulated_member(member, name, meaning, unit));
            }
        }
        members
    }

    /// The member of the core that a thread has.
    fn core(&mut self) -> u32 {
        let (member, is_new) = self.metrics.member("core", "#");
        if is_new {
            let [name, meaning, unit] = ["core", CORE_MEANING, "#"].map(|text| self.string(text));
            self.step(move |to| to.metric_member(member, name, meaning, unit));
        }
        member
    }
}
