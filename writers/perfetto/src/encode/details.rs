//! What few events have: annotations, flows, places in the source.

use super::bits::Bits;
use super::event::{Annotation, Details, Value};
use super::packets::Packets;
use super::texts::Texts;
use super::wire::{close_length, put_bytes, put_field, put_fixed64, put_varint, tag};

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

    /// Appends details to the event at the end of the buffer.
    pub(super) fn put<W, T: Texts>(&mut self, out: &mut Packets<W, T>, details: &Details<'_>) {
        for annotation in details.annotations {
            self.put_annotation(out, annotation);
        }
        if let Some(source) = details.source {
            if self.sources.insert(source.0) {
                out.define_source(source);
            }
            put_field(&mut out.buffer, tag::EVENT_SOURCE, source.iid());
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

    fn put_annotation<W, T: Texts>(&mut self, out: &mut Packets<W, T>, note: &Annotation<'_>) {
        if self.annotations.insert(note.name.0) {
            out.define_annotation(note.name);
        }
        if let Value::Interned(key) = note.value
            && self.strings.insert(key.0)
        {
            out.define_string(key);
        }
        put_varint(&mut out.buffer, u64::from(tag::EVENT_ANNOTATION));
        let mark = out.buffer.len();
        out.buffer.push(0);
        put_field(&mut out.buffer, tag::ANNOTATION_NAME, note.name.iid());
        put_value(&mut out.buffer, note.value);
        close_length(&mut out.buffer, mark);
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
