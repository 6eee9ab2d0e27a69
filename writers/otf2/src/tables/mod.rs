//! Definitions to which a session's events refer, gathered as the events come.

mod attributes;
pub(crate) mod collectives;
mod contexts;
pub(crate) mod kinds;
pub(crate) mod objects;
mod regions;
mod strings;

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{
    Communicator, Definitions, InstantKind, MpiObject, MpiObjectKind, NameRef, SliceKind,
    SourceLocation, SourceRef,
};
use ompttrace_recording::mpi::Group;

use crate::archive::Region;
use crate::define::World;
use crate::ids::{ListId, ObjectId, ParameterId, RegionId, StringId};
use crate::op::Attribute;
use crate::segment::NewDefinitions;
use attributes::Attributes;
use contexts::Contexts;
use kinds::Shape;
use regions::Regions;
pub(crate) use strings::Strings;

/// Numbers of the parameters of loops.
pub(crate) const SCHEDULE: ParameterId = 0;
pub(crate) const ITERATIONS: ParameterId = 1;

/// Texts and source locations of the timeline, and strings, regions and attributes made of them. Archives of
/// both views share it.
#[derive(Debug, Default)]
pub(crate) struct DefinitionTables {
    pub strings: Strings,
    regions: Regions,
    attributes: Attributes,
    contexts: Contexts,
    /// Number of lists of attributes that many events have, and those that were not handed over yet.
    lists: ListId,
    new_lists: Vec<Vec<Attribute>>,
    names: Vec<StringId>,
    sources: Vec<RegionSource>,
    /// Numbers that the program gives devices, as they come.
    devices: Vec<i64>,
    locks: usize,
    /// Locks that were not handed over yet, as `new_devices` and `new_communicators`; `taken_strings` is the number of
    /// strings that were.
    new_locks: Vec<(Mutex, u64)>,
    new_devices: Vec<i64>,
    communicators: usize,
    /// True if there are records of MPI: its ranks are known.
    pub has_world: bool,
    new_communicators: Vec<Communicator>,
    /// Windows and files: true for those that can be defined.
    objects: Vec<bool>,
    new_objects: Vec<MpiObject>,
    made_objects: Vec<ObjectId>,
    taken_strings: usize,
}

/// A source location as regions need it.
#[derive(Debug, Default)]
struct RegionSource {
    file: StringId,
    line: u32,
    /// Last part of a region's name, such as ` @file.c:12`; empty if the source location is unknown.
    suffix: String,
    function: StringId,
    is_fortran: bool,
}

impl DefinitionTables {
    /// Takes in what was defined since the last call.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        for text in definitions.strings().iter().skip(self.names.len()) {
            self.names.push(self.strings.number(text));
        }
        // Number 0 is none.
        let known = self.sources.len().max(1);
        for (location, source) in definitions.source_locations().iter().zip(1..).skip(known - 1) {
            self.set_source(source, location);
        }
        for frame in definitions.contexts().iter().skip(self.contexts.count()) {
            self.set_context(frame);
        }
        let locks = definitions.locks();
        let new = locks.iter().skip(self.locks).map(|lock| (lock.kind, lock.wait_id));
        self.new_locks.extend(new);
        self.locks = locks.len();
        let communicators = definitions.communicators();
        self.new_communicators.extend(communicators.iter().skip(self.communicators).cloned());
        self.communicators = communicators.len();
        self.has_world = World::of(communicators).is_some();
        let new = definitions.objects().iter().skip(self.objects.len());
        for object in new {
            // A window has the ranks of its communicator.
            let is_file = object.kind == MpiObjectKind::File;
            self.objects.push(is_file || object.communicator.is_some());
            self.new_objects.push(object.clone());
        }
    }

    /// True for a window or a file that can be defined.
    pub(crate) fn has_object(&self, object: ObjectId) -> bool {
        self.objects.get(object as usize).copied().unwrap_or(false)
    }

    /// An event makes this window or file.
    pub(crate) fn object_made(&mut self, object: ObjectId) {
        self.made_objects.push(object);
    }

    /// A device's number.
    pub(crate) fn device(&mut self, device: i64) -> u32 {
        let known = self.devices.iter().position(|known| *known == device);
        let number = known.unwrap_or_else(|| {
            self.devices.push(device);
            self.new_devices.push(device);
            self.devices.len() - 1
        });
        number as u32
    }

    /// Takes the definitions since the last call.
    pub(crate) fn take_new(&mut self) -> NewDefinitions {
        let (lines, contexts) = self.contexts.take_new();
        let strings = self.strings.all().skip(self.taken_strings);
        let strings = strings.map(|(_, text)| text.into()).collect();
        self.taken_strings = self.strings.count();
        NewDefinitions {
            strings,
            regions: self.regions.take_new(),
            uses: self.regions.take_uses(),
            attributes: self.attributes.take_new(),
            lines,
            contexts,
            lists: std::mem::take(&mut self.new_lists),
            locks: std::mem::take(&mut self.new_locks),
            devices: std::mem::take(&mut self.new_devices),
            communicators: std::mem::take(&mut self.new_communicators),
            objects: std::mem::take(&mut self.new_objects),
            made: std::mem::take(&mut self.made_objects),
        }
    }

    /// The string of a text of the timeline.
    #[inline]
    pub(crate) fn name(&self, name: NameRef) -> StringId {
        self.names.get(name as usize).copied().unwrap_or_default()
    }

    fn set_source(&mut self, source: SourceRef, location: &SourceLocation) {
        let file = location.file.as_deref().unwrap_or_default();
        let line = location.line.unwrap_or(0);
        let base = file.rsplit('/').next().unwrap_or(file);
        let suffix = match (base, line) {
            ("", _) => {
                location.module.as_ref().map(|module| format!(" @{module}")).unwrap_or_default()
            }
            (base, 0) => format!(" @{base}"),
            (base, line) if location.is_near => format!(" @near {base}:{line}"),
            (base, line) => format!(" @{base}:{line}"),
        };
        let source = (
            source,
            RegionSource {
                file: self.strings.number(file),
                line,
                suffix,
                function: self.strings.number(location.function.as_deref().unwrap_or_default()),
                is_fortran: is_fortran(base),
            },
        );
        set(&mut self.sources, source.0, source.1);
    }

    /// The number of the region for something of this shape, name and source location, which an event names.
    pub(crate) fn region(&mut self, shape: Shape, name: NameRef, source: SourceRef) -> RegionId {
        let DefinitionTables { strings, regions, names, sources, .. } = self;
        let region = regions.number((shape, name, source), || {
            let canonical = names.get(name as usize).copied().unwrap_or_default();
            describe(strings, shape, canonical, sources.get(source as usize))
        });
        regions.used(region);
        region
    }

    /// Counts a further event that names a region.
    #[inline(always)]
    pub(crate) fn used(&mut self, region: RegionId) {
        self.regions.used(region);
    }

    /// Keeps attributes that many events have.
    pub(crate) fn list(&mut self, attributes: &[Attribute]) -> ListId {
        self.new_lists.push(attributes.to_vec());
        self.lists += 1;
        self.lists - 1
    }
}

