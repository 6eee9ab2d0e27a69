//! The rows of the picture: what describes a track, and how they form a tree.
