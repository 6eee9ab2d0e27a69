//! The job that a program belongs to: all ranks of an MPI program record into one folder, `NAME.JOB.ompttrace/rank.N`.
//!
//! Ranks have to agree on the folder's name before MPI is initialised, and so by what the launcher gives each of them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that launchers of MPI programs set for each process, those with its rank first.
const OF_LAUNCHERS: [&str; 6] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PMI_FD",
    "MPI_LOCALRANKID",
];
/// Number of those that have the rank.
const WITH_RANK: usize = 4;

/// Names of launchers; what follows a dot names the implementation.
const LAUNCHERS: [&str; 8] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun"];

/// Processes between a rank and the one that its launcher runs on the node, at most.
const MOST_ANCESTORS: usize = 16;

/// The part of this command in a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The program is no rank, or its user has named its run folder.
    Alone,
    /// The program is a rank.
    Rank(u32),
    /// The program starts the ranks.
    Launcher,
}

/// True if a launcher of MPI programs has started this process.
pub fn has_launcher(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    OF_LAUNCHERS.iter().any(|name| variable(name).is_some())
}

/// The role of a command that runs this program.
pub fn role(program: &OsStr, variable: impl Fn(&str) -> Option<OsString>) -> Role {
    let parsed = |name: &&str| variable(name)?.to_str()?.trim().parse().ok();
    match OF_LAUNCHERS.iter().take(WITH_RANK).find_map(parsed) {
        Some(rank) => Role::Rank(rank),
        None if is_launcher(program) => Role::Launcher,
        None => Role::Alone,
    }
}

/// True for `mpirun`, `mpiexec.hydra` and the like.
pub fn is_launcher(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    LAUNCHERS.contains(&name.split('.').next().unwrap_or_default())
}

/// The name of the run folder of each rank of a job, as a pattern; `None`: there is no job.
pub fn output(role: Role) -> Option<OsString> {
    let (job, rank) = match role {
        Role::Alone => return None,
        Role::Rank(rank) => (id(|name| std::env::var_os(name)), rank.to_string()),
        Role::Launcher => (std::process::id().to_string(), "%r".to_owned()),
    };
    Some(format!("%e.{job}.ompttrace/rank.{rank}").into())
}

/// A name of the job that all its ranks find alike: the launcher's own for it, on all nodes; where it has none, that of the
/// process that started the ranks of this node.
fn id(variable: impl Fn(&str) -> Option<OsString>) -> String {
    let text = |name: &str| Some(plain(&variable(name)?.to_string_lossy()));
    let of_slurm = || Some(format!("{}.{}", text("SLURM_JOB_ID")?, text("SLURM_STEP_ID")?));
    let id = text("PMIX_NAMESPACE").or_else(|| text("OMPI_MCA_ess_base_jobid"));
    let id = id.or_else(of_slurm).or_else(hydra).filter(|id| !id.is_empty());
    id.unwrap_or_else(|| std::os::unix::process::parent_id().to_string())
}

/// Letters that may stand in a file's name and in a pattern.
fn plain(text: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
    text.chars().map(|letter| if is_plain(&letter) { letter } else { '-' }).collect()
}

/// MPICH's and Intel's launcher gives ranks no name of the job. Its process on each node, from which they descend, has the address at
/// which mpiexec listens among its arguments: that is one for all nodes.
fn hydra() -> Option<String> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MOST_ANCESTORS {
        let words = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
        if let Some(id) = of_proxy(&words) {
            return Some(id);
        }
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // After the name, which may have any letters: state and parent.
        process = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    }
    None
}

/// The name of the job by the arguments of Hydra's proxy, which zeros part.
fn of_proxy(arguments: &[u8]) -> Option<String> {
    let words: Vec<_> = arguments.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let first = words.first().map(|first| Path::new(&**first).file_name());
    first.flatten().filter(|name| name.to_string_lossy().starts_with("hydra"))?;
    let after = |option: &str| words.get(words.iter().position(|word| word == option)? + 1);
    let address = after("--control-port")?;
    // Groups of processes that a program spawns have other numbers.
    let group = after("--pgid").filter(|group| *group != "0");
    Some(plain(&group.map_or(address.to_string(), |group| format!("{address}.{group}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(set: &'static str, value: &'static str) -> impl Fn(&str) -> Option<OsString> {
        move |name: &str| (name == set).then(|| OsString::from(value))
    }

    #[test]
    fn a_launcher_is_known_by_its_variables() {
        assert!(has_launcher(only("PMIX_RANK", "0")) && has_launcher(only("PMI_RANK", "0")));
        assert!(!has_launcher(only("SLURM_PROCID", "0")));
        let role = |program: &str, name, value| role(program.as_ref(), only(name, value));
        assert_eq!(role("heat", "PMI_RANK", "3"), Role::Rank(3));
        assert_eq!(role("/usr/bin/mpiexec.hydra", "A", "3"), Role::Launcher);
        assert_eq!(role("mpirun", "PMIX_RANK", "1"), Role::Rank(1), "it runs as a rank itself");
        assert_eq!(role("mpirunner", "PMI_FD", "3"), Role::Alone);
    }

    #[test]
    fn the_launchers_own_name_of_the_job_is_taken() {
        assert_eq!(id(only("PMIX_NAMESPACE", "prterun-a/b-7@1")), "prterun-a-b-7-1");
        let two = |name: &str| match name {
            "SLURM_JOB_ID" => Some("12".into()),
            "SLURM_STEP_ID" => Some("0".into()),
            _ => None,
        };
        assert_eq!(id(two), "12.0");
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
}
