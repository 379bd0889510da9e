//! One binary, a file per guarantee. What a JavaScript engine decides runs once more in `boa`, on the other engine.

#![expect(
    clippy::duplicate_mod,
    reason = "the suites of the JavaScript guest stand twice, once per engine"
)]

use lockgate::sandbox::Engine;

/// The engine of the sandboxes in the modules beside this.
const ENGINE: Engine = Engine::QuickJs;

mod arbitrary_guests;
mod boa;
mod both_bridge;
mod both_budgets;
mod both_run_code;
mod bridge_hostile;
mod compilers;
mod documents;
mod error_codes;
mod fault_injection;
mod guest_bindings;
mod guest_console;
mod guest_errors;
mod guest_json;
mod guest_memory;
mod guest_platform;
mod guest_values;
mod hostile_bridge;
mod hostile_budgets;
mod hostile_isolation;
mod hostile_json;
mod hostile_language;
mod hostile_support;
mod hostile_timers;
mod languages;
mod layers;
mod odd_schemas;
mod pipeline_cancellation;
mod pipeline_edges;
mod pipeline_stages;
mod pipeline_support;
mod python_cases;
mod python_ends;
mod python_hostile;
mod python_isolation;
mod python_mounts;
mod python_programs;
mod python_runs;
mod python_tampering;
mod registry_views;
mod run_code;
mod sandbox_budgets;
mod sandbox_cache;
mod sandbox_runs;
mod sandbox_support;
mod scheduler_approval;
mod scheduler_order;
mod schema_conformance;
mod sdk_catalogue;
mod sdk_cost;
mod sdk_is_valid_source;
mod sdk_reports;
mod sdk_snapshots;
mod sdk_types_fit_values;
mod trace;
