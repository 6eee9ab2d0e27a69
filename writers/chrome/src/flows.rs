//! Flows as arrows: the steps of each flow that events write.
//!
//! A reader wants every flow to start once and before its steps, so the writer has to remember those
//! that started. A task's flow has no last event, hence the memory is bounded in another way: two
//! generations, of which the older one is forgotten when the younger is full. A step of a flow that
//! was forgotten starts another one. In the file flows have numbers of our own, short and never used twice. The
//! process is part of them, so that traces can be combined.
//!
//! A task may be reported to run before its creation is reported, which waits for the task's dependences. Readers sort
//! by time, so the arrow between them is written when the creation comes. An overview draws short events after long
//! ones: a step that comes late there, with a time before the flow's start, has no arrow.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::lines::FlowPhase;
use crate::tracks::Track;

/// Maximum number of flows in a generation: those of a program with many live tasks, in some 25 MB.
const GENERATION: usize = 1 << 19;
/// Number of bits for the number of a flow. With a pid's 22 bits they make a number that a browser keeps exactly.
const NUMBER_BITS: u32 = 31;

/// Maximum number of first segments whose creation may still come: it does so with the creator's next event.
const MAX_EARLY: usize = 1 << 12;

/// Time and track at which a task began to run before its creation was reported.
#[derive(Clone, Debug)]
pub(crate) struct Early {
    pub(crate) at: u64,
    pub(crate) track: Track,
}

/// Name of a flow, by the event to which it leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlowName {
    Fork,
    Task,
    NextHolder,
    Other,
}

impl FlowName {
    /// The name as it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            FlowName::Fork => "fork",
            FlowName::Task => "task",
            FlowName::NextHolder => "next holder",
            FlowName::Other => "flow",
        }
    }
}

/// A flow that has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StartedFlow {
    /// Number of the flow within the process.
    number: u32,
    /// Name of the flow, which must be the same at both ends of an arrow.
    pub(crate) name: FlowName,
    /// Time at which the flow starts, in nanoseconds.
    at: u64,
}

// There are a million of them.
const _: () = assert!(size_of::<(u64, StartedFlow)>() == 24);

/// The flows that are under way.
#[derive(Debug)]
pub(crate) struct Flows {
    young: Generation,
    old: Generation,
    early: HashMap<u64, Early>,
    size: usize,
    pid: u64,
    started: u32,
    /// Number of arrows: steps and ends of flows.
    pub(crate) arrows: u64,
    /// Number of steps before the flow's start, and of ends without a start.
    pub(crate) lost: u64,
}

type Generation = HashMap<u64, StartedFlow, BuildHasherDefault<Keep>>;

impl Default for Flows {
    fn default() -> Self {
        Flows::with_size(GENERATION)
    }
}

impl Flows {
    fn with_size(size: usize) -> Self {
        let (young, old) = (Generation::default(), Generation::default());
        let early = HashMap::new();
        Flows { young, old, early, size, pid: 0, started: 0, arrows: 0, lost: 0 }
    }

    pub(crate) fn set_process(&mut self, pid: u64) {
        self.pid = pid;
    }

    /// Starts a flow here or adds a step to it; `None` if the flow starts later.
    pub(crate) fn pass(
        &mut self,
        flow: u64,
        at: u64,
        name: FlowName,
    ) -> Option<(FlowPhase, StartedFlow)> {
        let known = self.young.get(&flow).copied();
        // One that is still passed must not grow old.
        let known =
            known.or_else(|| self.old.remove(&flow).inspect(|known| self.keep(flow, *known)));
        let Some(known) = known else {
            let known = self.number(at, name);
            self.keep(flow, known);
            return Some((FlowPhase::Start, known));
        };
        self.arrow(at, known).map(|known| (FlowPhase::Step, known))
    }

    /// Counts an arrow that leads here; `None` if the flow starts later.
    fn arrow(&mut self, at: u64, known: StartedFlow) -> Option<StartedFlow> {
        let leads = known.at <= at;
        *(if leads { &mut self.arrows } else { &mut self.lost }) += 1;
        leads.then_some(known)
    }

