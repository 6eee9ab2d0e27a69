//! The values and flows that are an event's own, besides what all of its look have in common: written into its packet one after the
//! other.

use super::cursor::Cursor;
use super::details::{DefinedKeys, put_own, put_short};
use super::event::{Annotation, Details, Short};
use super::texts::AnnotationKey;
use super::wire::tag;

/// Maximum numbers of annotations and flows of an event that is encoded in place. Four annotations of at most 34 bytes (a short text is
/// copied in whole) and eight flows of 10 make 216 bytes: there is room for them after a shape.
const USUAL_ANNOTATIONS: usize = 4;
const USUAL_FLOWS: usize = 8;

/// The packet of an event that is like others, after the bytes that they have in common. Annotations come first, then flows, then flows
/// that end here.
#[derive(Debug)]
pub struct OwnFields<'p, 'b> {
    packet: &'p mut Cursor<'b>,
    seen: &'p DefinedKeys,
    annotations: usize,
    flows: usize,
}

impl<'p, 'b> OwnFields<'p, 'b> {
    #[inline(always)]
    pub(super) fn new(packet: &'p mut Cursor<'b>, seen: &'p DefinedKeys) -> OwnFields<'p, 'b> {
        OwnFields { packet, seen, annotations: 0, flows: 0 }
    }

    /// All of an event's details but those that its look has; `false`: there is more than is usual.
    #[inline(always)]
    pub(super) fn details(&mut self, details: &Details<'_>) -> bool {
        details.list.is_none()
            && details.correlation.is_none()
            && details.annotations.iter().all(|note| self.annotation(note))
            && details.flows.iter().all(|flow| self.flow(*flow))
            && details.terminating_flows.iter().all(|flow| self.flow_end(*flow))
    }

    /// A named value; `false`: the reader does not know its texts yet, or there are many.
    #[inline(always)]
    pub fn annotation(&mut self, note: &Annotation<'_>) -> bool {
        self.annotations += 1;
        if self.annotations > USUAL_ANNOTATIONS || !self.seen.knows(note) {
            return false;
        }
        put_own(self.packet, note);
        true
    }

    /// As [`OwnFields::annotation`], for a text that need not be defined.
    #[inline(always)]
    pub fn short(&mut self, name: AnnotationKey, text: &Short) -> bool {
        self.annotations += 1;
        if self.annotations > USUAL_ANNOTATIONS || !self.seen.knows_name(name) {
            return false;
        }
        put_short(self.packet, name, text);
        true
    }

    /// A flow that begins here or passes; `false`: there are many.
    #[inline(always)]
    pub fn flow(&mut self, flow: u64) -> bool {
        self.packet_flow(tag::EVENT_FLOW, flow)
    }

    /// A flow that ends here; `false`: there are many.
    #[inline(always)]
    pub fn flow_end(&mut self, flow: u64) -> bool {
        self.packet_flow(tag::EVENT_TERMINATING_FLOW, flow)
    }

    #[inline(always)]
    fn packet_flow(&mut self, tag: u32, flow: u64) -> bool {
        self.flows += 1;
        if self.flows > USUAL_FLOWS {
            return false;
        }
        self.packet.fixed64(tag, flow);
        true
    }
}
