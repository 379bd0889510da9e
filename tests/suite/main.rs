//! One binary, a file per guarantee.

mod sandbox_budgets;
mod sandbox_support;
