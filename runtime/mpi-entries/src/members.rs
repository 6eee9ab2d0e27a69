//! Members of communicators: their ranks in MPI_COMM_WORLD, asked of the library when a communicator is made.

use crate::abi::{self, Handle};
use crate::library;
use crate::thread::Thread;
use core::ffi::c_int;
use ompttrace_mpi_interface::{Interface, MemberRun};
use ompttrace_recording::mpi::{MOST_MEMBERS, group, rank};
use std::sync::OnceLock;

type OfCommunicator = extern "C" fn(usize, *mut usize) -> c_int;
type Number = extern "C" fn(usize, *mut c_int) -> c_int;
type Translate = extern "C" fn(usize, c_int, *const c_int, usize, *mut c_int) -> c_int;
type Free = extern "C" fn(*mut usize) -> c_int;

struct Functions {
    group: OfCommunicator,
    remote_group: OfCommunicator,
    is_inter: Number,
    size: Number,
    translate: Translate,
    free: Free,
}

/// The library's; `None` in it: it lacks one.
static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

/// Finds the library's functions, once MPI is initialised.
pub(crate) fn find() {
    FUNCTIONS.get_or_init(|| {
        let symbols = [
            c"PMPI_Comm_group",
            c"PMPI_Comm_remote_group",
            c"PMPI_Comm_test_inter",
            c"PMPI_Group_size",
            c"PMPI_Group_translate_ranks",
            c"PMPI_Group_free",
        ];
        let [group, remote_group, is_inter, size, translate, free] = symbols.map(library::symbol);
        // SAFETY: the functions' types in every MPI, with handles as machine words.
        unsafe {
            Some(Functions {
                group: core::mem::transmute::<*mut (), OfCommunicator>(group?),
                remote_group: core::mem::transmute::<*mut (), OfCommunicator>(remote_group?),
                is_inter: core::mem::transmute::<*mut (), Number>(is_inter?),
                size: core::mem::transmute::<*mut (), Number>(size?),
                translate: core::mem::transmute::<*mut (), Translate>(translate?),
                free: core::mem::transmute::<*mut (), Free>(free?),
            })
        }
    });
}

/// Reports the members of a communicator that was made: of an intercommunicator those of both groups. If the members of the remote
/// group are not known, only their number is reported, so that the communicator is no ordinary one.
pub(crate) fn report(tool: &Interface, thread: &Thread, communicator: usize) {
    let Some(functions) = FUNCTIONS.get().and_then(Option::as_ref) else { return };
    functions.report(tool, thread, communicator, (functions.group, group::OWN));
    let mut is_inter: c_int = 0;
    if (functions.is_inter)(communicator, &raw mut is_inter) == 0 && is_inter != 0 {
        functions.report(tool, thread, communicator, (functions.remote_group, group::REMOTE));
    }
}

impl Functions {
    fn report(
        &self,
        tool: &Interface,
        thread: &Thread,
        communicator: usize,
        (of, group): (OfCommunicator, u32),
    ) -> Option<()> {
        let free = |mut group: usize| {
            (self.free)(&raw mut group);
        };
        let (mut members, mut all) = (0usize, 0usize);
        if of(communicator, &raw mut members) != 0 {
            return None;
        }
        let mut size: c_int = 0;
        let is_known = (self.size)(members, &raw mut size) == 0;
        if is_known && (self.group)(abi::own(Handle::World), &raw mut all) == 0 {
            let ranks = self.ranks(thread, (members, size), all);
            described(ranks, (size, group), |run| (tool.members)(&run));
            free(all);
        }
        free(members);
        Some(())
    }

