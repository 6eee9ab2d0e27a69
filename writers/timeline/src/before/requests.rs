//! Requests of MPI that are open at a cut. What one thread posts another may complete, and handles are not unique, so that the
//! records of all threads between two cuts are followed together, in the order of time.

use super::saved::Saved;
use super::scan::Scan;
use super::stack::Construct;
use super::thread::{ScannedThread, Unknown};
use super::{Before, NeededRecord};
use crate::state::requests::{Given, Request, Requests, at_index, frees, starts};
use ompttrace_recording::events::{Event, MpiDone, MpiEnter, MpiPost, MpiRequest, Record, Scope};
use ompttrace_recording::mpi::PERSISTENT;
use ompttrace_recording::words::KIND_MASK;
use std::collections::{HashMap, HashSet};

/// Open requests; a recording with more is read from its begin.
const MOST: usize = 1 << 16;
/// Records of one thread between two cuts; the same holds for one with more.
const MOST_LOGGED: usize = 1 << 20;

/// The records of a call that made a request.
#[derive(Clone, Copy, Debug)]
struct Posted {
    transfer: Option<Saved>,
    enter: Saved,
    post: Saved,
}

/// An open request, by the records that say what it is.
#[derive(Clone, Copy, Debug)]
struct Known {
    posted: Posted,
    /// If it is persistent and started: the thread that did it, and the records by which it was given the request and called.
    started: Option<(u32, [Saved; 2])>,
}

/// A record of a thread that makes, takes or completes a request, or gives those back that it has taken.
#[derive(Clone, Copy, Debug)]
enum Logged {
    /// A request was made: its handle, true if it is persistent, and the records of the call.
    Posted(u64, bool, Posted),
    Given(Saved),
    Done(Saved),
    /// A call ended that was given requests: the ticks, and the record of its begin.
    CallEnded(u64, Option<Saved>),
}

impl Logged {
    fn ticks(&self) -> u64 {
        match self {
            Logged::Posted(.., posted) => posted.post.ticks,
            Logged::Given(saved) | Logged::Done(saved) => saved.ticks,
            Logged::CallEnded(ticks, _) => *ticks,
        }
    }
}

/// Requests that a thread's calls of MPI made, took and completed since the last cut.
#[derive(Debug, Default)]
pub(super) struct RequestLog {
    logged: Vec<Logged>,
    /// True if the open call, or the next one, is given any.
    is_given: bool,
}

impl ScannedThread {
    /// A call of MPI has made a request.
    pub(super) fn posted(&mut self, event: &MpiPost, record: &Record<'_>) -> Result<(), Unknown> {
        let post = self.saved(record)?;
        let stack = self.stack()?;
        let transfer = stack.innermost(Construct::Transfer);
        let enter = stack.innermost(Construct::Mpi).ok_or(Unknown)?;
        let posted = Posted { transfer, enter, post };
        self.log(Logged::Posted(event.request, event.kind & PERSISTENT != 0, posted))
    }

    /// The next call is given a request.
    pub(super) fn given(&mut self, record: &Record<'_>) -> Result<(), Unknown> {
        self.requests.is_given = true;
        self.log(Logged::Given(self.saved(record)?))
    }

    /// A request that was passed to the open call is complete.
    pub(super) fn completed(&mut self, record: &Record<'_>) -> Result<(), Unknown> {
        self.log(Logged::Done(self.saved(record)?))
    }

    /// The innermost call ends.
    pub(super) fn call_ends(&mut self, record: &Record<'_>) -> Result<(), Unknown> {
        if std::mem::take(&mut self.requests.is_given) {
            let enter = self.stack()?.innermost(Construct::Mpi);
            self.log(Logged::CallEnded(record.ticks, enter))?;
        }
        self.construct(Construct::Mpi, Scope::End, record)?;
        self.stack()?.end(Construct::Transfer);
        Ok(())
    }

    fn log(&mut self, logged: Logged) -> Result<(), Unknown> {
        if self.requests.logged.len() >= MOST_LOGGED {
            return Err(Unknown);
        }
        self.requests.logged.push(logged);
        Ok(())
    }
}

/// The open call of a thread, as far as it is given requests.
#[derive(Debug, Default)]
struct OpenCall {
    given: Vec<Given<Known>>,
    /// The records that gave them, one for each.
    by: Vec<Saved>,
    done: Vec<Saved>,
}

/// Requests that are open at a cut.
#[derive(Debug, Default)]
pub(crate) struct OpenRequests {
    requests: Requests<Known>,
    calls: Vec<OpenCall>,
}

