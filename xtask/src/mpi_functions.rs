//! `cargo xtask mpi-functions APIS.json LIBRARY...`: the table of MPI's functions that are recorded, from the MPI Forum's
//! machine-readable interface (`mpi-standard-5.0-apis.json`, as Open MPI's documentation has it) and from libraries of MPI:
//! what all of them export, and in a table of its own what only some export.
//!
//! The table is committed, so that a build needs neither. A function keeps its number for ever, as recordings have it;
//! new ones are added at the end.

use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A table: its file, its macro, and the functions that are in it.
struct Table {
    file: &'static str,
    name: &'static str,
    functions: &'static str,
}

const TABLES: [Table; 2] = [
    Table {
        file: "tracer/recording/src/mpi/functions.rs",
        name: "mpi_functions",
        functions: "that all libraries have",
    },
    Table {
        file: "tracer/recording/src/mpi/later_functions.rs",
        name: "mpi_later_functions",
        functions: "that only some libraries have, most of them new in MPI 4 and 5",
    },
];

impl Table {
    fn top(&self) -> String {
        let Table { name, functions, .. } = self;
        format!(
            "\
//! Functions of MPI that are recorded, with their numbers: those {functions}.
//! Made by `cargo xtask mpi-functions`, not to be edited.
//!
//! A row: number, both names, group, arguments, and at which position which role is. Positions count from 0.

/// Calls a macro with a row for each function.
#[macro_export]
macro_rules! {name} {{
    ($to:ident) => {{
        $to! {{
"
        )
    }
}

/// Functions that are not worth a record, or that nobody may stand in front of, by what their names begin with:
/// programs find out by some of them whether an MPI is loaded, and which.
const LEFT_OUT: &[&str] = &[
    "MPI_Abi_",
    "MPI_T_",
    "MPI_Get_version",
    "MPI_Get_library_version",
    "MPI_Get_processor_name",
    "MPI_Get_address",
    "MPI_Get_count",
    "MPI_Get_elements",
    "MPI_Initialized",
    "MPI_Finalized",
    "MPI_Query_thread",
    "MPI_Is_thread_main",
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Type_size",
    "MPI_Status_",
    "MPI_Error_",
];

/// The beginnings of the names of point-to-point functions.
const POINT_TO_POINT: &[&str] = &[
    "Send",
    "Bsend",
    "Ssend",
    "Rsend",
    "Isend",
    "Ibsend",
    "Issend",
    "Irsend",
    "Recv",
    "Irecv",
    "Mrecv",
    "Imrecv",
    "Probe",
    "Iprobe",
    "Mprobe",
    "Improbe",
    "Isendrecv",
    "Start",
    "Psend",
    "Precv",
    "Pready",
    "Parrived",
];

/// Names of collective functions without `MPI_`, or their begins; nonblocking ones have an `I` in front.
const COLLECTIVE: &[&str] = &[
    "Barrier",
    "Bcast",
    "Gather",
    "Scatter",
    "Allgather",
    "Alltoall",
    "Reduce",
    "Allreduce",
    "Scan",
    "Exscan",
    "Neighbor_",
];

/// Names of one-sided functions without `MPI_`, or their begins.
const ONE_SIDED: &[&str] = &[
    "Win_",
    "Put",
    "Get",
    "Accumulate",
    "Fetch_and_op",
    "Compare_and_swap",
    "Rput",
    "Rget",
    "Raccumulate",
];

/// Names of functions without `MPI_`, or their begins, that wait for requests or test them.
const WAIT: &[&str] = &["Wait", "Test", "Request_get_status"];

/// Functions that take the address of the handle of a communicator, a window or a file, and invalidate it.
const FREE: &[&str] = &["MPI_Comm_free", "MPI_Comm_disconnect", "MPI_Win_free", "MPI_File_close"];

/// Functions whose rank is that of a window's memory.
const LOCKS: &[&str] = &["MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush", "MPI_Win_flush_local"];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let Some((interface, libraries)) = arguments.split_first().filter(|(_, rest)| !rest.is_empty())
    else {
        bail!("takes the Forum's interface (JSON) and at least one library of MPI");
    };
    let text =
        std::fs::read_to_string(interface).with_context(|| format!("cannot read {interface}"))?;
    let known: BTreeMap<String, Value> =
        serde_json::from_str(&text).context("not the Forum's interface")?;
    let exported = libraries.iter().map(|library| exports(Path::new(library)));
    let exported = exported.collect::<Result<Vec<_>>>()?;
    let (first, others) = exported.split_first().context("a library")?;
    let common = others.iter().fold(first.clone(), |all, one| &all & one);
    let later = others.iter().fold(first.clone(), |all, one| &all | one);
    let mut numbers = BTreeMap::new();
    let paths = TABLES.map(|table| shell::root().join(table.file));
    for path in &paths {
        numbers.extend(numbers_in(&std::fs::read_to_string(path).unwrap_or_default()));
    }
    for ((table, path), exported) in TABLES.iter().zip(&paths).zip([&common, &(&later - &common)]) {
        let text = table.top() + &rows(&known, exported, &mut numbers)?;
        std::fs::write(path, text)?;
        println!("{}", table.file);
    }
    Ok(())
}

/// The dynamic symbols that a library defines.
fn exports(library: &Path) -> Result<BTreeSet<String>> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let names = text.lines().filter_map(|line| line.split_whitespace().last());
    let names: BTreeSet<_> =
        names.map(|name| name.split('@').next().unwrap_or(name).to_owned()).collect();
    if names.is_empty() {
        bail!("{}: nm finds no symbols", library.display());
    }
    Ok(names)
}

/// The numbers that functions have already.
fn numbers_in(table: &str) -> BTreeMap<String, u16> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        Some((words.next()?.to_owned(), number))
    };
    table.lines().filter_map(row).collect()
}

/// The rows of the functions that are exported, and the end of the file. New ones get numbers.
fn rows(
    known: &BTreeMap<String, Value>,
    exported: &BTreeSet<String>,
    numbers: &mut BTreeMap<String, u16>,
) -> Result<String> {
    let mut rows = BTreeMap::new();
    for function in known.values() {
        let plain = function["name"].as_str().context("a function without a name")?;
        for (name, is_large) in [(plain.to_owned(), false), (format!("{plain}_c"), true)] {
            if !exported.contains(&name)
                || !exported.contains(&format!("P{name}"))
                || !is_recorded(function, plain)
            {
                continue;
            }
            let next = numbers.values().max().map_or(1, |last| last + 1);
            let number = *numbers.entry(name.clone()).or_insert(next);
            rows.insert(number, row(number, (plain, &name), function, is_large)?);
        }
    }
    let mut text = String::new();
    rows.values().for_each(|row| text.push_str(row));
    text.push_str("        }\n    };\n}\n");
    Ok(text)
}

fn is_recorded(function: &Value, name: &str) -> bool {
    let is = |attribute: &str| function["attributes"][attribute].as_bool() == Some(true);
    let returns_a_code = function["return_kind"] == "ERROR_CODE";
    let left_out =
        LEFT_OUT.iter().any(|start| name.starts_with(start)) || name.contains("errhandler");
    is("c_expressible") && !is("callback") && returns_a_code && !left_out
}

/// The row of a function, also of the one for large counts, which may have more arguments.
fn row(
    number: u16,
    (plain, name): (&str, &str),
    function: &Value,
    is_large: bool,
) -> Result<String> {
    let all = function["parameters"].as_array().context("parameters")?;
    let hidden =
        |one: &&Value| one["suppress"].as_str().is_some_and(|text| text.contains("c_parameter"));
    let parameters: Vec<&Value> =
        all.iter().filter(|one| !hidden(one) && one["kind"] != "VARARGS").collect();
    let is_there = |one: &&Value| is_large || one["large_only"] != true;
    let parameters: Vec<&Value> = parameters.into_iter().filter(is_there).collect();
    let arguments: Vec<_> = (0..parameters.len()).map(|at| format!("a{at}")).collect();
    let mut roles: Vec<(&str, usize)> = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        if let Some(role) = role(plain, parameter)
            && !roles.iter().any(|(known, _)| *known == role)
        {
            roles.push((role, at));
        }
    }
    let roles: Vec<_> = roles.iter().map(|(role, at)| format!("{role}: {at}")).collect();
    let mut text = String::new();
    writeln!(
        text,
        "            {number} {name} P{name} {} ({}) {{ {} }}",
        group(plain.trim_start_matches("MPI_")),
        arguments.join(" "),
        roles.join(", ")
    )?;
    Ok(text)
}

/// The role of an argument, where it has one; lists have others than single values.
fn role(function: &str, parameter: &Value) -> Option<&'static str> {
    let text = |key: &str| parameter[key].as_str().unwrap_or_default();
    let (name, kind) = (text("name"), text("kind"));
    let is_list = !parameter["length"].is_null();
    let is_out = text("param_direction") == "out";
    match (kind, is_list, is_out) {
        ("COMMUNICATOR", false, false) if FREE.contains(&function) => None,
        ("COMMUNICATOR", false, false) => Some("communicator"),
        ("COMMUNICATOR", false, true) => Some("made"),
        // A window or a file: which of them, the function's group says.
        ("WINDOW" | "FILE", false, false) if FREE.contains(&function) => Some("freed_object"),
        ("WINDOW" | "FILE", false, false) => Some("object"),
        ("WINDOW" | "FILE", false, true) => Some("made_object"),
        ("LOCK_TYPE", false, false) => Some("lock_type"),
        ("RANK_NNI", false, false) if LOCKS.contains(&function) => Some("target"),
        ("TAG", false, false) if name == "recvtag" => Some("receive_tag"),
        ("TAG", false, false) => Some("tag"),
        ("STATUS", false, true) => Some("status"),
        ("REQUEST", true, _) => Some("requests"),
        ("REQUEST", false, _) => Some("request"),
        ("LOGICAL", false, true) if name == "flag" => Some("flag"),
        // The number of requests that are complete.
        (_, false, true) if name == "outcount" => Some("flag"),
        (_, false, _) => match name {
            "dest" => Some("destination"),
            "source" => Some("source"),
            "root" => Some("root"),
            "target_rank" => Some("target"),
            "filename" => Some("file_name"),
            "amode" if !is_out => Some("mode"),
            "count" | "sendcount" | "origin_count" => Some("count"),
            "datatype" | "sendtype" | "origin_datatype" => Some("datatype"),
            "recvcount" => Some("receive_count"),
            "recvtype" => Some("receive_datatype"),
            _ => None,
        },
        _ => None,
    }
}

