//! Names the endpoints of a map uniquely, for OpenAPI descriptions and tools: one name for each
//! path and method.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::Method;

use super::file::METHODS;
use super::{Endpoint, Map};

/// An endpoint with one of its methods.
#[derive(Debug)]
pub struct Operation<'m> {
    /// The path in the map.
    pub path: String,
    /// The method.
    pub method: &'m Method,
    /// The endpoint.
    pub endpoint: &'m Arc<Endpoint>,
    /// The operation's name, unique among those of one role.
    pub name: String,
}

impl Map {
    /// The operations that a role may call, for backend callers or others: ordered by path, and
    /// reading methods first.
    pub fn operations(&self, role: &str, backend: bool) -> Vec<Operation<'_>> {
        let mut endpoints: Vec<_> = self
            .endpoints()
            .filter(|(_, _, endpoint)| endpoint.allows_role(role, backend))
            .collect();
        endpoints.sort_by(|(path, method, _), (other, other_method, _)| {
            (path, rank(method)).cmp(&(other, rank(other_method)))
        });
        let mut taken = BTreeSet::new();
        let named = endpoints.into_iter().map(|(path, method, endpoint)| {
            let name = name(endpoint, &path, method, &mut taken);
            Operation {
                path,
                method,
                endpoint,
                name,
            }
        });
        named.collect()
    }
}

/// The order of methods: reading ones first.
fn rank(method: &Method) -> usize {
    METHODS
        .iter()
        .position(|known| known == method)
        .unwrap_or(METHODS.len())
}

/// The endpoint's name if it is free, otherwise with the method appended, and a number if needed.
fn name(endpoint: &Endpoint, path: &str, method: &Method, taken: &mut BTreeSet<String>) -> String {
    let name = endpoint
        .name
        .clone()
        .unwrap_or_else(|| path.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let other = format!("{name}By{}", method.as_str());
    let numbered = (2..).map(|number| format!("{other}{number}"));
    let mut names = [name, other.clone()].into_iter().chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or(other)
}
