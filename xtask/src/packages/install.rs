//! apt-get, as root or through a sudo that asks no password; otherwise the line to
//! type.

use super::look::on_path;
use crate::shell;
use anyhow::{Result, bail};
use std::process::{Command, Stdio};

/// Installs the packages or fails with the line that would.
pub fn install(packages: &[&str]) -> Result<()> {
    let by_hand = format!(
        "sudo apt-get update && sudo apt-get install --no-install-recommends {}",
        packages.join(" ")
    );
    if !on_path("apt-get") {
        bail!("no apt-get here; these are the packages of Debian 12: {}", packages.join(" "));
    }
    let Some(right) = right() else {
        bail!(
            "neither root nor a sudo without password; run this, then try again:\n\n  {by_hand}\n"
        );
    };
    // One dead mirror among several makes this fail and harms nobody.
    if let Err(error) = shell::run(apt_get(right).arg("update")) {
        eprintln!("{error:#}; going on with the lists that are there");
    }
    let mut install = apt_get(right);
    install.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    shell::run(&mut install)
}

/// Means by which apt-get gets root's rights.
#[derive(Clone, Copy)]
enum Right {
    Root,
    Sudo,
}

fn right() -> Option<Right> {
    let answers = |program: &str, argument: &[&str]| {
        let mut command = Command::new(program);
        command.args(argument).stderr(Stdio::null()).stdin(Stdio::null());
        command.output().ok().filter(|output| output.status.success())
    };
    if answers("id", &["-u"]).is_some_and(|output| output.stdout.trim_ascii() == b"0") {
        return Some(Right::Root);
    }
    answers("sudo", &["-n", "true"]).map(|_| Right::Sudo)
}

fn apt_get(right: Right) -> Command {
    let mut command = match right {
        Right::Root => shell::command("env"),
        Right::Sudo => {
            let mut sudo = shell::command("sudo");
            sudo.args(["-n", "env"]);
            sudo
        }
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    command
}
