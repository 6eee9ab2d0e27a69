//! Pairs of constructs before and after: by location, and where lines moved by function, kind and order.

use super::Match;
use super::side::Item;
use crate::model::Class;
use rustc_hash::FxHashMap;

/// Positions of an item on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub before: Option<usize>,
    pub after: Option<usize>,
    pub found: Match,
}

/// Pairs under way, with the items that have none yet.
struct Pairs<'i> {
    sides: [&'i [Item]; 2],
    partner: Vec<Option<(usize, Match)>>,
    is_taken: Vec<bool>,
}

/// All items of both sides, each once.
pub(super) fn pairs(before: &[Item], after: &[Item]) -> Vec<Pair> {
    let mut pairs = Pairs {
        sides: [before, after],
        partner: vec![None; before.len()],
        is_taken: vec![false; after.len()],
    };
    pairs.whole_functions();
    pairs.by(
        |item| Some(format!("{}|{}|{}", item.class.name(), item.what, item.location)),
        Match::Line,
    );
    pairs.by(|item| Some(format!("{}|{}", item.class.name(), item.location)), Match::OtherKind);
    pairs.by(|item| Some(format!("{}|{}", item.what, in_function(item)?)), Match::Moved);
    pairs.without_location();
    pairs.serial_sections();
    pairs.finish()
}

/// The function that an item is in, which shows where lines moved; none where no function is known: two of these may be
/// anywhere in the program.
fn in_function(item: &Item) -> Option<String> {
    let is_known = !item.function.is_empty();
    is_known.then(|| format!("{}|{}|{}", item.class.name(), item.file, item.function))
}

