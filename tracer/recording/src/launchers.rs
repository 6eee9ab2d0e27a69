//! Launchers of parallel programs: the environment variables by which a process knows its rank, and the name of its job, which all
//! ranks find alike before they communicate.

use std::ffi::OsString;
use std::path::Path;

/// Variables with the rank, the best first: a launcher's own number takes precedence over that of the batch system, which may have
/// started all processes of the launcher in one step.
pub const RANK: [&str; 6] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "ALPS_APP_PE",
    "SLURM_PROCID",
];

/// Number of those, from the first on, that only launchers of MPI programs set.
pub const OF_MPI: usize = 4;

/// Further variables that launchers of MPI programs set for each process, without its rank.
pub const WITHOUT_RANK: [&str; 2] = ["PMI_FD", "MPI_LOCALRANKID"];

/// Variables with the number of ranks, the best first.
pub const SIZE: [&str; 4] =
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"];

/// Processes between a rank and the one that its launcher runs on the node, at most.
const MOST_ANCESTORS: usize = 16;

/// The launcher's own name of the job, which all ranks find on all nodes, in letters that may stand in a file's name; `None`: it
/// has none. `variable` looks up a variable of the environment.
pub fn job(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let text = |name: &str| Some(plain(&variable(name)?.to_string_lossy()));
    let of_slurm = || Some(format!("{}.{}", text("SLURM_JOB_ID")?, text("SLURM_STEP_ID")?));
    let job = text("PMIX_NAMESPACE").or_else(|| text("OMPI_MCA_ess_base_jobid"));
    job.or_else(of_slurm).or_else(of_hydra).filter(|job| !job.is_empty())
}

/// Letters that may stand in a file's name and in a pattern.
fn plain(text: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
    text.chars().map(|letter| if is_plain(&letter) { letter } else { '-' }).collect()
}

/// MPICH's and Intel's launcher gives ranks no name of the job. Its process on each node, from which they descend, has the address at
/// which mpiexec listens among its arguments: that is one for all nodes.
fn of_hydra() -> Option<String> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MOST_ANCESTORS {
        let words = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
        if let Some(job) = of_proxy(&words) {
            return Some(job);
        }
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // After the name, which may have any letters: state and parent.
        process = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    }
    None
}

/// The name of the job by the arguments of Hydra's process on a node, which zeros part.
fn of_proxy(arguments: &[u8]) -> Option<String> {
    let words: Vec<_> = arguments.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let first = words.first().map(|first| Path::new(&**first).file_name());
    first.flatten().filter(|name| name.to_string_lossy().starts_with("hydra"))?;
    let after = |option: &str| words.get(words.iter().position(|word| word == option)? + 1);
    // Intel MPI has the two parts of the address one by one.
    let of_intel = || Some(format!("{}:{}", after("--upstream-host")?, after("--upstream-port")?));
    let address = after("--control-port").map(|address| address.to_string()).or_else(of_intel)?;
    // Groups of processes that a program spawns have other numbers.
    let group = after("--pgid").filter(|group| *group != "0");
    Some(plain(&group.map_or(address.clone(), |group| format!("{address}.{group}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launchers_own_name_of_the_job_is_taken() {
        let one = |name: &str| (name == "PMIX_NAMESPACE").then(|| "prterun-a/b-7@1".into());
        assert_eq!(job(one).as_deref(), Some("prterun-a-b-7-1"));
        let two = |name: &str| match name {
            "SLURM_JOB_ID" => Some("12".into()),
            "SLURM_STEP_ID" => Some("0".into()),
            _ => None,
        };
        assert_eq!(job(two).as_deref(), Some("12.0"));
    }

    #[test]
    fn hydras_job_has_the_address_of_its_mpiexec() {
        let proxy = |group: &str| {
            let words =
                ["/usr/bin/hydra_pmi_proxy", "--control-port", "node1:38169", "--pgid", group];
            of_proxy(words.join("\0").as_bytes())
        };
        assert_eq!(proxy("0").as_deref(), Some("node1-38169"));
        assert_eq!(proxy("1").as_deref(), Some("node1-38169.1"));
        assert_eq!(of_proxy(b"sh\0--control-port\0node1:1"), None);
    }

    #[test]
    fn the_address_of_intels_mpiexec_has_two_parts() {
        let words =
            b"hydra_bstrap_proxy\0--upstream-host\0node1\0--upstream-port\x0041\0--pgid\x000";
        assert_eq!(of_proxy(words).as_deref(), Some("node1-41"));
        assert_eq!(of_proxy(b"hydra_pmi_proxy\0--usize\0-1"), None);
    }
}
