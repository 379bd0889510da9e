//! The gateway against real servers and hostile ones.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

mod downstream_approval;
mod downstream_calls;
mod downstream_http;
mod downstream_lists;
mod downstream_streams;
mod downstream_support;
mod otlp;
mod policy_rules;
