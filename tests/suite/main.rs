//! One binary, a file per guarantee.

mod compilers;
mod odd_schemas;
mod sandbox_budgets;
mod sandbox_support;
mod sdk_is_valid_source;
mod sdk_types_fit_values;
