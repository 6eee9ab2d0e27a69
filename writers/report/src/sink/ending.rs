//! Why a recording ends that the runtime did not end.

/// What became of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// It is over.
    #[default]
    Over,
    /// It still runs: more may come.
    Runs,
    /// Nobody here can know.
    Unknown,
}

impl Ending {
    /// What a reader of the numbers must know.
    pub(crate) fn caveat(self) -> &'static str {
        match self {
            Ending::Over => "The recording is cut where the program ended.",
            Ending::Runs => "The program still runs: this is what it had recorded so far.",
            Ending::Unknown => {
                "The recording is not closed, and whether the program still runs cannot be known here."
            }
        }
    }
}
