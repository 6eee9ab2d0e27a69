//! Builds of the products for machines with an old C library, by cargo-zigbuild, whose linker knows the symbols of each
//! version of it. cargo-zigbuild and zig come from PyPI in fixed versions and stay below `target/tools`.

use super::machine::{GLIBC, Machine};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Fixed versions of the build tools: a new release must not change the bytes that an old commit builds.
const WHEELS: [&str; 2] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.1"];
/// Environment variable with the root folder of another machine's libotf2: the folder above `otf2.pc`'s `usr`.
const OTF2: &str = "OMPTTRACE_OTF2_ROOT";

/// Builds all products; returns the folder with them.
pub fn build(machine: Machine) -> Result<PathBuf> {
    let tools = tools()?;
    let folder = shell::target_dir().join("portable");
    let triple = machine.triple();
    let mut zigbuild = Command::new(tools.join("bin/cargo-zigbuild"));
    zigbuild.current_dir(shell::root()).args(["zigbuild", "--release", "--locked", "--target"]);
    zigbuild.arg(format!("{triple}.{}.{}", GLIBC.0, GLIBC.1)).arg("--target-dir").arg(&folder);
    zigbuild.env("CARGO_ZIGBUILD_ZIG_PATH", tools.join("ziglang/zig"));
    if !machine.is_here() {
        for_another(machine, &mut zigbuild)?;
    }
    shell::run(&mut zigbuild)?;
    Ok(folder.join(triple).join("release"))
}

/// Sets the variables with which pkg-config finds another machine's libraries.
fn for_another(machine: Machine, build: &mut Command) -> Result<()> {
    let Some(root) = std::env::var_os(OTF2).map(PathBuf::from) else {
        bail!("{OTF2} has to name a folder with {}'s libopen-trace-format2-dev", machine.name);
    };
    let configs = root.join(format!("usr/lib/{}-linux-gnu/pkgconfig", machine.name));
    if !configs.join("otf2.pc").is_file() && !root.join("usr/share/pkgconfig/otf2.pc").is_file() {
        bail!("no otf2.pc below {}", root.display());
    }
    let mut paths = configs.into_os_string();
    paths.push(":");
    paths.push(root.join("usr/share/pkgconfig"));
    build.env("PKG_CONFIG_ALLOW_CROSS", "1").env("PKG_CONFIG_LIBDIR", paths);
    build.env("PKG_CONFIG_SYSROOT_DIR", root);
    Ok(())
}

/// The folder with cargo-zigbuild and zig.
fn tools() -> Result<PathBuf> {
    let name = WHEELS.join("+").replace("==", "-");
    let folder = shell::target_dir().join("tools").join(name);
    if !folder.is_dir() {
        let draft = folder.with_extension(format!("{}", std::process::id()));
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&draft);
        shell::run(pip.args(WHEELS)).context("zig comes from PyPI (python3-pip, the network)")?;
        std::fs::rename(draft, &folder)?;
    }
    Ok(folder)
}
