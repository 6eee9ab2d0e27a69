//! The start of the browser. Every user of the machine can read its command line: it names a file that only this user can
//! read, and that file has the link with its secret.

use crate::interrupted::{self, Draft};
use crate::random;
use anyhow::{Context, Result};
use ompttrace_recording::PinnedFolder;
use std::io::Write;
use std::sync::Arc;

/// The file's folder, which is removed with this value or by a signal that ends the process.
pub struct Link(Arc<Draft>);

impl Link {
    /// Starts the browser with a page that leads to `link`.
    pub fn open(link: &str) -> Result<Link> {
        let parent = std::env::temp_dir();
        let folder = PinnedFolder::open(&parent).context("no temporary folder")?;
        let name = format!("ompttrace-view.{}", random::word()?).into();
        let private = folder.private(&name).context("no temporary folder")?;
        let opened = Link(Arc::new(Draft { folder, name }));
        interrupted::drafts().push(Arc::clone(&opened.0));
        private.create(FILE).and_then(|mut file| file.write_all(page(link).as_bytes()))?;
        open::that_detached(parent.join(&opened.0.name).join(FILE))?;
        Ok(opened)
    }
}

const FILE: &str = "open.html";

impl Drop for Link {
    fn drop(&mut self) {
        interrupted::drafts().retain(|known| !Arc::ptr_eq(known, &self.0));
        self.0.remove();
    }
}

/// A page that leads to a link at once.
fn page(link: &str) -> String {
    let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\">\n<title>ompttrace view</title>\n\
         <a href=\"{link}\">the trace</a>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_inside_its_attribute() {
        let page = page("https://a/\"><script>?b&c");
        assert!(page.contains("url=https://a/&quot;>&lt;script>?b&amp;c\""), "{page}");
    }
}
