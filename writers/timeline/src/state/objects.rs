//! Windows and files of MPI: what a handle means now. Handles are used again, so that what was said last counts.

use crate::hash::{FastMap, mix};
use ompttrace_model::{CommunicatorRef, Definitions, MpiObject, MpiObjectKind, MpiObjectRef};
use ompttrace_recording::events::MpiObject as Made;
use ompttrace_recording::mpi::object;

/// One whose name is still to come, and its communicator.
type Unnamed = (Made, Option<CommunicatorRef>);

/// The windows and files that are known.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    numbers: FastMap<(MpiObjectKind, u64), MpiObjectRef>,
    /// Those that each thread has made last, and whose names are still to come.
    unnamed: FastMap<u32, Unnamed>,
    /// Number of those that were made of each communicator, by its number in the job.
    made: FastMap<(MpiObjectKind, u64), u64>,
    /// True once something was not recorded: which one of a communicator's is made then is not known.
    has_gap: bool,
}

impl Objects {
    /// One was made of a communicator by a thread. It is returned, unless its name is still to come.
    pub(crate) fn made(
        &mut self,
        t: u32,
        event: &Made,
        communicator: Option<CommunicatorRef>,
        to: &mut Definitions,
    ) -> Option<MpiObjectRef> {
        if event.bytes > 0 {
            self.unnamed.insert(t, (*event, communicator));
            return None;
        }
        self.define((*event, communicator), String::new(), to)
    }

    /// True if a thread has made one of this handle that lacks its name.
    pub(crate) fn awaits_name(&self, t: u32, handle: u64) -> bool {
        self.unnamed.get(&t).is_some_and(|(made, _)| made.handle == handle)
    }

    /// The one that a thread has made last has this name.
    pub(crate) fn named(
        &mut self,
        t: u32,
        name: String,
        to: &mut Definitions,
    ) -> Option<MpiObjectRef> {
        let unnamed = self.unnamed.remove(&t)?;
        self.define(unnamed, name, to)
    }

    /// Something is not recorded from now on.
    pub(crate) fn gap(&mut self) {
        self.has_gap = true;
    }

    /// The window or file of a handle.
    pub(crate) fn number(&self, kind: MpiObjectKind, handle: u64) -> Option<MpiObjectRef> {
        self.numbers.get(&(kind, handle)).copied()
    }

    fn define(
        &mut self,
        (event, communicator): Unnamed,
        name: String,
        to: &mut Definitions,
    ) -> Option<MpiObjectRef> {
        let kind = match event.kind as u32 {
            object::WINDOW => MpiObjectKind::Window,
            object::FILE => MpiObjectKind::File,
            _ => return None,
        };
        let of = communicator.and_then(|number| to.communicators().get(number as usize));
        let id = self.next_id(kind, of.map_or(0, |of| of.id));
        let number = to.objects().len() as MpiObjectRef;
        let mode = event.mode as u32;
        to.add_object(MpiObject { kind, name, mode, communicator, id });
        self.numbers.insert((kind, event.handle), number);
        Some(number)
    }

    /// The number in the job of the next one of a communicator: all its ranks make them in the same order. 0: not known.
    fn next_id(&mut self, kind: MpiObjectKind, communicator: u64) -> u64 {
        if communicator == 0 || self.has_gap {
            return 0;
        }
        let made = self.made.entry((kind, communicator)).or_default();
        *made += 1;
        mix(mix(communicator ^ kind as u64).wrapping_add(*made)) | 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::Communicator;

    const WINDOW: u64 = object::WINDOW as u64;
    const FILE: u64 = object::FILE as u64;

    fn made(handle: u64, kind: u64, bytes: u64) -> Made {
        Made { handle, communicator: 1, kind, mode: 0, bytes }
    }

    fn with_communicator() -> Definitions {
        let mut to = Definitions::default();
        to.add_communicator(Communicator { id: 9, ..Communicator::default() });
        to
    }

    #[test]
    fn a_handle_means_what_was_said_last_of_its_kind() {
        let (mut objects, mut to) = (Objects::default(), with_communicator());
        objects.made(0, &made(7, WINDOW, 0), Some(0), &mut to);
        objects.made(0, &made(7, FILE, 4), Some(0), &mut to);
        let number = |objects: &Objects, kind| objects.number(kind, 7);
        assert_eq!(number(&objects, MpiObjectKind::File), None, "its name is still to come");
        assert!(objects.awaits_name(0, 7) && !objects.awaits_name(1, 7));
        objects.named(0, "name".to_owned(), &mut to);
        assert_eq!(number(&objects, MpiObjectKind::File), Some(1));
        assert_eq!(number(&objects, MpiObjectKind::Window), Some(0));
        objects.made(0, &made(7, WINDOW, 0), Some(0), &mut to);
        assert_eq!(number(&objects, MpiObjectKind::Window), Some(2));
        assert_eq!(to.objects()[1].name, "name");
        assert_eq!(objects.made(0, &made(8, 5, 0), None, &mut to), None, "of a kind to come");
    }

    #[test]
    fn ranks_number_them_alike_while_all_is_recorded() {
        let ids = |calls: &dyn Fn(&mut Objects, &mut Definitions)| {
            let (mut objects, mut to) = (Objects::default(), with_communicator());
            calls(&mut objects, &mut to);
            to.objects().iter().map(|object| object.id).collect::<Vec<_>>()
        };
        let both = ids(&|objects, to| {
            objects.made(0, &made(7, WINDOW, 0), Some(0), to);
            objects.made(0, &made(8, FILE, 0), Some(0), to);
            objects.made(0, &made(9, WINDOW, 0), Some(0), to);
            objects.made(0, &made(9, WINDOW, 0), None, to);
            objects.gap();
            objects.made(0, &made(9, WINDOW, 0), Some(0), to);
        });
        let other = ids(&|objects, to| {
            objects.made(3, &made(1, WINDOW, 0), Some(0), to);
            objects.made(3, &made(2, WINDOW, 0), Some(0), to);
        });
        assert_eq!([both[0], both[2]], other[..]);
        assert!(both[0] != both[1] && both[0] != both[2] && both[0] != 0);
        assert_eq!(both[3..], [0, 0]);
    }
}
