//! Names of kernels and functions, and what on the host caused devices' activities: operations of target constructs, and calls.

use crate::devices::{Synchronization, Synchronizations};
use crate::hash::{FastMap, call_flow, event_flow, operation_flow};
use crate::names::Names;
use ompttrace_model::{Definitions, NameRef, ThreadRef, waits_for_device};
use ompttrace_symbols::demangle;
use std::collections::{HashMap, HashSet};

/// Names of kernels by the numbers that activities have.
#[derive(Debug, Default)]
pub(crate) struct Activities<'a> {
    /// `None`: no device reported activities.
    texts: Option<&'a HashMap<u64, String>>,
    kernels: FastMap<u64, NameRef>,
    /// Operations that began, with their threads: flows lead from them to what they cause.
    operations: FastMap<u64, ThreadRef>,
    /// Calls that began, by their correlation numbers, with their threads.
    calls: FastMap<u64, ThreadRef>,
    /// Events and streams that calls and streams wait for.
    synchronizations: Option<&'a Synchronizations>,
    /// Arrows that began, and those that ended.
    begun: HashSet<u32>,
    ended: HashSet<u32>,
}

/// Operations or calls beyond these are forgotten, all of them.
const MOST: usize = 1 << 20;

impl<'a> Activities<'a> {
    /// Activities whose kernels have these names, and what calls and streams wait for.
    pub(crate) fn known(
        texts: &'a HashMap<u64, String>,
        synchronizations: &'a Synchronizations,
    ) -> Activities<'a> {
        let synchronizations = Some(synchronizations);
        Activities { texts: Some(texts), synchronizations, ..Activities::default() }
    }

    /// The stream or event that the call with this correlation number waits for, if it waits.
    pub(crate) fn synchronization(&self, correlation: u64) -> Option<Synchronization> {
        self.synchronizations?.calls.get(&correlation).copied()
    }

    /// Flows from an activity with this correlation number to those that waited for it, through an event. Of several
    /// activities with one number the first has them.
    pub(crate) fn begin_event_flows(&mut self, correlation: u64) -> Vec<u64> {
        let from = self.synchronizations.and_then(|all| all.from.get(&correlation));
        let flows = from.into_iter().flatten().copied();
        flows.filter(|flow| self.begun.insert(*flow)).map(event_flow).collect()
    }

    /// Flows to an activity with this correlation number from those that it waited for.
    pub(crate) fn end_event_flows(&mut self, correlation: u64) -> Vec<u64> {
        let to = self.synchronizations.and_then(|all| all.to.get(&correlation));
        let flows = to.into_iter().flatten().copied().filter(|flow| self.begun.contains(flow));
        flows.filter(|flow| self.ended.insert(*flow)).map(event_flow).collect()
    }

    /// The flow of operation `host_op`, which begins on a thread; nothing where no activities are recorded, or 0, which is none.
    pub(crate) fn begin_flow(&mut self, host_op: u64, thread: ThreadRef) -> Option<u64> {
        self.texts.filter(|_| host_op != 0)?;
        if self.operations.len() >= MOST {
            self.operations.clear();
        }
        self.operations.insert(host_op, thread);
        Some(operation_flow(host_op))
    }

    /// The flow to something that operation `host_op` caused, and the thread of the operation, if that was recorded.
    pub(crate) fn end_flow(&self, host_op: u64) -> Option<(u64, ThreadRef)> {
        self.operations.get(&host_op).map(|thread| (operation_flow(host_op), *thread))
    }

    /// The flow of a call with this correlation number, which begins on a thread; nothing for 0, which is none.
    pub(crate) fn begin_call(&mut self, correlation: u64, thread: ThreadRef) -> Option<u64> {
        if correlation == 0 {
            return None;
        }
        if self.calls.len() >= MOST {
            self.calls.clear();
        }
        self.calls.insert(correlation, thread);
        Some(call_flow(correlation))
    }

    /// The flow to something that a call caused, and the thread of the call, if that was recorded.
    pub(crate) fn flow_of_call(&self, correlation: u64) -> Option<(u64, ThreadRef)> {
        self.calls.get(&correlation).map(|thread| (call_flow(correlation), *thread))
    }

    /// True if the function with this number returns when a device has done something.
    pub(crate) fn waits(&self, number: u64) -> bool {
        let text = self.texts.and_then(|texts| texts.get(&number));
        text.is_some_and(|text| waits_for_device(text))
    }

    /// The name of a kernel with this number, or of something else, for people; `other`: a name where it has none.
    pub(crate) fn kernel(
        &mut self,
        names: &mut Names<'_>,
        definitions: &mut Definitions,
        number: u64,
        other: &'static str,
    ) -> NameRef {
        if number == 0 {
            return names.word(definitions, other);
        }
        if let Some(name) = self.kernels.get(&number) {
            return *name;
        }
        let text = self.texts.and_then(|texts| texts.get(&number));
        let text = text.map_or(other.into(), |text| demangle(text));
        let name = names.text(definitions, &text, || other.to_owned());
        self.kernels.insert(number, name);
        name
    }
}
