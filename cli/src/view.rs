//! `ompttrace view`: passes a trace to the viewer in the browser, or names the archive to open in Vampir.

mod age;
mod browser;
mod connection;
mod hand_over;
mod http;
mod link;
mod serve;
mod trace;
mod vampir;

use crate::arguments::ViewArguments;
use crate::{interrupted, region, run_folder, say, trace_size};
use anyhow::Result;
use region::Wanted;
use serve::Server;
use std::path::Path;
use trace::Window;

pub fn run(arguments: &ViewArguments) -> Result<()> {
    if arguments.vampir {
        return vampir::run(arguments);
    }
    let trace = match window(arguments)? {
        Some(window) => trace::window(&arguments.run, window)?,
        None => trace::find(&arguments.run)?,
    };
    say::out(&format!("trace: {} ({})", say::shown(&trace), trace_size::size(&trace)?))?;
    if let Some(remark) = trace_size::remark(&trace, &arguments.run) {
        say::remark(&remark);
    }
    if let Some(remark) = age::remark(&trace) {
        say::remark(&remark);
    }
    let server = Server::new(&trace, &arguments.ui, arguments.port)?;
    let link = server.link()?;
    say::out(&words(&link, &server))?;
    let opened = arguments.open.then(|| browser(&link, &arguments.run));
    server.until_fetched()?;
    drop(opened);
    say::out("fetched: the page has the trace, serving has ended")
}

/// Starts the browser with a link, which lies in a file until the value is dropped.
fn browser(link: &str, run: &Path) -> Option<browser::Link> {
    interrupted::over();
    interrupted::watch(run);
    browser::Link::open(link)
        .inspect_err(|error| {
            let words = format!("no browser could be started ({error:#}): open the link yourself");
            say::remark(&words);
        })
        .ok()
}

/// The part of the run's time that is to be shown, if not all of it.
fn window(arguments: &ViewArguments) -> Result<Option<Window>> {
    let Some(location) = &arguments.region else {
        let (from, to) = (arguments.from, arguments.to);
        return Ok((from.is_some() || to.is_some()).then_some((from, to)));
    };
    let recording = run_folder::open(&arguments.run)?;
    let found = region::find(&recording, Wanted::Execution(location.clone(), arguments.instance))?;
    let (from, to) = region::around(found)?;
    Ok(Some((Some(from), Some(to))))
}

/// Instructions for the link, also for a browser on another machine.
fn words(link: &str, server: &Server) -> String {
    let port = server.port();
    let how = match server.hands_over() {
        true => {
            "The page is served from this machine: its button opens the viewer and hands it the trace, which is\n\
             not uploaded. Press Ctrl-C to stop waiting."
        }
        false => {
            "The page takes the trace from this machine only; it is not uploaded. If the browser asks whether\n\
             the page may reach apps on this device, allow it. Press Ctrl-C to stop waiting."
        }
    };
    let mut words = format!("open:  {link}\n{how}");
    if std::env::var_os("SSH_CONNECTION").is_some() {
        words.push_str(&format!(
            "\nIf the browser runs on your own machine, first run ssh -L {port}:127.0.0.1:{port} from there to here."
        ));
    }
    words
}
