//! `cargo xtask circles [REVISION...]`: files of a crate that use each other in a circle, of the working tree and of
//! revisions.

mod circles;
mod graph;
mod paths;

use crate::lines;
use anyhow::{Result, bail};
use std::collections::BTreeMap;

pub use circles::of as circles_of;
pub use graph::{Uses, by_crate};

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    if let Some(option) = arguments.iter().find(|word| word.starts_with('-')) {
        bail!("`{option}`: circles takes names of revisions only");
    }
    print!("{}", table("here", &by_crate(&lines::of_the_working_tree()?)));
    for revision in arguments {
        print!("\n{}", table(revision, &by_crate(&lines::of_revision(revision)?)));
    }
    Ok(())
}

/// The crates with circles: how many files each has, and the files of every circle.
fn table(title: &str, crates: &BTreeMap<String, Uses>) -> String {
    let mut text = format!("{title}\n");
    for (folder, uses) in crates {
        let circles = circles_of(uses);
        if circles.is_empty() {
            continue;
        }
        let sizes: Vec<String> = circles.iter().map(|circle| circle.len().to_string()).collect();
        text += &format!("{folder}: {} of {} files\n", sizes.join(" + "), uses.len());
        for circle in circles {
            let names = circle.iter().map(|name| {
                name.strip_prefix(folder.as_str()).unwrap_or(name).trim_start_matches("/src/")
            });
            text += &format!("    {}\n", names.collect::<Vec<_>>().join(" "));
        }
    }
    text
}
