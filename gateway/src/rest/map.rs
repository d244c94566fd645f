//! The compiled map, in which a request finds its endpoint by path and method.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use http::Method;

use super::endpoint::Endpoint;
use super::path;
use super::path::Pattern;

/// All endpoints, found by path and method.
#[derive(Debug, Default)]
pub struct Map {
    /// Paths without parameters.
    exact: HashMap<String, PathItem>,
    /// Paths with parameters, those with the earliest fixed segments first.
    patterns: Vec<(Pattern, PathItem)>,
}

/// The endpoints of one path.
#[derive(Debug, Default)]
pub struct PathItem {
    endpoints: Vec<(Method, Arc<Endpoint>)>,
    allow: String,
}

/// A path that was found in the map.
#[derive(Debug)]
pub struct RouteMatch<'m> {
    /// The endpoints of the path.
    pub site: &'m PathItem,
    /// The values of the path's parameters, in order.
    pub values: Vec<String>,
}

impl Map {
    /// Creates a map of these endpoints, of which no two share path and method.
    pub(super) fn new(endpoints: Vec<(Pattern, Vec<Method>, Endpoint)>) -> Map {
        let mut map = Map::default();
        for (pattern, methods, endpoint) in endpoints {
            let endpoint = Arc::new(endpoint);
            let site = map.site(pattern);
            site.endpoints
                .extend(methods.into_iter().map(|method| (method, endpoint.clone())));
        }
        map.patterns
            .sort_by(|(one, _), (other, _)| one.cmp_specific(other));
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
        let index = match self
            .patterns
            .iter()
            .position(|(known, _)| known.is_alike(&pattern))
        {
            Some(index) => index,
            None => {
                self.patterns.push((pattern, PathItem::default()));
                self.patterns.len() - 1
            }
        };
        &mut self.patterns[index].1
    }

    /// Finds a path below `/api/rest/`, which is still percent-encoded.
    pub fn find(&self, path: &str) -> Option<RouteMatch<'_>> {
        if let Some(site) = self.exact.get(path) {
            return Some(RouteMatch {
                site,
                values: vec![],
            });
        }
        let segments = path::segments(path)?;
        // An encoded slash belongs to its segment and does not separate segments.
        let is_plain = segments.iter().all(|segment| !segment.contains('/'));
        if let Some(site) = self
            .exact
            .get(&segments.join("/"))
            .filter(|_| path.contains('%') && is_plain)
        {
            return Some(RouteMatch {
                site,
                values: vec![],
            });
        }
        let (site, values) = self
            .patterns
            .iter()
            .find_map(|(pattern, site)| Some((site, pattern.values(&segments)?)))?;
        Some(RouteMatch { site, values })
    }

    /// The number of endpoints; one endpoint may have several methods.
    pub fn len(&self) -> usize {
        let sites = self
            .exact
            .values()
            .chain(self.patterns.iter().map(|(_, site)| site));
        let ends = sites.flat_map(|site| {
            site.endpoints
                .iter()
                .map(|(_, endpoint)| Arc::as_ptr(endpoint))
        });
        ends.collect::<HashSet<_>>().len()
    }

    /// Whether there are no endpoints.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.patterns.is_empty()
    }

    /// All endpoints, each with its path in the map and a method, in no order.
    pub fn endpoints(&self) -> impl Iterator<Item = (String, &Method, &Arc<Endpoint>)> {
        let exact = self.exact.iter().map(|(path, site)| (path.clone(), site));
        let all = exact.chain(
            self.patterns
                .iter()
                .map(|(pattern, site)| (pattern.to_string(), site)),
        );
        all.flat_map(|(path, site)| {
            site.endpoints
                .iter()
                .map(move |(method, endpoint)| (path.clone(), method, endpoint))
        })
    }
}

impl PathItem {
    /// The endpoint for this method. `HEAD` is answered where `GET` reads.
    pub fn by(&self, method: &Method) -> Option<&Arc<Endpoint>> {
        let with = |wanted: &Method| {
            self.endpoints
                .iter()
                .find(|(method, _)| method == wanted)
                .map(|(_, one)| one)
        };
        match *method {
            Method::HEAD => with(&Method::GET).filter(|endpoint| !endpoint.writes()),
            _ => with(method),
        }
    }

    /// The value of `Allow`, such as `GET, POST, HEAD, OPTIONS`.
    pub fn allow(&self) -> &str {
        &self.allow
    }

    fn list_methods(&self) -> String {
        let mut names: Vec<&str> = self
            .endpoints
            .iter()
            .map(|(method, _)| method.as_str())
            .collect();
        names.extend(self.by(&Method::HEAD).map(|_| "HEAD"));
        names.push("OPTIONS");
        names.join(", ")
    }
}
