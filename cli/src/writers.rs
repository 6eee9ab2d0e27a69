//! The writers of one export, served by one pass over the recording.

use crate::formats::Written;
use anyhow::{Error, Result};
use ompttrace_chrome::ChromeSink;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
#[cfg(feature = "otf2")]
use ompttrace_otf2::Otf2Sink;
use ompttrace_perfetto::PerfettoSink;

/// The format of most exports.
pub type Perfetto = PerfettoSink<Written>;
pub type Chrome = ChromeSink<Written>;

/// Those that were not asked for are absent.
#[derive(Debug)]
pub struct Writers {
    pub perfetto: Option<Perfetto>,
    pub chrome: Option<Chrome>,
    #[cfg(feature = "otf2")]
    pub otf2: Option<Otf2Sink>,
}

/// Writers with a type of its own for one that is alone: a pass that knows of no other is faster.
pub enum Chosen {
    Perfetto(Box<Perfetto>),
    Chrome(Box<Chrome>),
    #[cfg(feature = "otf2")]
    Otf2(Box<Otf2Sink>),
    Several(Box<Writers>),
}

impl Writers {
    pub fn chosen(self) -> Chosen {
        match self {
            Writers {
                perfetto: Some(perfetto),
                chrome: None,
                #[cfg(feature = "otf2")]
                    otf2: None,
            } => Chosen::Perfetto(Box::new(perfetto)),
            Writers {
                perfetto: None,
                chrome: Some(chrome),
                #[cfg(feature = "otf2")]
                    otf2: None,
            } => Chosen::Chrome(Box::new(chrome)),
            #[cfg(feature = "otf2")]
            Writers { perfetto: None, chrome: None, otf2: Some(otf2) } => {
                Chosen::Otf2(Box::new(otf2))
            }
            several => Chosen::Several(Box::new(several)),
        }
    }
}

/// The end of one writer, if it is there.
fn finish<S: Sink>(writer: Option<S>, definitions: &Definitions, summary: &Summary) -> Result<()>
where
    Error: From<S::Error>,
{
    writer.map(|writer| writer.finish(definitions, summary)).transpose()?;
    Ok(())
}

impl Sink for Writers {
    type Output = ();
    type Error = Error;

    fn start(&mut self, run: &RunInfo<'_>) {
        if let Some(writer) = &mut self.perfetto {
            writer.start(run);
        }
        if let Some(writer) = &mut self.chrome {
            writer.start(run);
        }
        #[cfg(feature = "otf2")]
        if let Some(writer) = &mut self.otf2 {
            writer.start(run);
        }
    }

    #[inline(always)]
    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        if let Some(writer) = &mut self.perfetto {
            writer.event(definitions, at, event);
        }
        if let Some(writer) = &mut self.chrome {
            writer.event(definitions, at, event);
        }
        #[cfg(feature = "otf2")]
        if let Some(writer) = &mut self.otf2 {
            writer.event(definitions, at, event);
        }
    }

    /// All are finished, whatever becomes of the first: what it leaves must not be half a file.
    fn finish(self, definitions: &Definitions, summary: &Summary) -> Result<()> {
        let perfetto = finish(self.perfetto, definitions, summary);
        let chrome = finish(self.chrome, definitions, summary);
        #[cfg(feature = "otf2")]
        let chrome = chrome.and(finish(self.otf2, definitions, summary));
        perfetto.and(chrome)
    }
}
