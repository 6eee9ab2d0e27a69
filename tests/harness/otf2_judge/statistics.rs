//! Statistics of an archive, as `tests/otf2_judge/check.py` counts them, for comparison with the recorded run.

use std::collections::BTreeMap;

use serde::Deserialize;

/// All statistics of an archive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Events of each kind, by OTF2's names (`ThreadTaskSwitch`); kinds without any are not there.
    pub events: BTreeMap<String, u64>,
    /// Every region that is defined.
    pub regions: Vec<Region>,
    /// Parallel regions, seen from the threads that forked.
    pub fork_join: ForkJoin,
    /// Every comm that is defined.
    pub comms: Vec<Comm>,
    /// Every lock that was used.
    pub locks: Vec<Lock>,
    /// Every kind of marker.
    pub markers: Vec<Marker>,
    /// Metrics that have values, by the names of their members.
    pub metrics: BTreeMap<String, Metric>,
    /// Parameters that have values, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// Number of events that carry an attribute, by the attribute's name.
    pub attributes: BTreeMap<String, u64>,
    /// Bytes of accesses to windows and files, by kind of event; of atomic operations those of each way.
    pub moved: BTreeMap<String, u64>,
    /// Names of files.
    pub files: Vec<String>,
    /// Every location.
    pub locations: Vec<Location>,
    /// Properties of the archive and of definitions.
    pub properties: Vec<Property>,
}

/// A region.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Name of the region.
    pub name: String,
    /// Canonical name of the region; empty where undefined, as `file`.
    pub canonical_name: String,
    /// Role of the region by OTF2's name (`IMPLICIT_BARRIER`), or a number.
    pub role: String,
    /// Paradigm of the region by OTF2's name (`OPENMP`), or a number.
    pub paradigm: String,
    /// Source file of the region.
    pub file: String,
    /// Line where the region begins; 0 where unknown.
    pub line: u32,
    /// Number of times that the region was entered.
    pub enters: u64,
    /// Time in nanoseconds for which the region was on the stack of a task that ran, summed over all stacks
    /// and, if it is on one twice, over both. Regions that an explicit task interrupts are not active,
    /// unless they belong to an enclosing team.
    pub active_ns: u64,
}

/// All pairs of ThreadFork and ThreadJoin.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ForkJoin {
    /// Number of pairs.
    pub count: u64,
    /// Sum of their durations, in nanoseconds.
    pub ns: u64,
}

/// A communicator: a team, for OpenMP.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Comm {
    /// Reference of the communicator.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The number of its paradigm.
    pub paradigm: Option<u8>,
    /// The reference of the enclosing team.
    pub parent: Option<u32>,
    /// References of its locations by thread number; None for one that is not defined.
    pub members: Vec<Option<u64>>,
}

/// A lock.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// Number of the lock.
    pub lock: u32,
    /// Number of times that the lock was acquired.
    pub acquires: u64,
    /// Number of times that the lock was released.
    pub releases: u64,
}

/// A kind of marker.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Marker {
    /// The marker's group.
    pub group: String,
    /// Category of the marker.
    pub category: String,
    /// Number of markers of this kind.
    pub count: u64,
}

/// The values of a metric member, over all locations.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Number of values.
    pub count: u64,
    /// The value with the latest time.
    pub last: serde_json::Number,
}

/// The values of a parameter.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Number of values.
    pub count: u64,
    /// Number of times that each text was the value; empty if the values are numbers.
    pub texts: BTreeMap<String, u64>,
}

/// A location.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Reference of the location.
    pub id: u64,
    /// Name of the location.
    pub name: String,
    /// Type of the location by OTF2's name (`CPU_THREAD`), or a number.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of its location group.
    pub group: String,
    /// Number of events of the location.
    pub events: u64,
}

/// A property.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Owner of the property: `archive`, or kind and reference of a definition (`Location 3`).
    pub of: String,
    /// Name of the property.
    pub name: String,
    /// Value of the property as text.
    pub value: String,
}

impl Statistics {
    /// Number of events of a kind, by OTF2's name.
    pub fn events(&self, kind: &str) -> u64 {
        self.events.get(kind).copied().unwrap_or(0)
    }

    /// The region of this name.
    pub fn region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|region| region.name == name)
    }

    /// The property of this owner and name.
    pub fn property(&self, of: &str, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|one| one.of == of && one.name == name);
        found.map(|property| property.value.as_str())
    }
}
