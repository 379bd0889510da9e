//! One binary, a file per guarantee.

mod compilers;
mod error_codes;
mod guest_bindings;
mod guest_console;
mod guest_errors;
mod guest_memory;
mod guest_platform;
mod guest_values;
mod layers;
mod odd_schemas;
mod pipeline_edges;
mod pipeline_stages;
mod pipeline_support;
mod registry_views;
mod run_code;
mod sandbox_budgets;
mod sandbox_cache;
mod sandbox_runs;
mod sandbox_support;
mod scheduler_order;
mod schema_conformance;
mod sdk_catalogue;
mod sdk_cost;
mod sdk_is_valid_source;
mod sdk_snapshots;
mod sdk_types_fit_values;
