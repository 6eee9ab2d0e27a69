//! Links between documents lead somewhere, the pages that are read first stay short, and each page of `docs` has its row in the index.

use crate::repository::File;
use std::collections::HashSet;

/// The most lines of the documents that a stranger reads first.
const LONGEST: [(&str, usize); 3] =
    [("README.md", 150), ("ARCHITECTURE.md", 150), ("BENCHMARKS.md", 80)];

/// The index of the pages of `docs`.
const INDEX: &str = "docs/README.md";

/// Complaints about the Markdown among all files.
pub fn check(files: &[File]) -> Vec<String> {
    let names: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.name.ends_with(".md")) {
        complaints.extend(length(file));
        for (line, link) in links(&file.text) {
            if !leads_somewhere(&file.name, link, files, &names) {
                complaints.push(format!("{}:{line}: a link leads nowhere: {link}", file.name));
            }
        }
    }
    complaints.extend(index(files));
    complaints
}

fn length(file: &File) -> Option<String> {
    let (name, most) = LONGEST.iter().find(|(name, _)| *name == file.name)?;
    let lines = file.text.lines().count();
    (lines > *most).then(|| format!("{name}: {lines} lines, more than {most}: move some to docs"))
}

/// Pages directly in `docs` that the index does not name.
fn index(files: &[File]) -> Vec<String> {
    let Some(index) = files.iter().find(|file| file.name == INDEX) else { return Vec::new() };
    let pages = files.iter().filter_map(|file| file.name.strip_prefix("docs/"));
    let pages =
        pages.filter(|page| page.ends_with(".md") && !page.contains('/') && *page != "README.md");
    let missing = pages.filter(|page| !index.text.contains(&format!("({page})")));
    missing.map(|page| format!("{INDEX}: does not lead to {page}")).collect()
}

/// Targets of Markdown links, with their line numbers; text in code blocks is none.
fn links(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut is_code) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let rest = &line[at + 2..];
            found.extend(rest.find(')').map(|end| (number + 1, &rest[..end])));
        }
    }
    found
}

/// True for a link to another site, to a file or folder of the repository, or to a heading of a document in it.
fn leads_somewhere(from: &str, link: &str, files: &[File], names: &HashSet<&str>) -> bool {
    if link.contains("://") || link.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let Some(target) = joined(from, path) else { return false };
    let folder = format!("{target}/");
    if !names.contains(target.as_str()) {
        return target.is_empty() || names.iter().any(|name| name.starts_with(&folder));
    }
    let is_page = target.ends_with(".md") && !heading.is_empty();
    !is_page
        || files
            .iter()
            .filter(|file| file.name == target)
            .any(|file| headings(&file.text).any(|known| known == heading))
}

/// A path relative to the top of the repository; `None` if it leaves the repository.
fn joined(from: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Names by which links lead to headings, as GitHub makes them.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let titles = text.lines().filter_map(|line| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.strip_prefix(' ')).flatten()
    });
    titles.map(|title| {
        let letters = title
            .trim()
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        letters
            .map(|letter| if letter == ' ' { '-' } else { letter })
            .collect::<String>()
            .to_lowercase()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let files = [
            file(
                "a/b.md",
                "[x](../c.md#one-two) [y](d.md) [z](../c.md#three) [w](../e) [v](../f/)\n```\n[u](no)\n```\n",
            ),
            file("c.md", "# One, two\n[up](../out.md) [site](https://example.org)\n"),
            file("f/g.rs", ""),
        ];
        let complaints = check(&files);
        let expected = [
            "a/b.md:1: a link leads nowhere: d.md",
            "a/b.md:1: a link leads nowhere: ../c.md#three",
            "a/b.md:1: a link leads nowhere: ../e",
            "c.md:2: a link leads nowhere: ../out.md",
        ];
        assert_eq!(complaints, expected);
    }

    #[test]
    fn long_pages_and_pages_without_a_row_are_found() {
        let files = [
            file("README.md", &"line\n".repeat(151)),
            file("docs/README.md", "[one](one.md)\n"),
            file("docs/one.md", ""),
            file("docs/two.md", ""),
            file("docs/more/three.md", ""),
        ];
        let complaints = check(&files);
        assert_eq!(complaints.len(), 2, "{complaints:?}");
        assert!(complaints[0].starts_with("README.md: 151 lines"));
        assert_eq!(complaints[1], "docs/README.md: does not lead to two.md");
    }
}
