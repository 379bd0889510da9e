//! The suites of the JavaScript guest once more, on Boa. Where the engines differ by intent, a test asks [`ENGINE`].

use lockgate::sandbox::Engine;

/// The engine of the sandboxes in the modules below.
const ENGINE: Engine = Engine::Boa;

#[path = "guest_bindings.rs"]
mod guest_bindings;
#[path = "guest_console.rs"]
mod guest_console;
#[path = "guest_errors.rs"]
mod guest_errors;
#[path = "guest_json.rs"]
mod guest_json;
#[path = "guest_memory.rs"]
mod guest_memory;
#[path = "guest_platform.rs"]
mod guest_platform;
#[path = "guest_values.rs"]
mod guest_values;
#[path = "hostile_bridge.rs"]
mod hostile_bridge;
#[path = "hostile_budgets.rs"]
mod hostile_budgets;
#[path = "hostile_isolation.rs"]
mod hostile_isolation;
#[path = "hostile_json.rs"]
mod hostile_json;
#[path = "hostile_language.rs"]
mod hostile_language;
#[path = "hostile_support.rs"]
#[expect(dead_code, reason = "what is Python's has its use beside this module")]
mod hostile_support;
#[path = "hostile_timers.rs"]
mod hostile_timers;
#[path = "languages.rs"]
#[expect(dead_code, reason = "what is Python's has its use beside this module")]
mod languages;
#[path = "sandbox_budgets.rs"]
mod sandbox_budgets;
#[path = "sandbox_runs.rs"]
mod sandbox_runs;
#[path = "sandbox_support.rs"]
mod sandbox_support;
