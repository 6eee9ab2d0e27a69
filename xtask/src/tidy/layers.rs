//! Layers within a crate: which folder of its sources may use which, and crates whose files use each other in no circle.

use crate::imports::{self, Uses};
use crate::repository::File;

/// Folders of a crate's sources, lowest first, each with those that it may use. The files beside them may use all.
type Layers = &'static [(&'static str, &'static [&'static str])];

const LAYERED: &[(&str, Layers)] = &[(
    "tracer/recorder",
    &[
        ("host", &[]),
        ("files", &["host"]),
        ("blocks", &["host"]),
        ("registry", &["host", "files", "blocks"]),
        ("slots", &["host", "blocks", "registry"]),
        ("streams", &["host", "blocks", "registry", "slots"]),
        ("tables", &["host", "blocks", "registry"]),
        ("events", &["host", "blocks", "registry", "slots", "tables"]),
        ("commands", &["host", "files", "blocks", "registry", "slots", "streams", "events"]),
    ],
)];

/// Crates in which no circle may come back.
const WITHOUT_CIRCLES: &[&str] = &["runtime/gomp", "tracer/life", "tracer/recorder"];

/// Complaints about all sources.
pub fn check(files: &[File]) -> Vec<String> {
    let crates = imports::by_crate(files);
    let mut complaints = Vec::new();
    for (folder, layers) in LAYERED {
        match crates.get(*folder) {
            Some(uses) => complaints.extend(upwards(folder, layers, uses)),
            None => complaints.push(format!("{folder}: has layers in the table, and no sources")),
        }
    }
    for folder in WITHOUT_CIRCLES {
        let circles = crates.get(*folder).map(imports::circles_of).unwrap_or_default();
        complaints.extend(circles.into_iter().map(|circle| {
            format!("{}: use each other in a circle (`cargo xtask circles`)", circle.join(", "))
        }));
    }
    complaints
}

/// Complaints about uses that no layer allows, and about folders that are no layer.
fn upwards(crate_folder: &str, layers: Layers, uses: &Uses) -> Vec<String> {
    let layer = |file: &str| {
        let rest = file.strip_prefix(crate_folder)?.strip_prefix("/src/")?;
        rest.split_once('/').map(|(layer, _)| layer.to_owned())
    };
    let mut complaints = Vec::new();
    for (file, used_files) in uses {
        let Some(own) = layer(file) else { continue };
        let Some((_, allowed)) = layers.iter().find(|(name, _)| *name == own) else {
            complaints
                .push(format!("{file}: `{own}` is not in the table of xtask/src/tidy/layers.rs"));
            continue;
        };
        for used in used_files {
            // The crate's own name for what a layer has would hide which one it is.
            let other = layer(used).unwrap_or_else(|| "the crate's root".to_owned());
            if other != own && !allowed.contains(&other.as_str()) {
                complaints.push(format!("{file}: `{own}` must not use `{other}` ({used})"));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Layers = &[("low", &[]), ("high", &["low"])];

    fn uses(pairs: &[(&str, &str)]) -> Uses {
        let name = |file: &str| format!("a/src/{file}");
        pairs.iter().map(|(file, used)| (name(file), [name(used)].into())).collect()
    }

    #[test]
    fn a_use_upwards_is_found() {
        let good =
            uses(&[("high/b.rs", "low/c.rs"), ("low/c.rs", "low/d.rs"), ("lib.rs", "high/b.rs")]);
        assert!(upwards("a", TWO, &good).is_empty());
        let bad = upwards("a", TWO, &uses(&[("low/c.rs", "high/b.rs")]));
        assert_eq!(bad, ["a/src/low/c.rs: `low` must not use `high` (a/src/high/b.rs)"]);
        let root = upwards("a", TWO, &uses(&[("low/c.rs", "lib.rs")]));
        assert_eq!(root, ["a/src/low/c.rs: `low` must not use `the crate's root` (a/src/lib.rs)"]);
    }

    #[test]
    fn a_folder_that_is_no_layer_is_found() {
        assert_eq!(upwards("a", TWO, &uses(&[("new/b.rs", "low/c.rs")])).len(), 1);
    }

    #[test]
    fn a_circle_that_came_back_is_found() {
        let file = |name: &str, text: &str| File { name: name.into(), text: text.into() };
        let files = [
            file("tracer/recorder/src/lib.rs", "mod host;"),
            file("tracer/recorder/src/host/mod.rs", "mod a;\nmod b;"),
            file("tracer/recorder/src/host/a.rs", "use crate::host::b::B;"),
            file("tracer/recorder/src/host/b.rs", "use super::a::A;"),
        ];
        let complaint = "tracer/recorder/src/host/a.rs, tracer/recorder/src/host/b.rs: use each other in a circle";
        assert!(check(&files).iter().any(|one| one.starts_with(complaint)));
        assert!(check(&files[..3]).iter().all(|one| !one.contains("circle")));
    }
}
