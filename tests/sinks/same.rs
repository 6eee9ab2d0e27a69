//! Comparison of both formats for Perfetto: the same run must give the same slices, with equal names, times to the
//! nanosecond, depths and families.

use std::collections::BTreeMap;

use anyhow::Result;
use ompttrace_model::View;

use crate::fake::START;
use crate::format::{FORMATS, Format};
use crate::judge::{VIEWS, judge};
use crate::stencil::play;

/// Query for all columns of slices but the number of the track.
const SLICES: &str = "select coalesce(th.name, t.name) track, s.ts - $begin, s.dur, s.depth, s.name, \
                      s.category, (select count(*) from flow f where f.slice_in = s.id) n_in, \
                      (select count(*) from flow f where f.slice_out = s.id) n_out \
                      from slice s join track t on t.id = s.track_id \
                      left join thread_track tt on tt.id = t.id left join thread th using (utid)";

fn slices(format: Format, view: View) -> Result<BTreeMap<String, usize>> {
    let mut found = BTreeMap::new();
    for row in judge(format, view, |fake| play(fake, START, 3))?.rows(SLICES)?.rows {
        *found.entry(format!("{row:?}")).or_default() += 1;
    }
    Ok(found)
}

#[test]
fn both_formats_report_the_same() -> Result<()> {
    for view in VIEWS {
        let [native, chrome] = FORMATS.map(|format| slices(format, view));
        let (native, chrome) = (native?, chrome?);
        assert!(native.len() > 100);
        assert_eq!(native, chrome, "{view:?}");
    }
    Ok(())
}
