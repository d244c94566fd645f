//! Warnings about a REST map that compiles: endpoints that a role may call but whose document
//! exceeds the role's limits.

use sql::graphql::document;
use sql::graphql::document::Document;

use super::{Endpoint, EndpointKind, Map};
use crate::limits::{LimitKind, Limits, LimitsByRole};

/// One line for each role and endpoint whose document exceeds a limit of the role.
pub fn notes(map: &Map, limits: &LimitsByRole) -> Vec<String> {
    let mut notes: Vec<String> = map
        .endpoints()
        .flat_map(|(path, _, endpoint)| endpoint_warnings(&path, endpoint, limits))
        .collect();
    notes.sort_unstable();
    // An endpoint is listed once for each of its methods.
    notes.dedup();
    notes
}

fn endpoint_warnings(path: &str, endpoint: &Endpoint, limits: &LimitsByRole) -> Vec<String> {
    // The text of a statement belongs to the map, and no limit applies to it.
    let EndpointKind::Operation {
        text,
        document,
        admitted,
        ..
    } = endpoint.kind()
    else {
        return vec![];
    };
    let lines = admitted.plain.union(&admitted.backend).filter_map(|role| {
        let over = over(text, document, &limits.for_role(role).enforced);
        let names: Vec<String> = over
            .iter()
            .map(|bound| format!("`{}`", bound.name()))
            .collect();
        let bounds = if names.len() > 1 { "bounds" } else { "bound" };
        (!names.is_empty()).then(|| {
            let names = names.join(" and ");
            format!(
                "endpoint `{path}` exceeds the {bounds} {names} of role `{role}`, which gets \
                     an error from it"
            )
        })
    });
    lines.collect()
}

/// The limits that a document exceeds.
fn over(text: &str, parsed: &Document, limits: &Limits) -> Vec<LimitKind> {
    let mut over: Vec<LimitKind> = document::exceeded(text, parsed, &limits.document)
        .into_iter()
        .filter_map(LimitKind::from_request_limit)
        .collect();
    over.dedup();
    over
}
