//! Circles of a graph: groups of files of which each reaches every other (Tarjan's strongly connected components).

use super::Uses;
use std::collections::BTreeMap;

/// The circles of two and more files, largest first, each in order of names.
pub fn of(uses: &Uses) -> Vec<Vec<String>> {
    let mut search =
        Search { uses, numbers: BTreeMap::new(), open: Vec::new(), circles: Vec::new() };
    for file in uses.keys() {
        if !search.numbers.contains_key(file.as_str()) {
            search.visit(file);
        }
    }
    let mut circles = search.circles;
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

struct Search<'a> {
    uses: &'a Uses,
    /// Numbers of the files that were reached, in the order in which they were reached.
    numbers: BTreeMap<&'a str, usize>,
    /// Files whose circle is not complete.
    open: Vec<&'a str>,
    circles: Vec<Vec<String>>,
}

impl<'a> Search<'a> {
    /// Visits a file and all that it reaches; returns the lowest number of an open file that it reaches.
    fn visit(&mut self, file: &'a str) -> usize {
        let own = self.numbers.len();
        self.numbers.insert(file, own);
        self.open.push(file);
        let mut lowest = own;
        let uses = self.uses;
        for used in uses.get(file).into_iter().flatten() {
            match self.numbers.get(used.as_str()) {
                None => lowest = lowest.min(self.visit(used)),
                Some(number) if self.open.contains(&used.as_str()) => lowest = lowest.min(*number),
                Some(_) => {}
            }
        }
        if lowest == own {
            let begin = self.open.iter().position(|one| *one == file).unwrap_or(0);
            let mut circle: Vec<String> = self.open.drain(begin..).map(str::to_owned).collect();
            circle.sort();
            if circle.len() > 1 {
                self.circles.push(circle);
            }
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_reach_each_other_are_a_circle() {
        let uses = [("a", "b"), ("b", "cd"), ("c", "a"), ("d", "e"), ("e", "df"), ("f", "")];
        let used = |names: &str| names.chars().map(String::from).collect();
        let uses: Uses = uses.map(|(file, names)| (file.to_owned(), used(names))).into();
        assert_eq!(of(&uses), [vec!["a", "b", "c"], vec!["d", "e"]]);
    }
}
