//! Requests of MPI that are open: which receive a message. Handles are not unique, for libraries give all sends that are
//! complete at once the same one, and use a handle again at once: a call that is given a request means the newest with its
//! handle.

use crate::hash::FastMap;

/// Requests beyond these are forgotten, all of them: a recording of which ends are missing.
const MOST: usize = 1 << 20;

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// True for a receive from one rank.
    pub receives: bool,
    /// True if it may be started again.
    pub persistent: bool,
}

/// A request that a call is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub index: u64,
    handle: u64,
    pub request: Request,
    /// True once it is complete.
    pub is_done: bool,
}

/// Those that are open, by handle.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: FastMap<u64, Vec<Request>>,
    count: usize,
}

impl Requests {
    /// One was made.
    pub(crate) fn made(&mut self, handle: u64, request: Request) {
        if self.count >= MOST {
            *self = Requests::default();
        }
        self.open.entry(handle).or_default().push(request);
        self.count += 1;
    }

    /// A call is given one: the newest of its handle, which is no longer open.
    pub(crate) fn given(&mut self, handle: u64, index: u64) -> Option<Given> {
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
    pub(crate) fn given_back(&mut self, given: Given) {
        if !given.request.persistent && !given.is_done {
            self.made(given.handle, given.request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_a_handle_is_meant() {
        let mut requests = Requests::default();
        let [send, receive] = [false, true].map(|receives| Request { receives, persistent: false });
        requests.made(7, send);
        requests.made(7, receive);
        let first = requests.given(7, 0).expect("two are open");
        assert_eq!(first.request, receive);
        requests.given_back(first);
        let all: Vec<_> = (0..3).map(|at| requests.given(7, at).map(|one| one.request)).collect();
        assert_eq!(all, [Some(receive), Some(send), None]);
        assert_eq!(requests.count, 0);
    }

    #[test]
    fn a_persistent_one_stays() {
        let mut requests = Requests::default();
        requests.made(7, Request { receives: true, persistent: true });
        assert!((0..3).all(|at| requests.given(7, at).is_some()));
    }
}
