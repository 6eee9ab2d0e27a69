//! The start of the browser. Every user of the machine can read its command line: it names a file that only this user can
//! read, and that file has the link with its secret.

use crate::interrupted;
use anyhow::{Context, Result};
use std::fs::{OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use tempfile::TempDir;

/// The file's folder, which is removed with this value or by a signal that ends the process.
pub struct Link(TempDir);

impl Link {
    /// Starts the browser with a page that leads to `link`.
    pub fn open(link: &str) -> Result<Link> {
        let private = Permissions::from_mode(0o700);
        let folder =
            tempfile::Builder::new().prefix("ompttrace-view.").permissions(private).tempdir();
        let folder = folder.context("no temporary folder")?;
        interrupted::drafts().insert(folder.path().to_owned());
        let opened = Link(folder);
        let path = opened.0.path().join("open.html");
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        file.and_then(|mut file| file.write_all(page(link).as_bytes())).context("open.html")?;
        open::that_detached(&path)?;
        Ok(opened)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        interrupted::drafts().remove(self.0.path());
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
