//! Slices and instants that look alike: of the same name, location, category and partner. The packet of the first one on a track serves
//! all others, which append the details that are only theirs.

use ompttrace_model::{
    Activity, Arg, ArgKey, ArgValue, Category, ContextRef, Instant, InstantKind, Mark, Slice,
    SliceKind,
};
use ompttrace_tracks::Partners;

use super::notes::{id_text, value};
use super::numbers::Numbers;
use super::texts::{TraceTexts, arg_key};
use crate::encode::{Annotation, Look, OwnFields, Value};

/// The look of a slice, which everything but what [`write_slice`] writes belongs to, its arguments if it [`has_args`]; `None` of a mutex
/// that says more than usual.
#[inline(always)]
pub(super) fn of(slice: &Slice<'_>, has_args: bool, partners: Partners) -> Option<Look> {
    let (address, text) = if has_args { of_mutex(slice.args)? } else { (0, 0) };
    let named = u64::from(slice.name) | u64::from(slice.source) << 32;
    let category = Category::of_slice(slice.kind) as u64;
    let (mark, resumed) = (slice.mark as u64, u64::from(slice.resumed));
    let kind = category | mark << 8 | resumed << 10 | text << 11;
    let partner = |partner: Option<u32>| partner.map_or(0, |partner| u64::from(partner) + 1);
    let partners = partner(partners.thread) | partner(partners.logical_thread) << 32;
    Some(Look([named, address, kind, partners]))
}

/// True if a slice's arguments belong to its look: those that say which mutex it is of.
#[inline(always)]
pub(super) fn has_args(slice: &Slice<'_>) -> bool {
    matches!(slice.kind, SliceKind::MutexWait(_) | SliceKind::MutexHold(_))
}

/// A mutex's wait id, and, if that is said, which implementation it has.
#[inline(always)]
fn of_mutex(args: &[Arg]) -> Option<(u64, u64)> {
    match args {
        [Arg { value: ArgValue::Address(wait_id), .. }] => Some((*wait_id, 0)),
        [
            Arg { value: ArgValue::Address(wait_id), .. },
            Arg { value: ArgValue::Text(name), .. },
        ] => Some((*wait_id, u64::from(*name) + 1)),
        _ => None,
    }
}

/// The look of an instant; `None` of one that has a list, and of a loss.
#[inline(always)]
pub(super) fn of_instant(instant: &Instant<'_>) -> Option<Look> {
    if !instant.items.is_empty() || instant.kind == InstantKind::Lost {
        return None;
    }
    let named = u64::from(instant.name) | u64::from(instant.source) << 32;
    // All but those say where they were.
    let is_task = u64::from(instant.kind == InstantKind::TaskCreate);
    let category = Category::of_instant(instant.kind) as u64;
    Some(Look([named, category | is_task << 8 | (instant.mark as u64) << 9, 0, 0]))
}

/// The look of an end that was not simply observed.
pub(super) fn of_end(mark: Mark) -> Look {
    Look([mark as u64, 0, 0, 0])
}

/// The look of an activity, on a track that has nothing else.
pub(super) fn of_activity(activity: Activity) -> Look {
    Look([activity as u64, 0, 0, 0])
}

/// Writes the details of a slice that differ from others of its look, with its flows if `flows`. Returns false if there
/// are more than is usual.
#[inline(always)]
pub(super) fn write_slice(
    own: &mut OwnFields<'_, '_>,
    (texts, numbers): (&mut TraceTexts, Numbers),
    (slice, has_args): (&Slice<'_>, bool),
    flows: bool,
) -> bool {
    (has_args || write_args(own, texts, slice.args))
        && (slice.context == 0 || write_context(own, texts, slice.context))
        && (!flows || write_flows(own, numbers, slice.flows, slice.flow_ends))
}

/// Writes the details of an instant that differ from others of its look, as [`write_slice`] does for a slice.
#[inline(always)]
pub(super) fn write_instant(
    own: &mut OwnFields<'_, '_>,
    (texts, numbers): (&mut TraceTexts, Numbers),
    instant: &Instant<'_>,
    flows: bool,
) -> bool {
    write_args(own, texts, instant.args)
        && (!flows || write_flows(own, numbers, instant.flows, instant.flow_ends))
}

#[inline(always)]
fn write_args(own: &mut OwnFields<'_, '_>, texts: &mut TraceTexts, args: &[Arg]) -> bool {
    for arg in args {
        let name = arg_key(arg.key);
        let is_written = match arg.value {
            // Every task has one.
            ArgValue::Id(id) => own.short(name, &id_text(id)),
            other => own.annotation(&Annotation { name, value: value(texts, other) }),
        };
        if !is_written {
            return false;
        }
    }
    true
}

#[cold]
fn write_context(own: &mut OwnFields<'_, '_>, texts: &mut TraceTexts, context: ContextRef) -> bool {
    texts.context(context).is_none_or(|text| {
        own.annotation(&Annotation { name: arg_key(ArgKey::Context), value: Value::Interned(text) })
    })
}

#[inline(always)]
fn write_flows(own: &mut OwnFields<'_, '_>, numbers: Numbers, flows: &[u64], ends: &[u64]) -> bool {
    for flow in flows {
        if !own.flow(numbers.flow(*flow)) {
            return false;
        }
    }
    for flow in ends {
        if !own.flow_end(numbers.flow(*flow)) {
            return false;
        }
    }
    true
}
