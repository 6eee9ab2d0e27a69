//! Mutexes: numbers, names, and which thread holds which.
//!
//! A mutex is known by its wait id and class. `lock_destroy` frees its state, not its number, so
//! that an address that is used again is on the same track. Where another library is opened at the address of
//! one that was closed, a variable of it is another mutex.

use crate::hash::{FastMap, mix};
use ompttrace_model::{LockRef, NameRef, ompt};
use ompttrace_recording::Id;

/// Mutexes with a track of their own.
const MAX_LOCKS: usize = 1 << 16;

/// Cache slots for the mutexes looked up last; a power of two.
const RECENT: usize = 64;

/// One mutex.
#[derive(Debug, Default)]
pub(crate) struct Mutex {
    pub lock: LockRef,
    /// Name of the mutex and of holding it.
    pub name: NameRef,
    /// Name of waiting for it.
    pub wait_name: NameRef,
    /// Name of a failed test of it, once there was one.
    pub test_name: Option<NameRef>,
    /// Text of the mutex's name.
    pub text: Box<str>,
    /// The thread that holds it, and the task it ran then.
    pub holder: Option<(u32, Id)>,
    /// Holds that were ended by the next one, whose release is still to come.
    pub clipped: u64,
    /// Time of the end of the last hold.
    pub released: u64,
    /// Number of holds so far.
    pub holds: u64,
    /// True once a thread has waited for the mutex: from then on its holds carry flows.
    pub contended: bool,
    /// The flow that the last hold carries.
    pub flow: Option<u64>,
    /// The address that stands for its variable.
    pub stands_for: u64,
    /// The mutex of the same wait id before.
    pub older: Option<u32>,
}

/// The mutexes of one wait id and class.
#[derive(Debug)]
struct Number {
    newest: u32,
    /// The one that it means in this generation.
    current: u32,
    generation: u32,
}

/// All mutexes so far.
#[derive(Debug)]
pub(crate) struct Locks {
    numbers: FastMap<(u64, u8), Number>,
    mutexes: Vec<Mutex>,
    generation: u32,
    /// Wait id, class and position.
    recent: Box<[(u64, u8, u32); RECENT]>,
}

impl Default for Locks {
    fn default() -> Locks {
        let recent = Box::new([(0, NO_CLASS, 0); RECENT]);
        Locks { numbers: FastMap::default(), mutexes: Vec::new(), generation: 0, recent }
    }
}

impl Locks {
    /// The position of a mutex that is known.
    #[inline(always)]
    pub(crate) fn find(&mut self, wait_id: u64, kind: ompt::Mutex) -> Option<usize> {
        let (class, slot) = (class(kind), (mix(wait_id) >> 16) as usize % RECENT);
        match self.recent[slot] {
            (known, of, position) if known == wait_id && of == class => Some(position as usize),
            _ => self.look_up(wait_id, class, slot),
        }
    }

    #[cold]
    fn look_up(&mut self, wait_id: u64, class: u8, slot: usize) -> Option<usize> {
        let number = self.numbers.get(&(wait_id, class))?;
        let position = (number.generation == self.generation).then_some(number.current)?;
        self.recent[slot] = (wait_id, class, position);
        Some(position as usize)
    }

    /// The mutex at a position that `find` or `add` gave.
    #[inline(always)]
    pub(crate) fn at(&mut self, position: usize) -> Option<&mut Mutex> {
        self.mutexes.get_mut(position)
    }

    /// Returns true if there is no room for another track.
    pub(crate) fn is_full(&self) -> bool {
        self.mutexes.len() >= MAX_LOCKS
    }

    /// The number that the next mutex gets.
    pub(crate) fn next(&self) -> LockRef {
        self.mutexes.len() as LockRef
    }

    /// Addresses may mean other variables from now on, if the generation is another one.
    pub(crate) fn come_to(&mut self, generation: u32) {
        if self.generation != generation {
            self.generation = generation;
            self.recent.fill((0, NO_CLASS, 0));
        }
    }

    /// The position of a mutex that was known in an earlier generation, as the same variable.
    pub(crate) fn again(
        &mut self,
        wait_id: u64,
        kind: ompt::Mutex,
        stands_for: u64,
    ) -> Option<usize> {
        let number = self.numbers.get_mut(&(wait_id, class(kind)))?;
        let mut position = number.newest;
        loop {
            let mutex = self.mutexes.get(position as usize)?;
            if mutex.stands_for == stands_for {
                break;
            }
            position = mutex.older?;
        }
        (number.current, number.generation) = (position, self.generation);
        Some(position as usize)
    }

    /// Adds a mutex that is not known yet.
    pub(crate) fn add(&mut self, wait_id: u64, kind: ompt::Mutex, mutex: Mutex) -> usize {
        let position = self.mutexes.len() as u32;
        let number = Number { newest: position, current: position, generation: self.generation };
        let before = self.numbers.insert((wait_id, class(kind)), number);
        self.mutexes.push(Mutex { older: before.map(|number| number.newest), ..mutex });
        position as usize
    }

    /// All mutexes that are held.
    pub(crate) fn held(&mut self) -> impl Iterator<Item = &mut Mutex> {
        self.mutexes.iter_mut().filter(|mutex| mutex.holder.is_some())
    }
}

/// Class of an empty slot.
const NO_CLASS: u8 = u8::MAX;

/// Testing for a lock is the same lock.
#[inline(always)]
fn class(kind: ompt::Mutex) -> u8 {
    kind.without_test() as u8
}