fn group(name: &str) -> &'static str {
    let begins = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let nonblocking = name.strip_prefix('I').map(|rest| {
        let mut letters = rest.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    let collective = |name: &str| {
        !name.starts_with("Reduce_local") && COLLECTIVE.iter().any(|start| name.starts_with(start))
    };
    if name.starts_with("File_") {
        "Io"
    } else if collective(name) || nonblocking.is_some_and(|name| collective(&name)) {
        "Collective"
    } else if begins(WAIT) && name != "Test_cancelled" {
        "Wait"
    } else if begins(POINT_TO_POINT) {
        "PointToPoint"
    } else if begins(ONE_SIDED) {
        "OneSided"
    } else {
        "Other"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_grouped_by_their_names() {
        let groups = [
            ("Isend", "PointToPoint"),
            ("Sendrecv_replace", "PointToPoint"),
            ("Recv_init", "PointToPoint"),
            ("Startall", "PointToPoint"),
            ("Waitall", "Wait"),
            ("Testany", "Wait"),
            ("Ibarrier", "Collective"),
            ("Iallreduce", "Collective"),
            ("Reduce_scatter_block", "Collective"),
            ("Reduce_local", "Other"),
            ("Win_fence", "OneSided"),
            ("Get_accumulate", "OneSided"),
            ("File_iread_all", "Io"),
            ("Test_cancelled", "Other"),
            ("Init", "Other"),
            ("Info_set", "Other"),
        ];
        for (name, expected) in groups {
            assert_eq!(group(name), expected, "{name}");
        }
    }

    #[test]
    fn numbers_stay() {
        let table = "macro_rules! x {\n 7 MPI_Send PMPI_Send PointToPoint (a0) { }\n}\n";
        assert_eq!(numbers_in(table), BTreeMap::from([("MPI_Send".to_owned(), 7)]));
    }
}
