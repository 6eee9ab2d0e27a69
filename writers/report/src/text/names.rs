//! Names of constructs made to fit a column: functions are shortened, then modules; lines of files and offsets never.

use super::harmless;
use super::page::letters;

/// A part of a name is not made shorter than this.
const LEAST: usize = 10;

/// Letters around a location in a sentence.
const AROUND: [char; 7] = ['(', ')', ',', ' ', '`', '.', ';'];

/// A name in so many columns, if that can be done without cutting into a line (`file.c:12`) or an offset: those
/// a reader has to find in the program. Else it is as long as it must be.
pub(crate) fn fitted(name: &str, width: usize) -> String {
    let name = harmless(name);
    let mut whole = parts(&name);
    if shortened(&mut whole, width) > 0 {
        let mut bare = parts(&name);
        leave_out_functions(&mut bare);
        shortened(&mut bare, width);
        whole = bare;
    }
    let fitted: String = whole.into_iter().map(|part| part.text).collect();
    fitted.trim_end().to_owned()
}

/// Shortens parts of a name as far as `width` demands it; returns the number of letters that are still in excess.
fn shortened(parts: &mut [Part], width: usize) -> usize {
    let all: usize = parts.iter().map(|part| letters(&part.text)).sum();
    let mut excess = all.saturating_sub(width);
    for kind in [Kind::Text, Kind::Module] {
        shorten(parts, kind, &mut excess);
    }
    excess
}

/// Leaves out functions after their location: `a.c:7 (f) to b.c:9 (g)` is `a.c:7 to b.c:9`.
fn leave_out_functions(parts: &mut [Part]) {
    let mut follows_location = false;
    for part in parts {
        if follows_location && part.kind == Kind::Text && part.text.starts_with('(') {
            let end = closing(&part.text, ('(', ')')).unwrap_or(part.text.len());
            part.text = part.text[end..].trim_start().to_owned();
        }
        follows_location = part.kind == Kind::Location;
    }
}

/// Shortens parts of a kind until no letter is in excess, or as far as it goes.
fn shorten(parts: &mut [Part], kind: Kind, excess: &mut usize) {
    let length = |part: &Part| if part.kind == kind { letters(&part.text) } else { 0 };
    // The longest gives way first, down to the next one, so that of two functions both stay readable.
    while *excess > 0 {
        let mut lengths: Vec<usize> = parts.iter().map(length).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let [longest, next @ ..] = lengths.as_slice() else { return };
        let (longest, next) = (*longest, next.first().copied().unwrap_or(0).max(LEAST));
        if longest <= LEAST {
            return;
        }
        let wanted = (longest - 1).min(next).max(longest.saturating_sub(*excess)).max(LEAST);
        let Some(part) = parts.iter_mut().find(|part| length(part) == longest) else { return };
        part.text = cut(&part.text, wanted);
        *excess = excess.saturating_sub(longest - wanted);
    }
}

/// A sentence whose names fit: long template arguments are left out, and words are cut that are longer than a line. Locations
/// are whole here, too.
pub(crate) fn folded(sentence: &str, width: usize) -> String {
    let sentence = without_arguments(sentence);
    let fits = |word: &str| letters(word) <= width || is_location(word.trim_matches(AROUND));
    let words = sentence.split(' ').map(|word| match fits(word) {
        true => word.to_owned(),
        false => cut(word, width),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A text with `<…>` instead of long template arguments.
fn without_arguments(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        short.push_str(before);
        let follows_name = before.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let length = closing(from, ('<', '>')).filter(|_| follows_name).unwrap_or(1);
        let (arguments, behind) = from.split_at(length);
        short.push_str(if letters(arguments) > LEAST { "<…>" } else { arguments });
        rest = behind;
    }
    short + rest
}

/// The bytes from an opening bracket to the one that closes it; the `>` of an arrow closes none.
fn closing(text: &str, (open, close): (char, char)) -> Option<usize> {
    let (mut depth, mut last) = (0, ' ');
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close && last != '-' {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at + 1);
        }
        last = letter;
    }
    None
}

/// A piece of a name.
struct Part {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words around locations, functions among them.
    Text,
    /// The module of an offset.
    Module,
    /// A file with its line, or an offset: never cut.
    Location,
}