    /// The ranks of a group's members in that of all ranks, in memory of the thread's own.
    fn ranks<'a>(
        &self,
        thread: &'a Thread,
        (members, size): (usize, c_int),
        all: usize,
    ) -> Option<&'a [c_int]> {
        // Some libraries take a time for it that grows with the square of the number.
        let count = usize::try_from(size).ok().filter(|size| *size <= MOST_MEMBERS as usize)?;
        let memory = thread.memory(2 * count * size_of::<c_int>())?;
        let own: *mut c_int = core::ptr::with_exposed_provenance_mut(memory);
        // SAFETY: the thread's own memory, of so many ints twice, which no open call uses: this one has stored nothing there.
        let (own, translated) = unsafe {
            (
                core::slice::from_raw_parts_mut(own, count),
                core::slice::from_raw_parts_mut(own.add(count), count),
            )
        };
        for (at, rank) in own.iter_mut().enumerate() {
            *rank = at as c_int;
        }
        let result = (self.translate)(members, size, own.as_ptr(), all, translated.as_mut_ptr());
        (result == 0).then_some(translated)
    }
}

/// A group as runs: its ranks, or a remote group of which they are not known as so many processes without a rank.
fn described(
    ranks: Option<&[c_int]>,
    (size, group): (c_int, u32),
    mut report: impl FnMut(MemberRun),
) {
    match ranks {
        Some(ranks) => runs(ranks, |run| report(MemberRun { group, ..run })),
        None if group == group::REMOTE => {
            report(MemberRun { first: rank::NONE, count: size.max(1) as u32, stride: 0, group });
        }
        None => {}
    }
}

/// The ranks as few runs: each begins with one rank and goes on by a stride, which is 0 between processes without a rank.
fn runs(ranks: &[c_int], mut report: impl FnMut(MemberRun)) {
    let mut rest = ranks;
    while let [first, ..] = rest {
        let stride = rest.get(..2).and_then(step).unwrap_or(0);
        let follows = |pair: &&[c_int]| step(pair) == Some(stride);
        let count = 1 + rest.windows(2).take_while(follows).count();
        report(MemberRun { first: known(*first), count: count as u32, stride, group: 0 });
        rest = rest.get(count..).unwrap_or_default();
    }
}

/// The difference of two ranks; `None`: one of them is a rank, and the other is not.
fn step(pair: &[c_int]) -> Option<c_int> {
    match pair {
        [one, next] if *one >= 0 && *next >= 0 => Some(next - one),
        [one, next] if *one < 0 && *next < 0 => Some(0),
        _ => None,
    }
}

/// A rank as it is recorded: a process of another program has none in this one.
fn known(rank: c_int) -> u32 {
    if rank < 0 { rank::NONE } else { rank as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ranks: &[c_int]) -> Vec<(u32, u32, i32)> {
        let mut found = Vec::new();
        runs(ranks, |run| found.push((run.first, run.count, run.stride)));
        found
    }

    #[test]
    fn ranks_are_few_runs() {
        assert_eq!(found(&[0, 1, 2, 3]), [(0, 4, 1)]);
        assert_eq!(found(&[1, 5, 9, 2]), [(1, 3, 4), (2, 1, 0)]);
        assert_eq!(found(&[3, 2, 1, 7, 7]), [(3, 3, -1), (7, 2, 0)]);
        assert_eq!(found(&[-32766, -32766]), [(rank::NONE, 2, 0)]);
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn a_remote_group_that_is_not_known_is_no_empty_one() {
        let found = |ranks, of| {
            let mut found = Vec::new();
            described(ranks, of, |run| found.push((run.first, run.count, run.group)));
            found
        };
        assert_eq!(found(None, (5_000, group::REMOTE)), [(rank::NONE, 5_000, group::REMOTE)]);
        assert_eq!(found(None, (5_000, group::OWN)), []);
        assert_eq!(found(Some(&[3, 4]), (2, group::REMOTE)), [(3, 2, group::REMOTE)]);
    }

    #[test]
    fn a_run_has_either_ranks_or_processes_without() {
        assert_eq!(found(&[0, -32766, -32766]), [(0, 1, 0), (rank::NONE, 2, 0)]);
        assert_eq!(found(&[-32766, 0]), [(rank::NONE, 1, 0), (0, 1, 0)]);
        assert_eq!(found(&[4, 6, -32766, 8]), [(4, 2, 2), (rank::NONE, 1, 0), (8, 1, 0)]);
    }
}
