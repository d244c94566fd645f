//! Warnings about a REST map that compiles: endpoints that a role may call but whose document
//! exceeds the role's limits, and parameters that only seem to be optional.

use sql::graphql::document;
use sql::graphql::document::Document;

use super::{Endpoint, EndpointKind, Map};
use crate::limits::{LimitKind, Limits, LimitsByRole};

/// One line for each role and endpoint whose document exceeds a limit of the role, and for each
/// endpoint with optional variables that it needs.
pub fn notes(map: &Map, limits: &LimitsByRole) -> Vec<String> {
    let mut notes: Vec<String> = map
        .endpoints()
        .flat_map(|(path, _, endpoint)| {
            let mut warnings = endpoint_warnings(&path, endpoint, limits);
            warnings.extend(operand_warning(&path, endpoint));
            warnings
        })
        .collect();
    notes.sort_unstable();
    // An endpoint is listed once for each of its methods.
    notes.dedup();
    notes
}

/// A condition whose variable has no value is an error, so such a variable is no filter that a
/// caller can leave out.
fn operand_warning(path: &str, endpoint: &Endpoint) -> Option<String> {
    let in_path = |name: &str| {
        path.split('/')
            .any(|part| part.strip_prefix(':') == Some(name))
    };
    let parameters = endpoint.parameters.iter();
    let operands = parameters.filter(|parameter| parameter.is_operand && !in_path(&parameter.name));
    let names: Vec<&str> = operands.map(|parameter| parameter.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "endpoint `{path}` requires {}: its document compares with it, and a comparison \
             without a value is an error. For an optional filter let the variable be the whole \
             condition (`where: $where`), or write the endpoint in SQL with `optional`; else \
             declare it as required (`!`)",
            permissions::listed(names)
        )
    })
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
