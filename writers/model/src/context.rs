//! Calling contexts: a tree of functions and constructs.

use crate::definitions::{NameRef, SourceRef};

/// A calling context's number, dense from 1; 0 is "none".
pub type ContextRef = u32;

/// The kinds of frames of a calling context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameKind {
    /// A function of the program.
    Function,
    /// A parallel region or league.
    Region,
    /// An explicit task.
    Task,
    /// A placeholder for frames that are missing.
    Unknown,
    /// OpenMP's activity in the frame around ([`pseudo_frame`](crate::pseudo_frame)).
    State,
}

/// A calling context: the innermost of its frames, and the context around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextFrame {
    /// The context around; 0 for the outermost frame.
    pub caller: ContextRef,
    /// The frame's kind.
    pub kind: FrameKind,
    /// Its name: `solve`, `parallel solve.c:80`.
    pub name: NameRef,
    /// The location in a function from which the next frame is called; the location of a construct.
    pub source: SourceRef,
    /// The whole context as a text: `main > solve > parallel solve.c:80`.
    pub path: NameRef,
}
