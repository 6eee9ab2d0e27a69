//! The hot path's length: instructions that one callback of each family takes, counted by valgrind,
//! which load on the machine hardly disturbs: only what is done about every ten milliseconds comes more often in a slow run.

use crate::bench::contender::Contender;
use crate::bench::{build, direct::Direct};
use crate::shell;
use anyhow::{Result, bail};

/// The most that a callback of the family may take on average. Tasks and regions get ids, which are
/// stored in the runtime's words; the C tools that serve as measure take 28 and make none. Of work two ask whether it is a
/// taskloop, whose address LLVM's runtime does not say.
const LIMITS: [(&str, f64); 5] =
    [("mutex", 20.0), ("sync", 25.6), ("work", 27.6), ("task", 37.0), ("parallel", 43.0)];

/// The step. The limits are those of the code for x86-64.
pub fn run(last_lines: &mut Vec<String>) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(());
    }
    let built = shell::target_dir().join("bench");
    build::direct(&built)?;
    let direct = Direct::new(&built)?;
    let mut counts = Vec::new();
    for (family, _) in LIMITS {
        counts.push(direct.instructions(family, Contender::Ompttrace)?);
    }
    let line = summary_line(&counts);
    println!("{line}");
    last_lines.push(line);
    match over(&counts) {
        problems if problems.is_empty() => Ok(()),
        problems => bail!("too many instructions: {}", problems.join("; ")),
    }
}

fn summary_line(counts: &[f64]) -> String {
    let all: Vec<String> = LIMITS
        .iter()
        .zip(counts)
        .map(|((family, limit), count)| format!("{family} {count:.1} of {limit}"))
        .collect();
    format!("instructions per callback: {}", all.join(", "))
}

fn over(counts: &[f64]) -> Vec<String> {
    let too_many = LIMITS.iter().zip(counts).filter(|((_, limit), count)| *count > limit);
    too_many
        .map(|((family, limit), count)| format!("{family}: {count:.1}, {limit} allowed"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_over_its_limit_is_named() {
        let mut counts = LIMITS.map(|(_, limit)| limit - 1.0);
        assert_eq!(over(&counts), [""; 0]);
        counts[1] += 1.5;
        assert_eq!(over(&counts), ["sync: 26.1, 25.6 allowed"]);
    }
}
