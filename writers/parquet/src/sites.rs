//! Sites: what time is charged to, by a number that is the same in every run of a program.

use ompttrace_report::journal::Construct;
use ompttrace_report::model::{Class, ConstructReport, Site};

/// A site's number.
pub(crate) type SiteId = i64;

/// FNV-1a over 64 bits, of parts that end with a zero each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) const fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn part(self, bytes: &[u8]) -> Hash {
        let step =
            |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Hash(bytes.iter().chain(&[0]).fold(self.0, step))
    }

    /// Engines on Java have no numbers without sign.
    pub(crate) fn value(self) -> i64 {
        self.0 as i64
    }
}

/// The number of a construct of this kind. Where no line is known the name stands for it.
fn number(kind: &str, location: &Site, name: &str) -> SiteId {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let line = match location.line {
        Some(line) => line.to_string(),
        None => name.to_owned(),
    };
    let parts = [kind, &text(&location.file), &line, &text(&location.function)];
    parts.iter().fold(Hash::new(), |hash, part| hash.part(part.as_bytes())).value()
}

/// The number of what lies outside all constructs.
pub(crate) fn outside() -> SiteId {
    number(Class::Outside.name(), &Site::default(), "")
}

/// The number of a construct that is no serial section.
pub(crate) fn of_construct(construct: &Construct) -> SiteId {
    match construct.class {
        Class::Outside => outside(),
        class => number(class.name(), &construct.location, name_without_line(construct)),
    }
}

/// The number of the serial sections after a region; none: the one that a program begins with.
pub(crate) fn of_serial(region: Option<&Construct>) -> SiteId {
    match region {
        Some(region) => number(Class::Serial.name(), &region.location, name_without_line(region)),
        None => number(Class::Serial.name(), &Site::default(), ""),
    }
}

/// An address is part of a name only if nothing else is known.
fn name_without_line(construct: &Construct) -> &str {
    if construct.location.line.is_some() { "" } else { &construct.name }
}

/// The name of a site in the table of sites.
pub(crate) fn name(construct: &ConstructReport, before: Option<&ConstructReport>) -> String {
    match (construct.class, before) {
        (Class::Serial, Some(region)) => format!("serial section after {}", region.name),
        (Class::Serial, None) => "serial section before the first region".to_owned(),
        _ => construct.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn construct(class: Class, line: Option<u32>, name: &str) -> Construct {
        let (file, function) = (Some("/src/heat.c".into()), Some("solve".into()));
        let location = Site { file, line, function, ..Site::default() };
        Construct { class, region: 0, after: None, name: name.into(), location }
    }

    /// The numbers are in datasets of other days: they must not change.
    #[test]
    fn the_number_of_a_site_never_changes() {
        let region = construct(Class::Region, Some(47), "parallel heat.c:47");
        // FNV-1a of b"region\0/src/heat.c\x0047\0solve\0", as another program has it.
        assert_eq!(of_construct(&region) as u64, 0xd272_3514_4d0e_0244);
        let renamed = construct(Class::Region, Some(47), "parallel");
        assert_eq!(of_construct(&renamed), of_construct(&region));
    }

    #[test]
    fn what_differs_has_another_number() {
        let all = [
            of_construct(&construct(Class::Region, Some(47), "")),
            of_construct(&construct(Class::Work, Some(47), "")),
            of_construct(&construct(Class::Work, Some(48), "")),
            of_construct(&construct(Class::Work, None, "for")),
            of_construct(&construct(Class::Work, None, "single")),
            of_serial(Some(&construct(Class::Region, Some(47), ""))),
            of_serial(None),
            outside(),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
