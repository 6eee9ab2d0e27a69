//! Unified memory: which counters CUPTI is asked for, and how many of their records are kept one by one.

use crate::activity::{Counted, UNIFIED_MEMORY};
use crate::library::{Answer, Counter, Library};
use crate::operation::at_work;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use ompttrace_recorder::caught;
use ompttrace_recording::device_records::{Activity, UNIFIED, kind, unified};
use ompttrace_recording::facts::CUPTI;
use std::collections::BTreeMap;

/// Records of a counter that are kept one by one. There may be millions of page faults: of further ones each buffer has one record
/// for each device and detail, with their sums.
const MOST: u64 = 1 << 18;
/// Number of counters, with 0, which is none.
const COUNTERS: usize = 9;
/// Devices that CUPTI's records can name; greater numbers are the host's.
const MOST_DEVICES: u32 = 320;
/// CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES.
const ALL_DEVICES: i32 = 2;
/// Counters, those first that every device with unified memory has.
const WANTED: [u32; 8] = [
    unified::TO_DEVICE,
    unified::FROM_DEVICE,
    unified::HOST_FAULT,
    unified::DEVICE_FAULT,
    unified::THRASHING,
    unified::THROTTLING,
    unified::REMOTE_MAP,
    unified::BETWEEN_DEVICES,
];
const BASIC: usize = 4;
/// Answers that say that devices have no unified memory, or not all of them: CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED and the
/// three after it.
const UNSUPPORTED: std::ops::RangeInclusive<Answer> = 28..=31;
/// CUPTI_CB_DOMAIN_RESOURCE.
const RESOURCES: c_int = 3;
/// CUPTI_CBID_RESOURCE_CONTEXT_CREATED.
const CONTEXT_CREATED: u32 = 1;

/// Number of records so far of each counter.
static TAKEN: [AtomicU64; COUNTERS] = [const { AtomicU64::new(0) }; COUNTERS];
/// True once there was a context.
static ASKED_AGAIN: AtomicBool = AtomicBool::new(false);
/// The device of the last migration.
static LAST: AtomicU32 = AtomicU32::new(0);

/// Asks for all counters. Where CUPTI cannot be asked yet, because CUDA only begins, it is asked again when there is a context. Returns
/// a message where they are not recorded.
pub(crate) fn begin(library: &Library, subscriber: *mut c_void) -> Option<String> {
    let answer = configure(library).err()?;
    if !UNSUPPORTED.contains(&answer) {
        // SAFETY: CUPTI's function with the handle that it gave, and one of its callbacks.
        let watched = unsafe { (library.watch)(1, subscriber, RESOURCES, CONTEXT_CREATED) };
        if watched == 0 {
            return None;
        }
    }
    Some(message(library, answer))
}

/// Callback for contexts, of which the first counts.
pub(crate) unsafe extern "C" fn called(_: *mut c_void, domain: u32, of: u32, _: *const c_void) {
    let is_context = domain == RESOURCES as u32 && of == CONTEXT_CREATED;
    if !is_context || ASKED_AGAIN.swap(true, Ordering::AcqRel) {
        return;
    }
    let _ = caught(|| {
        if let Some(library) = at_work()
            && let Err(answer) = configure(library)
        {
            ompttrace_life::note(CUPTI, &message(library, answer));
        }
    });
}

fn message(library: &Library, answer: Answer) -> String {
    let words = library.words(answer);
    format!("migrations and page faults of unified memory are not recorded: {words}")
}

/// Asks for all counters, or where that fails for those that every device has.
fn configure(library: &Library) -> Result<(), Answer> {
    let counter =
        |kind: u32| Counter { scope: ALL_DEVICES, kind: kind as i32, device: 0, enable: 1 };
    let all = WANTED.map(counter);
    let result = |answer: Answer| if answer == 0 { Ok(()) } else { Err(answer) };
    let ask = |count: usize| {
        // SAFETY: CUPTI's function, with that many of the configurations.
        result(unsafe { (library.configure)(all.as_ptr(), count as u32) })
    };
    ask(WANTED.len()).or_else(|answer| ask(BASIC).map_err(|_| answer))?;
    // SAFETY: CUPTI's function with one of its kinds.
    result(unsafe { (library.enable)(UNIFIED_MEMORY) })
}

