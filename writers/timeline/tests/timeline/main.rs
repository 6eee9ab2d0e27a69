//! Recordings made by hand, one behaviour a file, each checked against the timeline's contract.

mod script;

mod cancelled;
mod cores;
mod counts;
mod damage;
mod doacross;
mod hostile;
mod late_ends;
mod life;
mod logical_threads;
mod matching;
mod mpi;
mod mutexes;
mod ongoing;
mod properties;
mod short_resumes;
mod states;
mod structure;
mod takes;
mod tasks;
mod taskwaits;
mod time_windows;
mod work;
