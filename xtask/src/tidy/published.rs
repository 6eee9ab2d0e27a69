//! Crates that others can use: each says what a registry asks for, and needs no crate of ours that is not there.

use serde_json::Value;

/// Fields that the manifest of a published crate must have.
const WANTED: [&str; 4] = ["description", "license", "repository", "readme"];

/// Complaints about what `cargo metadata` says of the workspace.
pub fn check(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let all: Vec<&str> = packages.iter().map(name).collect();
    let published: Vec<&Value> = packages.iter().filter(|one| is_published(one)).collect();
    let there: Vec<&str> = published.iter().map(|one| name(one)).collect();
    let mut complaints = Vec::new();
    for package in published {
        let own = name(package);
        let lacks = WANTED.iter().filter(|field| package[**field].as_str().is_none());
        complaints.extend(lacks.map(|field| format!("{own} is published and has no {field}")));
        let uses = package["dependencies"].as_array().into_iter().flatten();
        let uses = uses.filter(|one| one["kind"] != "dev" && all.contains(&name(one)));
        for used in uses {
            let used_name = name(used);
            if !there.contains(&used_name) {
                complaints.push(format!("{own} is published and needs {used_name}, which is not"));
            } else if used["req"] == "*" {
                complaints.push(format!("{own} is published and names no version of {used_name}"));
            }
        }
    }
    complaints
}

fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap_or("")
}

/// cargo says null for any registry, and an empty list for none.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::{Value, json};

    fn workspace(publish: Value, kind: Value, req: &str) -> Value {
        json!({ "packages": [
            { "name": "user", "publish": null, "description": "d", "license": "MIT", "repository": "r",
              "readme": "README.md", "dependencies": [{ "name": "used", "kind": kind, "req": req }] },
            { "name": "used", "publish": publish, "description": "d", "license": "MIT", "repository": "r",
              "readme": null, "dependencies": [] },
        ]})
    }

    #[test]
    fn what_is_needed_has_to_be_there_in_a_version() {
        let private = || json!([]);
        let bad = workspace(private(), Value::Null, "^0.2");
        assert_eq!(check(&bad), ["user is published and needs used, which is not"]);
        assert!(check(&workspace(private(), json!("dev"), "*")).is_empty());
        let bad = check(&workspace(Value::Null, json!("build"), "*"));
        assert_eq!(bad[0], "user is published and names no version of used");
    }

    #[test]
    fn what_a_registry_asks_for_has_to_be_said() {
        let bad = check(&workspace(Value::Null, Value::Null, "^0.2"));
        assert_eq!(bad, ["used is published and has no readme"]);
    }
}
