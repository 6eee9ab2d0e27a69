//! Definitions of the archives, and their numbers by those of a session.

use std::sync::Arc;

use ompttrace_model::ompt::Mutex;
use ompttrace_model::{Communicator, MpiObject};
use rustc_hash::FxHashMap;

use super::regions::Regions;
use crate::archive::{CallingContext, DefinitionNames, EncodedList, Mapping, Number, Region};
use crate::ids::{AttributeId, ObjectId, RegionId, StringId};
use crate::segment::{NewDefinitions, NewRegion};
use crate::tables::Strings;

/// All definitions, and the session's numbers.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub strings: Strings,
    pub regions: Regions,
    /// Name and OTF2_Type of each attribute.
    pub attributes: Vec<(StringId, u8)>,
    /// Files and lines of calling contexts.
    pub lines: Vec<(StringId, u32)>,
    pub contexts: Vec<CallingContext>,
    pub devices: Vec<i64>,
    /// Communicators of MPI, by number.
    pub communicators: Vec<Communicator>,
    /// Windows and files of MPI, by number, and those of them that events make.
    objects: Vec<MpiObject>,
    made: Vec<ObjectId>,
    /// Number of locks.
    locks: u32,
    known_attributes: FxHashMap<(StringId, u8), AttributeId>,
    known_lines: FxHashMap<(StringId, u32), u32>,
    known_contexts: FxHashMap<CallingContext, u32>,
    known_locks: FxHashMap<(Mutex, u64), u32>,
    /// Numbers of the definitions above by those of the session, in this field and the five below.
    names: DefinitionNames,
    region_definitions: Vec<u32>,
    own_lines: Vec<u32>,
    own_locks: Vec<u32>,
    own_communicators: usize,
    own_objects: usize,
    /// Number of sessions before this one.
    sessions: u64,
}

impl Tables {
    /// Begins another session, which has numbers of its own.
    pub(super) fn begin_session(&mut self) {
        self.names = DefinitionNames::default();
        self.region_definitions.clear();
        self.own_lines.clear();
        self.own_locks.clear();
        self.own_communicators = 0;
        self.own_objects = 0;
        self.sessions += 1;
    }

    /// Numbers of the archives by those of the session.
    pub(super) fn names(&self) -> &DefinitionNames {
        &self.names
    }

    /// The numbers of the session's locks.
    pub(super) fn locks(&self) -> &[u32] {
        &self.own_locks
    }

    /// An attribute's definition.
    pub(super) fn attribute(&mut self, name: StringId, kind: u8) -> AttributeId {
        let Tables { attributes, known_attributes, .. } = self;
        *known_attributes.entry((name, kind)).or_insert_with(|| {
            attributes.push((name, kind));
            attributes.len() as AttributeId - 1
        })
    }

    /// Takes in what the session has defined.
    pub(super) fn add(&mut self, new: NewDefinitions) {
        let NewDefinitions {
            strings,
            regions,
            uses,
            attributes,
            lines,
            contexts,
            lists,
            locks,
            devices,
            communicators,
            objects,
            made,
        } = new;
        let known = self.objects.len().saturating_sub(self.own_objects);
        self.own_objects += objects.len();
        self.objects.extend(objects.into_iter().skip(known));
        self.made.extend(made);
        for communicator in communicators {
            self.own_communicators += 1;
            if self.own_communicators > self.communicators.len() {
                self.communicators.push(communicator);
            }
        }
        if !strings.is_empty() {
            let known = Arc::make_mut(&mut self.names.strings);
            known.extend(strings.iter().map(|text| self.strings.number(text)));
        }
        regions.into_iter().for_each(|region| self.add_region(region));
        for (region, uses) in uses {
            self.used(region, uses);
        }
        for (name, kind) in attributes {
            let number = self.attribute(self.string(name), kind);
            Arc::make_mut(&mut self.names.attributes).push(number);
        }
        for (file, line) in lines {
            let line = (self.string(file), line);
            let number = number(&mut self.lines, &mut self.known_lines, line);
            self.own_lines.push(number);
        }
        contexts.into_iter().for_each(|context| self.add_context(context));
        for list in lists {
            let attributes = list.into_iter().map(|attribute| self.names.attribute(attribute));
            let list = EncodedList::new(attributes);
            Arc::make_mut(&mut self.names.lists).push(list);
        }
        for (kind, wait_id) in locks {
            self.add_lock(kind.without_test(), wait_id);
        }
        for device in devices {
            let known = self.devices.iter().position(|known| *known == device);
            let number = known.unwrap_or_else(|| {
                self.devices.push(device);
                self.devices.len() - 1
            });
            Arc::make_mut(&mut self.names.devices).push(number as u32);
        }
    }

