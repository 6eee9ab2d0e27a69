//! Slices and instants that look alike in an archive: what is written for one of a kind, name and source location is kept,
//! and serves for the next one, whose region and attributes are then not looked up.

use ompttrace_model::{Arg, ArgValue, NameRef, SourceRef};

use crate::archive_state::Alike;
use crate::ids::RegionId;
use crate::tables::DefinitionTables;
use crate::tables::kinds::Shape;

/// Names beyond these are looked up each time.
const MOST: usize = 1 << 18;

/// Looks for which it is kept what is written: a program may have any number of locks, each with a name.
const MOST_KEPT: usize = 1 << 12;

/// Looks of slices, or of instants.
#[derive(Debug)]
pub(crate) struct Looks<K> {
    /// The look of the last kind and source location, by name.
    by_name: Vec<Option<Look<K>>>,
    /// Number of looks for which it was kept what is written.
    kept: usize,
}

#[derive(Debug)]
struct Look<K> {
    kind: K,
    source: SourceRef,
    region: RegionId,
    written: Written,
}

/// Knowledge of what is written for a look.
#[derive(Debug)]
enum Written {
    Unknown,
    /// This, for these arguments.
    Always(Box<(Vec<Arg>, Alike)>),
    Varies,
}

impl<K> Default for Looks<K> {
    fn default() -> Looks<K> {
        Looks { by_name: Vec::new(), kept: 0 }
    }
}

impl<K: Copy + PartialEq> Looks<K> {
    #[inline(always)]
    fn get(&self, kind: K, name: NameRef, source: SourceRef) -> Option<&Look<K>> {
        let look = self.by_name.get(name as usize)?.as_ref()?;
        (look.source == source && look.kind == kind).then_some(look)
    }

    /// Region, attributes and action of one with these arguments, if they are known.
    #[inline(always)]
    pub(crate) fn alike(
        &self,
        kind: K,
        name: NameRef,
        source: SourceRef,
        args: &[Arg],
    ) -> Option<&Alike> {
        match &self.get(kind, name, source)?.written {
            Written::Always(known) if is_same(&known.0, args) => Some(&known.1),
            _ => None,
        }
    }

    /// The region, which an event names; it is looked up and kept if it is not known.
    pub(crate) fn used_region(
        &mut self,
        tables: &mut DefinitionTables,
        shape: impl FnOnce(K) -> Shape,
        (kind, name, source): (K, NameRef, SourceRef),
    ) -> RegionId {
        if let Some(region) = self.region(kind, name, source) {
            tables.used(region);
            return region;
        }
        let region = tables.region(shape(kind), name, source);
        self.add(kind, name, source, region);
        region
    }

    /// The region, if it is known.
    fn region(&self, kind: K, name: NameRef, source: SourceRef) -> Option<RegionId> {
        self.get(kind, name, source).map(|look| look.region)
    }

    /// Adds the look of one that has no look yet.
    fn add(&mut self, kind: K, name: NameRef, source: SourceRef, region: RegionId) {
        let index = name as usize;
        if index >= MOST {
            return;
        }
        if self.by_name.len() <= index {
            self.by_name.resize_with(index + 1, || None);
        }
        if let Some(slot) = self.by_name.get_mut(index) {
            // Of a name with several nothing is kept but the region: they may come in turn.
            let written = if slot.is_some() { Written::Varies } else { Written::Unknown };
            *slot = Some(Look { kind, source, region, written });
        }
    }

    /// Keeps what `alike` gives, if it is to be written for all of this name that have these arguments.
    pub(crate) fn keep(&mut self, name: NameRef, args: &[Arg], alike: impl FnOnce() -> Alike) {
        let Some(Some(look)) = self.by_name.get_mut(name as usize) else { return };
        look.written = match look.written {
            Written::Unknown if self.kept < MOST_KEPT => {
                self.kept += 1;
                Written::Always(Box::new((args.to_vec(), alike())))
            }
            _ => Written::Varies,
        };
    }

