//! The output and the groups of tracks in it: a group is described when its first track needs it, so
//! that no empty one is shown.

use std::io::Write;

use super::book::Book;
use super::numbers::Numbers;
use crate::encode::{Options, Packets};
use crate::tracks;

/// A group of tracks. The order is that on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Group {
    OpenMp,
    Counters,
    Regions,
    Lanes,
    Locks,
}

const NAMES: [&str; 5] = ["OpenMP", "Counters", "Parallel regions", "Team lanes", "Locks"];

/// What every new track needs.
#[derive(Debug)]
pub(super) struct Picture<W> {
    pub(super) out: Packets<W, Book>,
    pub(super) numbers: Numbers,
    described: [bool; NAMES.len()],
}

impl<W: Write> Picture<W> {
    /// An empty picture.
    pub(super) fn new(writer: W) -> Self {
        Picture {
            out: Packets::new(writer, Book::new(), Options::default()),
            numbers: Numbers::unknown(),
            described: [false; NAMES.len()],
        }
    }

    /// The texts.
    #[inline]
    pub(super) fn book(&mut self) -> &mut Book {
        &mut self.out.texts
    }

    /// The number of a group, which is described if need be.
    pub(super) fn group(&mut self, group: Group) -> u64 {
        let uuid = self.numbers.group(group);
        if !self.described[group as usize] {
            self.described[group as usize] = true;
            let parent = match group {
                Group::OpenMp => self.numbers.process(),
                _ => self.group(Group::OpenMp),
            };
            let name = NAMES[group as usize];
            self.out.track(tracks::track(uuid, parent, group as i32, name));
        }
        uuid
    }
}
