//! Calling contexts: functions and constructs as regions, with the lines from which they call on.

use ompttrace_model::{ArgKey, ContextFrame, ContextRef, FrameKind, SliceKind};
use otf2_sys::OTF2_TYPE_CALLING_CONTEXT;

use super::DefinitionTables;
use super::kinds::Shape;
use crate::archive::CallingContext;
use crate::ids::{AttributeId, StringId};
use crate::op::{Attribute, Value};

/// Contexts, numbered from 0.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    count: usize,
    line_count: u32,
    /// Contexts that were not handed over yet; below, files and numbers of their lines.
    new: Vec<CallingContext>,
    lines: Vec<(StringId, u32)>,
    /// The attribute by which an event names a context.
    attribute: Option<AttributeId>,
}

impl Contexts {
    /// Number of contexts.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Lines and contexts that are new.
    pub(super) fn take_new(&mut self) -> (Vec<(StringId, u32)>, Vec<CallingContext>) {
        (std::mem::take(&mut self.lines), std::mem::take(&mut self.new))
    }
}

impl DefinitionTables {
    /// Defines a context; they come in the order of their numbers.
    pub(super) fn set_context(&mut self, frame: &ContextFrame) {
        let (shape, source) = match frame.kind {
            FrameKind::Region => (Shape::Slice(SliceKind::Region { league: false }), frame.source),
            FrameKind::Task => (Shape::Slice(SliceKind::Task), frame.source),
            // One region for a function, wherever in it the next one is called.
            FrameKind::Function | FrameKind::Unknown | FrameKind::State => (Shape::Function, 0),
        };
        let region = self.region(shape, frame.name, source);
        let source = self.sources.get(frame.source as usize).filter(|source| source.line > 0);
        let source = source.map(|source| (source.file, source.line));
        let contexts = &mut self.contexts;
        let line = source.map(|source| {
            contexts.lines.push(source);
            contexts.line_count += 1;
            contexts.line_count - 1
        });
        let caller = frame.caller.checked_sub(1);
        contexts.count += 1;
        contexts.new.push(CallingContext { region, line, caller });
    }

    /// A context as an attribute.
    #[cold]
    pub(crate) fn context(&mut self, context: ContextRef) -> Option<Attribute> {
        let number = context.checked_sub(1)?;
        let DefinitionTables { contexts, strings, attributes, .. } = self;
        let key = *contexts.attribute.get_or_insert_with(|| {
            let name = strings.number(ArgKey::Context.name());
            attributes.define(name, OTF2_TYPE_CALLING_CONTEXT)
        });
        Some(Attribute { key, value: Value::Context(number) })
    }
}
