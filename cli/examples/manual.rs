//! Writes man pages and shell completions into a folder: `cargo run --example manual -- FOLDER`.
//!
//! They are made of the definition of the command line itself, for `cargo xtask dist`.

use clap_complete::Shell;
use std::fs::create_dir_all;
use std::path::PathBuf;

const NAME: &str = "ompttrace";

/// Folder below a prefix, and file name, where each shell looks for completions.
const SHELLS: [(Shell, &str, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions", "ompttrace"),
    (Shell::Zsh, "share/zsh/site-functions", "_ompttrace"),
    (Shell::Fish, "share/fish/vendor_completions.d", "ompttrace.fish"),
];

fn main() -> std::io::Result<()> {
    let Some(prefix) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: manual FOLDER");
        std::process::exit(2);
    };
    let pages = prefix.join("share/man/man1");
    create_dir_all(&pages)?;
    clap_mangen::generate_to(visible(), &pages)?;
    for (shell, folder, name) in SHELLS {
        let folder = prefix.join(folder);
        create_dir_all(&folder)?;
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut visible(), NAME, &mut script);
        std::fs::write(folder.join(name), script)?;
    }
    Ok(())
}

/// The command without its hidden subcommands, which it only runs itself.
fn visible() -> clap::Command {
    let whole = ompttrace_cli::definition();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        whole.get_subcommands().cloned().partition(|command| !command.is_hide_set());
    assert!(!shown.is_empty() && !hidden.is_empty(), "the definition has both");
    let bare = clap::Command::new(NAME)
        .version(env!("CARGO_PKG_VERSION"))
        .about(whole.get_about().cloned().unwrap_or_default())
        .after_help(whole.get_after_help().cloned().unwrap_or_default())
        .subcommand_required(true);
    bare.subcommands(shown)
}
