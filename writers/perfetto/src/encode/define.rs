//! Definitions: the text of a key, for the packet that first uses it.
//!
//! They are rare, so they are built as messages and encoded by prost when the
//! packet is closed.

use ompttrace_perfetto_protos::{
    DebugAnnotationName, EventCategory, EventName, InternedString, SourceLocation,
};

use super::packets::Packets;
use super::texts::{AnnotationKey, CategoryKey, NameKey, SourceKey, StringKey, Texts};

impl<W, T: Texts> Packets<W, T> {
    #[cold]
    pub(super) fn define_name(&mut self, key: NameKey) {
        let name = self.texts.name(key).to_owned();
        self.fresh.event_names.push(EventName { iid: Some(key.iid()), name: Some(name) });
        self.has_fresh = true;
    }

    #[cold]
    pub(super) fn define_category(&mut self, key: CategoryKey) {
        let name = self.texts.category(key).to_owned();
        let category = EventCategory { iid: Some(key.iid()), name: Some(name) };
        self.fresh.event_categories.push(category);
        self.has_fresh = true;
    }

    #[cold]
    pub(super) fn define_annotation(&mut self, key: AnnotationKey) {
        let name = self.texts.annotation(key).to_owned();
        let name = DebugAnnotationName { iid: Some(key.iid()), name: Some(name) };
        self.fresh.debug_annotation_names.push(name);
        self.has_fresh = true;
    }

    #[cold]
    pub(super) fn define_string(&mut self, key: StringKey) {
        let text = self.texts.string(key).as_bytes().to_owned();
        let text = InternedString { iid: Some(key.iid()), str: Some(text) };
        self.fresh.debug_annotation_string_values.push(text);
        self.has_fresh = true;
    }

    #[cold]
    pub(super) fn define_source(&mut self, key: SourceKey) {
        let source = self.texts.source(key);
        let location = SourceLocation {
            iid: Some(key.iid()),
            file_name: Some(source.file.clone()),
            function_name: source.function.clone(),
            line_number: source.line,
        };
        self.fresh.source_locations.push(location);
        self.has_fresh = true;
    }
}
