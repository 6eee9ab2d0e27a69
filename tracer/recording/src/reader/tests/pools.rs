//! Pools of unclosed runs: what they add, and which of them are believed.

use super::*;
use crate::pool::{self, Division, PAGE_SIZES, control, header};

/// A pool of one thread, number 3, as a killed process leaves it.
pub(super) struct Pool(Vec<u8>, Division);

impl Pool {
    /// A pool with these chunks, by number and with the records in them, as the thread's last two.
    pub(super) fn new(chunks: &[(u64, std::ops::Range<u64>)]) -> Pool {
        Pool::divided(Division { page: pool::PAGE, slot: pool::DEFAULT_SLOT }, chunks)
    }

    /// A pool with these chunks on a machine with pages of another size.
    fn divided(division: Division, chunks: &[(u64, std::ops::Range<u64>)]) -> Pool {
        const SLOTS_AT: u64 = 0x1_0000;
        let mut pool = Pool(vec![0; division.block_offset(1)], division);
        pool.head(header::MAGIC, pool::MAGIC);
        pool.head(header::VERSION, FORMAT_VERSION.into());
        pool.head(header::SESSION, 1);
        pool.head(header::CLAIMED, 1);
        pool.head(header::SLOT, division.slot as u64);
        pool.head(header::PAGE, division.page as u64);
        pool.control(control::MAGIC, pool::MAGIC);
        pool.control(control::THREAD, 3);
        pool.control(control::SLOTS_AT, SLOTS_AT);
        for (slot, (chunk, numbers)) in chunks.iter().enumerate() {
            let body = records(numbers.clone());
            let start = slot * division.slot;
            pool.control(control::CHUNK[slot], *chunk);
            pool.control(control::FILLED[slot], body.len() as u64);
            pool.control(control::CURSOR, SLOTS_AT + (start + body.len()) as u64);
            let at = division.slots_offset(0) + start;
            pool.0[at..at + body.len()].copy_from_slice(&body);
        }
        pool
    }

    /// Sets a word of the header page.
    pub(super) fn head(&mut self, index: usize, word: u64) {
        self.0[8 * index..8 * index + 8].copy_from_slice(&word.to_ne_bytes());
    }

    fn control(&mut self, index: usize, word: u64) {
        self.head(self.1.block_offset(0) / 8 + index, word);
    }
}

pub(super) fn add_pool(folder: &tempfile::TempDir, pool: &Pool) {
    std::fs::write(folder.path().join(folder::POOL), &pool.0).expect("pool");
}

#[test]
fn the_pool_of_an_unclosed_run_adds_what_no_file_has() {
    let folder = run_folder(&facts(false));
    append(&folder, &fragment(3, 4, 0..5, 0));
    add_pool(&folder, &Pool::new(&[(4, 0..7)]));
    let (codes, damage) = read(&folder, 0);
    assert_eq!(codes, (0..7).collect::<Vec<_>>());
    assert_eq!(damage, Damage { from_pool: 32, ..Damage::default() });
}

#[test]
fn a_pool_is_read_whatever_a_page_was_where_it_was_written() {
    for page in PAGE_SIZES {
        let slot = pool::DEFAULT_SLOT.max(page);
        let folder = run_folder(&facts(false));
        append(&folder, &fragment(3, 4, 0..5, 0));
        add_pool(&folder, &Pool::divided(Division { page, slot }, &[(4, 0..7), (5, 7..9)]));
        let (codes, damage) = read(&folder, 0);
        assert_eq!(codes, (0..9).collect::<Vec<_>>(), "{page}");
        assert_eq!(damage, Damage { from_pool: 64, ..Damage::default() }, "{page}");
    }
}

