//! From the text of an `mcp.json` to a [`Config`].

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use lockgate::{Json, json::Object, text::did_you_mean};

use super::{
    Config, ConfigError, DEFAULT_CALL_TIMEOUT, DEFAULT_START_TIMEOUT, Endpoint, Http,
    MAX_CONFIG_BYTES, ServerConfig, Stdio, ToolFilter, expand::expand, jsonc,
};
use crate::redact::Secret;

type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Keys at the top that are read, or that other clients own.
const TOP_KEYS: [&str; 5] = ["mcpServers", "servers", "mcp", "lockgate", "$schema"];
/// Keys of a server that are read.
const SERVER_KEYS: [&str; 12] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "transport",
    "disabled",
    "enabled",
    "lockgate",
    "serverUrl",
];
/// Keys of an object `lockgate`, at the top (but for the filters) and in a server.
const OWN_KEYS: [&str; 6] = [
    "allow",
    "deny",
    "startTimeoutMs",
    "callTimeoutMs",
    "idleTimeoutMs",
    "learnTypes",
];

/// The key of the object `lockgate` at the top under which the policy stands.
const POLICY: &str = "policy";

pub(super) fn load(path: &Path, variable: Variable<'_>) -> Result<Config, ConfigError> {
    let file = path.display().to_string();
    let unreadable = |error| ConfigError::Unreadable {
        file: file.clone(),
        error,
    };
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > MAX_CONFIG_BYTES {
        return Err(ConfigError::TooLarge {
            file,
            bytes,
            limit: MAX_CONFIG_BYTES,
        });
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    parse(&text, Some(path), variable)
}

pub(super) fn parse(
    text: &str,
    file: Option<&Path>,
    variable: Variable<'_>,
) -> Result<Config, ConfigError> {
    let place = || {
        file.map_or("the configuration".to_owned(), |file| {
            file.display().to_string()
        })
    };
    let text = jsonc::to_json(text.trim_start_matches('\u{feff}'));
    let root = Json::parse(&text).map_err(|error| ConfigError::NotJson {
        place: place(),
        detail: error.to_string(),
    })?;
    let shape = |detail: String| ConfigError::Shape {
        place: place(),
        detail,
    };
    let top = root
        .as_object()
        .ok_or_else(|| shape(format!("expected an object, found {}", root.type_name())))?;
    let (key, list) = [
        ("mcpServers", root.get("mcpServers")),
        ("servers", root.get("servers")),
        ("mcp.servers", root["mcp"].get("servers")),
    ]
    .into_iter()
    .find_map(|(key, list)| Some((key, list?)))
    .ok_or_else(|| shape("there is neither `mcpServers` nor `servers`".to_owned()))?;
    let list = list.as_object().ok_or_else(|| {
        shape(format!(
            "`{key}` must be an object with a server per name, found {}",
            list.type_name()
        ))
    })?;

    let mut reader = Reader {
        folder: file.and_then(Path::parent),
        variable,
        warnings: Vec::new(),
    };
    reader.warn_of_unknown("", top, &TOP_KEYS);
    if top.contains_key("policy") {
        return Err(shape(
            "`policy` stands at the top, where it would not be read; put it into the object `lockgate`".to_owned(),
        ));
    }
    let defaults = root.get("lockgate").and_then(Json::as_object);
    if let Some(own) = defaults {
        // Nobody else writes here, and a policy whose key is misspelt must not be passed over.
        let known = || OWN_KEYS[2..].iter().copied().chain([POLICY]);
        if let Some(key) = own.keys().find(|key| !known().any(|known| known == *key)) {
            let hint = did_you_mean(key, known());
            return Err(shape(format!(
                "`lockgate` has an unknown key `{key}`{hint}"
            )));
        }
    }
    let servers = list
        .iter()
        .map(|(name, server)| reader.server(name, server, defaults))
        .collect();
    Ok(Config {
        servers,
        policy: defaults.and_then(|own| own.get(POLICY)).cloned(),
        warnings: reader.warnings,
    })
}

struct Reader<'a> {
    folder: Option<&'a Path>,
    variable: Variable<'a>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    fn server(&mut self, name: &str, json: &Json, defaults: Option<&Object>) -> ServerConfig {
        let mut server = ServerConfig {
            name: Arc::from(name),
            endpoint: Endpoint::Stdio(Stdio::default()),
            enabled: json["disabled"].as_bool() != Some(true)
                && json["enabled"].as_bool() != Some(false),
            filter: ToolFilter::default(),
            start_timeout: DEFAULT_START_TIMEOUT,
            call_timeout: DEFAULT_CALL_TIMEOUT,
            idle_timeout: None,
            learn_types: false,
            fault: None,
        };
        if let Err(fault) = self.fill(&mut server, json, defaults) {
            server.fault = Some(fault);
        }
        server
    }

    fn fill(
        &mut self,
        server: &mut ServerConfig,
        json: &Json,
        defaults: Option<&Object>,
    ) -> Result<(), String> {
        let object = json
            .as_object()
            .ok_or_else(|| format!("expected an object, found {}", json.type_name()))?;
        let place = format!("server `{}`: ", server.name);
        self.warn_of_unknown(&place, object, &SERVER_KEYS);
        if let Some(own) = defaults {
            own_settings(server, own)?;
        }
        match object.get("lockgate") {
            None => {}
            Some(Json::Object(own)) => {
                self.warn_of_unknown(&format!("{place}`lockgate`: "), own, &OWN_KEYS);
                own_settings(server, own)?;
            }
            Some(other) => {
                return Err(format!(
                    "`lockgate` must be an object, found {}",
                    other.type_name()
                ));
            }
        }
        let url = object.get("url").or_else(|| object.get("serverUrl"));
        let kind = object.get("type").or_else(|| object.get("transport"));
        let kind = kind.and_then(Json::as_str);
        server.endpoint = match (kind, object.get("command"), url) {
            (Some("sse"), _, _) => {
                return Err(
                    "the old SSE transport is not supported; give the server's streamable HTTP URL with `type: \"http\"`"
                        .to_owned(),
                );
            }
            (Some("stdio") | None, Some(_), None) => Endpoint::Stdio(self.stdio(object)?),
            (
                Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") | None,
                None,
                Some(url),
            ) => Endpoint::Http(self.http(object, url)?),
            (None, Some(_), Some(_)) => {
                return Err("it has both `command` and `url`; keep one".to_owned());
            }
            (_, None, None) => {
                return Err("it has neither `command` nor `url`; give one".to_owned());
            }
            (Some(kind), _, _) => {
                return Err(format!(
                    "`type` is {}: expected \"stdio\" with `command`, or \"http\" with `url`",
                    Json::from(kind)
                ));
            }
        };
        Ok(())
    }

    fn stdio(&self, object: &Object) -> Result<Stdio, String> {
        let command = self.text(object, "command")?.unwrap_or_default();
        if command.reveal().is_empty() {
            return Err("`command` is empty".to_owned());
        }
        let mut args = Vec::new();
        if let Some(list) = object.get("args") {
            let list = list
                .as_array()
                .ok_or_else(|| format!("`args` must be a list, found {}", list.type_name()))?;
            for (index, arg) in list.iter().enumerate() {
                args.push(self.value(&format!("args[{index}]"), arg)?);
            }
        }
        let cwd = self.text(object, "cwd")?.map(|cwd| {
            let cwd = PathBuf::from(cwd.reveal());
            self.folder.map_or(cwd.clone(), |folder| folder.join(&cwd))
        });
        Ok(Stdio {
            command,
            args,
            env: self.named(object, "env")?,
            cwd,
        })
    }

    fn http(&self, object: &Object, url: &Json) -> Result<Http, String> {
        let url = self.value("url", url)?;
        if !["http://", "https://"]
            .iter()
            .any(|scheme| url.reveal().starts_with(scheme))
        {
            return Err("`url` must begin with http:// or https://".to_owned());
        }
        Ok(Http {
            url,
            headers: self.named(object, "headers")?,
        })
    }

    /// The entries of `env` or `headers`.
    fn named(&self, object: &Object, key: &str) -> Result<Vec<(String, Secret)>, String> {
        let Some(json) = object.get(key) else {
            return Ok(Vec::new());
        };
        let entries = json
            .as_object()
            .ok_or_else(|| format!("`{key}` must be an object, found {}", json.type_name()))?;
        entries
            .iter()
            // As clients do: null says that the entry is left out.
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                if name.is_empty() || name.contains(['=', '\0', '\n', '\r']) {
                    return Err(format!(
                        "`{key}` has a name that is not one: {}",
                        Json::from(name)
                    ));
                }
                Ok((
                    name.to_owned(),
                    self.value(&format!("{key}.{name}"), value)?,
                ))
            })
            .collect()
    }

    fn text(&self, object: &Object, key: &str) -> Result<Option<Secret>, String> {
        object
            .get(key)
            .map(|value| self.value(key, value))
            .transpose()
    }

    /// A string, or what people write for one: a number or a boolean. The message shows no value.
    fn value(&self, key: &str, json: &Json) -> Result<Secret, String> {
        let text = match json {
            Json::String(text) => text.to_string(),
            Json::Number(_) | Json::Bool(_) => json.to_string(),
            other => {
                return Err(format!(
                    "`{key}` must be a string, found {}",
                    other.type_name()
                ));
            }
        };
        let value = expand(&text, self.variable).map_err(|error| format!("`{key}`: {error}"))?;
        if value.reveal().contains('\0') {
            return Err(format!("`{key}` holds a NUL character"));
        }
        Ok(value)
    }

    fn warn_of_unknown(&mut self, place: &str, object: &Object, known: &[&str]) {
        for (key, _) in object.iter().filter(|(key, _)| !known.contains(key)) {
            let why = match key {
                "inputs" => "; `${input:…}` is not supported, use `${NAME}` and the environment".to_owned(),
                "envFile" => "; put the variables into `env`".to_owned(),
                "timeout" | "startup_timeout_sec" | "tool_timeout_sec" => {
                    "; clients differ in its unit, use `lockgate.callTimeoutMs` and `lockgate.startTimeoutMs`"
                        .to_owned()
                }
                "includeTools" | "excludeTools" | "disabledTools" | "tools" => {
                    "; use `lockgate.allow` and `lockgate.deny`".to_owned()
                }
                key => did_you_mean(key, known.iter().copied()),
            };
            self.warnings.push(format!(
                "{place}the key {} is ignored{why}",
                Json::from(key)
            ));
        }
    }
}

