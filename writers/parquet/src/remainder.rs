//! Rounding of what is charged for others: every row has whole nanoseconds, and the rows of a site add up to what the
//! report says of it.

use crate::constructs::Constructs;
use crate::sites::SiteId;
use ompttrace_report::journal::Account;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A sum that is handed out in whole numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    all: f64,
    given: i64,
}

impl Sum {
    fn add(&mut self, more: f64) -> i64 {
        self.all += more;
        let whole = self.all.round() as i64;
        whole - std::mem::replace(&mut self.given, whole)
    }
}

/// Idleness and waiting that each account was charged with so far.
#[derive(Debug, Default)]
pub(crate) struct Rounded {
    accounts: FxHashMap<Account, [Sum; 2]>,
}

impl Rounded {
    /// Charges an account with idleness and waiting, in nanoseconds. Returns the whole nanoseconds that its sums grow
    /// by.
    pub(crate) fn add(&mut self, account: Account, (idle, wait): (f64, f64)) -> (i64, i64) {
        let [of_idle, of_wait] = self.accounts.entry(account).or_default();
        (of_idle.add(idle), of_wait.add(wait))
    }

    /// Idleness and waiting, in nanoseconds, that rows still lack for each site compared to the report's sums, for
    /// sites that lack any. They come from the rounding of single constructs, some nanoseconds at most.
    pub(crate) fn missing(
        &self,
        constructs: &mut Constructs,
        mut wanted: BTreeMap<SiteId, (i64, i64)>,
    ) -> BTreeMap<SiteId, (i64, i64)> {
        for (account, [idle, wait]) in &self.accounts {
            let sums = wanted.entry(constructs.attribution(*account).site).or_default();
            sums.0 -= idle.given;
            sums.1 -= wait.given;
        }
        wanted.retain(|_, sums| *sums != (0, 0));
        wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_add_up_to_the_sum() {
        let mut rounded = Rounded::default();
        let account = Account::Construct(3);
        let given: Vec<_> = (0..9).map(|_| rounded.add(account, (0.4, 1.0 / 3.0))).collect();
        assert_eq!(given.iter().map(|(idle, _)| idle).sum::<i64>(), 4);
        assert_eq!(given.iter().map(|(_, wait)| wait).sum::<i64>(), 3);
        let site = Constructs::default().attribution(account).site;
        let missing =
            rounded.missing(&mut Constructs::default(), [(site, (5, 3)), (7, (0, 0))].into());
        assert_eq!(missing, [(site, (1, 0))].into());
    }
}
