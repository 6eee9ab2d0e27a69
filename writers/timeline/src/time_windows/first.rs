//! The order in which threads enter the first window: the one that forked a region comes before those
//! in its team, as in the run. Writers need a team before its threads.

use super::state::OpenState;
use crate::hash::FastMap;
use ompttrace_recording::Id;

/// Each of `threads` once, those that forked before their teams.
pub(super) fn order(threads: &[OpenState]) -> Vec<usize> {
    let forks: FastMap<Id, usize> = threads
        .iter()
        .enumerate()
        .flat_map(|(thread, state)| state.regions().map(move |region| (region, thread)))
        .collect();
    let (mut seen, mut order) = (vec![false; threads.len()], Vec::with_capacity(threads.len()));
    for thread in 0..threads.len() {
        let mut chain = Vec::from_iter((!seen[thread]).then_some(thread));
        seen[thread] = true;
        while let Some(&last) = chain.last() {
            let mut forkers =
                threads[last].regions_of_teams().filter_map(|region| forks.get(&region).copied());
            match forkers.find(|forker| !seen[*forker]) {
                Some(forker) => {
                    seen[forker] = true;
                    chain.push(forker);
                }
                None => order.extend(chain.pop()),
            }
        }
    }
    order
}
