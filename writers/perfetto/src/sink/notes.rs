//! Details of a slice or an instant besides its name: annotations and flows, in buffers that are used again and again
//! so that no event allocates.

use ompttrace_model::{
    Arg, ArgKey, ArgValue, ContextRef, Instant, InstantKind, Item, Mark, Slice, SliceKind,
    SourceRef,
};
use ompttrace_recording::Id;

use super::looks;
use super::numbers::Numbers;
use super::texts::{Note, TraceTexts, Word, arg_key};
use crate::encode::{
    Annotation, AnnotationKey, Details, Entry, List, Short, SourceKey, StringKey, Value,
};

/// The details of the event under way.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Annotations that all events of the same look have.
    common: Vec<Annotation<'static>>,
    annotations: Vec<Annotation<'static>>,
    list: Option<AnnotationKey>,
    entries: Vec<Entry>,
    flows: Vec<u64>,
    flow_ends: Vec<u64>,
    source: Option<SourceKey>,
    /// The place of the partners in `common`, and their number: before what a mutex says.
    alone: usize,
    partners: usize,
}

impl Notes {
    /// Takes what a slice says.
    #[inline(always)]
    pub(super) fn take_slice(
        &mut self,
        texts: &mut TraceTexts,
        numbers: Numbers,
        slice: &Slice<'_>,
    ) {
        self.begin(texts, slice.source);
        if !(slice.flows.is_empty() && slice.flow_ends.is_empty()) {
            self.take_flows(numbers, slice.flows, slice.flow_ends);
        }
        let has_args = looks::has_args(slice);
        if !has_args {
            take_args(&mut self.annotations, texts, slice.args);
        }
        if slice.mark != Mark::Observed {
            self.add_mark(arg_key(ArgKey::Mark), slice.mark);
        }
        if slice.resumed {
            self.add_string(arg_key(ArgKey::Segment), Word::Resumed.key());
        }
        // No correlation id on a task's segments: the viewer would colour by it, every task another
        // colour, and constructs could not be distinguished. Flow and id link the segments.
        if matches!(slice.kind, SliceKind::Region { .. } | SliceKind::Target(_)) {
            self.add_location(texts, slice.source);
        }
        if slice.context != 0 {
            self.add_context(texts, slice.context);
        }
        (self.alone, self.partners) = (self.common.len(), 0);
        if has_args {
            take_args(&mut self.common, texts, slice.args);
        }
    }

    #[cold]
    fn add_context(&mut self, texts: &mut TraceTexts, context: ContextRef) {
        if let Some(text) = texts.context(context) {
            let name = arg_key(ArgKey::Context);
            self.annotations.push(Annotation { name, value: Value::Interned(text) });
        }
    }

    /// Takes what an instant says.
    #[inline(always)]
    pub(super) fn take_instant(
        &mut self,
        texts: &mut TraceTexts,
        numbers: Numbers,
        instant: &Instant<'_>,
    ) {
        self.begin(texts, instant.source);
        self.take_flows(numbers, instant.flows, instant.flow_ends);
        take_args(&mut self.annotations, texts, instant.args);
        if let Some(first) = instant.items.first() {
            self.take_items(texts, arg_key(first.key()), instant.items);
        }
        self.add_mark(arg_key(ArgKey::Mark), instant.mark);
        // As many as tasks, and the location is in their name.
        if instant.kind != InstantKind::TaskCreate {
            self.add_location(texts, instant.source);
        }
    }

    /// Takes what is to be written of a slice's end.
    pub(super) fn take_end(&mut self, mark: Mark) {
        self.clear();
        self.add_mark(Note::End.key(), mark);
    }

