//! Fragments in areas of whole pages: gaps between them, and areas that were not finished.

use super::pools::{Pool, add_pool};
use super::*;
use crate::fragment::{HEADER_BYTES, area_bytes};

/// A fragment as the recorder writes it.
fn area(thread: u32, chunk: u64, numbers: std::ops::Range<u64>, first: u64) -> Vec<u8> {
    let body = records(numbers.clone());
    let area = area_bytes(body.len());
    let header = FragmentHeader {
        session: 1,
        thread,
        chunk,
        offset: 16 * (numbers.start - first) as u32,
        bytes: body.len() as u32,
        os_thread: 1,
        ticks: 1000,
        monotonic: 5,
    };
    let head = header.to_words_in(area as u32).map(u64::to_ne_bytes).concat();
    let mark = header.mark(area as u32).to_ne_bytes().to_vec();
    let mut bytes = [head, body, mark].concat();
    bytes.resize(area, 0);
    bytes
}

#[test]
fn areas_are_read_one_behind_the_other() {
    let folder = run_folder(&facts(true));
    let all = [area(1, 1, 0..300, 0), area(2, 1, 0..5, 0), area(1, 2, 300..310, 300)].concat();
    append(&folder, &all);
    let (codes, damage) = read(&folder, 0);
    assert_eq!((codes, damage), ((0..310).collect(), Damage::default()));
    assert_eq!(read(&folder, 1).0, (0..5).collect::<Vec<_>>());
}

#[test]
fn an_area_given_out_and_never_written_is_no_damage() {
    let folder = run_folder(&facts(true));
    let gap = vec![0; 8192];
    append(&folder, &[gap.clone(), area(1, 1, 0..5, 0), gap.clone(), area(1, 2, 5..6, 5)].concat());
    append(&folder, &gap);
    let (codes, damage) = read(&folder, 0);
    assert_eq!((codes, damage), ((0..6).collect(), Damage::default()));
}

#[test]
fn nonsense_between_areas_is_counted() {
    let folder = run_folder(&facts(true));
    append(&folder, &[vec![7; 4096], area(1, 1, 0..5, 0)].concat());
    let (codes, damage) = read(&folder, 0);
    assert_eq!((codes.len(), damage), (5, Damage { unreadable: 4096, ..Damage::default() }));
}

/// A writer that is killed leaves a prefix; behind it the file has 0 if others wrote further on.
#[test]
fn every_cut_of_an_area_is_whole_with_the_pool() {
    let whole = area(3, 4, 0..260, 0);
    let next = area(5, 1, 0..2, 0);
    let end = HEADER_BYTES + 16 * 260;
    for written in (0..whole.len()).step_by(53).chain([end, end + 7]) {
        for others in [false, true] {
            let folder = run_folder(&facts(false));
            append(&folder, &whole[..written]);
            if others {
                append(&folder, &[vec![0; whole.len() - written], next.clone()].concat());
            }
            add_pool(&folder, &Pool::new(&[(4, 0..260)]));
            let (codes, damage) = read(&folder, 0);
            assert_eq!(codes, (0..260).collect::<Vec<_>>(), "{written} written");
            let torn = (HEADER_BYTES..end + 8).contains(&written);
            assert_eq!(damage.torn, u64::from(torn), "{written} written");
            assert_eq!((damage.missing, damage.unreadable < 64), (0, true), "{written} written");
        }
    }
}

#[test]
fn a_short_write_goes_on_in_an_area_of_its_own() {
    let whole = area(1, 1, 0..200, 0);
    let folder = run_folder(&facts(true));
    append(&folder, &whole[..64 + 16 * 50]);
    append(&folder, &vec![0; whole.len() - 64 - 16 * 50]);
    // The last word there is may be half a word, so the writer continues with its record.
    append(&folder, &area(1, 1, 49..200, 0));
    let (codes, damage) = read(&folder, 0);
    assert_eq!((codes, damage), ((0..200).collect(), Damage { torn: 1, ..Damage::default() }));
}

#[test]
fn an_area_that_reaches_over_others_hides_none() {
    let folder = run_folder(&facts(true));
    let mut torn = area(1, 1, 0..400, 0);
    torn.truncate(4096);
    append(&folder, &[torn, area(1, 2, 400..410, 400)].concat());
    let (codes, damage) = read(&folder, 0);
    // Of the last record in the page its last word may be half a word.
    let first = (4096 - 64) / 16 - 1;
    assert_eq!(codes, (0..first).chain(400..410).collect::<Vec<_>>());
    assert_eq!(damage.torn, 1);
}