impl Pairs<'_> {
    fn is_free(&self, side: usize, at: usize) -> bool {
        match side {
            0 => self.partner.get(at).is_some_and(Option::is_none),
            _ => self.is_taken.get(at).is_some_and(|taken| !taken),
        }
    }

    fn pair(&mut self, before: usize, after: usize, found: Match) {
        if let (Some(partner), Some(taken)) =
            (self.partner.get_mut(before), self.is_taken.get_mut(after))
        {
            *partner = Some((after, found));
            *taken = true;
        }
    }

    /// Free items of a side with a key, each list in the order of the source.
    fn groups(
        &self,
        side: usize,
        key: impl Fn(&Item) -> Option<String>,
    ) -> FxHashMap<String, Vec<usize>> {
        let mut groups: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        let items = self.sides[side];
        for (at, item) in items.iter().enumerate() {
            let has_location = !item.location.is_empty() && item.class != Class::Serial;
            if has_location
                && self.is_free(side, at)
                && let Some(key) = key(item)
            {
                groups.entry(key).or_default().push(at);
            }
        }
        let order = |at: &usize| items.get(*at).map(|item| (item.line, item.what.clone(), *at));
        groups.values_mut().for_each(|group| group.sort_by_key(order));
        groups
    }

    /// Functions that have the same kinds of constructs in the same order are the same, wherever their lines are.
    fn whole_functions(&mut self) {
        let mut after = self.groups(1, in_function);
        for (key, before) in self.groups(0, in_function) {
            let Some(after) = after.remove(&key) else { continue };
            let kinds = |side: usize, group: &[usize]| -> Vec<String> {
                let items = self.sides[side];
                group.iter().filter_map(|at| items.get(*at)).map(|one| one.what.clone()).collect()
            };
            if kinds(0, &before) != kinds(1, &after) {
                continue;
            }
            for (a, b) in before.into_iter().zip(after) {
                let location =
                    |side: usize, at: usize| self.sides[side].get(at).map(|one| &one.location);
                let is_moved = location(0, a) != location(1, b);
                self.pair(a, b, if is_moved { Match::Moved } else { Match::Line });
            }
        }
    }

    /// Pairs items that have the same key on both sides, in order.
    fn by(&mut self, key: impl Fn(&Item) -> Option<String>, found: Match) {
        let mut after = self.groups(1, &key);
        for (key, before) in self.groups(0, &key) {
            for (a, b) in before.into_iter().zip(after.remove(&key).unwrap_or_default()) {
                self.pair(a, b, found);
            }
        }
    }

    /// Pairs items without a location by their name and region.
    fn without_location(&mut self) {
        for (a, before) in self.sides[0].iter().enumerate() {
            let is_same = |after: &Item| after.between.is_none() && after.key == before.key;
            let found = self.sides[1].iter().position(is_same);
            if let Some(b) = found.filter(|b| self.is_free(0, a) && self.is_free(1, *b)) {
                self.pair(a, b, Match::Line);
            }
        }
    }

    /// A serial section is the one between the same regions.
    fn serial_sections(&mut self) {
        let position = |side: usize, key: &Option<String>| {
            let key = key.as_ref()?;
            self.sides[side].iter().position(|item| item.key == *key)
        };
        // A region before as the one after; the begin and the end of the run are no regions.
        let partner = |key: &Option<String>| {
            let at = position(0, key)?;
            Some(self.partner.get(at).copied().flatten().map(|(after, _)| after))
        };
        let ends_before = |item: &Item| Some(item.between.as_ref()?.each_ref().map(partner));
        let ends_after = |item: &Item| {
            let ends = item.between.as_ref()?.each_ref();
            Some(ends.map(|key| position(1, key).map(Some)))
        };
        let after: Vec<_> = self.sides[1].iter().map(ends_after).collect();
        let mut found = Vec::new();
        for (a, item) in self.sides[0].iter().enumerate() {
            let ends = ends_before(item);
            let same = after.iter().position(|other| ends.is_some() && *other == ends);
            found.extend(same.map(|b| (a, b)));
        }
        for (a, b) in found {
            let name = |side: usize, at: usize| self.sides[side].get(at).map(|item| &item.name);
            let is_moved = name(0, a) != name(1, b);
            if self.is_free(0, a) && self.is_free(1, b) {
                self.pair(a, b, if is_moved { Match::Moved } else { Match::Line });
            }
        }
    }

    fn finish(self) -> Vec<Pair> {
        let paired = self.partner.iter().enumerate().map(|(before, partner)| Pair {
            before: Some(before),
            after: partner.map(|(after, _)| after),
            found: partner.map_or(Match::None, |(_, found)| found),
        });
        let new = self.is_taken.iter().enumerate().filter(|(_, taken)| !**taken);
        let new =
            new.map(|(after, _)| Pair { before: None, after: Some(after), found: Match::None });
        paired.chain(new).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(what: &str, line: u32) -> Item {
        let name = format!("{what} a.c:{line}");
        Item {
            key: name.clone(),
            class: Class::Work,
            what: what.into(),
            location: format!("a.c:{line}"),
            file: "a.c".into(),
            line,
            function: "main".into(),
            between: None,
            name,
            elapsed: vec![],
            time: vec![],
            work: vec![],
            calls: vec![],
        }
    }

    fn found(before: &[Item], after: &[Item]) -> Vec<(Option<usize>, Option<usize>, Match)> {
        let pairs = pairs(before, after).into_iter();
        pairs.map(|pair| (pair.before, pair.after, pair.found)).collect()
    }

    #[test]
    fn lines_that_moved_are_followed_though_another_is_where_one_was() {
        let before = [item("for static", 10), item("for static", 20)];
        let after = [item("for static", 20), item("for static", 30)];
        let both = |a, b| (Some(a), Some(b), Match::Moved);
        assert_eq!(found(&before, &after), [both(0, 0), both(1, 1)]);
    }

    #[test]
    fn of_two_unknown_functions_nobody_knows_that_they_are_one() {
        let unknown = |line| Item { function: String::new(), ..item("for guided", line) };
        let apart = [(Some(0), None, Match::None), (None, Some(0), Match::None)];
        assert_eq!(found(&[unknown(10)], &[unknown(20)]), apart);
        assert_eq!(found(&[unknown(10)], &[unknown(10)]), [(Some(0), Some(0), Match::Line)]);
    }

    #[test]
    fn another_schedule_at_the_same_line_is_the_same_loop() {
        let before = [item("for static", 10), item("single", 20)];
        let after = [item("for dynamic", 10), item("single", 21), item("barrier", 22)];
        let expected = [
            (Some(0), Some(0), Match::OtherKind),
            (Some(1), Some(1), Match::Moved),
            (None, Some(2), Match::None),
        ];
        assert_eq!(found(&before, &after), expected);
    }
}