/// The records of one buffer.
#[derive(Default)]
pub(crate) struct Unified {
    /// Activities without their device where that is the host's.
    activities: Vec<(Activity, Option<u32>)>,
}

impl Unified {
    pub(crate) fn count(&self) -> u64 {
        self.activities.len() as u64
    }

    pub(crate) fn take(&mut self, counted: &Counted) {
        let &Counted { counter, value, times: (begin, end), address, devices, flags } = counted;
        // Only these have an end.
        let lasts = matches!(
            counter,
            unified::TO_DEVICE
                | unified::FROM_DEVICE
                | unified::BETWEEN_DEVICES
                | unified::DEVICE_FAULT
                | unified::THROTTLING
        );
        let other = match counter {
            unified::BETWEEN_DEVICES | unified::THRASHING => devices.0,
            _ => 0,
        };
        let activity = Activity {
            kind: kind::UNIFIED,
            context: UNIFIED,
            stream: 1,
            detail: unified::detail(counter, flags, other),
            begin,
            end: if lasts { end.max(begin) } else { begin },
            what: value,
            host_op: address,
            ..Activity::default()
        };
        self.activities.push((activity, device(counter, devices, flags)));
    }

    /// The activities, each on a device: what is the host's is on that of the next migration, or of the last one.
    pub(crate) fn finish(self) -> Vec<Activity> {
        if self.activities.is_empty() {
            return Vec::new();
        }
        let mut next = None;
        let mut activities: Vec<_> = (self.activities.into_iter().rev())
            .map(|(activity, device)| {
                next = device.or(next);
                (activity, next)
            })
            .collect();
        activities.reverse();
        let mut last = LAST.load(Ordering::Relaxed);
        let placed = activities.into_iter().map(|(activity, device)| {
            last = device.unwrap_or(last);
            Activity { device: last, ..activity }
        });
        let placed: Vec<_> = placed.collect();
        LAST.store(last, Ordering::Relaxed);
        bounded(placed, |counter| {
            TAKEN.get(counter as usize).map_or(MOST, |taken| taken.fetch_add(1, Ordering::Relaxed))
        })
    }
}

/// The device of a record; `None` if it is the host's, or not known.
fn device(counter: u32, (source, destination): (u32, u32), flags: u32) -> Option<u32> {
    let device = match counter {
        unified::TO_DEVICE | unified::BETWEEN_DEVICES => destination,
        unified::FROM_DEVICE | unified::DEVICE_FAULT => source,
        unified::THROTTLING if flags & 1 == 0 => source,
        // The source is a bit for each device.
        unified::THRASHING if source != 0 => source.trailing_zeros(),
        unified::REMOTE_MAP if destination < MOST_DEVICES => destination,
        unified::REMOTE_MAP => source,
        _ => return None,
    };
    Some(device).filter(|device| *device < MOST_DEVICES)
}

/// Activities with sums in place of those that are more than [`MOST`]; `taken`: the number of those of a counter before.
fn bounded(activities: Vec<Activity>, mut taken: impl FnMut(u32) -> u64) -> Vec<Activity> {
    let (mut kept, mut sums) = (Vec::new(), BTreeMap::<(u32, u32), Sum>::new());
    for activity in activities {
        if taken(unified::counter(activity.detail.into())) < MOST {
            kept.push(activity);
        } else {
            let sum = sums.entry((activity.device, activity.detail)).or_default();
            sum.add(&activity);
        }
    }
    kept.extend(sums.into_values().filter_map(Sum::activity));
    kept
}

/// Several records of one device and detail.
#[derive(Default)]
struct Sum {
    first: Option<Activity>,
    count: u32,
    value: u64,
    /// Time of all of them.
    time: u64,
    /// End of the last.
    end: u64,
}

