//! Constructs as the journal names them, and the site that each of them is.

use crate::sites::{self, SiteId};
use ompttrace_report::journal::{Account, Construct};
use ompttrace_report::model::Class;
use rustc_hash::FxHashMap;

/// Site and region that time is charged to, as they stand in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribution {
    pub site: SiteId,
    /// The site of the parallel region around the construct, or of the construct itself if it is a region.
    pub region: Option<SiteId>,
}

/// All constructs so far.
#[derive(Debug, Default)]
pub(crate) struct Constructs {
    constructs: Vec<Construct>,
    attributions: Vec<Attribution>,
    /// Attributions of the serial sections after regions, by the region's construct, as far as they were looked up.
    serial: FxHashMap<u32, Attribution>,
}

impl Constructs {
    /// Takes in constructs, in their order.
    pub(crate) fn define(&mut self, constructs: impl IntoIterator<Item = Construct>) {
        for construct in constructs {
            let attribution = match (construct.class, construct.after) {
                (Class::Serial, Some(after)) => self.serial(after),
                (Class::Region, _) => {
                    let site = sites::of_construct(&construct);
                    Attribution { site, region: Some(site) }
                }
                _ => {
                    let around = self.attributions.get(construct.region as usize);
                    let region = around.filter(|_| construct.region != 0);
                    Attribution {
                        site: sites::of_construct(&construct),
                        region: region.and_then(|region| region.region),
                    }
                }
            };
            self.constructs.push(construct);
            self.attributions.push(attribution);
        }
    }

    /// The site and region that an account's time is charged to.
    #[inline]
    pub(crate) fn attribution(&mut self, account: Account) -> Attribution {
        match account {
            Account::Construct(construct) => self.construct(construct),
            Account::SerialAfter(region) => match self.serial.get(&region) {
                Some(known) => *known,
                None => self.serial(region),
            },
        }
    }

    /// The site and region that a construct's time is charged to; those of time outside all constructs if it is
    /// unknown.
    #[inline]
    pub(crate) fn construct(&self, construct: u32) -> Attribution {
        let outside = || Attribution { site: sites::outside(), region: None };
        self.attributions.get(construct as usize).copied().unwrap_or_else(outside)
    }

    #[cold]
    fn serial(&mut self, region: u32) -> Attribution {
        let before = self.constructs.get(region as usize).filter(|_| region != 0);
        let attribution = Attribution { site: sites::of_serial(before), region: None };
        self.serial.insert(region, attribution);
        attribution
    }
}
