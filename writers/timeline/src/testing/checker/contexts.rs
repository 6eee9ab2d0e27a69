//! Calling contexts: each defined once, after its caller and its texts.

use super::Checker;
use ompttrace_model::{ContextFrame, ContextRef};

impl Checker {
    pub(super) fn define_context(&mut self, context: ContextRef, frame: &ContextFrame) {
        let dense = context as usize == self.timeline.contexts.len() + 1;
        self.check(dense, || format!("context {context} is not the next"));
        self.check(frame.caller < context, || format!("context {context}: caller {frame:?}"));
        self.source(frame.source);
        self.name_of(frame.name);
        let path = self.names.get(frame.path as usize).cloned().unwrap_or_default();
        self.timeline.contexts.push(path);
    }

    pub(super) fn check_context(&mut self, context: ContextRef) {
        let known = context as usize <= self.timeline.contexts.len();
        self.check(known, || format!("context {context} was never reported"));
    }
}