impl Sum {
    fn add(&mut self, one: &Activity) {
        match &mut self.first {
            Some(first) if first.begin <= one.begin => {}
            first => *first = Some(*one),
        }
        self.count = self.count.saturating_add(1);
        self.value = self.value.saturating_add(one.what);
        self.time = self.time.saturating_add(one.end.saturating_sub(one.begin));
        self.end = self.end.max(one.end);
    }

    /// One activity with the values of all, which lasts as long as they do together, from the begin of the first.
    fn activity(self) -> Option<Activity> {
        let first = self.first?;
        let end = first.begin.saturating_add(self.time).min(self.end);
        // That of a fault of the host is the address of an instruction.
        let is_fault = unified::counter(first.detail.into()) == unified::HOST_FAULT;
        let what = if is_fault { first.what } else { self.value };
        Some(Activity { stream: self.count, end, what, ..first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counter: u32, value: u64, times: (u64, u64), devices: (u32, u32)) -> Counted {
        Counted { counter, value, times, address: 0x1000, devices, flags: 0 }
    }

    #[test]
    fn each_record_is_on_a_device() {
        let host = u32::MAX;
        for (counter, devices, flags, expected) in [
            (unified::TO_DEVICE, (host, 2), 0, Some(2)),
            (unified::FROM_DEVICE, (3, host), 0, Some(3)),
            (unified::BETWEEN_DEVICES, (1, 2), 0, Some(2)),
            (unified::DEVICE_FAULT, (4, 9), 1, Some(4)),
            (unified::HOST_FAULT, (4, 9), 0, None),
            (unified::THRASHING, (0b1100, 9), 0, Some(2)),
            (unified::THRASHING, (0, 9), 1, None),
            (unified::THROTTLING, (5, 9), 0, Some(5)),
            (unified::THROTTLING, (5, 9), 1, None),
            (unified::REMOTE_MAP, (host, 6), 0, Some(6)),
            (unified::REMOTE_MAP, (6, host), 0, Some(6)),
            (unified::REMOTE_MAP, (host, host), 0, None),
            (77, (1, 1), 0, None),
        ] {
            assert_eq!(device(counter, devices, flags), expected, "{counter} {devices:?}");
        }
    }

    #[test]
    fn what_is_the_hosts_is_with_the_next_migration() {
        LAST.store(7, Ordering::Relaxed);
        let mut unified = Unified::default();
        unified.take(&counted(unified::HOST_FAULT, 0x400, (5, 9), (0, 0)));
        unified.take(&counted(unified::FROM_DEVICE, 4096, (6, 8), (3, u32::MAX)));
        unified.take(&counted(unified::HOST_FAULT, 0x400, (9, 0), (0, 0)));
        let all = unified.finish();
        let seen: Vec<_> = all.iter().map(|one| (one.device, one.begin, one.end)).collect();
        assert_eq!(seen, [(3, 5, 5), (3, 6, 8), (3, 9, 9)]);
        assert_eq!(all[1].detail, unified::detail(unified::FROM_DEVICE, 0, 0));
        let mut alone = Unified::default();
        alone.take(&counted(unified::HOST_FAULT, 0x400, (5, 9), (0, 0)));
        assert_eq!(alone.finish()[0].device, 3);
    }

    /// Sums have the counts, values and times of what they stand for.
    #[test]
    fn very_many_are_summed() {
        let fault = |at: u64, device: u32| Activity {
            kind: kind::UNIFIED,
            device,
            stream: 1,
            detail: unified::detail(unified::DEVICE_FAULT, 2, 0),
            begin: 100 * at,
            end: 100 * at + 10,
            what: 3,
            ..Activity::default()
        };
        let mut before = MOST - 2;
        let activities = [fault(1, 0), fault(2, 0), fault(4, 0), fault(3, 0), fault(5, 1)].to_vec();
        let all = bounded(activities, |_| {
            before += 1;
            before - 1
        });
        let seen: Vec<_> =
            all.iter().map(|one| (one.device, one.stream, one.what, one.begin, one.end)).collect();
        assert_eq!(
            seen,
            [(0, 1, 3, 100, 110), (0, 1, 3, 200, 210), (0, 2, 6, 300, 320), (1, 1, 3, 500, 510)]
        );
    }
}
