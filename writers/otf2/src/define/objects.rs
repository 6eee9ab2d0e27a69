//! Definitions of MPI's windows and files. Those that ranks have in common are defined once.

use super::Plan;
use crate::archive::Mapping;
use crate::ids::{CommId, ObjectId, window_of};
use crate::tables::objects::opened;
use ompttrace_model::{MpiObject, MpiObjectKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The key of a definition: that of several ranks, by the number that they have for it, or of one process, by its position and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Shared(u64),
    Own(usize, ObjectId),
}

/// Windows and files so far.
#[derive(Debug, Default)]
pub(super) struct Objects {
    known: FxHashMap<Key, u32>,
    /// Those of which a process has no event that makes it.
    without_begin: FxHashSet<Key>,
    /// Files by their names.
    files: FxHashMap<String, u32>,
    handles: u32,
    /// The numbers of each process's communicators in the archive.
    pub(super) comms: Vec<Vec<CommId>>,
}

impl Plan<'_> {
    /// The windows and files of all processes.
    pub(super) fn objects(&mut self) {
        let parts = self.parts;
        for (at, (process, _)) in parts.iter().enumerate() {
            let made: FxHashSet<_> = process.definitions.made.iter().copied().collect();
            let all = (0..).zip(&process.definitions.objects);
            let lacking = all.filter(|(number, _)| !made.contains(number));
            let lacking = lacking.map(|(number, object)| self.key(at, number, object));
            let lacking: Vec<_> = lacking.collect();
            self.objects.without_begin.extend(lacking);
        }
        let mut all = parts.iter().flat_map(|(process, _)| &process.definitions.objects);
        if all.any(|object| object.kind == MpiObjectKind::File) {
            let name = self.string("MPI-IO");
            self.step(move |to| to.mpi_io(name));
        }
        for (at, (process, _)) in parts.iter().enumerate() {
            for (number, object) in (0..).zip(&process.definitions.objects) {
                let defined = self.object(at, number, object);
                let Some(Mapping { windows, handles, .. }) = self.mappings.get_mut(at) else {
                    return;
                };
                match object.kind {
                    MpiObjectKind::Window => {
                        windows.extend(defined.map(|defined| (window_of(number), defined)));
                    }
                    MpiObjectKind::File => {
                        handles.extend(defined.map(|defined| (number, defined)));
                    }
                }
            }
        }
    }

    fn key(&self, at: usize, number: ObjectId, object: &MpiObject) -> Key {
        match object.id {
            id if self.is_of_job && id != 0 => Key::Shared(id),
            _ => Key::Own(at, number),
        }
    }

    /// The number of the definition of a window or file of a process, which is written unless another rank has it as well. `None`:
    /// a window of which the communicator is not known.
    fn object(&mut self, at: usize, number: ObjectId, object: &MpiObject) -> Option<u32> {
        let key = self.key(at, number, object);
        if let Some(known) = self.objects.known.get(&key) {
            return Some(*known);
        }
        let comms = self.objects.comms.get(at)?;
        let comm = object.communicator.and_then(|of| comms.get(of as usize).copied());
        let begins = !self.objects.without_begin.contains(&key);
        let defined = match object.kind {
            MpiObjectKind::Window => self.window(comm?, begins),
            MpiObjectKind::File => self.handle(object, comm, begins),
        };
        self.objects.known.insert(key, defined);
        Some(defined)
    }

    fn window(&mut self, comm: CommId, begins: bool) -> u32 {
        let number = self.take_window();
        let name = self.string(&format!("window {number}"));
        self.step(move |to| to.window(number, name, comm, begins));
        number
    }

    fn handle(&mut self, object: &MpiObject, comm: Option<CommId>, begins: bool) -> u32 {
        let file = self.file(&object.name);
        let number = self.objects.handles;
        self.objects.handles += 1;
        let name = self.string(&object.name);
        self.step(move |to| to.io_handle(number, name, file, comm, begins));
        if !begins {
            let (mode, _, status) = opened(object.mode);
            self.step(move |to| to.io_state(number, mode, status));
        }
        number
    }

    /// The file of a name. Which of several machines have it in common is not known.
    fn file(&mut self, path: &str) -> u32 {
        if let Some(known) = self.objects.files.get(path) {
            return *known;
        }
        let number = self.objects.files.len() as u32;
        self.objects.files.insert(path.to_owned(), number);
        let name = self.string(path);
        let scope = (self.hosts.len() == 1).then_some(0);
        self.step(move |to| to.io_file(number, name, scope));
        number
    }
}
