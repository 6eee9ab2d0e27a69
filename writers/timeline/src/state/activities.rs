//! What is known of devices' activities: the names of kernels, and whether there are any at all.

use crate::hash::FastMap;
use crate::names::Names;
use ompttrace_model::{Definitions, NameRef};
use ompttrace_symbols::demangle;
use std::collections::HashMap;

/// Names of kernels by the numbers that activities have.
#[derive(Debug, Default)]
pub(crate) struct Activities<'a> {
    /// `None`: no device reported activities.
    texts: Option<&'a HashMap<u64, String>>,
    kernels: FastMap<u64, NameRef>,
}

impl<'a> Activities<'a> {
    /// With these names.
    pub(crate) fn named(texts: &'a HashMap<u64, String>) -> Activities<'a> {
        Activities { texts: Some(texts), kernels: FastMap::default() }
    }

    /// The flows of an operation, which lead to activities if some are recorded.
    pub(crate) fn flows<'f>(&self, flows: &'f [u64]) -> &'f [u64] {
        if self.texts.is_some() { flows } else { &[] }
    }

    /// The name of the kernel with this number, for people.
    pub(crate) fn kernel(
        &mut self,
        names: &mut Names<'_>,
        definitions: &mut Definitions,
        number: u64,
    ) -> NameRef {
        if let Some(name) = self.kernels.get(&number) {
            return *name;
        }
        let text = self.texts.and_then(|texts| texts.get(&number));
        let text = text.map_or("kernel".into(), |text| demangle(text));
        let name = names.text(definitions, &text, || "kernel".to_owned());
        self.kernels.insert(number, name);
        name
    }
}
