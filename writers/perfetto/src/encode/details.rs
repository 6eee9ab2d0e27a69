//! What few events have: annotations, flows, places in the source.

use super::bits::Bits;
use super::event::{Annotation, Details, Value};
use super::head::Head;
use super::packets::Packets;
use super::texts::{SourceKey, Texts};
use super::wire::{close_length, put_bytes, put_field, put_fixed64, put_varint, tag};

/// Room for the usual details: four annotations of at most 34 bytes (a short text is copied in
/// whole), eight flows of 10 and a correlation of 12 make 228.
pub(super) type Tail = Head<256>;
const USUAL_ANNOTATIONS: usize = 4;
const USUAL_FLOWS: usize = 8;

/// The keys of details that a sequence has defined.
#[derive(Debug, Default)]
pub(super) struct Seen {
    annotations: Bits,
    strings: Bits,
    sources: Bits,
}

impl Seen {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.annotations.clear();
        self.strings.clear();
        self.sources.clear();
    }

    /// Defines a place that is new to the sequence.
    #[inline]
    pub(super) fn define_source<W, T: Texts>(&mut self, out: &mut Packets<W, T>, key: SourceKey) {
        if self.sources.insert(key.0) {
            out.define_source(key);
        }
    }

    /// Appends details to the event at the end of the buffer; all but the place, which belongs to
    /// what many events have in common.
    #[inline]
    pub(super) fn put<W, T: Texts>(&mut self, out: &mut Packets<W, T>, details: &Details<'_>) {
        if is_usual(details) {
            self.put_usual(out, details);
        } else {
            self.put_any(out, details);
        }
    }

    /// The details of nearly all events that have any.
    #[inline]
    fn put_usual<W, T: Texts>(&mut self, out: &mut Packets<W, T>, details: &Details<'_>) {
        for note in details.annotations {
            self.define(out, note);
        }
        let tail = &mut out.tail;
        tail.clear();
        for note in details.annotations {
            if let Value::Interned(key) = note.value
                && note.name.iid() < 0x80
                && key.iid() < 0x80
            {
                tail.wide(&interned(note.name.iid() as u8, key.iid() as u8), 7);
                continue;
            }
            let mark = tail.open(tag::EVENT_ANNOTATION);
            tail.field(tag::ANNOTATION_NAME, note.name.iid());
            put_short(tail, note.value);
            tail.close(mark);
        }
        for &flow in details.flows {
            tail.fixed64(tag::EVENT_FLOW, flow);
        }
        for &flow in details.terminating_flows {
            tail.fixed64(tag::EVENT_TERMINATING_FLOW, flow);
        }
        if let Some(correlation) = details.correlation {
            tail.field(tag::EVENT_CORRELATION, correlation);
        }
        tail.append_to(&mut out.buffer);
    }

    /// Any details, however many and long.
    fn put_any<W, T: Texts>(&mut self, out: &mut Packets<W, T>, details: &Details<'_>) {
        for annotation in details.annotations {
            self.put_annotation(out, annotation);
        }
        for &flow in details.flows {
            put_fixed64(&mut out.buffer, tag::EVENT_FLOW, flow);
        }
        for &flow in details.terminating_flows {
            put_fixed64(&mut out.buffer, tag::EVENT_TERMINATING_FLOW, flow);
        }
        if let Some(correlation) = details.correlation {
            put_field(&mut out.buffer, tag::EVENT_CORRELATION, correlation);
        }
    }

    /// Defines the texts of an annotation that are new to the sequence.
    #[inline]
    fn define<W, T: Texts>(&mut self, out: &mut Packets<W, T>, note: &Annotation<'_>) {
        if self.annotations.insert(note.name.0) {
            out.define_annotation(note.name);
        }
        if let Value::Interned(key) = note.value
            && self.strings.insert(key.0)
        {
            out.define_string(key);
        }
    }

    fn put_annotation<W, T: Texts>(&mut self, out: &mut Packets<W, T>, note: &Annotation<'_>) {
        self.define(out, note);
        put_varint(&mut out.buffer, u64::from(tag::EVENT_ANNOTATION));
        let mark = out.buffer.len();
        out.buffer.push(0);
        put_field(&mut out.buffer, tag::ANNOTATION_NAME, note.name.iid());
        put_value(&mut out.buffer, note.value);
        close_length(&mut out.buffer, mark);
    }
}

/// A whole annotation whose name and text have small numbers.
#[inline(always)]
fn interned(name: u8, text: u8) -> [u8; 7] {
    const TEXT: [u8; 2] =
        [tag::ANNOTATION_INTERNED as u8 | 0x80, (tag::ANNOTATION_INTERNED >> 7) as u8];
    [tag::EVENT_ANNOTATION as u8, 5, tag::ANNOTATION_NAME as u8, name, TEXT[0], TEXT[1], text]
}

/// Whether details fit into a [`Tail`], however large their numbers are.
#[inline(always)]
fn is_usual(details: &Details<'_>) -> bool {
    let is_long = |note: &Annotation<'_>| matches!(note.value, Value::Text(_));
    details.annotations.len() <= USUAL_ANNOTATIONS
        && details.flows.len() + details.terminating_flows.len() <= USUAL_FLOWS
        && !details.annotations.iter().any(is_long)
}

/// A value that has a greatest size.
#[inline(always)]
fn put_short(out: &mut Tail, value: Value<'_>) {
    match value {
        Value::Bool(value) => out.field(tag::ANNOTATION_BOOL, u64::from(value)),
        Value::Uint(value) => out.field(tag::ANNOTATION_UINT, value),
        Value::Int(value) => out.field(tag::ANNOTATION_INT, value as u64),
        Value::Double(value) => out.fixed64(tag::ANNOTATION_DOUBLE, value.to_bits()),
        Value::Pointer(value) => out.field(tag::ANNOTATION_POINTER, value),
        Value::Interned(key) => out.field(tag::ANNOTATION_INTERNED, key.iid()),
        Value::Short(text) => {
            let (bytes, length) = text.parts();
            out.field(tag::ANNOTATION_STRING, length as u64);
            out.wide(bytes, length);
        }
        // Never here: `is_usual` sent it the other way.
        Value::Text(_) => {}
    }
}

fn put_value(out: &mut Vec<u8>, value: Value<'_>) {
    match value {
        Value::Bool(value) => put_field(out, tag::ANNOTATION_BOOL, u64::from(value)),
        Value::Uint(value) => put_field(out, tag::ANNOTATION_UINT, value),
        Value::Int(value) => put_field(out, tag::ANNOTATION_INT, value as u64),
        Value::Double(value) => put_fixed64(out, tag::ANNOTATION_DOUBLE, value.to_bits()),
        Value::Pointer(value) => put_field(out, tag::ANNOTATION_POINTER, value),
        Value::Text(text) => put_bytes(out, tag::ANNOTATION_STRING, text.as_bytes()),
        Value::Short(text) => put_bytes(out, tag::ANNOTATION_STRING, text.as_bytes()),
        Value::Interned(key) => put_field(out, tag::ANNOTATION_INTERNED, key.iid()),
    }
}
