//! Entry points for each function of the tables.

use crate::entry::{entries, later_entries};

ompttrace_recording::mpi_functions!(entries);

ompttrace_recording::mpi_later_functions!(later_entries);
