//! What descriptions call the endpoints of a map: each by a method, in order, by a name that no other has.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::Method;

use super::file::METHODS;
use super::{Endpoint, Map};

/// An endpoint, as one of its methods asks it.
#[derive(Debug)]
pub struct Operation<'m> {
    /// Its path, as the map has it.
    pub path: String,
    /// The method.
    pub method: &'m Method,
    /// The endpoint.
    pub endpoint: &'m Arc<Endpoint>,
    /// What it is called; among those of one role no other is.
    pub name: String,
}

impl Map {
    /// What a role may ask, as a back end or not: in the order of paths, and at each path reading methods first.
    pub fn operations(&self, role: &str, backend: bool) -> Vec<Operation<'_>> {
        let mut endpoints: Vec<_> =
            self.endpoints().filter(|(_, _, endpoint)| endpoint.admits(role, backend)).collect();
        endpoints.sort_by(|(path, method, _), (other, other_method, _)| {
            (path, rank(method)).cmp(&(other, rank(other_method)))
        });
        let mut taken = BTreeSet::new();
        let named = endpoints.into_iter().map(|(path, method, endpoint)| {
            let name = name(endpoint, &path, method, &mut taken);
            Operation { path, method, endpoint, name }
        });
        named.collect()
    }
}

/// Reading methods first.
fn rank(method: &Method) -> usize {
    METHODS.iter().position(|known| known == method).unwrap_or(METHODS.len())
}

/// The operation's name where it is free, else with the method behind it.
fn name(endpoint: &Endpoint, path: &str, method: &Method, taken: &mut BTreeSet<String>) -> String {
    let name = endpoint.name.clone().unwrap_or_else(|| path.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let other = format!("{name}By{}", method.as_str());
    let numbered = (2..).map(|number| format!("{other}{number}"));
    let mut names = [name, other.clone()].into_iter().chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or(other)
}
