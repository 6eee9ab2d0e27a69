//! The machines that packages are made for, and what each kind of package calls them.

use crate::shell;
use anyhow::{Context, Result};
use std::process::Command;

/// The oldest C library that what we ship runs on: that of RHEL 8; SLES 15 has a newer one since its third service pack.
pub const GLIBC: (u32, u32) = (2, 28);

/// A kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// As in the names of tarballs, of rpm packages and of wheels.
    pub name: &'static str,
    /// As Debian calls it.
    pub debian: &'static str,
}

const MACHINES: [Machine; 2] =
    [Machine { name: "x86_64", debian: "amd64" }, Machine { name: "aarch64", debian: "arm64" }];

impl Machine {
    /// That of this name.
    pub fn named(name: &str) -> Result<Machine> {
        let found = MACHINES.into_iter().find(|machine| machine.name == name);
        found.with_context(|| format!("{name}: packages are made for x86_64 and aarch64"))
    }

    /// This one.
    pub fn here() -> Result<Machine> {
        Machine::named(std::env::consts::ARCH)
    }

    /// Whether it is this one, so that what is made can be run.
    pub fn is_here(self) -> bool {
        self.name == std::env::consts::ARCH
    }

    /// Rust's name for it.
    pub fn triple(self) -> String {
        format!("{}-unknown-linux-gnu", self.name)
    }

    /// One of binutils' programs for its files.
    pub fn tool(self, name: &str) -> Command {
        match self.is_here() {
            true => Command::new(name),
            false => shell::command(&format!("{}-linux-gnu-{name}", self.name)),
        }
    }
}
