//! No file may name a folder of the machine it was written on: a clone has
//! neither.

/// Written in two halves, or this file would complain about itself.
const FOREIGN: [&str; 2] = [concat!("../sha", "red"), concat!("/wo", "rk/")];

/// Complaints about one file.
pub fn check(name: &str, text: &str) -> Vec<String> {
    let numbered = text.lines().enumerate();
    let found = numbered.filter_map(|(index, line)| {
        let word = FOREIGN.iter().find(|word| mentions(line, word))?;
        Some(format!("{name}:{}: mentions `{word}`, which no clone has", index + 1))
    });
    found.collect()
}

/// Returns true if the word occurs at the begin of a path: `task/work/sync` is an
/// enumeration and `src/work/` a folder of ours.
fn mentions(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "_-.}>".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_one_machine_is_found() {
        for word in FOREIGN {
            let bad = format!("fine\nsee {word}x\n");
            let complaints = check("a.md", &bad);
            assert_eq!(complaints.len(), 1, "{word}");
            assert!(complaints[0].starts_with("a.md:2: "));
            assert_eq!(check("a.md", word).len(), 1, "at the start of a line");
        }
    }

    #[test]
    fn enumerations_and_own_folders_pass() {
        assert!(check("a.md", "task/work/sync").is_empty());
        assert!(check("a.md", "shared, working").is_empty());
    }
}
