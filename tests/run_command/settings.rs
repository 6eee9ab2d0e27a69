//! Options and variables: what is wrong is reported before the program starts, in the library's words.

use anyhow::{Context, Result};

use super::*;

#[test]
fn wrong_values_are_one_line_and_nothing_is_started() -> Result<()> {
    for (option, value, allowed) in [
        ("--format", "otf3", "a list of perfetto, chrome, otf2, parquet, folded, pprof, recording"),
        ("--view", "all", "auto, threads, regions or both"),
        ("--output", "x%q", "a path, which may contain %e, %p, %h, %r and %%"),
        ("--events", "-nothing", "a list of all, task, work,"),
        ("--buffer", "1G", "from 4K to 64M"),
    ] {
        let ran = run(&[option, value], &["touch", "started"])?;
        assert_eq!(ran.code(), Some(2), "{option}");
        let opening = format!("ompttrace: {option} {value:?} is not allowed: ");
        let said = &ran.run.stderr;
        assert!(said.starts_with(&opening) && said.contains(allowed), "{said}");
        assert_eq!((said.lines().count(), said.contains("untraced")), (1, false), "{said}");
        assert_eq!(ran.scratch.names()?, [""; 0], "{option}");
    }
    let ran = run_with(&[], &["touch", "started"], &[("OMPTTRACE_VIEW", "all")])?;
    assert_eq!(ran.code(), Some(2));
    assert!(ran.run.stderr.contains(r#"OMPTTRACE_VIEW"="all" is not allowed"#));
    assert_eq!(ran.scratch.names()?, [""; 0]);
    let ran = run(&["--runtime", "libgomp"], &["touch", "started"])?;
    assert_eq!(ran.code(), Some(2));
    assert!(ran.run.stderr.contains("[possible values: libomp]"), "{}", ran.run.stderr);
    Ok(())
}

#[test]
fn options_go_before_variables_and_reach_the_recording() -> Result<()> {
    let binary = built("c/killed")?.1;
    let options = ["--format", "otf2,chrome", "--events", "-mutex", "--output", "%p.run"];
    let options = [&options[..], &["--buffer", "4K@run"]].concat();
    let variables = [("OMPTTRACE_FORMAT", "perfetto"), ("OMPTTRACE_OUTPUT", "elsewhere")];
    let ran = run_with(&options, &[&binary], &variables)?;
    let run = ran.scratch.only_run()?;
    assert!(run.to_string_lossy().ends_with(".run"), "{run:?}");
    for (name, there) in
        [("trace.json", true), ("trace-otf2/traces.otf2", true), ("trace.pftrace", false)]
    {
        assert_eq!(run.join(name).exists(), there, "{name}: {}", ran.run.stderr);
    }
    let info = Product::find()?.info(&run)?;
    assert_eq!(number(&info, "/callbacks/mutex_acquired/recorded")?, 0);
    assert!(number(&info, "/callbacks/parallel_begin/recorded")? > 0);
    assert_eq!(traced::pool_of(&run)?.context("a pool")?, run.join("pool"));
    Ok(())
}

#[test]
fn a_recording_alone_is_one_without_a_trace() -> Result<()> {
    let binary = built("c/killed")?.1;
    let ran = run_with(&[], &[&binary], &[("OMPTTRACE_FORMAT", "recording")])?;
    let said = &ran.run.stderr;
    assert!(said.contains(": recording of ") && said.contains("; SIGKILL; `"), "{said}");
    let run = ran.scratch.only_run()?;
    assert!(!run.join("trace.pftrace").exists());
    assert!(run.join("pool").is_file(), "the buffers were not moved");
    Ok(())
}

#[test]
fn other_tools_stay_behind_ours_and_tools_are_allowed() -> Result<()> {
    let print = ["sh", "-c", "echo $OMP_TOOL_LIBRARIES $OMP_TOOL"];
    let variables = [("OMP_TOOL_LIBRARIES", "/other/tool.so"), ("OMP_TOOL", "disabled")];
    let ran = run_with(&[], &print, &variables)?;
    let library = std::fs::canonicalize(Product::find()?.library)?;
    assert_eq!(ran.run.stdout, format!("{}:/other/tool.so enabled\n", library.display()));
    assert!(ran.run.stderr.contains("OMP_TOOL=disabled is ignored"), "{}", ran.run.stderr);
    let binary = built("c/killed")?.1;
    run_with(&[], &[binary], &[("OMP_TOOL", "disabled")])?.check_traces(1)?;
    Ok(())
}

/// Kokkos, NVTX and ITT find the tool by variables of their own.
#[test]
fn other_interfaces_get_the_tool_unless_the_user_names_one() -> Result<()> {
    let print =
        ["sh", "-c", "echo $KOKKOS_TOOLS_LIBS:$NVTX_INJECTION64_PATH:$INTEL_LIBITTNOTIFY64"];
    let library = std::fs::canonicalize(Product::find()?.library)?;
    let ran = run_with(&["--runtime", "libomp"], &print, &[("NVTX_INJECTION64_PATH", "other.so")])?;
    let library = library.display();
    assert_eq!(ran.run.stdout, format!("{library}:other.so:{library}\n"));
    Ok(())
}
