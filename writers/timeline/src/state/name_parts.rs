//! Names of communicators and files, put together from the records that have their parts.

use crate::hash::FastMap;
use ompttrace_recording::events::MpiName;

/// The name that each thread gives, as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct NameParts(FastMap<u32, Vec<u8>>);

impl NameParts {
    /// Takes the next part; returns the name when it is whole.
    pub(crate) fn add(&mut self, t: u32, event: &MpiName) -> Option<String> {
        let text = self.0.entry(t).or_default();
        if event.at == 0 {
            text.clear();
        }
        if event.at != text.len() as u64 || event.bytes > MpiName::LONGEST {
            return None;
        }
        text.extend(event.text());
        (text.len() as u64 == event.bytes).then(|| String::from_utf8_lossy(text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, at: usize) -> MpiName {
        let end = name.len().min(at + MpiName::TEXT_BYTES);
        MpiName::part(7, &name.as_bytes()[at..end], at as u64, name.len() as u64)
    }

    #[test]
    fn a_name_is_whole_when_all_of_its_parts_are_there() {
        let (mut parts, name) = (NameParts::default(), "a name that is longer than a record");
        assert_eq!(parts.add(0, &part(name, 0)), None);
        // Another thread gives one meanwhile.
        assert_eq!(parts.add(1, &part("short", 0)).as_deref(), Some("short"));
        assert_eq!(parts.add(0, &part(name, 24)).as_deref(), Some(name));
        // The first part was lost: two others of a longer name do not make up for it.
        let longer = "a name that has as many bytes as two records have";
        let last = part(&longer[..48], 24);
        assert_eq!([parts.add(2, &last), parts.add(2, &last)], [None, None]);
    }
}
