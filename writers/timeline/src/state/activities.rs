//! Names of kernels, and operations of the host that caused devices' activities.

use crate::hash::{FastMap, operation_flow};
use crate::names::Names;
use ompttrace_model::{Definitions, NameRef, ThreadRef};
use ompttrace_symbols::demangle;
use std::collections::HashMap;

/// Names of kernels by the numbers that activities have.
#[derive(Debug, Default)]
pub(crate) struct Activities<'a> {
    /// `None`: no device reported activities.
    texts: Option<&'a HashMap<u64, String>>,
    kernels: FastMap<u64, NameRef>,
    /// Operations that began, with their threads: flows lead from them to what they cause.
    operations: FastMap<u64, ThreadRef>,
}

/// Operations beyond these are forgotten, all of them.
const MOST: usize = 1 << 20;

impl<'a> Activities<'a> {
    /// Activities whose kernels have these names.
    pub(crate) fn named(texts: &'a HashMap<u64, String>) -> Activities<'a> {
        Activities { texts: Some(texts), ..Activities::default() }
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
