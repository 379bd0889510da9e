//! Reads a manifest of command tools and checks what can be checked before a call.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

use lockgate::{Json, json};
use serde::Deserialize;

use super::process::Command;

/// Bytes of a manifest.
const MAX_MANIFEST_BYTES: u64 = 16 << 20;
/// What a program needs to run at all, and to speak the user's language.
const INHERITED: [&str; 8] = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR",
];

/// What is wrong with a manifest.
#[derive(Debug)]
pub struct ManifestError {
    file: PathBuf,
    tool: Option<String>,
    detail: String,
}

impl ManifestError {
    pub(super) fn new(file: &Path, tool: Option<&str>, detail: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            tool: tool.map(str::to_owned),
            detail: detail.into(),
        }
    }

    /// The tool that is meant, where it is one.
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file.display())?;
        if let Some(tool) = &self.tool {
            write!(f, "tool `{tool}`: ")?;
        }
        f.write_str(&self.detail)
    }
}

impl std::error::Error for ManifestError {}

/// A tool of the manifest, checked.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Json,
    pub(super) output: Json,
    pub(super) command: Command,
    pub(super) timeout: Option<Duration>,
    pub(super) concurrency_safe: bool,
    pub(super) idempotent: bool,
}

/// A tool as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    description: String,
    parameters: Option<Json>,
    output: Option<Json>,
    command: Vec<String>,
    timeout_ms: Option<u64>,
    #[serde(default)]
    concurrency_safe: bool,
    #[serde(default)]
    idempotent: bool,
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    inherit_env: Vec<String>,
}

pub(super) fn read(path: &Path) -> Result<Vec<Entry>, ManifestError> {
    let wrong = |detail: String| ManifestError::new(path, None, detail);
    let size = std::fs::metadata(path)
        .map_err(|error| wrong(format!("can't be read: {error}")))?
        .len();
    if size > MAX_MANIFEST_BYTES {
        return Err(wrong(format!("is larger than {MAX_MANIFEST_BYTES} bytes")));
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| wrong(format!("can't be read: {error}")))?;
    let manifest =
        Json::parse(&text).map_err(|error| wrong(format!("is not valid JSON: {error}")))?;
    let tools = manifest.get("tools").and_then(Json::as_array).ok_or_else(|| {
        wrong("has no list `tools`; write { \"tools\": [{ \"name\": …, \"description\": …, \"command\": […] }] }".to_owned())
    })?;
    if let Some(key) = manifest.as_object().and_then(|object| {
        object
            .keys()
            .find(|key| !matches!(*key, "tools" | "$schema"))
    }) {
        return Err(wrong(format!(
            "`{key}` means nothing beside `tools`; remove it"
        )));
    }
    let absolute =
        std::path::absolute(path).map_err(|error| wrong(format!("can't be found: {error}")))?;
    let folder = absolute.parent().unwrap_or(Path::new("."));
    let mut names = BTreeSet::new();
    let mut entries = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let label = tool
            .get("name")
            .and_then(Json::as_str)
            .map_or_else(|| format!("number {}", index + 1), str::to_owned);
        let wrong = |detail: String| ManifestError::new(path, Some(&label), detail);
        let written: Written = tool
            .deserialize()
            .map_err(|error| wrong(error.to_string()))?;
        if !names.insert(written.name.clone()) {
            return Err(wrong(
                "is there twice; give each tool its own name".to_owned(),
            ));
        }
        entries.push(check(folder, written).map_err(wrong)?);
    }
    Ok(entries)
}

fn check(folder: &Path, written: Written) -> Result<Entry, String> {
    if written.name.is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if written.timeout_ms == Some(0) {
        return Err("`timeout_ms` is 0; give a positive number or leave it out".to_owned());
    }
    let (program, arguments) = written.command.split_first().ok_or(
        "`command` is empty; give a program and its arguments, such as [\"python3\", \"tool.py\"]",
    )?;
    // A name alone is looked up in `PATH`; a path is the manifest's.
    let program = if Path::new(program).components().count() > 1 {
        folder.join(program)
    } else {
        program.into()
    };
    if program.is_absolute() && !program.is_file() {
        return Err(format!(
            "`command`: there is no program {}",
            program.display()
        ));
    }
    let cwd = written
        .cwd
        .map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
    if !cwd.is_dir() {
        return Err(format!("`cwd`: there is no folder {}", cwd.display()));
    }
    let mut environment: BTreeMap<String, OsString> = INHERITED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)))
        .collect();
    for name in written.inherit_env {
        check_variable("inherit_env", &name)?;
        let value = std::env::var_os(&name).ok_or_else(|| {
            format!(
                "`inherit_env`: the variable {name} is not set here; set it, or give it in `env`"
            )
        })?;
        environment.insert(name, value);
    }
    for (name, value) in written.env {
        check_variable("env", &name)?;
        if value.contains('\0') {
            return Err(format!("`env`: the value of {name} has a zero byte"));
        }
        environment.insert(name, value.into());
    }
    environment.insert("LOCKGATE_TOOL".to_owned(), written.name.clone().into());
    Ok(Entry {
        name: written.name,
        description: written.description,
        parameters: written.parameters.unwrap_or_else(
            || json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        ),
        output: written.output.unwrap_or_else(|| json!({})),
        command: Command {
            program,
            arguments: arguments.to_vec(),
            cwd,
            environment,
        },
        timeout: written.timeout_ms.map(Duration::from_millis),
        concurrency_safe: written.concurrency_safe,
        idempotent: written.idempotent,
    })
}

fn check_variable(part: &str, name: &str) -> Result<(), String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(format!(
            "`{part}`: {name:?} can't be the name of a variable"
        ));
    }
    Ok(())
}
