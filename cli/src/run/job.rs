//! The job that a program belongs to: all ranks of an MPI program record into one folder, `NAME.JOB.ompttrace/rank.N`.
//!
//! Ranks have to agree on the folder's name before MPI is initialised, and so by what the launcher gives each of them.

use ompttrace_recording::launchers;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Names of launchers; what follows a dot names the implementation.
const LAUNCHERS: [&str; 8] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun"];

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
    let mut names = launchers::RANK.iter().take(launchers::OF_MPI).chain(&launchers::WITHOUT_RANK);
    names.any(|name| variable(name).is_some())
}

/// The role of a command that runs this program.
pub fn role(program: &OsStr, variable: impl Fn(&str) -> Option<OsString>) -> Role {
    let parsed = |name: &&str| variable(name)?.to_str()?.trim().parse().ok();
    match launchers::RANK.iter().take(launchers::OF_MPI).find_map(parsed) {
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
        Role::Rank(rank) => (id(), rank.to_string()),
        Role::Launcher => (std::process::id().to_string(), "%r".to_owned()),
    };
    Some(format!("%e.{job}.ompttrace/rank.{rank}").into())
}

/// A name of the job that its ranks find alike; where the launcher has none, that of the process that started the ranks of this node.
fn id() -> String {
    let job = launchers::job(|name| std::env::var_os(name));
    job.unwrap_or_else(|| std::os::unix::process::parent_id().to_string())
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
}