    /// All definitions, as a session has them; and the numbers of regions in events.
    pub(crate) fn into_new(self) -> (NewDefinitions, Vec<(RegionId, u32)>) {
        let mapping = self.regions.mapping();
        let new = NewDefinitions {
            regions: self.regions.as_new().collect(),
            strings: self.strings.into_texts(),
            attributes: self.attributes,
            lines: self.lines,
            contexts: self.contexts,
            devices: self.devices,
            communicators: self.communicators,
            objects: self.objects,
            made: self.made,
            ..NewDefinitions::default()
        };
        (new, mapping)
    }

    /// Takes in the definitions of a process, of which an archive may have several: as those of a session, but for devices,
    /// communicators, windows and files, which each process has of its own. `regions`: the numbers of regions in events.
    pub(crate) fn add_process(
        &mut self,
        new: &NewDefinitions,
        regions: &[(RegionId, u32)],
    ) -> Mapping {
        self.begin_session();
        let (devices, communicators, objects, made) = Default::default();
        self.add(NewDefinitions { devices, communicators, objects, made, ..new.clone() });
        let definition =
            |own: u32| self.region_definitions.get(own as usize).copied().unwrap_or_default();
        let all = 0..self.region_definitions.len() as u32;
        let mut mapped: Vec<_> = match regions {
            [] => all.map(|own| (own, definition(own))).collect(),
            some => some.iter().map(|(number, own)| (*number, definition(*own))).collect(),
        };
        if mapped.iter().all(|(number, definition)| number == definition) {
            mapped.clear();
        }
        Mapping {
            strings: self.names.strings.to_vec(),
            attributes: self.names.attributes.to_vec(),
            regions: mapped,
            contexts: self.names.contexts.to_vec(),
            ..Mapping::default()
        }
    }

    /// The archive's string for one of the session's.
    fn string(&self, own: StringId) -> StringId {
        self.names.strings.get(own as usize).copied().unwrap_or_default()
    }

    fn add_region(&mut self, NewRegion { region, is_part }: NewRegion) {
        let Region { name, canonical, description, file, .. } = region;
        let [name, canonical, description, file] =
            [name, canonical, description, file].map(|string| self.string(string));
        let region = Region { name, canonical, description, file, ..region };
        let definition = self.regions.define(region, is_part);
        self.region_definitions.push(definition);
        Arc::make_mut(&mut self.names.regions).push(Number::new(self.regions.number(definition)));
    }

    /// Counts further events that name a region of the session's, whose number may change.
    fn used(&mut self, region: u32, uses: u32) {
        let Some(definition) = self.region_definitions.get(region as usize).copied() else {
            return;
        };
        if self.regions.used(definition, uses) {
            let same = self.region_definitions.iter().zip(Arc::make_mut(&mut self.names.regions));
            let same = same.filter(|(known, _)| **known == definition);
            let number = Number::new(self.regions.number(definition));
            same.for_each(|(_, named)| *named = number);
        }
    }

    fn add_context(&mut self, context: CallingContext) {
        let CallingContext { region, line, caller } = context;
        let of = |numbers: &[u32], number: u32| numbers.get(number as usize).copied();
        let context = CallingContext {
            region: of(&self.region_definitions, region).unwrap_or_default(),
            line: line.and_then(|line| of(&self.own_lines, line)),
            caller: caller.and_then(|caller| of(&self.names.contexts, caller)),
        };
        let number = number(&mut self.contexts, &mut self.known_contexts, context);
        Arc::make_mut(&mut self.names.contexts).push(number);
    }

    /// A lock that another session knew has its number. In a session two locks may follow each other at an address.
    fn add_lock(&mut self, kind: Mutex, wait_id: u64) {
        let next = self.locks;
        let known = self.known_locks.entry((kind, wait_id)).or_insert(next);
        if self.own_locks.contains(known) {
            *known = next;
        }
        self.locks += u32::from(*known == next);
        self.own_locks.push(*known);
    }
}

/// The number of a definition, which is added unless it is there.
fn number<T: Copy + Eq + std::hash::Hash>(
    all: &mut Vec<T>,
    known: &mut FxHashMap<T, u32>,
    one: T,
) -> u32 {
    *known.entry(one).or_insert_with(|| {
        all.push(one);
        all.len() as u32 - 1
    })
}
