//! `cargo xtask packages`: names what a command needs and this machine lacks,
//! then installs it, or prints the one line that would.

mod install;
mod look;
mod table;

pub use table::Purpose;

use anyhow::{Result, bail};
use table::{PACKAGES, Package};

/// The command: without an argument, for everything.
pub fn run(arguments: &[String]) -> Result<()> {
    use Purpose::{Bench, Bindings, Demo, Dist, Spark, Test};
    let purposes: &[Purpose] = match arguments {
        [] => &[Demo, Test, Bench, Bindings],
        [one] => match one.as_str() {
            "demo" => &[Demo],
            "test" => &[Test],
            "bench" => &[Bench],
            "bindings" => &[Bindings],
            "dist" => &[Dist],
            "spark" => &[Spark],
            other => bail!("`{other}` is none of demo, test, bench, bindings, dist, spark"),
        },
        _ => bail!("at most one of demo, test, bench, bindings, dist, spark"),
    };
    let wanted = wanted(purposes);
    show(&wanted);
    ensure(&wanted)
}

/// Makes sure that everything for one purpose is there; quiet when it is.
pub fn need(purpose: Purpose) -> Result<()> {
    ensure(&wanted(&[purpose]))
}

fn wanted(purposes: &[Purpose]) -> Vec<&'static Package> {
    let matches = |package: &&Package| package.purposes.iter().any(|one| purposes.contains(one));
    PACKAGES.iter().filter(matches).collect()
}

fn show(packages: &[&Package]) {
    for package in packages {
        let state = if package.sign.present() { "there" } else { "MISSING" };
        println!("{:<26} {:<8} {}", package.name, state, package.sign.name());
    }
}

fn ensure(packages: &[&Package]) -> Result<()> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    println!("missing packages: {}", missing.join(" "));
    install::install(&missing)?;
    let still = self::missing(packages);
    if !still.is_empty() {
        bail!("installed, but still not found: {}", still.join(" "));
    }
    Ok(())
}

fn missing(packages: &[&Package]) -> Vec<&'static str> {
    packages.iter().filter(|package| !package.sign.present()).map(|package| package.name).collect()
}

#[cfg(test)]
mod tests {
    use super::look::Sign;
    use super::*;

    #[test]
    fn a_missing_package_is_named() {
        let absent = Package {
            name: "absent",
            sign: Sign::File("/no/such/file"),
            purposes: &[Purpose::Test],
        };
        let present =
            Package { name: "present", sign: Sign::Program("sh"), purposes: &[Purpose::Test] };
        assert_eq!(missing(&[&absent, &present]), ["absent"]);
    }

    #[test]
    fn the_demo_needs_a_compiler_a_runtime_and_a_library_only() {
        let names: Vec<_> = wanted(&[Purpose::Demo]).iter().map(|package| package.name).collect();
        let expected =
            ["clang-19", "libomp-19-dev", "libopen-trace-format2-dev", "pkg-config", "libc6-dev"];
        assert_eq!(names, expected);
    }
}
