//! Operations of the host by which activities of devices find what caused them.

use crate::event::Slice;
use crate::{ArgKey, FastMap};

/// Operations whose activities may still come; more are forgotten, all of them.
const MOST: usize = 1 << 20;

/// Data about each data operation and submission of a kernel, by the id that its activities name.
#[derive(Debug)]
pub struct HostOperations<T>(FastMap<u64, T>);

impl<T> Default for HostOperations<T> {
    fn default() -> HostOperations<T> {
        HostOperations(FastMap::default())
    }
}

impl<T: Copy> HostOperations<T> {
    /// The slice of an operation begins, and its activities are to find `known`.
    pub fn begins(&mut self, slice: &Slice<'_>, known: impl FnOnce() -> T) {
        let Some(id) = slice.number(ArgKey::HostOp) else { return };
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(id, known());
    }

    /// The operation that caused an activity.
    pub fn of_activity(&self, slice: &Slice<'_>) -> Option<T> {
        self.0.get(&slice.number(ArgKey::HostOp)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ompt::DataOp;
    use crate::{Arg, ArgValue, OnDevice, SliceKind};

    #[test]
    fn activities_find_their_operation() {
        let mut operations = HostOperations::default();
        let args = |id| [Arg { key: ArgKey::HostOp, value: ArgValue::Number(id) }];
        let host = Slice::new(SliceKind::DataOp(DataOp::Alloc), 0, 0);
        let device = Slice::new(SliceKind::Device(OnDevice::Copy), 0, 0);
        operations.begins(&Slice { args: &args(7), ..host }, || "seven");
        operations.begins(&host, || "none");
        assert_eq!(operations.of_activity(&Slice { args: &args(7), ..device }), Some("seven"));
        assert_eq!(operations.of_activity(&Slice { args: &args(8), ..device }), None);
        assert_eq!(operations.of_activity(&device), None);
    }
}
