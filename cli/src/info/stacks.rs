//! What `ompttrace info` says of call stacks.

use ompttrace_timeline::StackCounts;
use serde_json::{Value, json};

pub fn value(stacks: &StackCounts) -> Value {
    let StackCounts { contexts, frames, cut, broken, not_kept } = *stacks;
    json!({
        "contexts": contexts,
        "frames": frames,
        "cut": cut,
        "not_found": broken,
        "not_kept": not_kept,
    })
}

/// Nothing where none were recorded.
pub fn line(stacks: &StackCounts) -> Option<String> {
    let StackCounts { contexts, frames, cut, broken, not_kept } = *stacks;
    (contexts > 0).then(|| {
        format!(
            "stacks    {contexts} of regions and tasks, {frames} different frames; \
             {cut} cut, {broken} not followed to their end, {not_kept} not kept"
        )
    })
}
