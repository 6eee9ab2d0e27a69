//! The line of rank 0 when an MPI program ends: what was recorded on how many of its ranks.

use ompttrace_mpi_interface::{Ranks, Wanted};
use ompttrace_recorder::caught;
use std::sync::OnceLock;

/// The library's name and version, and what is recorded of its calls.
static RECORDED: OnceLock<(String, Wanted)> = OnceLock::new();

/// Notes what is recorded.
pub(crate) fn set(library: &str, wanted: Wanted) {
    let _ = RECORDED.set((library.to_owned(), wanted));
}

/// MPI_Finalize is called.
pub(crate) extern "C" fn end(ranks: &Ranks) {
    caught(|| {
        if let Some((library, wanted)) = RECORDED.get().filter(|_| ranks.rank == 0) {
            ompttrace_life::conclude(&line(library, *wanted, ranks));
        }
    });
}

fn line(library: &str, wanted: Wanted, ranks: &Ranks) -> String {
    let what = if wanted == Wanted::Messages { "calls and messages" } else { "calls" };
    let library = if library.is_empty() { "MPI" } else { library };
    let Ranks { size, recorded, .. } = *ranks;
    let on = match recorded {
        _ if size == 1 => "on its one rank".to_owned(),
        0 => format!("on rank 0; whether on the other {} is not known", size.saturating_sub(1)),
        _ if recorded == size => format!("on all {size} ranks"),
        _ => format!("on {recorded} of {size} ranks"),
    };
    format!("{library}: {what} recorded {on}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_number_of_ranks() {
        let of = |recorded, size, wanted| {
            line("MPICH 4.0.2", wanted, &Ranks { rank: 0, size, recorded })
        };
        assert_eq!(
            of(4, 4, Wanted::Messages),
            "MPICH 4.0.2: calls and messages recorded on all 4 ranks"
        );
        assert_eq!(of(1, 4, Wanted::Calls), "MPICH 4.0.2: calls recorded on 1 of 4 ranks");
        // A program that MPI_Comm_spawn has started asks no other rank.
        assert_eq!(of(0, 1, Wanted::Calls), "MPICH 4.0.2: calls recorded on its one rank");
        assert!(of(0, 4, Wanted::Calls).ends_with("whether on the other 3 is not known"));
    }
}
