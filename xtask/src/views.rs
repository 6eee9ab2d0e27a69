//! `cargo xtask views`: what Perfetto's UI takes to show our views, made of `views.json` and the
//! PerfettoSQL package beside it. A macro that is pasted into the UI's settings cannot include a
//! module, so it brings the module's text along; an extension server offers modules and macros apart.

use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// The package's name, and the namespace of the extension.
const PACKAGE: &str = "ompttrace";
const INCLUDE: &str = "INCLUDE PERFETTO MODULE ompttrace.";

/// SQL by the module's name.
type Modules = BTreeMap<String, String>;

/// Writes the files again, or compares them with `--check`.
pub fn run(arguments: &[String]) -> Result<()> {
    let check = match arguments {
        [] => false,
        [check] if check == "--check" => true,
        _ => bail!("the only option is --check"),
    };
    let views: Value = serde_json::from_str(&fs::read_to_string(folder().join("views.json"))?)?;
    for (name, content) in files(&views, &modules()?)? {
        let path = folder().join(name);
        let text = format!("{}\n", serde_json::to_string_pretty(&content)?);
        if !check {
            fs::create_dir_all(path.parent().context("a folder")?)?;
            fs::write(&path, text)?;
        } else if fs::read_to_string(&path).unwrap_or_default() != text {
            bail!("{} is not what `cargo xtask views` makes", path.display());
        }
    }
    Ok(())
}

fn folder() -> PathBuf {
    shell::root().join("viewer-configs/perfetto")
}

fn modules() -> Result<Modules> {
    let mut modules = Modules::new();
    for entry in fs::read_dir(folder().join(PACKAGE))? {
        let path = entry?.path();
        let name = path.file_stem().context("a name")?.to_string_lossy().into_owned();
        modules.insert(name, fs::read_to_string(&path)?);
    }
    Ok(modules)
}

/// Every file with what must be in it.
fn files(views: &Value, modules: &Modules) -> Result<Vec<(&'static str, Value)>> {
    let views = views.as_array().context("views.json is no list")?;
    let (mut pasted, mut offered) = (Vec::new(), Vec::new());
    for view in views {
        let module = view["module"].as_str().context("a view has a module")?;
        let mut whole = String::new();
        text_of(module, modules, &mut Vec::new(), &mut whole)?;
        pasted.push(macro_of(view, "user.ompttrace", &whole)?);
        offered.push(macro_of(view, PACKAGE, &format!("{INCLUDE}{module}"))?);
    }
    let sql: Vec<Value> = modules
        .iter()
        .map(|(name, sql)| json!({ "name": format!("{PACKAGE}.{name}"), "sql": sql }))
        .collect();
    let manifest = json!({
        "name": "ompttrace: views of OpenMP programs",
        "namespace": PACKAGE,
        "features": [{ "name": "macros" }, { "name": "sql_modules" }],
        "modules": [{ "id": "default", "name": "Default" }],
    });
    Ok(vec![
        ("macros.json", Value::Array(pasted)),
        ("extension/manifest", manifest),
        ("extension/modules/default/macros", json!({ "macros": offered })),
        ("extension/modules/default/sql_modules", json!({ "sql_modules": sql })),
    ])
}

/// A macro: first the module's tables, then what the view shows of them.
fn macro_of(view: &Value, namespace: &str, sql: &str) -> Result<Value> {
    let id = view["id"].as_str().context("a view has an id")?;
    let mut run = vec![json!({ "id": "dev.perfetto.RunQuery", "args": [sql] })];
    run.extend(view["run"].as_array().context("a view runs commands")?.iter().cloned());
    Ok(json!({ "id": format!("{namespace}.{id}"), "name": view["name"], "run": run }))
}

/// A module's text after that of the modules it includes, each once, without comments.
fn text_of(name: &str, all: &Modules, done: &mut Vec<String>, out: &mut String) -> Result<()> {
    if done.iter().any(|module| module == name) {
        return Ok(());
    }
    done.push(name.to_owned());
    let text = all.get(name).with_context(|| format!("no module is called {name}"))?;
    for line in text.lines().filter(|line| !line.trim_start().starts_with("--")) {
        match line.strip_prefix(INCLUDE) {
            Some(other) => text_of(other.trim_end_matches(';'), all, done, out)?,
            None if line.is_empty() => {}
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_macro_brings_every_module_once_and_in_order() {
        let module = |text: &str| text.to_owned();
        let all = Modules::from([
            ("base".to_owned(), module("-- Base.\nSELECT 1;\n")),
            ("side".to_owned(), module("INCLUDE PERFETTO MODULE ompttrace.base;\n\nSELECT 2;\n")),
            (
                "top".to_owned(),
                module(
                    "INCLUDE PERFETTO MODULE ompttrace.side;\n\
                     INCLUDE PERFETTO MODULE ompttrace.base;\nSELECT 3;\n",
                ),
            ),
        ]);
        let mut text = String::new();
        text_of("top", &all, &mut Vec::new(), &mut text).expect("all are there");
        assert_eq!(text, "SELECT 1;\nSELECT 2;\nSELECT 3;\n");
        assert!(text_of("none", &all, &mut Vec::new(), &mut String::new()).is_err());
    }

    #[test]
    fn the_committed_files_are_current() {
        run(&["--check".to_owned()]).expect("`cargo xtask views` was forgotten");
    }
}
