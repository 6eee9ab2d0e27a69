//! Calling contexts: the recorded frames, and the tree of contexts that regions and tasks are made in.

use crate::code::Code;
use crate::hash::FastMap;
use crate::lookahead::Lookahead;
use ompttrace_model::{ContextFrame, ContextRef, FrameKind, NameRef};
use ompttrace_recording::Id;
use std::mem::replace;

/// Contexts beyond these are their callers'.
const MAX_CONTEXTS: usize = 1 << 16;
/// Frames of one context beyond these are left out, the innermost ones.
const MAX_DEPTH: u32 = 256;
/// Frames of one recorded stack.
const MAX_STACK: usize = 1024;
/// Tasks that have not run yet whose contexts are kept.
const MAX_TASKS: usize = 1 << 20;

/// A context that was reported to the sink.
#[derive(Clone, Debug)]
pub(crate) struct KnownContext {
    pub frame: ContextFrame,
    /// The whole context as a text: `main > solve`.
    pub path: String,
    depth: u32,
    /// True if call stacks recorded in this context may begin with the frames around it.
    pub inline: bool,
}

/// All contexts.
#[derive(Debug, Default)]
pub(crate) struct Contexts<'a> {
    lookahead: Option<Lookahead<'a>>,
    /// True if any context was recorded.
    pub(crate) used: bool,
    /// True if all records were searched for frames.
    searched: bool,
    /// Recorded frames: code and caller.
    nodes: FastMap<u64, (Code, u64)>,
    known: Vec<KnownContext>,
    children: FastMap<(ContextRef, NameRef, u64), ContextRef>,
    /// Contexts made before: of the context around, the frame, flags and what is made there.
    made: FastMap<(ContextRef, u64, u64), ContextRef>,
    /// Contexts of tasks that have not run yet.
    tasks: FastMap<Id, ContextRef>,
    /// Contexts of tasks that run or are suspended, where others may have to be put into them.
    running: FastMap<Id, ContextRef>,
}

impl<'a> Contexts<'a> {
    pub(crate) fn new(lookahead: Lookahead<'a>) -> Contexts<'a> {
        Contexts { lookahead: Some(lookahead), ..Contexts::default() }
    }

    /// A frame is reported; the first report counts.
    pub(crate) fn frame(&mut self, node: u64, code: Code, caller: u64) {
        self.nodes.entry(node).or_insert((code, caller));
    }

    /// The frames of a stack, outermost first. A thread may use a frame before the thread that reports it
    /// has done so: then the later records are searched.
    pub(crate) fn stack(&mut self, innermost: u64) -> Vec<Code> {
        let mut frames = Vec::new();
        let mut node = innermost;
        while node != 0 && frames.len() < MAX_STACK {
            if !self.nodes.contains_key(&node) && !replace(&mut self.searched, true) {
                let known = self.lookahead.map_or_else(Vec::new, Lookahead::frames);
                known.into_iter().for_each(|(node, code, caller)| self.frame(node, code, caller));
            }
            let Some(&(code, caller)) = self.nodes.get(&node) else { break };
            frames.push(code);
            node = caller;
        }
        frames.reverse();
        frames
    }

    /// The context that was made before for this key, if any.
    pub(crate) fn made(&self, key: (ContextRef, u64, u64)) -> Option<ContextRef> {
        self.made.get(&key).copied()
    }

    pub(crate) fn keep_made(&mut self, key: (ContextRef, u64, u64), context: ContextRef) {
        if self.made.len() < MAX_CONTEXTS {
            self.made.insert(key, context);
        }
    }

    /// A context by its number; `None` for 0.
    pub(crate) fn get(&self, context: ContextRef) -> Option<&KnownContext> {
        self.known.get((context as usize).checked_sub(1)?)
    }

    /// The contexts around one, itself first.
    pub(crate) fn around(
        &self,
        context: ContextRef,
    ) -> impl Iterator<Item = (ContextRef, &KnownContext)> {
        let own = self.get(context).map(|known| (context, known));
        std::iter::successors(own, |(_, known)| {
            let caller = known.frame.caller;
            self.get(caller).map(|known| (caller, known))
        })
    }

    /// The context of a frame within `frame.caller`, and whether it is new. That of its caller where
    /// there are too many.
    pub(crate) fn add(&mut self, frame: &ContextFrame, inline: bool) -> (ContextRef, bool) {
        let key = (frame.caller, frame.name, u64::from(frame.source) << 3 | frame.kind as u64);
        if let Some(known) = self.children.get(&key) {
            return (*known, false);
        }
        let depth = self.get(frame.caller).map_or(1, |caller| caller.depth + 1);
        if self.known.len() >= MAX_CONTEXTS || depth > MAX_DEPTH {
            return (frame.caller, false);
        }
        self.known.push(KnownContext { frame: *frame, path: String::new(), depth, inline });
        let context = self.known.len() as ContextRef;
        self.children.insert(key, context);
        (context, true)
    }

    /// Gives a new context its text, which is that of its caller and `own`.
    pub(crate) fn name(&mut self, context: ContextRef, own: &str) -> &str {
        let caller = self.get(context).map_or(0, |known| known.frame.caller);
        let path = match self.get(caller) {
            Some(caller) => format!("{} > {own}", caller.path),
            None => own.to_owned(),
        };
        let known = self.known.get_mut((context as usize).wrapping_sub(1));
        known.map_or("", |known| {
            known.path = path;
            &known.path
        })
    }

    /// A task was created in a context.
    pub(crate) fn created(&mut self, task: Id, context: ContextRef) {
        if context != 0 && self.tasks.len() < MAX_TASKS {
            self.tasks.insert(task, context);
        }
    }

    /// A task runs for the first time, or never will.
    #[inline]
    pub(crate) fn take(&mut self, task: Id) -> ContextRef {
        if self.tasks.is_empty() { 0 } else { self.tasks.remove(&task).unwrap_or(0) }
    }

    /// A task began, on whatever thread: those that it makes may begin on others.
    pub(crate) fn runs(&mut self, task: Id, context: ContextRef) {
        if context != 0 && self.running.len() < MAX_TASKS {
            self.running.insert(task, context);
        }
    }

    /// The context of a task for which [`Contexts::runs`] was called.
    pub(crate) fn of_running(&self, task: Id) -> Option<ContextRef> {
        self.running.get(&task).copied()
    }

    /// A task is over.
    #[inline]
    pub(crate) fn over(&mut self, task: Id) {
        if !self.running.is_empty() {
            self.running.remove(&task);
        }
    }

    /// The context around `context` in which a task of the same construct was made: a task that makes
    /// tasks like itself is in one context, however deep that goes.
    pub(crate) fn same_task(
        &self,
        context: ContextRef,
        frame: &ContextFrame,
    ) -> Option<ContextRef> {
        let same = |known: &KnownContext| {
            known.frame.kind == FrameKind::Task
                && (known.frame.name, known.frame.source) == (frame.name, frame.source)
        };
        self.around(context).find(|(_, known)| same(known)).map(|(context, _)| context)
    }
}
