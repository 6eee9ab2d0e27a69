//! The licences of all crates that are linked into what we ship, as their authors want them to go
//! along.

use super::machine::Machine;
use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates of the products that packages contain.
const PRODUCTS: [&str; 5] = [
    "ompttrace-cli",
    "ompttrace-tool",
    "ompttrace-tool-gomp",
    "ompttrace-ompi",
    "ompttrace-mpi-entries",
];

/// Prefixes of the names of files with licences.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// The licence text of a package: a list of crates, then each text once with the crates that have it.
pub fn texts(machine: Machine) -> Result<String> {
    let metadata = metadata(machine)?;
    let linked = linked(&metadata)?;
    let mut list = String::from("What is linked into ompttrace, and under which licence.\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in array(&metadata, "packages") {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        // Our own have no registry.
        if !linked.contains(text(package, "id")) || package["source"].is_null() {
            continue;
        }
        let name = format!("{name} {}", text(package, "version"));
        list += &format!("{name}: {licence}\n");
        for found in of_crate(Path::new(text(package, "manifest_path")))? {
            texts.entry(found).or_default().push(name.clone());
        }
    }
    for (text, crates) in texts {
        list += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), crates.join(", "), text.trim_end());
    }
    Ok(list)
}

fn metadata(machine: Machine) -> Result<Value> {
    let mut cargo = shell::cargo();
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
    cargo.arg(machine.triple());
    serde_json::from_str(&shell::output(&mut cargo)?).context("cargo metadata is not JSON")
}

/// Ids of our products and of everything below them that ends in a binary.
fn linked(metadata: &Value) -> Result<BTreeSet<String>> {
    let nodes = array(&metadata["resolve"], "nodes");
    let nodes: BTreeMap<&str, &Value> = nodes.iter().map(|node| (text(node, "id"), node)).collect();
    let packages = array(metadata, "packages").iter();
    let mut open: Vec<&str> = packages
        .filter(|package| PRODUCTS.contains(&text(package, "name")))
        .map(|package| text(package, "id"))
        .collect();
    if open.len() != PRODUCTS.len() {
        bail!("cargo metadata knows {} of {} products", open.len(), PRODUCTS.len());
    }
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        if linked.insert(id.to_owned()) {
            let below = nodes.get(id).map(|node| array(node, "deps")).unwrap_or_default();
            open.extend(below.iter().filter(|edge| is_linked(edge)).map(|edge| text(edge, "pkg")));
        }
    }
    Ok(linked)
}

/// cargo says null for a normal dependency.
fn is_linked(edge: &Value) -> bool {
    array(edge, "dep_kinds").iter().any(|kind| kind["kind"].is_null())
}

/// The texts that lie beside a crate's manifest.
fn of_crate(manifest: &Path) -> Result<Vec<String>> {
    let folder = manifest.parent().context("a manifest lies in a folder")?;
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if NAMES.iter().any(|start| name.starts_with(start)) && entry.file_type()?.is_file() {
            found.insert(name, String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
        }
    }
    Ok(found.into_values().collect())
}

fn array<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_only_builds_or_tests_is_not_linked() {
        let node = |id: &str, deps: Value| json!({ "id": id, "deps": deps });
        let edge = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let package = |name: &str| json!({ "name": name, "id": name });
        let metadata = json!({
            "packages": [
                package("ompttrace-cli"), package("ompttrace-tool"), package("ompttrace-tool-gomp"),
                package("ompttrace-ompi"), package("ompttrace-mpi-entries"), package("a"),
            ],
            "resolve": { "nodes": [
                node("ompttrace-cli", json!([edge("a", Value::Null), edge("b", json!("build"))])),
                node("a", json!([edge("c", Value::Null), edge("d", json!("dev"))])),
            ]},
        });
        let linked = linked(&metadata).expect("all products");
        let linked: Vec<_> = linked.iter().map(String::as_str).collect();
        let products = [
            "ompttrace-cli",
            "ompttrace-mpi-entries",
            "ompttrace-ompi",
            "ompttrace-tool",
            "ompttrace-tool-gomp",
        ];
        assert_eq!(linked, [&["a", "c"], &products[..]].concat());
    }
}
