//! How it is recorded which threads have a core: a setting.

/// How it is recorded which threads have a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoresMode {
    /// Every switch, or the kernel's sums of a thread where that is refused.
    Auto,
    /// Nothing.
    Off,
    /// Every switch, or nothing of a thread.
    Switches,
    /// The kernel's sums.
    Accounting,
}

impl CoresMode {
    /// All of them.
    pub const ALL: [CoresMode; 4] =
        [CoresMode::Auto, CoresMode::Off, CoresMode::Switches, CoresMode::Accounting];

    /// Its name in settings and in `recording.json`.
    pub const fn name(self) -> &'static str {
        match self {
            CoresMode::Auto => "auto",
            CoresMode::Off => "off",
            CoresMode::Switches => "switches",
            CoresMode::Accounting => "accounting",
        }
    }
}
