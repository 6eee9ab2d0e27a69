//! Finds the system's OTF2 with pkg-config and links it: as a static library where there is one, so
//! that a program built here runs on machines without OTF2.

use std::path::PathBuf;
use std::{env, process};

const LIBRARY: &str = "open-trace-format2";

fn main() {
    println!("cargo::rerun-if-env-changed=OTF2_DYNAMIC");
    let mut config = pkg_config::Config::new();
    // What pkg-config's crate would print never links a library of /usr statically.
    let library = match config.atleast_version("3.0").cargo_metadata(false).probe("otf2") {
        Ok(library) => library,
        Err(error) => missing(&error),
    };
    for folder in &library.link_paths {
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
    let kind = if archive(&library.link_paths).is_some() { "static" } else { "dylib" };
    println!("cargo::rustc-link-lib={kind}={LIBRARY}");
    for other in library.libs.iter().filter(|name| *name != LIBRARY) {
        println!("cargo::rustc-link-lib={other}");
    }
    println!("cargo::metadata=version={}", library.version);
}

/// The static library, unless the dynamic one is requested.
fn archive(folders: &[PathBuf]) -> Option<PathBuf> {
    if env::var_os("OTF2_DYNAMIC").is_some_and(|value| value != "0") {
        return None;
    }
    // pkg-config leaves out the folders that the linker searches anyway.
    let variable = |name| pkg_config::get_variable("otf2-backend", name).ok().map(PathBuf::from);
    let folders = folders.iter().cloned().chain(variable("libdir"));
    let mut files = folders.map(|folder| folder.join(format!("lib{LIBRARY}.a")));
    let found = files.find(|file| file.is_file())?;
    println!("cargo::rustc-link-search=native={}", found.parent()?.display());
    Some(found)
}

fn missing(error: &pkg_config::Error) -> ! {
    eprintln!("{error}");
    eprintln!(
        "\notf2-sys: OTF2 3.0 or later was not found.\n\
         On Debian: apt-get install libopen-trace-format2-dev pkg-config\n\
         Elsewhere: build OTF2 (https://www.score-p.org) and let PKG_CONFIG_PATH name the folder of otf2.pc.\n\
         Or build without this format: turn the feature `otf2` off (--no-default-features)."
    );
    process::exit(1);
}
