//! What of a map works, and may surprise: endpoints that a role reaches and that its bounds refuse.

use sql::graphql::document;
use sql::graphql::document::Document;

use super::{Endpoint, EndpointKind, Map};
use crate::limits::{LimitKind, Limits, LimitsByRole};

/// The endpoints whose document is over what holds for a role that they are for, a line for each role.
pub fn notes(map: &Map, bounds: &LimitsByRole) -> Vec<String> {
    let mut notes: Vec<String> = map.endpoints().flat_map(|(path, _, endpoint)| of(&path, endpoint, bounds)).collect();
    notes.sort_unstable();
    // An endpoint stands there once for each of its methods.
    notes.dedup();
    notes
}

fn of(path: &str, endpoint: &Endpoint, bounds: &LimitsByRole) -> Vec<String> {
    // A statement is bounded by its text, which is the map's.
    let EndpointKind::Operation { text, document, admitted, .. } = endpoint.work() else { return vec![] };
    let told = admitted.plain.union(&admitted.backend).filter_map(|role| {
        let over = over(text, document, &bounds.of(role).holds);
        let names: Vec<String> = over.iter().map(|bound| format!("`{}`", bound.name())).collect();
        let bounds = if names.len() > 1 { "bounds" } else { "bound" };
        (!names.is_empty()).then(|| {
            let names = names.join(" and ");
            format!("endpoint `{path}` is over the {bounds} {names} of role `{role}`, to which it answers an error")
        })
    });
    told.collect()
}

/// What a document is over.
fn over(text: &str, parsed: &Document, limits: &Limits) -> Vec<LimitKind> {
    let mut over: Vec<LimitKind> =
        document::exceeded(text, parsed, &limits.document).into_iter().filter_map(LimitKind::of_document).collect();
    over.dedup();
    over
}
