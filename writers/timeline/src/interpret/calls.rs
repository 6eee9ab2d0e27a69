//! Calling contexts: a region's is that of the task that encounters it and that task's own frames; a
//! thread of its team has the region's; an explicit task has that of its creator and the creator's
//! frames. So every thread is shown under the calls that the program made, whichever thread executed them.

use super::{Interpreter, Outcome};
use crate::code::Code;
use crate::names::Called;
use ompttrace_model::{ContextFrame, ContextRef, FrameKind, NameRef, SourceRef};
use ompttrace_recording::Id;
use ompttrace_recording::events::{CallContext, CallFrame, CodeSite, stack};

/// The program's first function.
const MAIN: &str = "main";
/// Name of Fortran's main program.
const PROGRAM: &str = "program";

/// A region or task that is made in a context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub id: Id,
    pub kind: FrameKind,
    /// The construct's word, and its location unless a frame is more specific.
    pub word: &'static str,
    pub code: Code,
    /// True if the creator's thread executes it at once, so that its call stack may contain the creator's frames.
    pub inline: bool,
    /// The context in which it is made, if that is not the context of the thread's running task.
    pub base: Option<ContextRef>,
}

impl Interpreter<'_> {
    /// A code address has got a number.
    pub(super) fn code_site(&mut self, event: &CodeSite) -> Outcome {
        self.names.sites.know(event.site, Code::new(event.code, event.kind));
        Outcome::Interpreted
    }

    pub(super) fn call_frame(&mut self, event: &CallFrame) -> Outcome {
        self.contexts.frame(event.node, Code::new(event.code, event.kind), event.caller);
        Outcome::Interpreted
    }

    pub(super) fn call_context(&mut self, t: u32, event: &CallContext) -> Outcome {
        self.contexts.used = true;
        self.thread(t).next_context = Some(*event);
        Outcome::Interpreted
    }

    /// The context of the task that runs on a thread.
    pub(super) fn context(&mut self, t: u32) -> ContextRef {
        self.thread(t).slices().first().map_or(0, |open| open.context)
    }

    /// The context of what the thread's running task makes now; 0 where no contexts are recorded.
    #[inline]
    pub(super) fn context_of(&mut self, t: u32, made: &Creation) -> ContextRef {
        if self.contexts.used { self.made_here(t, made) } else { 0 }
    }

    #[cold]
    fn made_here(&mut self, t: u32, made: &Creation) -> ContextRef {
        let known = self.thread(t).next_context.take();
        let known = known.filter(|known| {
            known.flags & stack::NEXT != 0 || known.counter == u64::from(made.id.counter())
        });
        let base = made.base.unwrap_or_else(|| self.context(t));
        let CallContext { node, flags, .. } = known.unwrap_or_default();
        let what = flags << 60 | (made.kind as u64) << 56 | u64::from(made.inline) << 55;
        let key = (base, node, what | made.code.address & ((1 << 48) - 1));
        if let Some(known) = self.contexts.made(key) {
            return known;
        }
        let stack = known.map_or_else(Vec::new, |known| self.contexts.stack(known.node));
        let mut called: Vec<Called> = Vec::new();
        for code in stack {
            called.extend_from_slice(&self.names.called(&mut self.out.to.definitions, code));
        }
        let context = self.grow(base, flags, &called, made);
        self.contexts.keep_made(key, context);
        context
    }

    /// Adds a stack to a context, and at last the construct.
    fn grow(
        &mut self,
        base: ContextRef,
        flags: u64,
        called: &[Called],
        made: &Creation,
    ) -> ContextRef {
        let site = called.iter().rev().find(|called| !called.libc_or_runtime);
        let location = site.map(|called| called.location.to_string());
        let source = site.map(|called| called.named.source);
        let own = self.own_frames(base, flags, called);
        let mut context = base;
        // What is missing around `main` is nobody's.
        let from_main = own.first().is_some_and(|first| &*first.function == MAIN);
        if let Some(missing) = missing_frames(flags).filter(|_| !from_main) {
            let name = self.names.word(&mut self.out.to.definitions, missing);
            context = self.add(context, FrameKind::Unknown, (name, 0), missing, false);
        }
        for called in own {
            let named = (called.named.name, called.named.source);
            context = self.add(context, FrameKind::Function, named, &called.function, false);
        }
        let location = location.or_else(|| self.names.location(made.code));
        let source = source
            .unwrap_or_else(|| self.names.source_location(&mut self.out.to.definitions, made.code));
        let text = match location {
            Some(location) => format!("{} {location}", made.word),
            None => made.word.to_owned(),
        };
        let name = self.names.text(&mut self.out.to.definitions, &text, || made.word.to_owned());
        let frame = ContextFrame { caller: context, kind: made.kind, name, source, path: name };
        if made.kind == FrameKind::Task
            && let Some(same) = self.contexts.same_task(context, &frame)
        {
            return same;
        }
        self.add(context, made.kind, (name, source), &text, made.inline)
    }

    /// A frame in a context, defined when it is new.
    pub(super) fn add(
        &mut self,
        caller: ContextRef,
        kind: FrameKind,
        (name, source): (NameRef, SourceRef),
        text: &str,
        inline: bool,
    ) -> ContextRef {
        let frame = ContextFrame { caller, kind, name, source, path: name };
        let (context, new) = self.contexts.add(&frame, inline);
        if new {
            let path = self.contexts.name(context, text);
            let path = self.names.text(&mut self.out.to.definitions, path, || text.to_owned());
            self.out.to.definitions.add_context(ContextFrame { path, ..frame });
        }
        context
    }

    /// The frames that are the running task's own and the program's: without what the C library does
    /// in front of `main`, without the outlined part that the enclosing construct represents, and
    /// without the frames around, where the task's code was called directly.
    fn own_frames<'c>(&self, base: ContextRef, flags: u64, called: &'c [Called]) -> &'c [Called] {
        let after = |at: usize| called.get(at..).unwrap_or_default();
        let shares = flags & stack::SHARED != 0
            || self.contexts.get(base).is_some_and(|around| around.inline);
        let mut own = called;
        if base == 0 || shares {
            let main = called.iter().position(|called| &*called.function == MAIN);
            own = main.map_or(own, after);
            own = without_made_main(own);
        }
        let before =
            own.iter().take_while(|called| called.libc_or_runtime || called.outlined).count();
        own = own.get(before..).unwrap_or_default();
        if shares {
            let sure = flags & stack::SHARED != 0;
            own = self.without_shared(base, own, sure);
        }
        let within =
            own.iter().rposition(|called| !called.libc_or_runtime).map_or(0, |last| last + 1);
        own.get(..within).unwrap_or_default()
    }

    /// `called` without the functions directly around the construct of `base`: the same
    /// ones at the same call sites, except the last, which called the construct's code from elsewhere.
    fn without_shared<'c>(
        &self,
        base: ContextRef,
        called: &'c [Called],
        sure: bool,
    ) -> &'c [Called] {
        let around = self.contexts.around(base).skip(1);
        let mut around: Vec<&ContextFrame> = around
            .map(|(_, known)| &known.frame)
            .take_while(|frame| frame.kind == FrameKind::Function)
            .collect();
        around.reverse();
        // A task that calls the function it was made in has the same frames by right.
        let most = if sure { called.len() } else { called.len().saturating_sub(1) };
        let same = around.len() <= most
            && around.iter().zip(called).enumerate().all(|(at, (frame, called))| {
                frame.name == called.named.name
                    && (at + 1 == around.len() || frame.source == called.named.source)
            });
        let skipped = if same { around.len() } else { 0 };
        called.get(skipped..).unwrap_or_default()
    }
}

/// `called` without a `main` that a Fortran compiler made or brought, and the program's follows.
fn without_made_main(called: &[Called]) -> &[Called] {
    match called {
        [main, rest @ ..] if &*main.function == MAIN => {
            let brought = rest.first().is_some_and(|next| &*next.function == PROGRAM);
            if brought || is_fortran(&main.location) { rest } else { called }
        }
        _ => called,
    }
}

/// Returns true if a location such as `solve.f90:12` lies in a Fortran source file.
fn is_fortran(location: &str) -> bool {
    let file = location.rsplit_once(':').map_or(location, |(file, _)| file);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = extension.to_ascii_lowercase();
    ["f", "f77", "f90", "f95", "f03", "f08", "for", "ftn"].contains(&extension.as_str())
}

/// Name of the frame that represents missing outer frames, by the flags of the context; `None` if none are missing.
fn missing_frames(flags: u64) -> Option<&'static str> {
    match flags {
        _ if flags & stack::FULL != 0 => Some("(context not kept)"),
        _ if flags & stack::CUT != 0 => Some("(more frames)"),
        _ if flags & stack::BROKEN != 0 => Some("(frames not found)"),
        _ => None,
    }
}
