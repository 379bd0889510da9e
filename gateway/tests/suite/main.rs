//! The gateway against real servers and hostile ones.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

mod downstream_approval;
mod downstream_calls;
mod downstream_http;
mod downstream_lists;
mod downstream_streams;
mod downstream_support;
mod hostile_server;
mod otlp;
mod policy_rules;
mod servers;
mod support;
mod upstream_calls;
mod upstream_hostile;
mod upstream_life;
mod upstream_real;
