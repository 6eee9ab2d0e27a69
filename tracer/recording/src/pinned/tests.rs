//! Links, pipes and renamed folders, as another user may put them into a folder.

use super::*;
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

fn pinned() -> (TempDir, PinnedFolder) {
    let top = tempfile::tempdir().expect("a folder");
    let folder = PinnedFolder::open(top.path()).expect("opened");
    (top, folder)
}

fn kind<T>(result: io::Result<T>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn nothing_that_is_there_is_followed_or_written_to() {
    let (top, folder) = pinned();
    let of = |name: &str| top.path().join(name);
    fs::write(of("victim"), "another's").expect("written");
    symlink("victim", of("link")).expect("linked");
    symlink("nowhere", of("dead")).expect("linked");
    fs::hard_link(of("victim"), of("second")).expect("linked");
    for taken in ["victim", "link", "dead"] {
        assert_eq!(kind(folder.create(taken)), Some(ErrorKind::AlreadyExists), "{taken}");
        assert_eq!(kind(folder.private(taken)), Some(ErrorKind::AlreadyExists), "{taken}");
    }
    for other in ["link", "dead", "second"] {
        assert!(folder.overwrite(other).is_err(), "{other}");
    }
    assert!(folder.read("link").is_err() && folder.continued(c"link", true).is_err());
    assert!(!of("nowhere").exists());
    assert_eq!(fs::read_to_string(of("victim")).expect("read"), "another's");
}

#[test]
fn a_pipe_is_not_waited_for() {
    let (top, folder) = pinned();
    let made = std::process::Command::new("mkfifo").arg(top.path().join("pipe")).status();
    assert!(made.expect("started").success());
    assert!(folder.read("pipe").is_err() && folder.overwrite("pipe").is_err());
    assert!(folder.continued(c"pipe", false).is_err());
}

#[test]
fn a_folder_is_the_same_wherever_it_is_moved() {
    let (top, folder) = pinned();
    let private = folder.private("before").expect("made");
    let mode = private.metadata().expect("metadata").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    fs::rename(top.path().join("before"), top.path().join("after")).expect("renamed");
    symlink("/", top.path().join("before")).expect("linked");
    private.create("file").and_then(|mut file| file.write_all(b"text")).expect("written");
    assert_eq!(fs::read(top.path().join("after/file")).expect("read"), b"text");
    let again = PinnedFolder::again(private.as_fd()).expect("opened");
    assert!(again.entry("file").expect("there").is_file());
}

#[test]
fn what_has_a_name_keeps_it() {
    let (top, folder) = pinned();
    for name in ["one", "two"] {
        folder.create(name).and_then(|mut file| file.write_all(name.as_bytes())).expect("made");
    }
    let private = folder.private("private").expect("made");
    private.private("inside").expect("made");
    for (from, of) in [("one", &folder), ("inside", &private)] {
        for taken in ["two", "private"] {
            assert_eq!(kind(of.place(from, &folder, taken)), Some(ErrorKind::AlreadyExists));
        }
        of.place(from, &folder, format!("{from} placed")).expect("placed");
    }
    assert_eq!(fs::read_to_string(top.path().join("two")).expect("read"), "two");
    assert!(top.path().join("inside placed").is_dir());
    assert_eq!(fs::read_to_string(top.path().join("one placed")).expect("read"), "one");
}

#[test]
fn a_replaced_file_is_old_or_new() {
    let (top, folder) = pinned();
    let read = || fs::read_to_string(top.path().join("file")).expect("read");
    folder.replace("file", "draft", |file| file.write_all(b"old")).expect("written");
    let full = folder.replace("file", "draft", |file| {
        file.write_all(b"half")?;
        Err::<(), _>(ErrorKind::StorageFull.into())
    });
    assert_eq!((kind(full), read()), (Some(ErrorKind::StorageFull), "old".to_owned()));
    folder.replace("file", "draft", |file| file.write_all(b"new")).expect("written");
    assert_eq!(read(), "new");
    assert_eq!(fs::read_dir(top.path()).expect("listed").count(), 1);
}

#[test]
fn a_nameless_file_is_read_and_written() {
    let (top, folder) = pinned();
    let mut file = folder.nameless().expect("made");
    file.write_all(b"text").and_then(|()| file.rewind()).expect("written");
    let mut text = String::new();
    file.read_to_string(&mut text).expect("read");
    assert_eq!((text.as_str(), fs::read_dir(top.path()).expect("listed").count()), ("text", 0));
}

#[test]
fn files_and_folders_are_removed_and_links_not_followed() {
    let (top, folder) = pinned();
    let inside = folder.private("folder").and_then(|made| made.private("inside"));
    inside.and_then(|made| made.create("file")).expect("made");
    folder.create("file").expect("made");
    let other = folder.private("other").expect("made");
    other.create("file").expect("made");
    symlink("../other", top.path().join("folder/link")).expect("linked");
    symlink("other", top.path().join("link")).expect("linked");
    for name in ["folder", "file", "link"] {
        folder.remove_all(name).expect(name);
    }
    assert!(other.entry("file").is_ok());
    assert_eq!(fs::read_dir(top.path()).expect("listed").count(), 1);
}
