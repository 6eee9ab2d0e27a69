//! Folded stacks: a line for each stack, with its frames outermost first between semicolons, and its number of
//! samples.

use crate::stack::{Stacks, frames, name};
use crate::sums::Sums;
use ompttrace_model::Definitions;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the lines in alphabetical order.
pub(crate) fn write<W: Write>(
    to: &mut W,
    definitions: &Definitions,
    (sums, stacks): (&Sums, Stacks),
) -> io::Result<()> {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (context, _, weight) in sums.by_stack(stacks) {
        let names = frames(definitions, context);
        let names: Vec<_> = names.iter().map(|frame| plain(name(definitions, frame))).collect();
        *lines.entry(names.join(";")).or_default() += weight.samples;
    }
    for (stack, samples) in lines {
        writeln!(to, "{stack} {samples}")?;
    }
    to.flush()
}

/// A name without characters that have a meaning in the format.
fn plain(name: &str) -> String {
    name.chars()
        .map(|letter| if letter == ';' || letter.is_control() { ':' } else { letter })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_name_is_one_frame() {
        assert_eq!(super::plain("operator;\n<a>"), "operator::<a>");
    }
}
