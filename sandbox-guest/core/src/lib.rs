//! A guest.
