//! Code addresses, and the table of those that ids carry a number of.

use crate::lookahead::Lookahead;
use ompttrace_recording::id::SITES;
use ompttrace_recording::words::KIND_FUNCTION;
use std::collections::HashMap;

/// A code address and what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code {
    pub address: u64,
    pub function: bool,
}

impl Code {
    #[inline(always)]
    pub(crate) fn new(address: u64, kind: u64) -> Code {
        Code { address, function: kind & KIND_FUNCTION != 0 }
    }
}

/// The table of code sites, as reported so far.
#[derive(Debug, Default)]
pub(crate) struct Sites<'a> {
    lookahead: Option<Lookahead<'a>>,
    known: Vec<Option<Code>>,
    /// Numbers of sites that were assigned here, by address and whether it is a function's.
    by_code: HashMap<(u64, bool), usize>,
    /// True if all records were searched for sites.
    searched: bool,
}

impl<'a> Sites<'a> {
    pub(crate) fn new(lookahead: Lookahead<'a>) -> Sites<'a> {
        Sites { lookahead: Some(lookahead), ..Sites::default() }
    }

    /// The code of a site; address 0 where it is unknown. A thread may use a site before the one that
    /// reports it has done so: then the later records are searched.
    pub(crate) fn get(&mut self, site: usize) -> Code {
        let known = |sites: &Self| sites.known.get(site).copied().flatten();
        if site != 0 && known(self).is_none() {
            self.search();
        }
        known(self).unwrap_or_default()
    }

    /// The site of a code address, which gets one if it has none; 0 if there is no free slot.
    pub(crate) fn of(&mut self, code: Code) -> usize {
        if code.address == 0 {
            return 0;
        }
        if let Some(site) = self.by_code.get(&(code.address, code.function)) {
            return *site;
        }
        // Numbers that the records use are not given out again.
        self.search();
        let free = |site: &usize| self.known.get(*site).is_none_or(Option::is_none);
        let site = (1..SITES).find(free).unwrap_or(0);
        self.by_code.insert((code.address, code.function), site);
        self.know(site as u64, code);
        site
    }

    fn search(&mut self) {
        if !std::mem::replace(&mut self.searched, true) {
            let sites = self.lookahead.map_or_else(Vec::new, Lookahead::sites);
            sites.into_iter().for_each(|(site, code)| self.know(site, code));
        }
    }

    /// A site is reported. The first report counts.
    pub(crate) fn know(&mut self, site: u64, code: Code) {
        let site = site as usize;
        if site == 0 || site >= SITES {
            return;
        }
        if self.known.len() <= site {
            self.known.resize(site + 1, None);
        }
        if let Some(known) = self.known.get_mut(site) {
            known.get_or_insert(code);
        }
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    use super::*;
    use crate::testing::RunBuilder;
    use ompttrace_recording::Scope;
    use ompttrace_recording::events::CodeSite;

    #[test]
    fn a_site_that_is_reported_late_is_known_and_the_first_reported_counts() {
        let mut run = RunBuilder::new();
        for t in 0..100 {
            run.put(t, 6, Scope::None, CodeSite { code: 1000 + t as u64, kind: 0, site: 7 });
            run.put(t, 7, Scope::None, CodeSite { code: 9, kind: 0, site: 8 + t as u64 });
        }
        let (_folder, recording) = run.open().expect("a run folder");
        let mut sites = Sites::new(Lookahead::new(&recording));
        sites.know(5, Code::new(77, 0));
        sites.know(8, Code::new(78, 0));
        assert_eq!((sites.get(5).address, sites.searched), (77, false));
        assert_eq!((sites.get(0).address, sites.searched), (0, false));
        assert_eq!((sites.get(7).address, sites.get(8).address), (1000, 78));
        assert!((9..108).all(|site| sites.get(site).address == 9));
        assert_eq!((sites.get(108).address, sites.get(SITES).address), (0, 0));
    }
}