/// What an object `lockgate` says of a server.
fn own_settings(server: &mut ServerConfig, own: &Object) -> Result<(), String> {
    let duration = |key: &str| -> Result<Option<Duration>, String> {
        let Some(value) = own.get(key) else {
            return Ok(None);
        };
        match value.as_u64() {
            Some(ms) if ms > 0 => Ok(Some(Duration::from_millis(ms))),
            _ => Err(format!(
                "`lockgate.{key}` must be a positive whole number of milliseconds"
            )),
        }
    };
    let patterns = |key: &str| -> Result<Option<Vec<String>>, String> {
        let Some(value) = own.get(key) else {
            return Ok(None);
        };
        let list = value.as_array().and_then(|list| {
            list.iter()
                .map(|entry| entry.as_str().map(str::to_owned))
                .collect()
        });
        list.map(Some).ok_or_else(|| {
            format!("`lockgate.{key}` must be a list of tool names; `*` and `?` match")
        })
    };
    if let Some(time) = duration("startTimeoutMs")? {
        server.start_timeout = time;
    }
    if let Some(time) = duration("callTimeoutMs")? {
        server.call_timeout = time;
    }
    if let Some(time) = duration("idleTimeoutMs")? {
        server.idle_timeout = Some(time);
    }
    if let Some(learn) = own.get("learnTypes") {
        server.learn_types = learn
            .as_bool()
            .ok_or("`lockgate.learnTypes` must be true or false")?;
    }
    if let Some(allow) = patterns("allow")? {
        if allow.is_empty() {
            return Err(
                "`lockgate.allow` is empty, so no tool would be let through; use `disabled: true`, or leave it out"
                    .to_owned(),
            );
        }
        server.filter.allow = allow;
    }
    if let Some(deny) = patterns("deny")? {
        server.filter.deny = deny;
    }
    Ok(())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
