//! One binary, a file per guarantee.

<<<<<<< HEAD
mod compilers;
mod odd_schemas;
=======
mod guest_bindings;
mod guest_console;
mod guest_errors;
mod guest_platform;
mod guest_values;
>>>>>>> 63963cb (Hold the guest to what programs may expect of it)
mod sandbox_budgets;
mod sandbox_support;
mod sdk_is_valid_source;
mod sdk_types_fit_values;
