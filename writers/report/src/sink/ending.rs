//! State of the program where its recording ends before the runtime does.

/// State of the program at the end of its recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The program has ended.
    #[default]
    Over,
    /// The program still runs: more may come.
    Runs,
    /// The program ran on: the recording is a snapshot.
    Snapshot,
    /// The state of the program cannot be known here.
    Unknown,
}

impl Ending {
    /// Caveat for readers of the numbers.
    pub(crate) fn caveat(self) -> &'static str {
        match self {
            Ending::Over => "The recording is cut where the program ended.",
            Ending::Runs => "The program still runs: this is what it had recorded so far.",
            Ending::Snapshot => "This is a snapshot of the newest events: the program ran on.",
            Ending::Unknown => {
                "The recording is not closed, and whether the program still runs cannot be known here."
            }
        }
    }
}
