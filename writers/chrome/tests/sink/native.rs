//! The same run in both of our formats for Perfetto gives the same slices: names, times to the
//! nanosecond, depths, families.

use std::collections::BTreeMap;

use anyhow::Result;
use ompttrace_perfetto::{PerfettoSink, View as NativeView};
use ompttrace_tests::trace_processor::TraceProcessor;

use crate::fake::{Fake, START, threads};
use crate::judge::{VIEWS, judge, load};
use crate::stencil::play;

/// Everything of a slice but the number of its track.
const SLICES: &str = "select coalesce(th.name, t.name) track, s.ts, s.dur, s.depth, s.name, \
                      s.category, (select count(*) from flow f where f.slice_in = s.id) n_in, \
                      (select count(*) from flow f where f.slice_out = s.id) n_out \
                      from slice s join track t on t.id = s.track_id \
                      left join thread_track tt on tt.id = t.id left join thread th using (utid)";

fn slices(processor: &mut TraceProcessor, begin: u64) -> Result<BTreeMap<String, usize>> {
    let mut found = BTreeMap::new();
    for mut row in processor.query(SLICES)?.rows {
        row[1] = (row[1].as_u64().unwrap_or_default() - begin).into();
        *found.entry(format!("{row:?}")).or_default() += 1;
    }
    Ok(found)
}

#[test]
fn both_formats_report_the_same() -> Result<()> {
    for (view, native) in
        VIEWS.into_iter().zip([NativeView::Threads, NativeView::Regions, NativeView::Both])
    {
        let mut judged = judge(view, |fake| play(fake, START, 3))?;
        let mut bytes = Vec::new();
        let mut fake = Fake::new(PerfettoSink::new(&mut bytes, native), &threads(4));
        play(&mut fake, START, 3);
        fake.finish().1?;
        let ours = slices(&mut judged.processor, 0)?;
        let theirs = slices(&mut load(&bytes, "trace.pftrace")?, START)?;
        assert!(ours.len() > 100);
        assert_eq!(ours, theirs, "{view:?}");
    }
    Ok(())
}
