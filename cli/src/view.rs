//! `ompttrace view`: hands a trace to the viewer in the browser, or says what to open in Vampir.

mod age;
mod connection;
mod http;
mod link;
mod region;
mod serve;
mod trace;
mod vampir;

use crate::arguments::{USUAL_PAGE, USUAL_PORT, ViewArguments};
use crate::{limits, run_folder, say};
use anyhow::Result;
use serve::Server;
use trace::Window;

pub fn run(arguments: &ViewArguments) -> Result<()> {
    if arguments.vampir {
        return vampir::run(arguments);
    }
    let trace = match window(arguments)? {
        Some(window) => trace::window(&arguments.run, window)?,
        None => trace::find(&arguments.run)?,
    };
    say::out(&format!("trace: {} ({})", say::shown(&trace), limits::size(&trace)?))?;
    if let Some(remark) = limits::remark(&trace, &arguments.run) {
        say::remark(&remark);
    }
    if let Some(remark) = age::remark(&trace) {
        say::remark(&remark);
    }
    let server = Server::new(&trace, &arguments.ui, arguments.port)?;
    if let Some(remark) = port_remark(&arguments.ui, server.port()) {
        say::remark(&remark);
    }
    let link = link::to(&arguments.ui, &server.url())?;
    say::out(&words(&link, server.port()))?;
    if arguments.open
        && let Err(error) = open::that_detached(&link)
    {
        say::remark(&format!("no browser could be started ({error}): open the link yourself"));
    }
    server.until_fetched()?;
    say::out("fetched: the page has the trace, serving has ended")
}

/// The part of the run's time that is to be shown, if not all of it.
fn window(arguments: &ViewArguments) -> Result<Option<Window>> {
    let Some(location) = &arguments.region else {
        let (from, to) = (arguments.from, arguments.to);
        return Ok((from.is_some() || to.is_some()).then_some((from, to)));
    };
    let recording = run_folder::open(&arguments.run)?;
    let found = region::find(&recording, location, arguments.instance)?;
    let (from, to) = region::around(found)?;
    Ok(Some((Some(from), Some(to))))
}

/// The viewer's page has rules for its browser about where it may fetch from (a Content-Security-Policy).
fn port_remark(ui: &str, port: u16) -> Option<String> {
    let is_usual = ui.trim_end_matches('/') == USUAL_PAGE && port != USUAL_PORT;
    is_usual.then(|| {
        format!(
            "port {port}: {USUAL_PAGE} can fetch only from 127.0.0.1:{USUAL_PORT} and will show nothing: omit \
             --port, or give your own page with --ui"
        )
    })
}

/// What to do with the link, also from another machine.
fn words(link: &str, port: u16) -> String {
    let mut words = format!(
        "open:  {link}\n\
         The page takes the trace from this machine only; it is not uploaded. If the browser asks whether\n\
         the page may reach apps on this device, allow it. Press Ctrl-C to stop waiting."
    );
    if std::env::var_os("SSH_CONNECTION").is_some() {
        words.push_str(&format!(
            "\nIf the browser runs on your own machine, first run ssh -L {port}:127.0.0.1:{port} from there to here."
        ));
    }
    words
}
