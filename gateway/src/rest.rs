//! The REST map: named queries under `/api/rest/`, each an operation of GraphQL or a statement of SQL that stands in a file.
//! [`mod@file`] reads the map as it is written, [`mod@compile`] holds it against the database and every role, and the door is
//! [`crate::http::rest`].

mod function_calls;
mod compile;
mod endpoint;
mod diagnostic;
mod file;
mod operation_names;
mod warnings;
mod parameters;
mod path;
mod source;
mod statement;
mod type_inference;
pub mod openapi;
pub mod tools;
pub mod per_role;
pub mod cache_control;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use http::Method;

pub use compile::{CompileError, check_form, compile};
pub use diagnostic::Fault;
pub use endpoint::{Endpoint, EndpointKind};
pub use operation_names::Operation;
pub use parameters::{Body, Parameter, RawParameters};
pub use source::{Documents, Source};
pub use statement::{ROWS, RoleStatement, Statement};
pub use warnings::notes;

use path::Pattern;

/// What is wrong with a map or a document of it, drawn on the file.
pub type Problem = permissions::Diagnostic<Fault>;

/// Every endpoint there is.
#[derive(Debug, Default)]
pub struct Map {
    /// Paths without parameters.
    exact: HashMap<String, PathItem>,
    /// The others, those first whose fixed segments come first.
    patterns: Vec<(Pattern, PathItem)>,
}

/// What is at a path.
#[derive(Debug, Default)]
pub struct PathItem {
    endpoints: Vec<(Method, Arc<Endpoint>)>,
    allow: String,
}

/// A path that was found in the map.
#[derive(Debug)]
pub struct RouteMatch<'m> {
    /// What is there.
    pub site: &'m PathItem,
    /// What stands where the map has parameters, in the order of the path.
    pub values: Vec<String>,
}

impl Map {
    /// A map of these endpoints; no two share path and method.
    fn new(endpoints: Vec<(Pattern, Vec<Method>, Endpoint)>) -> Map {
        let mut map = Map::default();
        for (pattern, methods, endpoint) in endpoints {
            let endpoint = Arc::new(endpoint);
            let site = map.site(pattern);
            site.endpoints.extend(methods.into_iter().map(|method| (method, endpoint.clone())));
        }
        map.patterns.sort_by(|(one, _), (other, _)| one.cmp_specific(other));
        let exact = map.exact.values_mut();
        for site in exact.chain(map.patterns.iter_mut().map(|(_, site)| site)) {
            site.allow = site.list_methods();
        }
        map
    }

    fn site(&mut self, pattern: Pattern) -> &mut PathItem {
        if let Some(path) = pattern.fixed() {
            return self.exact.entry(path).or_default();
        }
        let place = match self.patterns.iter().position(|(known, _)| known.is_alike(&pattern)) {
            Some(place) => place,
            None => {
                self.patterns.push((pattern, PathItem::default()));
                self.patterns.len() - 1
            }
        };
        &mut self.patterns[place].1
    }

    /// What is at a path below `/api/rest/`, still percent-encoded.
    pub fn find(&self, path: &str) -> Option<RouteMatch<'_>> {
        if let Some(site) = self.exact.get(path) {
            return Some(RouteMatch { site, values: vec![] });
        }
        let segments = path::segments(path)?;
        // A slash that is encoded is a part of its segment, and parts none.
        let is_plain = segments.iter().all(|segment| !segment.contains('/'));
        if let Some(site) = self.exact.get(&segments.join("/")).filter(|_| path.contains('%') && is_plain) {
            return Some(RouteMatch { site, values: vec![] });
        }
        let (site, values) =
            self.patterns.iter().find_map(|(pattern, site)| Some((site, pattern.values(&segments)?)))?;
        Some(RouteMatch { site, values })
    }

    /// How many endpoints there are, each of which may have several methods.
    pub fn len(&self) -> usize {
        let sites = self.exact.values().chain(self.patterns.iter().map(|(_, site)| site));
        let ends = sites.flat_map(|site| site.endpoints.iter().map(|(_, endpoint)| Arc::as_ptr(endpoint)));
        ends.collect::<HashSet<_>>().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// All endpoints, each with a path as the map has it and a method, in no order.
    pub fn endpoints(&self) -> impl Iterator<Item = (String, &Method, &Arc<Endpoint>)> {
        let exact = self.exact.iter().map(|(path, site)| (path.clone(), site));
        let all = exact.chain(self.patterns.iter().map(|(pattern, site)| (pattern.to_string(), site)));
        all.flat_map(|(path, site)| {
            site.endpoints.iter().map(move |(method, endpoint)| (path.clone(), method, endpoint))
        })
    }
}

impl PathItem {
    /// The endpoint that takes this method. `HEAD` is taken where `GET` reads.
    pub fn by(&self, method: &Method) -> Option<&Arc<Endpoint>> {
        let with = |wanted: &Method| self.endpoints.iter().find(|(method, _)| method == wanted).map(|(_, one)| one);
        match *method {
            Method::HEAD => with(&Method::GET).filter(|endpoint| !endpoint.writes()),
            _ => with(method),
        }
    }

    /// `GET, POST, HEAD, OPTIONS`.
    pub fn allow(&self) -> &str {
        &self.allow
    }

    fn list_methods(&self) -> String {
        let mut names: Vec<&str> = self.endpoints.iter().map(|(method, _)| method.as_str()).collect();
        names.extend(self.by(&Method::HEAD).map(|_| "HEAD"));
        names.push("OPTIONS");
        names.join(", ")
    }
}
