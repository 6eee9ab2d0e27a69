//! The `modules` file with other paths. Lines that are none, as the last one of a killed program, are left out.

use super::replacer::Replacer;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// The text with each path replaced, and each build id if names are.
pub fn replaced(text: &[u8], by: &Replacer) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let whole = lines.filter_map(|line| line.strip_suffix(b"\n"));
    let mut to = Vec::with_capacity(text.len());
    for line in whole.filter_map(|line| self::line(line, by)) {
        to.extend(line);
        to.push(b'\n');
    }
    to
}

fn line(line: &[u8], by: &Replacer) -> Option<Vec<u8>> {
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit);
    let is_range = |text: &[u8]| {
        let mut ends = text.split(|byte| *byte == b'-');
        ends.clone().count() == 2 && ends.all(is_number)
    };
    if let Some(time) = line.strip_prefix(b"@ ") {
        return is_number(time).then(|| line.to_vec());
    }
    if let Some(range) = line.strip_prefix(b"- ") {
        return is_range(range).then(|| line.to_vec());
    }
    let mut fields = line.splitn(4, |byte| *byte == b' ');
    let (range, offset) = (fields.next()?, fields.next()?);
    let (build_id, path) = (fields.next()?, fields.next()?);
    if !is_range(range) || !is_number(offset) || !(build_id == b"-" || is_number(build_id)) {
        return None;
    }
    let build_id = match by.replaces_names() && build_id != b"-" {
        true => by.build_id(build_id).into_bytes(),
        false => build_id.to_vec(),
    };
    let path = by.path_of(OsStr::from_bytes(path));
    Some([range, offset, &build_id, path.as_bytes()].join(&b' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Anonymise;

    #[test]
    fn lines_keep_all_but_their_paths() {
        let text =
            b"@ 100\n1000-2000 0 ab01 /opt/customer/heat\n- 1000-2000\nnonsense of a customer\n\
            3000-4000 1000 - /opt/customer/libc.so.6 (deleted)\n5000-6000 0 - /opt/cust";
        let by = Replacer::new(Anonymise::Paths);
        let kept = "@ 100\n1000-2000 0 ab01 /folder-1/program-1\n- 1000-2000\n\
            3000-4000 1000 - /folder-1/libc.so.6 (deleted)\n";
        assert_eq!(String::from_utf8(replaced(text, &by)).expect("text"), kept);
        let all = replaced(text, &Replacer::new(Anonymise::All));
        let all = String::from_utf8(all).expect("text");
        assert!(all.contains("1000-2000 0 00000001 /folder-1/program-1\n"), "{all}");
    }
}