    /// Forgets what is written for a name.
    pub(crate) fn forget(&mut self, name: NameRef) {
        if let Some(slot) = self.by_name.get_mut(name as usize) {
            *slot = None;
        }
    }
}

/// True if the arguments are the same. It is asked for nearly all slices.
#[inline(always)]
fn is_same(known: &[Arg], args: &[Arg]) -> bool {
    if known.len() != args.len() {
        return false;
    }
    for (one, other) in known.iter().zip(args) {
        let is_same = match (one.value, other.value) {
            (ArgValue::Number(one), ArgValue::Number(other))
            | (ArgValue::Address(one), ArgValue::Address(other)) => one == other,
            (ArgValue::Signed(one), ArgValue::Signed(other)) => one == other,
            (ArgValue::Id(one), ArgValue::Id(other)) => one == other,
            (ArgValue::Text(one), ArgValue::Text(other)) => one == other,
            // A word comes from one place of the timeline. Its text would take longer to compare.
            (ArgValue::Word(one), ArgValue::Word(other)) => std::ptr::eq(one, other),
            _ => false,
        };
        if one.key != other.key || !is_same {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_state::BeginAction;
    use ompttrace_model::{ArgKey, SliceKind};

    const ALIKE: Alike = Alike { region: 7, list: Some(3), more: BeginAction::Nothing };

    fn arg(address: u64) -> Arg {
        Arg { key: ArgKey::WaitId, value: ArgValue::Address(address) }
    }

    #[test]
    fn what_was_written_serves_for_the_same_arguments_until_others_come() {
        let (mut looks, kind) = (Looks::default(), SliceKind::Task);
        let alike = |looks: &Looks<_>, args: &[Arg]| looks.alike(kind, 5, 1, args).copied();
        looks.add(kind, 5, 1, 7);
        assert_eq!((alike(&looks, &[arg(1)]), looks.region(kind, 5, 1)), (None, Some(7)));
        looks.keep(5, &[arg(1)], || ALIKE);
        assert_eq!((alike(&looks, &[arg(1)]), alike(&looks, &[arg(2)])), (Some(ALIKE), None));
        assert_eq!(looks.region(SliceKind::Masked, 5, 1), None);
        looks.keep(5, &[arg(2)], || unreachable!());
        assert_eq!((alike(&looks, &[arg(1)]), looks.region(kind, 5, 1)), (None, Some(7)));
    }

    #[test]
    fn of_a_name_with_several_kinds_nothing_is_kept() {
        let mut looks = Looks::default();
        for (source, is_first) in [(1, true), (2, false), (1, false)] {
            assert_eq!(looks.region(SliceKind::Task, 5, source), None);
            looks.add(SliceKind::Task, 5, source, source);
            looks.keep(5, &[], || ALIKE);
            let is_kept = looks.alike(SliceKind::Task, 5, source, &[]).is_some();
            let region = looks.region(SliceKind::Task, 5, source);
            assert_eq!((is_kept, region), (is_first, Some(source)));
        }
        looks.forget(5);
        looks.add(SliceKind::Task, 5, 1, 1);
        looks.keep(5, &[], || ALIKE);
        assert_eq!(looks.alike(SliceKind::Task, 5, 1, &[]), Some(&ALIKE));
    }
    #[test]
    fn of_too_many_names_nothing_is_kept() {
        let mut looks = Looks::default();
        for name in 0..=MOST_KEPT as NameRef {
            looks.add(SliceKind::Task, name, 1, 7);
            looks.keep(name, &[], || ALIKE);
        }
        let is_kept = |name: usize| looks.alike(SliceKind::Task, name as NameRef, 1, &[]).is_some();
        assert_eq!((is_kept(MOST_KEPT - 1), is_kept(MOST_KEPT)), (true, false));
    }
}
