//! References to definitions in otf2-print's text: `Region: "heat" <7>`, or a bare number.

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// Text without a reference.
    Plain(&'t str),
    /// A reference to a definition of one of these kinds, with its name in the listing: empty for a bare number.
    Reference { kinds: &'static [&'static str], id: u64, name: &'t str },
}

/// Keys whose references are no strings, by the kind of the line where it matters.
const KEYS: [(&str, &str, &[&str]); 21] = [
    ("", "Region", &["REGION"]),
    ("", "Thread Team", &["COMM"]),
    ("", "Creating Thread", &["LOCATION"]),
    ("", "Parameter", &["PARAMETER"]),
    ("", "Paradigm", &["PARADIGM"]),
    ("", "Model", &["PARADIGM"]),
    ("", "Location", &["LOCATION"]),
    ("", "Location Group", &["LOCATION_GROUP"]),
    ("", "Scope: LOCATION_GROUP", &["LOCATION_GROUP"]),
    ("", "Scope: LOCATION", &["LOCATION"]),
    ("", "System Tree Node", &["SYSTEM_TREE_NODE"]),
    ("", "Recorder", &["LOCATION"]),
    ("LOCATION", "Group", &["LOCATION_GROUP"]),
    ("LOCATION_GROUP", "Parent", &["SYSTEM_TREE_NODE"]),
    ("SYSTEM_TREE_NODE", "Parent", &["SYSTEM_TREE_NODE"]),
    ("COMM", "Group", &["GROUP"]),
    ("COMM", "Parent", &["COMM"]),
    ("CALLING_CONTEXT", "Parent", &["CALLING_CONTEXT"]),
    ("GROUP", "Member", &["LOCATION"]),
    ("METRIC_CLASS", "Member", &["METRIC_MEMBER"]),
    ("METRIC", "Value", &["METRIC_MEMBER"]),
];

/// Keys whose references are bare numbers, by the kind of the line.
const BARE: [(&str, &str, &[&str]); 4] = [
    ("METRIC_INSTANCE", "Class: ", &["METRIC_CLASS"]),
    ("METRIC", "Metric: ", &["METRIC_CLASS", "METRIC_INSTANCE"]),
    ("THREAD_ACQUIRE_LOCK", "Lock: ", &["lock"]),
    ("THREAD_RELEASE_LOCK", "Lock: ", &["lock"]),
];

/// An event's further line: attribute, type and value of each in brackets.
const ADDITIONAL: &str = "ADDITIONAL ATTRIBUTES:";
/// Values of these types are references.
const TYPES: [(&str, &[&str]); 3] = [
    ("; CALLING_CONTEXT; ", &["CALLING_CONTEXT"]),
    ("; REGION; ", &["REGION"]),
    ("; LOCATION; ", &["LOCATION"]),
];
const STRING: &[&str] = &["STRING"];
const ATTRIBUTE: &[&str] = &["ATTRIBUTE"];

/// Splits the text of a line of this kind.
pub(super) fn parts<'t>(line: &str, text: &'t str) -> Vec<Part<'t>> {
    let (mut parts, mut rest) = (Vec::new(), text);
    let (mut kinds, mut is_additional) = (STRING, false);
    while let Some((plain, name, id, after)) = next_name(rest) {
        is_additional |= plain.contains(ADDITIONAL);
        kinds = kinds_of(line, plain, is_additional).unwrap_or(kinds);
        bare(line, plain, &mut parts);
        parts.push(Part::Reference { kinds, id, name });
        rest = after;
    }
    bare(line, rest, &mut parts);
    parts
}

/// The next `"name" <id>`, with what is before and after it.
fn next_name(text: &str) -> Option<(&str, &str, u64, &str)> {
    let open = text.find('"')?;
    let mut from = open + 1;
    loop {
        let close = from + text[from..].find("\" <")?;
        let (number, after) = text[close + 3..].split_once('>')?;
        if let Ok(id) = number.parse() {
            return Some((&text[..open], &text[open..=close], id, after));
        }
        from = close + 1;
    }
}

/// Kinds of definition that a reference may be to, by the words before it; None if the words only continue a list.
fn kinds_of(line: &str, plain: &str, is_additional: bool) -> Option<&'static [&'static str]> {
    if let Some((_, kinds)) = TYPES.iter().find(|(words, _)| plain.ends_with(words)) {
        return Some(kinds);
    }
    if is_additional {
        return Some(if plain.ends_with("; STRING; ") { STRING } else { ATTRIBUTE });
    }
    let words =
        plain.trim_end_matches([' ', '(']).trim_end_matches(|last: char| last.is_ascii_digit());
    let words = words.trim_end().trim_start_matches([')', ' ']);
    if words.trim_matches(',').is_empty() {
        return None;
    }
    let key = words.rsplit(", ").next().unwrap_or(words).trim_end_matches(':');
    // `2 Members`, `1 Value`.
    let key = key.trim_start_matches(|first: char| first.is_ascii_digit()).trim_start();
    let key = if key == "Members" || key == "Values" { &key[..key.len() - 1] } else { key };
    let found = KEYS.iter().find(|(of, known, _)| *known == key && (of.is_empty() || *of == line));
    Some(found.map_or(STRING, |(_, _, kinds)| kinds))
}

/// Adds text without names to the parts, with the bare number in it as a reference.
fn bare<'t>(line: &str, plain: &'t str, parts: &mut Vec<Part<'t>>) {
    let known = BARE.iter().find_map(|(of, key, kinds)| {
        let at = (*of == line).then(|| plain.find(key)).flatten()? + key.len();
        let digits = plain[at..].find(|one: char| !one.is_ascii_digit());
        let end = digits.map_or(plain.len(), |digits| at + digits);
        Some((at, end, plain[at..end].parse().ok()?, *kinds))
    });
    let Some((at, end, id, kinds)) = known else {
        return parts.push(Part::Plain(plain));
    };
    parts.push(Part::Plain(&plain[..at]));
    parts.push(Part::Reference { kinds, id, name: "" });
    parts.push(Part::Plain(&plain[end..]));
}
