//! Call stacks as lists of frames.

use ompttrace_model::{ContextFrame, ContextRef, Definitions};

/// The stack that is taken for a sample of an explicit task; other samples have only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacks {
    /// The stack at which the task was created.
    #[default]
    Creation,
    /// The stack in which the task is executed: inside the wait of the thread that runs it.
    Execution,
}

/// The frames of a context, outermost first.
pub(crate) fn frames(definitions: &Definitions, context: ContextRef) -> Vec<&ContextFrame> {
    let (mut frames, mut at) = (Vec::new(), context);
    while let Some(frame) = at.checked_sub(1).and_then(|at| definitions.contexts().get(at as usize))
    {
        frames.push(frame);
        at = frame.caller;
    }
    frames.reverse();
    frames
}

/// A frame's name.
pub(crate) fn name<'d>(definitions: &'d Definitions, frame: &ContextFrame) -> &'d str {
    definitions.strings().get(frame.name as usize).map_or("", |name| name)
}
