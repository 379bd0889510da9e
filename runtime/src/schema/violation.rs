//! What does not fit, and where.

use std::fmt;

/// One thing that is wrong with a value or a schema.
///
/// Displays as `<path>: <message>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    path: String,
    message: String,
}

impl Violation {
    pub(crate) fn new(path: String, message: String) -> Self {
        Self { path, message }
    }

    /// Where, e.g. `args.items[3].when`. Very long paths are cut in the middle.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What was expected, what was found, and the mend.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.path, self.message)
        }
    }
}

/// A schema that can't be enforced, with every reason why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    violations: Vec<Violation>,
}

impl SchemaError {
    pub(crate) fn new(violations: Vec<Violation>) -> Self {
        Self { violations }
    }

    /// The stable code of this error.
    pub fn code(&self) -> &'static str {
        "UNSUPPORTED_SCHEMA"
    }

    /// Every violation, in the order in which the schema is walked.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The same error with its paths under `root`, e.g. `output.schema`.
    #[must_use]
    pub fn rooted(mut self, root: &str) -> Self {
        for violation in &mut self.violations {
            violation.path = crate::json::join(root, &violation.path);
        }
        self
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the schema is outside the enforced subset")?;
        for violation in &self.violations {
            write!(formatter, "\n- {violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}