/// A process that is killed between the removal of its pool and its last word loses nothing.
#[test]
fn a_pool_that_is_gone_is_missing_unless_the_files_have_all_of_it() {
    for emptied in [false, true] {
        let folder = run_folder(&Facts { emptied, ..facts(false) });
        append(&folder, &fragment(3, 4, 0..5, 0));
        let (codes, damage) = read(&folder, 0);
        let expected = Damage { pool_missing: !emptied, ..Damage::default() };
        assert_eq!((codes.len(), damage), (5, expected), "{emptied}");
    }
}

/// The records and the damage of a run whose process was number 5 and whose facts name the pool at `path`.
fn read_with_pool_at(path: &str, pool: &Pool, prepare: impl FnOnce(&Path)) -> (Vec<u64>, Damage) {
    let mut facts = Facts { pool: Some(path.into()), ..facts(false) };
    facts.process.pid = 5;
    let folder = run_folder(&facts);
    append(&folder, &fragment(3, 4, 0..5, 0));
    add_pool(&folder, pool);
    prepare(folder.path());
    read(&folder, 0)
}

fn pool_of_five() -> Pool {
    let mut pool = Pool::new(&[(4, 0..7)]);
    pool.head(header::PID, 5);
    pool
}

#[test]
fn a_pool_of_another_process_or_session_is_left_alone() {
    let refused = Damage { pool_refused: true, ..Damage::default() };
    for (word, value) in [(header::PID, 6), (header::SESSION, 2), (header::VERSION, 9)] {
        let mut pool = pool_of_five();
        pool.head(word, value);
        let (codes, damage) = read_with_pool_at(folder::POOL, &pool, |_| {});
        assert_eq!((codes.len(), damage), (5, refused), "word {word}");
    }
    assert_eq!(read_with_pool_at(folder::POOL, &pool_of_five(), |_| {}).0.len(), 7);
}

#[test]
fn a_path_is_believed_when_the_tool_can_have_made_it() {
    let outside = tempfile::tempdir().expect("a folder");
    let path = |name: &str| outside.path().join(name).to_str().expect("text").to_owned();
    for (name, records) in
        [("ompttrace.5.77", 7), ("secret", 5), ("ompttrace.5/..", 5), ("deep/ompttrace.5.1", 7)]
    {
        let path = path(name);
        let _ = std::fs::create_dir_all(Path::new(&path).parent().expect("a parent"));
        let _ = std::fs::write(&path, &pool_of_five().0);
        let (codes, damage) =
            read_with_pool_at(&path, &pool_of_five(), |run| remove(&run.join(folder::POOL)));
        assert_eq!((codes.len(), damage.pool_refused), (records, records == 5), "{name}");
    }
    for name in ["../pool", "a/pool", "./../pool", "", ".", ".."] {
        let (codes, damage) = read_with_pool_at(name, &pool_of_five(), |_| {});
        assert_eq!((codes.len(), damage.pool_refused), (5, true), "{name:?}");
    }
}

#[test]
fn a_pool_that_was_just_moved_into_the_run_folder_is_found() {
    let (codes, _) = read_with_pool_at("/dev/shm/ompttrace.no.such", &pool_of_five(), |_| {});
    assert_eq!(codes.len(), 7);
}

#[test]
fn links_pipes_and_folders_are_no_pools() {
    let replaced = |replace: fn(&Path)| {
        let (codes, damage) = read_with_pool_at(folder::POOL, &pool_of_five(), |run| {
            std::fs::rename(run.join(folder::POOL), run.join("real")).expect("renamed");
            replace(&run.join(folder::POOL));
        });
        assert_eq!((codes.len(), damage.pool_refused), (5, true));
    };
    replaced(|path| std::os::unix::fs::symlink("real", path).expect("a link"));
    replaced(|path| std::fs::create_dir(path).expect("a folder"));
    replaced(|path| drop(std::os::unix::net::UnixListener::bind(path).expect("a socket")));
    replaced(|path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
        assert!(made.success());
    });
}

fn remove(path: &Path) {
    std::fs::remove_file(path).expect("removed");
}
