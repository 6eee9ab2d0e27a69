//! Machines that packages are made for, and their names in each kind of package.

use crate::shell;
use anyhow::{Context, Result};
use std::process::Command;

/// Oldest version of glibc that the packages run on: that of RHEL 8; SLES 15 has had a newer one since its third service pack.
pub const GLIBC: (u32, u32) = (2, 28);

/// An architecture that packages are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Name of the architecture in tarballs, rpm packages and wheels.
    pub name: &'static str,
    /// Name of the architecture in Debian packages.
    pub debian: &'static str,
}

const MACHINES: [Machine; 2] =
    [Machine { name: "x86_64", debian: "amd64" }, Machine { name: "aarch64", debian: "arm64" }];

impl Machine {
    /// The machine of this architecture, an error for one that packages are not made for.
    pub fn named(name: &str) -> Result<Machine> {
        let found = MACHINES.into_iter().find(|machine| machine.name == name);
        found.with_context(|| format!("{name}: packages are made for x86_64 and aarch64"))
    }

    /// The machine that this program runs on.
    pub fn here() -> Result<Machine> {
        Machine::named(std::env::consts::ARCH)
    }

    /// Returns true if this is the machine that the program runs on, so that built programs can be run.
    pub fn is_here(self) -> bool {
        self.name == std::env::consts::ARCH
    }

    /// Rust's target triple for the machine.
    pub fn triple(self) -> String {
        format!("{}-unknown-linux-gnu", self.name)
    }

    /// A command of this program of binutils, for files of this machine.
    pub fn tool(self, name: &str) -> Command {
        match self.is_here() {
            true => Command::new(name),
            false => shell::command(&format!("{}-linux-gnu-{name}", self.name)),
        }
    }
}
