//! Entries of the journal, where one is kept.

use super::ReportSink;
use crate::blame::Role;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::journal::{Account, Construct, Edges, Entry, Journal, Part};
use crate::state::State;
use ompttrace_model::{Core, Definitions, ThreadRef};
use ompttrace_recording::Id;

impl ReportSink {
    /// Adds a journal to the sink. Its entries must be taken ([`ReportSink::take_journal`]) every few events, as it
    /// grows.
    pub fn with_journal(self, edges: Edges) -> ReportSink {
        ReportSink { journal: Some(Box::new(Journal { entries: Vec::new(), edges })), ..self }
    }

    /// Entries since the last call; they are replaced by `empty`.
    pub fn take_journal(&mut self, empty: Vec<Entry>) -> Vec<Entry> {
        let journal = self.journal.as_mut();
        journal.map_or_else(Vec::new, |journal| std::mem::replace(&mut journal.entries, empty))
    }

    /// Number of entries that can be taken.
    #[inline]
    pub fn journal_length(&self) -> usize {
        self.journal.as_ref().map_or(0, |journal| journal.entries.len())
    }

    /// The constructs from a position on, in the order of their first events.
    pub fn constructs_from(&self, position: usize) -> impl Iterator<Item = Construct> {
        self.construct_table.constructs().iter().skip(position).map(move |named| Construct {
            class: named.class,
            region: named.region,
            after: named.between.map(|(from, _)| from),
            name: named.name.clone(),
            location: self.construct_table.site(named.source),
        })
    }

    /// Account that the time of a construct was charged to: for a serial section, the one from before its end was
    /// known.
    pub(super) fn account_of(&self, construct: ConstructRef) -> Account {
        let definition = self.construct_table.constructs().get(construct as usize);
        match definition.and_then(|definition| definition.between) {
            Some((from, _)) => Account::SerialAfter(from),
            None => Account::Construct(construct),
        }
    }

    /// Number of constructs so far.
    #[inline]
    pub fn constructs_met(&self) -> usize {
        self.construct_table.constructs().len()
    }

    /// Charges all that is left to be charged, so that the journal is whole before `finish`, which then adds nothing.
    pub fn settle_all(&mut self, definitions: &Definitions) {
        self.define(definitions);
        self.close_threads();
    }

    /// A part of a thread's time was charged; its end is the thread's `since`.
    pub(crate) fn note_part(
        &mut self,
        t: ThreadRef,
        (begin, state): (u64, State),
        construct: ConstructRef,
    ) {
        let Some(journal) = &mut self.journal else { return };
        let Some(thread) = self.threads.get(t as usize) else { return };
        let account = match &thread.serial_section {
            Some(section) if construct == OUTSIDE => Account::SerialAfter(section.from),
            _ => Account::Construct(construct),
        };
        journal.entries.push(Entry::Part(Part {
            thread: t,
            begin,
            end: thread.since,
            state,
            account,
            region: thread.task_frames.last().map_or(Id::NONE, |task_frame| task_frame.region),
            task: thread.task_or_implicit(),
            works: thread.now.role == Role::Working,
            is_unread: thread.unread.is_some() && thread.now.core == Core::Unknown,
            blame: self.ledger.running(),
        }));
    }

    /// Notes the running sums at all edges up to `at`.
    #[cold]
    pub(crate) fn note_edges(&mut self, at: u64) {
        let Some(journal) = &mut self.journal else { return };
        let edges = &mut journal.edges;
        while edges.left > 0 && edges.next <= at {
            journal.entries.push(Entry::Edge(self.ledger.running_at(edges.next)));
            edges.left -= 1;
            edges.next = edges.next.saturating_add(edges.distance);
        }
    }

    /// Adds an entry where a journal is kept.
    #[inline]
    pub(crate) fn note(&mut self, entry: Entry) {
        if let Some(journal) = &mut self.journal {
            journal.entries.push(entry);
        }
    }

    /// True if the next edge is at `at` or before.
    #[inline]
    pub(crate) fn passes_edge(&self, at: u64) -> bool {
        let edges = self.journal.as_ref().map(|journal| journal.edges);
        edges.is_some_and(|edges| edges.next <= at && edges.left > 0)
    }
}
