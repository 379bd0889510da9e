//! Which name each tool has for a program: its own where that is unambiguous, else with its server's name before it.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// Characters of a server's name that a prefix takes.
const MAX_PREFIX: usize = 32;

/// A tool's place and the name that it gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exposed {
    pub(super) server: usize,
    pub(super) tool: usize,
    pub(super) name: Arc<str>,
}

/// Names for all tools, by server and place. Where several servers have a tool of one name, each gets a prefix, so that none
/// of them wins by chance; so does one whose name is `taken`. The same lists give the same names.
pub(super) fn expose(
    servers: &[(&str, Vec<&Arc<str>>)],
    taken: impl Fn(&str) -> bool,
) -> Vec<Exposed> {
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, tools) in servers {
        for tool in tools {
            *owners.entry(tool).or_default() += 1;
        }
    }
    let mut used: HashSet<Arc<str>> = HashSet::new();
    let keeps = |name: &str| owners.get(name) == Some(&1) && !taken(name);
    for (_, tools) in servers {
        used.extend(
            tools
                .iter()
                .filter(|name| keeps(name))
                .map(|name| Arc::clone(name)),
        );
    }
    let mut exposed = Vec::new();
    for (server, (server_name, tools)) in servers.iter().enumerate() {
        for (tool, &name) in tools.iter().enumerate() {
            let name = if keeps(name) {
                name.clone()
            } else {
                let wanted = format!("{}__{name}", prefix(server_name));
                let mut free: Arc<str> = wanted.as_str().into();
                let mut number = 2_u32;
                while used.contains(&free) || taken(&free) {
                    free = format!("{wanted}_{number}").into();
                    number += 1;
                }
                used.insert(free.clone());
                free
            };
            exposed.push(Exposed { server, tool, name });
        }
    }
    exposed
}

/// A server's name as the beginning of an identifier.
fn prefix(server: &str) -> String {
    let prefix: String = server
        .chars()
        .take(MAX_PREFIX)
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if prefix.is_empty() {
        "server".to_owned()
    } else {
        prefix
    }
}

#[cfg(test)]
mod tests {
    use super::expose;
    use std::sync::Arc;

    fn names(servers: &[(&str, &[&str])], taken: &[&str]) -> Vec<String> {
        let owned: Vec<Vec<Arc<str>>> = servers
            .iter()
            .map(|(_, tools)| tools.iter().map(|name| Arc::from(*name)).collect())
            .collect();
        let lists: Vec<(&str, Vec<&Arc<str>>)> = servers
            .iter()
            .zip(&owned)
            .map(|((name, _), tools)| (*name, tools.iter().collect()))
            .collect();
        expose(&lists, |name| taken.contains(&name))
            .into_iter()
            .map(|exposed| exposed.name.to_string())
            .collect()
    }

    #[test]
    fn prefixes_only_what_collides() {
        assert_eq!(
            names(&[("a", &["x", "y"]), ("b", &["y", "z"])], &[]),
            ["x", "a__y", "b__y", "z"]
        );
        assert_eq!(
            names(&[("a", &["run_code", "__proto__"])], &["run_code"]),
            ["a__run_code", "__proto__"]
        );
        assert_eq!(
            names(
                &[("a b/ü", &["y"]), ("", &["y"]), ("c", &["a_b____y"])],
                &[]
            ),
            ["a_b____y_2", "server__y", "a_b____y"]
        );
        assert_eq!(
            names(&[("a", &["y"]), ("a!", &["y"]), ("a?", &["y"])], &["a__y"]),
            ["a__y_2", "a___y", "a___y_2"]
        );
    }
}
