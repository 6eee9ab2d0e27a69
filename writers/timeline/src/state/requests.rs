//! Requests of MPI that are open. Handles are not unique, for libraries give all sends that are complete at once the same one,
//! and use a handle again at once: a call that is given a request means the newest with its handle.

use crate::hash::FastMap;
use ompttrace_model::{CommunicatorRef, MpiObjectRef};
use ompttrace_recording::mpi::function;

/// Requests beyond these are forgotten, all of them: a recording of which ends are missing.
const MOST: usize = 1 << 20;

/// The data that a call of MPI transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// Data sent to one rank: peer, tag, bytes.
    Send(u64, u64, u64),
    /// Data received from one rank: peer, tag, bytes.
    Receive(u64, u64, u64),
    /// Data of a collective function: root, bytes sent and received.
    Collective(u64, u64, u64),
    /// Data written to or read from a window of a rank, or a file: rank, bytes; or a lock of a window: rank, 0 and its type.
    Access(u64, u64, u64),
    /// Number of calls, for a sequence of calls that polled.
    Polls(u64),
}

/// A call of MPI, which may have made a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// The function's number.
    pub function: u64,
    pub transfer: Option<Transfer>,
    /// Communicator of the call, if it is known.
    pub communicator: Option<CommunicatorRef>,
    /// The window or file that the call is given, if it is known.
    pub object: Option<MpiObjectRef>,
    /// A number that no other call of the run has: of the request, and of the flow to the call that completes it.
    pub id: u64,
    /// True if its slice begins that flow.
    pub has_flow: bool,
    /// The number in the job of the message that it sends or of the collective operation that it is; 0: not known.
    pub in_job: u64,
    /// True while the persistent request that it has made is started.
    pub is_started: bool,
}

/// A request, and what made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request<T> {
    /// Time at which the request was made, and the position of the thread that made it.
    pub made: (u64, u32),
    /// True if it may be started again.
    pub persistent: bool,
    pub by: T,
}

/// A request that a call is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<T> {
    pub index: u64,
    pub handle: u64,
    pub request: Request<T>,
    /// True once it is complete.
    pub is_done: bool,
}

/// Open requests by handle, each list in the order in which the requests were made.
#[derive(Debug)]
pub(crate) struct Requests<T> {
    open: FastMap<u64, Vec<Request<T>>>,
    count: usize,
}

impl<T> Default for Requests<T> {
    fn default() -> Requests<T> {
        Requests { open: FastMap::default(), count: 0 }
    }
}

impl<T: Copy> Requests<T> {
    /// Adds a request that was made, or is open again.
    pub(crate) fn made(&mut self, handle: u64, request: Request<T>) {
        if self.count >= MOST {
            *self = Requests::default();
        }
        let open = self.open.entry(handle).or_default();
        let later = open.iter().rev().take_while(|other| other.made > request.made).count();
        open.insert(open.len() - later, request);
        self.count += 1;
    }

    /// A call is given one: the newest of its handle, which is no longer open.
    pub(crate) fn given(&mut self, handle: u64, index: u64) -> Option<Given<T>> {
        let open = self.open.get_mut(&handle)?;
        let request = *open.last()?;
        if !request.persistent {
            open.pop();
            self.count -= 1;
        }
        if open.is_empty() {
            self.open.remove(&handle);
        }
        Some(Given { index, handle, request, is_done: false })
    }

    /// The call is over: one that is not complete is open again.
    pub(crate) fn given_back(&mut self, given: &Given<T>) {
        if !given.request.persistent && !given.is_done {
            self.made(given.handle, given.request);
        }
    }

    /// Changes the persistent request that a call is given.
    pub(crate) fn change(&mut self, given: &Given<T>, change: impl FnOnce(&mut T)) {
        let open = self.open.get_mut(&given.handle).filter(|_| given.request.persistent);
        let made = given.request.made;
        let found = open.and_then(|open| open.iter_mut().rfind(|one| one.made == made));
        if let Some(found) = found {
            change(&mut found.by);
        }
    }

    /// A request that a call was given is freed: a persistent one is gone as well.
    pub(crate) fn freed(&mut self, given: &Given<T>) {
        let Some(open) = self.open.get_mut(&given.handle).filter(|_| given.request.persistent)
        else {
            return;
        };
        if let Some(at) = open.iter().rposition(|one| one.made == given.request.made) {
            open.remove(at);
            self.count -= 1;
        }
        if open.is_empty() {
            self.open.remove(&given.handle);
        }
    }

    /// The number of those that are open.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// All that are open, with their handles.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &Request<T>)> {
        self.open.iter().flat_map(|(handle, open)| open.iter().map(|one| (*handle, one)))
    }
}

/// True for a function that starts the persistent requests that it is given.
pub(crate) fn starts(called: u64) -> bool {
    function(called).is_some_and(|function| matches!(function.name, "MPI_Start" | "MPI_Startall"))
}

/// True for a function whose requests are gone when it returns, complete or not.
pub(crate) fn frees(called: u64) -> bool {
    function(called).is_some_and(|function| function.name == "MPI_Request_free")
}

/// The request at an index of those that a call is given, which are in the order of its list.
pub(crate) fn at_index<T>(given: &mut [Given<T>], index: u64) -> Option<&mut Given<T>> {
    let found = given.binary_search_by_key(&index, |one| one.index).ok()?;
    given.get_mut(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(made: u64, persistent: bool) -> Request<()> {
        Request { made: (made, 0), persistent, by: () }
    }

    #[test]
    fn the_newest_of_a_handle_is_meant() {
        let mut requests = Requests::default();
        let [older, newer] = [1, 2].map(|made| request(made, false));
        requests.made(7, older);
        requests.made(7, newer);
        let first = requests.given(7, 0).expect("two are open");
        assert_eq!(first.request, newer);
        requests.given_back(&first);
        let all: Vec<_> = (0..3).map(|at| requests.given(7, at).map(|one| one.request)).collect();
        assert_eq!(all, [Some(newer), Some(older), None]);
        assert_eq!((requests.count(), requests.all().count()), (0, 0));
    }

    #[test]
    fn one_that_is_open_again_is_as_old_as_it_was() {
        let mut requests = Requests::default();
        requests.made(7, request(1, false));
        let given = requests.given(7, 0).expect("one is open");
        requests.made(7, request(2, false));
        requests.given_back(&given);
        assert_eq!(requests.given(7, 0).map(|one| one.request.made.0), Some(2));
    }

    #[test]
    fn a_persistent_one_stays() {
        let mut requests = Requests::default();
        requests.made(7, request(1, true));
        assert!((0..3).all(|at| requests.given(7, at).is_some()));
    }

    #[test]
    fn a_persistent_one_that_is_freed_is_gone() {
        let mut requests = Requests::default();
        let [older, newer] = [1, 2].map(|made| request(made, true));
        requests.made(7, older);
        requests.made(7, newer);
        let given = requests.given(7, 0).expect("two are open");
        requests.freed(&given);
        assert_eq!(requests.given(7, 0).map(|one| one.request), Some(older));
        requests.freed(&Given { request: older, ..given });
        assert!(requests.given(7, 0).is_none() && requests.count() == 0);
    }

    #[test]
    fn indices_may_have_gaps() {
        let given = |index| Given { index, handle: 7, request: request(1, false), is_done: false };
        let mut all = [given(0), given(3)];
        assert!(at_index(&mut all, 3).is_some_and(|one| one.index == 3));
        assert!(at_index(&mut all, 1).is_none());
    }
}