impl OpenRequests {
    /// Takes what the threads have recorded since the last cut.
    pub(crate) fn take(&mut self, scans: &mut [Scan<'_>]) {
        self.calls.resize_with(scans.len(), OpenCall::default);
        let (mut all, mut threads) = (Vec::new(), 0_u32);
        for (scan, t) in scans.iter_mut().zip(0u32..) {
            let Some(thread) = &mut scan.thread else { continue };
            let logged = std::mem::take(&mut thread.requests.logged);
            threads += u32::from(!logged.is_empty());
            all.extend(logged.into_iter().map(|one| (t, one)));
        }
        if threads > 1 {
            all.sort_by_key(|(t, one)| (one.ticks(), *t));
        }
        all.into_iter().for_each(|(t, one)| self.follow(t, one));
        let given: usize = self.calls.iter().map(|call| call.given.len()).sum();
        if self.requests.count() + given > MOST {
            scans.iter_mut().for_each(|scan| scan.is_unknown = true);
        }
    }

    fn follow(&mut self, t: u32, logged: Logged) {
        let OpenRequests { requests, calls } = self;
        let Some(call) = calls.get_mut(t as usize) else { return };
        match logged {
            Logged::Posted(handle, persistent, posted) => {
                let (made, by) = ((posted.post.ticks, t), Known { posted, started: None });
                requests.made(handle, Request { made, persistent, by });
            }
            Logged::Given(saved) => {
                let MpiRequest { request, index } = MpiRequest::from_words(saved.record().words);
                if let Some(given) = requests.given(request, index) {
                    call.given.push(given);
                    call.by.push(saved);
                }
            }
            Logged::Done(saved) => {
                let MpiDone { index, .. } = MpiDone::from_words(saved.record().words);
                if let Some(given) = at_index(&mut call.given, index) {
                    given.is_done = true;
                    requests.change(given, |known| known.started = None);
                    call.done.push(saved);
                }
            }
            Logged::CallEnded(_, enter) => {
                let called =
                    |is: fn(u64) -> bool| enter.as_ref().filter(|enter| is(function(enter)));
                for (given, by) in call.given.drain(..).zip(call.by.drain(..)) {
                    if called(frees).is_some() {
                        requests.freed(&given);
                    } else if let Some(enter) = called(starts) {
                        let started = Some((t, [by, *enter]));
                        requests.change(&given, |known| known.started = started);
                    } else {
                        requests.given_back(&given);
                    }
                }
                call.done.clear();
            }
        }
    }

    /// Adds the records of those that are open, or given to a call that is open. `None` where these do not say which is
    /// which: a call was given one that was made before another that is open again.
    pub(super) fn add_to(&self, before: &mut Before) -> Option<()> {
        let given = || self.calls.iter().flat_map(|call| call.given.iter().zip(&call.by));
        let mut by_handle = HashMap::<u64, Vec<_>>::new();
        for (given, by) in given() {
            by_handle.entry(given.handle).or_default().push((given.request.made, by.ticks));
        }
        let is_another = |handle: u64, made: (u64, u32)| {
            let given = by_handle.get(&handle).into_iter().flatten();
            given.into_iter().any(|(given, by)| made > *given && made.0 < *by)
        };
        let open = || self.requests.all();
        let all_given = || given().map(|(given, _)| (given.handle, &given.request));
        if open().chain(all_given()).any(|(handle, one)| is_another(handle, one.made)) {
            return None;
        }
        if self.requests.count() > 0 || given().next().is_some() {
            let known: Vec<_> = open().chain(all_given()).map(|(_, one)| one).collect();
            add_posted(&known, before);
        }
        for (call, t) in self.calls.iter().zip(0..) {
            let records = call.by.iter().chain(&call.done);
            before.records.extend(records.map(|saved| (t, NeededRecord::All(*saved))));
        }
        Some(())
    }
}

/// The function that is called by this record.
fn function(enter: &Saved) -> u64 {
    MpiEnter::from_words(enter.record().words).kind & KIND_MASK
}

/// Adds the records of calls that made and started requests: of one that is open all but its post are there.
fn add_posted(known: &[&Request<Known>], before: &mut Before) {
    let open: HashSet<(u32, u64)> = before
        .records
        .iter()
        .filter(|(_, what)| matches!(what.saved().record().event(), Event::MpiEnter(_)))
        .map(|(t, what)| (*t, what.saved().number))
        .collect();
    for Request { made: (_, t), by: Known { posted, started }, .. } in known {
        let Posted { transfer, enter, post } = posted;
        if let Some((t, records)) = started {
            before.records.extend(records.map(|saved| (*t, NeededRecord::Request(saved))));
        }
        if open.contains(&(*t, enter.number)) {
            before.records.push((*t, NeededRecord::All(*post)));
            continue;
        }
        let records = transfer.iter().chain([enter, post]);
        before.records.extend(records.map(|saved| (*t, NeededRecord::Request(*saved))));
    }
}
