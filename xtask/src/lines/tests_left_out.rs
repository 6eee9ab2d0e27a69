//! Sources without tests: files below folders `tests` and `examples`, items that are compiled for tests only, and the files of modules
//! that are declared so.

use super::code;
use super::sources::File;
use std::collections::BTreeMap;

/// The code of all sources that are no tests and were written by hand, by name.
pub fn code(files: &[File]) -> BTreeMap<String, String> {
    let mut codes = BTreeMap::new();
    let mut left_out = Vec::new();
    for file in files.iter().filter(|file| is_source(file)) {
        let (code, modules) = without_tests(&file.text);
        left_out.extend(modules.iter().map(|module| below(&file.name).to_owned() + module));
        codes.insert(file.name.clone(), code);
    }
    let is_test = |name: &String| {
        left_out.iter().any(|module| {
            let rest = name.strip_prefix(module.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    codes.retain(|name, _| !is_test(name));
    codes
}

fn is_source(file: &File) -> bool {
    let is_generated = file.text.lines().take(3).any(|line| line.contains("enerated by"));
    let is_test = file.name.split('/').any(|folder| matches!(folder, "tests" | "examples"));
    file.name.ends_with(".rs") && !is_test && !is_generated
}

/// Folder of the files of a source file's modules, with a slash at its end.
fn below(name: &str) -> String {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    match file {
        "mod.rs" | "lib.rs" | "main.rs" => format!("{folder}/"),
        _ => format!("{}/", name.trim_end_matches(".rs")),
    }
}

/// The code without items for tests, and the names of modules among these that have files of their own.
fn without_tests(text: &str) -> (String, Vec<String>) {
    let text_of: Vec<char> = text.chars().collect();
    let mut code = code::only(text);
    let mut modules = Vec::new();
    let mut at = 0;
    while let Some(begin) = next_attribute(&code, at) {
        let attribute_end = attribute_end(&code, begin);
        at = attribute_end;
        if is_for_tests(&text_of[begin..attribute_end]) {
            let end = item_end(&code, attribute_end);
            let item: String = code[attribute_end..end].iter().collect();
            modules.extend(module_in_a_file(&item));
            code[begin..end]
                .iter_mut()
                .filter(|one| !one.is_whitespace())
                .for_each(|one| *one = ' ');
            at = end;
        }
    }
    (code.into_iter().collect(), modules)
}

fn next_attribute(code: &[char], from: usize) -> Option<usize> {
    let found = code[from..].windows(2).position(|two| two == ['#', '[']);
    found.map(|length| from + length)
}

fn attribute_end(code: &[char], from: usize) -> usize {
    let end = code[from..].iter().position(|one| *one == ']');
    end.map_or(code.len(), |length| from + length + 1)
}

/// `#[cfg(test)]` and what asks for more, and the helpers that crates have for the tests of others.
fn is_for_tests(attribute: &[char]) -> bool {
    let text: String = attribute.iter().filter(|one| !one.is_whitespace()).collect();
    let Some(condition) = text.strip_prefix("#[cfg(") else { return false };
    let words: Vec<&str> = condition.split(|one: char| !one.is_alphanumeric()).collect();
    !words.contains(&"not") && (words.contains(&"test") || words.contains(&"testing"))
}

/// The end of the item behind an attribute: a semicolon, or the brace that closes it without one behind it.
fn item_end(code: &[char], from: usize) -> usize {
    let mut depth = 0;
    for (at, one) in code.iter().enumerate().skip(from) {
        match one {
            '{' | '(' | '[' => depth += 1,
            '}' if depth == 1 => {
                let behind = code[at + 1..].iter().take_while(|one| one.is_whitespace()).count();
                let has_more = code.get(at + 1 + behind) == Some(&';');
                return if has_more { at + behind + 2 } else { at + 1 };
            }
            '}' | ')' | ']' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// `mod name;`
fn module_in_a_file(item: &str) -> Option<String> {
    let words: Vec<&str> = item.trim_end_matches(';').split_whitespace().collect();
    let [.., "mod", name] = words[..] else { return None };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.into(), text: text.into() }
    }

    #[test]
    fn items_for_tests_are_left_out() {
        let text = "fn a() {}\n#[cfg(test)]\n#[allow(b)]\nmod tests {\n    fn c() { d(\"}\") }\n}\nfn e() {}\n";
        let (code, modules) = without_tests(text);
        assert_eq!(code.split_whitespace().collect::<String>(), "fna(){}fne(){}");
        assert!(modules.is_empty());
        let (code, _) =
            without_tests("#[cfg(test)]\nuse a::{b, c};\n#[cfg(not(test))]\nfn d() {}\n");
        assert_eq!(code::lines(&code), 2);
    }

    #[test]
    fn files_of_test_modules_are_left_out() {
        let declares = "#[cfg(test)]\npub(crate) mod helper;\nmod kept;\n";
        let names = |files: &[File]| code(files).into_keys().collect::<Vec<_>>();
        let files = ["a/src/helper.rs", "a/src/helper/more.rs", "a/src/kept.rs"]
            .map(|name| file(name, "fn a() {}\n"));
        let [one, two, three] = files;
        let all = [file("a/src/lib.rs", declares), one, two, three];
        assert_eq!(names(&all), ["a/src/kept.rs", "a/src/lib.rs"]);
        let below_it = [
            file("a/src/b.rs", declares),
            file("a/src/b/helper.rs", ""),
            file("a/src/helper.rs", ""),
        ];
        assert_eq!(names(&below_it), ["a/src/b.rs", "a/src/helper.rs"]);
    }

    #[test]
    fn tests_and_generated_files_are_no_sources() {
        assert!(is_source(&file("a/src/b.rs", "//! Purpose.\n")));
        assert!(!is_source(&file("a/tests/b.rs", "")));
        assert!(!is_source(&file("a/examples/b.rs", "")));
        assert!(!is_source(&file("a/src/b.rs", "// Generated by `cargo xtask bindings`\n")));
    }
}