fn parts(name: &str) -> Vec<Part> {
    // The indentation of the name shows where it belongs.
    let indent = name.len() - name.trim_start().len();
    let mut parts = vec![Part { text: name[..indent].to_owned(), kind: Kind::Location }];
    for word in name[indent..].split_inclusive(' ') {
        match word.rfind("+0x").filter(|_| is_location(word.trim_matches(AROUND))) {
            Some(offset) => {
                push(&mut parts, &word[..offset], Kind::Module);
                push(&mut parts, &word[offset..], Kind::Location);
            }
            None if is_location(word.trim_matches(AROUND)) => {
                push(&mut parts, word, Kind::Location);
            }
            None => push(&mut parts, word, Kind::Text),
        }
    }
    parts
}

fn push(parts: &mut Vec<Part>, text: &str, kind: Kind) {
    match parts.last_mut() {
        Some(last) if last.kind == kind => last.text.push_str(text),
        _ => parts.push(Part { text: text.to_owned(), kind }),
    }
}

/// `file.c:12`, or `module+0x1234` where lines are not known.
fn is_location(word: &str) -> bool {
    let is_line = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let line = word.rsplit_once(':').is_some_and(|(file, line)| !file.is_empty() && is_line(line));
    let is_offset = |offset: &str| u64::from_str_radix(offset, 16).is_ok();
    line || word.rsplit_once("+0x").is_some_and(|(_, offset)| is_offset(offset))
}

/// A text with its middle left out.
fn cut(text: &str, width: usize) -> String {
    let kept = width.saturating_sub(1);
    let (head, long) = (kept / 2, letters(text));
    let tail = kept - head;
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(long - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_whole_at_any_width() {
        let names = [
            "parallel a_rather_long_file_name_for_a_stencil.cpp:1234 (with_a_function_too)",
            "for dynamic heat.c:7",
            "    std::vector<solver::cell>::for_each(void (*)(int)) mesh.cpp:88",
            "a.c:17 (the_first_of_the_functions) to b.c:4711 (the_second_of_the_functions)",
            "parallel no_lines+0x11a9 (outer_function_without_lines)",
        ];
        for name in names {
            let locations: Vec<_> =
                parts(name).into_iter().filter(|part| part.kind == Kind::Location).collect();
            for width in 0..100 {
                let fitted = fitted(name, width);
                let whole =
                    locations.iter().all(|location| fitted.contains(location.text.trim_end()));
                assert!(whole, "{width}: {fitted}");
                assert!(letters(&fitted) <= letters(name), "{width}: {fitted}");
                let least = letters(&super::fitted(name, 0));
                assert!(letters(&fitted) <= width.max(least), "{width}: {fitted}");
            }
            assert_eq!(fitted(name, 100), name);
        }
    }

    #[test]
    fn modules_give_way_after_functions() {
        let name = "a_module_of_a_long_name+0x11ef (main) to a_module_of_a_long_name+0x11be (main)";
        assert_eq!(
            fitted(name, 70),
            "a_module_…long_name+0x11ef (main) to a_module_…long_name+0x11be (main)"
        );
        let least = "a_mo…_name+0x11ef to a_mo…_name+0x11be";
        assert_eq!(fitted(name, 46), "a_modu…g_name+0x11ef to a_modu…ng_name+0x11be");
        assert_eq!(fitted(name, 0), least);
    }

    #[test]
    fn long_template_arguments_and_words_are_left_out_of_sentences() {
        let kept =
            ["for (int i = 0; i < 10; i++)", "a::operator<", "<unknown>::b", "c<int>::d", "e.c:1"];
        for text in kept {
            assert_eq!(folded(text, 40), text);
        }
        let long = "`parallel` in map<string, vector<double> >::at (a.c:4711): f->g<a::b, c::d>(h)";
        assert_eq!(folded(long, 40), "`parallel` in map<…>::at (a.c:4711): f->g<…>(h)");
        assert_eq!(folded("a_word_of_more (than_it:12).", 9), "a_wo…more (than_it:12).");
    }

    #[test]
    fn both_functions_of_two_locations_stay_readable() {
        let name = "a.c:1 (the_first_of_the_functions) to b.c:2 (the_second_of_the_functions)";
        assert_eq!(fitted(name, 50), "a.c:1 (the_firs…ions) to b.c:2 (the_seco…unctions)");
    }
}
