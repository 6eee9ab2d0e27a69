//! The critical path in time: backwards from its end, from each thread to the one that it waited for.

use super::PathMark;
use crate::journal::Link;
use ompttrace_model::ThreadRef;

/// Links that are kept: in a longer run the path is not drawn.
const MOST_LINKS: usize = 1 << 22;

/// All links, by the thread that goes on.
#[derive(Debug, Default)]
pub(super) struct Links {
    of: Vec<Vec<Link>>,
    count: usize,
}

/// A part of the path on one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathPart {
    pub begin: u64,
    pub end: u64,
    pub thread: ThreadRef,
    /// The construct in which the thread had worked last; 0: outside of all constructs. The last part of the path has 0 as well.
    pub construct: u32,
}

/// The parts in the order of time.
pub(super) struct Path(Vec<PathPart>);

impl Links {
    pub(super) fn add(&mut self, link: Link) {
        self.count += 1;
        if self.count > MOST_LINKS {
            self.of = Vec::new();
            return;
        }
        let thread = link.thread as usize;
        if self.of.len() <= thread {
            self.of.resize_with(thread + 1, Vec::new);
        }
        self.of[thread].push(link);
    }

    /// The path that ends at a time on a thread, from `begin` on.
    pub(super) fn path(mut self, (mut thread, mut end): (ThreadRef, u64), begin: u64) -> Path {
        let (mut parts, mut construct) = (Vec::new(), 0);
        if self.count > MOST_LINKS {
            return Path(parts);
        }
        loop {
            // Later links are of no use any more: the path goes back in time.
            let links = self.of.get_mut(thread as usize);
            let link = links.and_then(|links| {
                links.truncate(links.partition_point(|link| link.at <= end));
                links.pop()
            });
            // The way from one thread to the other is the one's that was released.
            let from = link.map_or(begin, |link| link.since.min(link.at));
            if from < end {
                parts.push(PathPart { begin: from, end, thread, construct });
            }
            let Some(link) = link else { break };
            (thread, end, construct) = (link.by, from, link.construct);
        }
        parts.reverse();
        Path(parts)
    }
}

impl Path {
    /// The parts with their titles, short ones next to each other as one.
    pub(super) fn merged(
        self,
        shortest: u64,
        title: impl Fn(&PathPart) -> String,
    ) -> Vec<PathMark> {
        let mut marks: Vec<PathMark> = Vec::new();
        let mut short: Option<PathMark> = None;
        for part in &self.0 {
            let PathPart { begin, end, .. } = *part;
            if end - begin >= shortest {
                marks.extend(short.take());
                marks.push(PathMark { begin, end, title: title(part), parts: 1 });
                continue;
            }
            match &mut short {
                Some(short) => {
                    short.parts += 1;
                    (short.end, short.title) =
                        (end, format!("{} parts on threads in turn", short.parts));
                    if short.end - short.begin >= shortest {
                        marks.push(std::mem::take(short));
                    }
                }
                none => *none = Some(PathMark { begin, end, title: title(part), parts: 1 }),
            }
            short = short.filter(|short| short.parts > 0);
        }
        marks.extend(short);
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(thread: ThreadRef, at: u64, by: ThreadRef, since: u64) -> Link {
        Link { thread, at, by, since, construct: 7 }
    }

    #[test]
    fn the_path_goes_back_to_whoever_was_waited_for() {
        let mut links = Links::default();
        // 1 begins because of 0, and 0 waits for 1 twice.
        for one in [link(1, 12, 0, 10), link(0, 52, 1, 50), link(1, 61, 0, 60), link(0, 90, 1, 90)]
        {
            links.add(one);
        }
        let path = links.path((0, 100), 0).0;
        let parts: Vec<_> = path.iter().map(|part| (part.thread, part.begin, part.end)).collect();
        assert_eq!(parts, [(0, 0, 10), (1, 10, 50), (0, 50, 60), (1, 60, 90), (0, 90, 100)]);
    }

    #[test]
    fn threads_that_release_each_other_at_one_instant_end_the_search() {
        let mut links = Links::default();
        for one in [link(0, 50, 1, 50), link(1, 50, 0, 50), link(0, 50, 1, 50)] {
            links.add(one);
        }
        let path = links.path((0, 60), 0).0;
        assert_eq!(path.iter().map(|part| part.end - part.begin).sum::<u64>(), 60);
    }

    #[test]
    fn short_parts_are_drawn_as_one() {
        let part = |begin, end| PathPart { begin, end, thread: 0, construct: 0 };
        let path = Path(vec![
            part(0, 100),
            part(100, 104),
            part(104, 108),
            part(108, 112),
            part(112, 200),
        ]);
        let marks = path.merged(10, |_| "thread".to_owned());
        let drawn: Vec<_> = marks.iter().map(|mark| (mark.begin, mark.end, mark.parts)).collect();
        assert_eq!(drawn, [(0, 100, 1), (100, 112, 3), (112, 200, 1)]);
    }
}