    /// All details of the event.
    #[inline(always)]
    pub(super) fn details(&self) -> Details<'_> {
        Details { flows: &self.flows, terminating_flows: &self.flow_ends, ..self.without_flows() }
    }

    /// All details but the flows, for a track that shows the same event once more.
    #[inline(always)]
    pub(super) fn without_flows(&self) -> Details<'_> {
        let (common, annotations) = (&self.common[..], &self.annotations[..]);
        let list = self.list.map(|name| List { name, entries: &self.entries });
        Details { common, annotations, list, source: self.source, ..Details::default() }
    }

    /// Says which logical thread or thread this one corresponds to; the last partner named is forgotten.
    #[inline(always)]
    pub(super) fn set_partner(&mut self, partner: Option<(Note, StringKey)>) {
        self.common.drain(self.alone..self.alone + std::mem::take(&mut self.partners));
        if let Some((note, text)) = partner {
            self.add(note, text);
        }
    }

    /// Adds an annotation whose text comes again and again.
    #[inline(always)]
    pub(super) fn add(&mut self, note: Note, text: StringKey) {
        let note = Annotation { name: note.key(), value: Value::Interned(text) };
        self.common.insert(self.alone + self.partners, note);
        self.partners += 1;
    }

    /// Forgets the last event and keeps the room it took.
    #[inline(always)]
    fn clear(&mut self) {
        self.common.clear();
        self.annotations.clear();
        self.list = None;
        self.flows.clear();
        self.flow_ends.clear();
        self.source = None;
    }

    #[inline(always)]
    fn begin(&mut self, texts: &TraceTexts, source: SourceRef) {
        self.clear();
        self.source = texts.source_key(source);
    }

    #[inline(always)]
    fn take_flows(&mut self, numbers: Numbers, flows: &[u64], flow_ends: &[u64]) {
        for &flow in flows {
            self.flows.push(numbers.flow(flow));
        }
        for &flow in flow_ends {
            self.flow_ends.push(numbers.flow(flow));
        }
    }

    #[cold]
    fn take_items(&mut self, texts: &TraceTexts, name: AnnotationKey, items: &[Item]) {
        self.list = Some(name);
        self.entries.clear();
        self.entries.extend(items.iter().map(|item| match item {
            Item::Iteration(number) => Entry::Int(*number),
            item => Entry::Text(item.text(|name| texts.timelines(name))),
        }));
    }

    #[inline(always)]
    fn add_mark(&mut self, name: AnnotationKey, mark: Mark) {
        match mark {
            Mark::Observed => {}
            Mark::Inferred => self.add_string(name, Word::Inferred.key()),
            Mark::Cut => self.add_string(name, Word::Cut.key()),
        }
    }

    #[inline(always)]
    fn add_string(&mut self, name: AnnotationKey, text: StringKey) {
        self.common.push(Annotation { name, value: Value::Interned(text) });
    }

    fn add_location(&mut self, texts: &mut TraceTexts, location: SourceRef) {
        if let Some(text) = texts.location(location) {
            self.add_string(arg_key(ArgKey::Location), text);
        }
    }
}

fn take_args(to: &mut Vec<Annotation<'static>>, texts: &mut TraceTexts, args: &[Arg]) {
    for arg in args {
        to.push(Annotation { name: arg_key(arg.key), value: value(texts, arg.value) });
    }
}

/// The text of an id, the same as its `Display`; put together by hand because every task has it.
#[inline(always)]
pub(super) fn id_text(id: Id) -> Short {
    if id.is_none() {
        return Short::of(id);
    }
    let mut text = Short::default();
    if id.is_implicit() {
        text.push("i");
    }
    text.push_number(id.thread() as u32);
    text.push(".");
    text.push_number(id.counter());
    text
}

/// A value as the viewer shows it best.
#[inline(always)]
pub(super) fn value(texts: &mut TraceTexts, value: ArgValue) -> Value<'static> {
    match value {
        // The viewer's numbers end at 2^63.
        ArgValue::Number(number) if number > i64::MAX as u64 => Value::Pointer(number),
        ArgValue::Number(number) => Value::Uint(number),
        ArgValue::Signed(number) => Value::Int(number),
        ArgValue::Address(address) => Value::Pointer(address),
        ArgValue::Id(id) => Value::Short(id_text(id)),
        ArgValue::Text(name) => Value::Interned(texts.name_string(name)),
        ArgValue::Word(word) => Value::Interned(texts.word(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_show_themselves() {
        let part = Id::thread_part((1 << 18) - 1);
        let region = Id::region(Id::thread_part(3), 9, 77);
        let ids = [
            Id::NONE,
            region,
            Id::fresh_task(part, u32::MAX, 4095),
            Id::implicit_task(part, u32::MAX, region),
            Id::region(Id::thread_part(0), 0, 0).started(),
            Id::region(Id::thread_part(10), 99_999_999, 1),
            Id::region(Id::thread_part(1), 100_000_000, 1),
        ];
        for id in ids {
            assert_eq!(id_text(id), Short::of(id), "{id}");
        }
    }
}
