//! Documentation comments are noun phrases or full sentences: they do not begin with a question word, which leaves out what the item is.

/// First words that begin no sentence with a subject.
const NEVER: [&str; 7] = ["What", "Whether", "How", "Who", "Which", "The same", "Same"];
/// First words that need a main clause, which follows a comma.
const WITH_MAIN_CLAUSE: [&str; 2] = ["Where", "When"];

/// Files whose comments are texts of `--help`, which are clauses.
const HELP: &str = "cli/src/arguments";

/// Complaints about one Rust source file.
pub fn check(name: &str, text: &str) -> Vec<String> {
    if name.starts_with(HELP) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let begins = (0..lines.len()).filter(|at| {
        let before = at.checked_sub(1).and_then(|before| comment(lines[before]));
        comment(lines[*at]).is_some() && before.is_none_or(str::is_empty)
    });
    let complaints = begins.filter_map(|at| {
        let sentence: String = first_sentence(&lines[at..]);
        let word = bad_begin(&sentence)?;
        Some(format!("{name}:{}: a documentation comment begins with `{word}`: {sentence}", at + 1))
    });
    complaints.collect()
}

/// The text of a line of documentation.
fn comment(line: &str) -> Option<&str> {
    let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))?;
    Some(text.trim())
}

fn first_sentence(lines: &[&str]) -> String {
    let text: Vec<&str> =
        lines.iter().map_while(|line| comment(line)).take_while(|line| !line.is_empty()).collect();
    let text = text.join(" ");
    text.split_inclusive(". ").next().unwrap_or_default().trim_end().to_owned()
}

/// The word with which a sentence begins, if it must not.
fn bad_begin(sentence: &str) -> Option<&'static str> {
    let begins = |word: &&&str| {
        sentence
            .strip_prefix(**word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', ':', '.']))
    };
    let never = NEVER.iter().find(begins);
    let clause = || WITH_MAIN_CLAUSE.iter().find(begins).filter(|_| !sentence.contains(','));
    never.or_else(clause).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_without_a_subject_are_found() {
        for bad in [
            "What it is.",
            "Whether it is one.",
            "The same of that.",
            "Where it begins.",
            "How many there are, at most.",
        ] {
            let text = format!("//! A module.\n\n/// {bad}\nfn a() {{}}\n");
            assert_eq!(check("a.rs", &text).len(), 1, "{bad}");
        }
        for good in ["Number of threads.", "Where there are none, the run ends.", "Whatever it is."]
        {
            assert!(check("a.rs", &format!("/// {good}\nfn a() {{}}\n")).is_empty(), "{good}");
        }
    }

    #[test]
    fn only_the_first_line_of_a_paragraph_counts() {
        let text =
            "/// A time at which\n/// What is known ends.\n///\n/// How it is made is not said.\n";
        assert_eq!(check("a.rs", text).len(), 1);
    }
}