/// A region's definition: its canonical name is what other formats call it, where that is the same in
/// every run.
fn describe(
    strings: &mut Strings,
    shape: Shape,
    canonical: StringId,
    source: Option<&RegionSource>,
) -> Region {
    let kind = shape.kind(source.is_some_and(|source| source.is_fortran));
    let suffix = source.map_or("", |source| &source.suffix);
    let name = match shape {
        // They are functions, or the program names them: other formats have their names.
        Shape::Function
        | Shape::Slice(
            SliceKind::Mpi(_)
            | SliceKind::Device(_)
            | SliceKind::DeviceCall { .. }
            | SliceKind::Phase(_),
        ) => canonical,
        _ => strings.number(&format!("{}{suffix}", kind.word)),
    };
    let role = match shape {
        Shape::Slice(SliceKind::Mpi(Group::Collective)) => {
            collectives::role(strings.text(canonical)) as u32
        }
        _ => kind.role,
    };
    Region {
        name,
        canonical: if is_called_by_its_word(shape) { name } else { canonical },
        description: source.map_or(0, |source| source.function),
        role,
        paradigm: kind.paradigm,
        file: source.map_or(0, |source| source.file),
        line: source.map_or(0, |source| source.line),
    }
}

/// True if other formats have no name for the region, or one with the address of a lock.
fn is_called_by_its_word(shape: Shape) -> bool {
    use SliceKind::{LockTests, MutexHold, MutexWait};
    match shape {
        Shape::Block(_) | Shape::SingleBlock | Shape::Unlock(_) => true,
        Shape::Slice(MutexWait(mutex) | MutexHold(mutex)) => mutex.is_lock(),
        Shape::Slice(LockTests(_)) | Shape::Instant(InstantKind::LockTestFailed(_)) => true,
        Shape::Slice(_) | Shape::Construct(_) | Shape::Instant(_) | Shape::Function => false,
    }
}

fn is_fortran(file: &str) -> bool {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

fn set<T: Default>(table: &mut Vec<T>, number: u32, value: T) {
    let index = number as usize;
    if table.len() <= index {
        table.resize_with(index + 1, T::default);
    }
    if let Some(entry) = table.get_mut(index) {
        *entry = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_model::ompt::Mutex;

    #[test]
    fn a_lock_has_no_address_in_its_canonical_name() {
        let mut strings = Strings::default();
        let [one, other] =
            ["wait: lock 0x5581", "wait: lock 0x7f33"].map(|name| strings.number(name));
        let mut canonical = |kind, name| {
            describe(&mut strings, Shape::Slice(SliceKind::MutexWait(kind)), name, None).canonical
        };
        assert_eq!(canonical(Mutex::Lock, one), canonical(Mutex::Lock, other));
        assert_eq!(
            canonical(Mutex::Critical, one),
            one,
            "a critical section is called by its name"
        );
    }
}
