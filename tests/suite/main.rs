//! One binary, a file per guarantee.
