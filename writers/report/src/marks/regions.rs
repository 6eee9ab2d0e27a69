//! Parallel regions by level, short ones next to each other as one.

use super::RegionMark;
use ompttrace_model::{Definitions, NameRef};

/// Levels that are drawn.
const LEVELS: usize = 8;
/// Regions that are kept of a level before short ones are drawn as one.
const KEPT: usize = 1 << 14;

/// Those of all levels, the outermost first.
#[derive(Debug, Default)]
pub(super) struct Regions(Vec<Level>);

#[derive(Debug, Default)]
struct Level {
    open: Option<RegionMark>,
    over: Vec<RegionMark>,
    /// Nanoseconds below which regions were drawn as one so far.
    shortest: u64,
}

impl Regions {
    pub(super) fn begin(&mut self, level: u32, at: u64, definitions: &Definitions, name: NameRef) {
        let index = level as usize;
        if index >= LEVELS {
            return;
        }
        if self.0.len() <= index {
            self.0.resize_with(index + 1, Level::default);
        }
        // The track says that they are parallel regions; its slices have little room.
        let title = definitions.strings().get(name as usize).map_or("?", |name| name);
        let title = title.strip_prefix("parallel ").unwrap_or(title).to_owned();
        self.0[index].open = Some(RegionMark { begin: at, end: at, level, title, count: 1 });
    }

    pub(super) fn end(&mut self, level: u32, at: u64) {
        if let Some(level) = self.0.get_mut(level as usize) {
            level.end(at);
        }
    }

    /// All of them up to the end of the run, one level after the other.
    pub(super) fn merged(self, end: u64, shortest: u64) -> Vec<RegionMark> {
        let levels = self.0.into_iter().flat_map(|mut level| {
            level.end(end);
            merged(level.over, shortest)
        });
        levels.collect()
    }
}

impl Level {
    fn end(&mut self, at: u64) {
        let Some(open) = self.open.take() else { return };
        if at > open.begin {
            self.over.push(RegionMark { end: at, ..open });
        }
        while self.over.len() > KEPT {
            self.shortest = (2 * self.shortest).max(1_000);
            self.over = merged(std::mem::take(&mut self.over), self.shortest);
        }
    }
}

/// Joins regions that are short, and as near to the one before.
fn merged(regions: Vec<RegionMark>, shortest: u64) -> Vec<RegionMark> {
    let mut merged: Vec<RegionMark> = Vec::new();
    for region in regions {
        let is_short = |region: &RegionMark| region.end - region.begin < shortest;
        match merged.last_mut() {
            Some(last)
                if is_short(last)
                    && is_short(&region)
                    && region.begin.saturating_sub(last.end) < shortest =>
            {
                (last.end, last.count) = (region.end, last.count + region.count);
                last.title = format!("{} parallel regions", last.count);
            }
            _ => merged.push(region),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(begin: u64, end: u64) -> RegionMark {
        RegionMark { begin, end, level: 0, title: "parallel".to_owned(), count: 1 }
    }

    #[test]
    fn short_regions_next_to_each_other_are_one() {
        let regions =
            vec![region(0, 5), region(7, 9), region(12, 100), region(101, 102), region(900, 901)];
        let drawn: Vec<_> =
            merged(regions, 10).iter().map(|one| (one.begin, one.end, one.count)).collect();
        assert_eq!(drawn, [(0, 9, 2), (12, 100, 1), (101, 102, 1), (900, 901, 1)]);
    }

    #[test]
    fn memory_does_not_follow_the_number_of_regions() {
        let mut level = Level::default();
        for at in 0..100_000 {
            level.open = Some(region(100 * at, 100 * at));
            level.end(100 * at + 50);
        }
        assert!(level.over.len() <= KEPT);
        assert_eq!(level.over.iter().map(|one| one.count).sum::<u64>(), 100_000);
    }
}