    /// Starts a new flow at the creation of a task, whichever flow had its number before. If the task has begun to run
    /// already, its first segment is returned: the arrow ends there and then.
    pub(crate) fn create(
        &mut self,
        flow: u64,
        at: u64,
        name: FlowName,
    ) -> (StartedFlow, Option<Early>) {
        let early = if self.early.is_empty() { None } else { self.early.remove(&flow) };
        let known = self.number(at, name);
        if early.is_some() {
            self.arrows += 1;
        } else {
            self.old.remove(&flow);
            self.keep(flow, known);
        }
        (known, early)
    }

    /// Remembers the first segment of a task whose creation was not reported yet.
    pub(crate) fn set_early(&mut self, flow: u64, at: u64, track: &Track) {
        if self.early.len() >= MAX_EARLY {
            self.early.clear();
        }
        self.early.insert(flow, Early { at, track: track.clone() });
    }

    /// Ends a flow here; `None` if its start is unknown or later.
    pub(crate) fn end(&mut self, flow: u64, at: u64) -> Option<StartedFlow> {
        let Some(known) = self.young.remove(&flow).or_else(|| self.old.remove(&flow)) else {
            self.lost += 1;
            return None;
        };
        self.arrow(at, known)
    }

    fn number(&mut self, at: u64, name: FlowName) -> StartedFlow {
        self.started = (self.started + 1) & ((1 << NUMBER_BITS) - 1);
        StartedFlow { number: self.started, name, at }
    }

    /// Number of a flow in the file.
    #[inline]
    pub(crate) fn id(&self, known: StartedFlow) -> u64 {
        self.pid << NUMBER_BITS | u64::from(known.number)
    }

    fn keep(&mut self, flow: u64, known: StartedFlow) {
        if self.young.len() >= self.size {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(flow, known);
    }
}

/// Flows come with numbers that are well mixed, so they are their own hash.
#[derive(Default, Clone, Copy)]
struct Keep(u64);

impl Hasher for Keep {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
    #[inline]
    fn write_u64(&mut self, value: u64) {
        // The table looks at the highest bits and the lowest: small numbers have both.
        self.0 = value ^ (value << 57);
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are u64")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_starts_once_passes_and_ends() {
        let mut flows = Flows::default();
        flows.set_process(7);
        let (phase, start) = flows.pass(99, 10, FlowName::Task).unwrap();
        assert_eq!((phase, flows.id(start)), (FlowPhase::Start, 7 << 31 | 1));
        assert_eq!(flows.pass(99, 20, FlowName::Other), Some((FlowPhase::Step, start)));
        assert_eq!(flows.end(99, 30), Some(start));
        assert_eq!(flows.end(99, 40), None);
        assert_eq!((flows.arrows, flows.lost), (2, 1));
        let (_, next) = flows.pass(99, 50, FlowName::Task).unwrap();
        assert_eq!(flows.id(next), 7 << 31 | 2);
    }

    #[test]
    fn no_arrow_leads_to_what_is_before_its_start() {
        let mut flows = Flows::default();
        let (_, start) = flows.pass(99, 10, FlowName::Task).unwrap();
        assert_eq!(flows.pass(99, 9, FlowName::Task), None);
        assert_eq!(flows.pass(99, 10, FlowName::Task), Some((FlowPhase::Step, start)));
        assert_eq!(flows.end(99, 9), None);
        assert_eq!((flows.arrows, flows.lost), (1, 2));
    }

    #[test]
    fn memory_is_bounded_and_what_is_used_stays() {
        let mut flows = Flows::with_size(10);
        let (_, kept) = flows.pass(0, 1, FlowName::Task).unwrap();
        for flow in 1..1000 {
            flows.pass(flow, 1, FlowName::Task);
            if flow % 5 == 0 {
                assert_eq!(flows.pass(0, 1, FlowName::Task), Some((FlowPhase::Step, kept)));
            }
        }
        assert!(flows.young.len() + flows.old.len() <= 20);
        assert_eq!(flows.pass(1, 1, FlowName::Task).unwrap().0, FlowPhase::Start);
    }
}
