//! What to try where the threads of a team have unequal work: another schedule, but only one whose
//! handing out of chunks costs less than it brings.

use crate::model::{Class, ConstructReport};

/// A chunk with so much work is worth handing out, nanoseconds: that takes 100 to 200.
const CHUNK: u64 = 5_000;
/// Chunks for each thread, so that they can go round.
const ROUNDS: u64 = 4;

const DYNAMIC: &str = "try schedule(dynamic)";
const UNTOLD: &str = "GCC's loops with a static schedule are not told apart in it: if one of them is \
                      what differs, try schedule(dynamic) or `collapse`";
const CHUNKS: &str = "try smaller chunks, or begin with the longest iterations";
const SECTIONS: &str = "try more and smaller sections";
const OTHER: &str = "share its work more evenly";

/// What to try, for any construct of its kind.
pub(super) fn in_general(construct: &ConstructReport) -> &'static str {
    match construct.what.as_str() {
        "for static" | "for" => DYNAMIC,
        "for dynamic" | "for guided" => CHUNKS,
        "sections" => SECTIONS,
        _ if construct.class == Class::Region && construct.static_loops_untold => UNTOLD,
        _ => OTHER,
    }
}

/// What to try for this one.
pub(super) fn advice(construct: &ConstructReport) -> String {
    let instances = construct.balance.instances.max(1);
    let per_instance = construct.iterations / construct.calls.max(1);
    let threads = construct.threads.max(1);
    match in_general(construct) {
        DYNAMIC if per_instance == 0 => DYNAMIC.into(),
        DYNAMIC if per_instance < 2 * threads => format!(
            "its {per_instance} iterations are too few for {threads} threads: try `collapse`, or smaller ones"
        ),
        DYNAMIC => {
            let work = construct.balance.mean_ns.saturating_mul(threads) / instances;
            dynamic(per_instance, work / per_instance, threads)
        }
        CHUNKS if per_instance > 0 && construct.chunks >= construct.iterations => {
            "its chunks are single iterations: begin with the longest, or make them smaller".into()
        }
        other => other.into(),
    }
}

/// A dynamic schedule whose chunks are worth handing out, for so many iterations of `each` nanoseconds.
fn dynamic(iterations: u64, each: u64, threads: u64) -> String {
    let needed = CHUNK.div_ceil(each.max(1)).next_power_of_two();
    let most = (iterations / (ROUNDS * threads)).max(1);
    match needed.min(most) {
        1 => DYNAMIC.into(),
        chunk => format!("try schedule(dynamic, {chunk})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_worth_handing_out_and_go_round() {
        assert_eq!(dynamic(100, 20_000, 4), "try schedule(dynamic)");
        assert_eq!(dynamic(100_000, 100, 4), "try schedule(dynamic, 64)");
        assert_eq!(dynamic(160, 100, 4), "try schedule(dynamic, 10)", "four chunks a thread");
        assert_eq!(dynamic(10, 100, 4), "try schedule(dynamic)");
    }
}
