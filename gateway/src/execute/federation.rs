//! A gateway behind a federated router: `_service { sdl }`, and `_entities`, which finds rows by
//! their keys for the router.
//!
//! `_entities` is rewritten to lists of the caller's schema, one for each type, with a condition on
//! the key, and runs as that document: one statement, under the caller's rules and limits, with a
//! plan that is cached.
//!
//! ```text
//! query ($r: [_Any!]!) { _entities(representations: $r) { ... on Product { name } } }
//! query ($_e0k0: [Int!]) { _e0: products(where: {id: {_in: $_e0k0}}) { ... on Product { name } } }
//! ```
//!
//! Each row comes with the position of its key, so Postgres decides which row has which key.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>

mod document;
mod entity;
mod service;

use std::fmt::Write as _;
use std::sync::Arc;

use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use pg::memory::{self, Reservation};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sql::Cause;
use sql::model::access::Access;
use sql::resolve::POSITION;
use sql::schema::Schema;

use super::execution_options::ExecutionOptions;
use super::execution_result::{ExecutionResult, Timings};
use super::execution_state::ExecutionState;
use super::respond as respond_plainly;
use super::response_body::Payload;
use super::valid_request::access_for;
use crate::auth::session::Session;
use crate::error::{Error, InvalidRequest};
use crate::limits::{LimitExceeded, values};
use crate::request::{DocumentOrigin, Request};
use crate::telemetry::execution_record::DocumentHash;
use crate::trusted_documents::{self, AllowListCheck};
use document::{Entities, FederatedDocument, RootField};
use entity::{Entity, KeyField, entity_of};
use service::service;

/// The bytes that a representation takes up beside its JSON: its key, twice.
const REPRESENTATION_OVERHEAD_BYTES: usize = 256;

/// The rows of one type that a request asks for.
struct Wanted {
    entity: Entity,
    /// The keys of the rows, each as JSON and each once.
    keys: IndexSet<Vec<Value>>,
}

/// The longest document of a router, in bytes. It is read before the limits of documents apply.
const MAX_DOCUMENT: usize = 64 << 10;

/// The most root fields of a router's document, each of which is executed by itself.
const MAX_ROOTS: usize = 8;

/// Whether a request may be one of a router's: one by a hash or an id may contain any document.
/// Others take the usual path.
pub fn is_wanted(request: &Request) -> bool {
    request.reference.is_some() || is_of_router(&request.query)
}

fn is_of_router(query: &str) -> bool {
    query.len() <= MAX_DOCUMENT && (query.contains("_entities") || query.contains("_service"))
}

/// Executes a request of a router; any other request like [`super::respond`].
pub async fn respond(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    // The usual path resolves it again, and answers what is wrong with an id or a hash.
    let resolved = state
        .documents
        .resolve(session, request)
        .ok()
        .filter(|resolved| is_of_router(&resolved.query));
    let document = resolved
        .as_ref()
        .and_then(|resolved| document::parse(&resolved.query));
    let (Some(resolved), Some(document)) = (
        &resolved,
        document.filter(|found| found.fields.len() <= MAX_ROOTS),
    ) else {
        return respond_plainly(state, session, request, options).await;
    };
    let answered = answer_document(state, session, resolved, options, &document).await;
    if let Some(record) = options.record {
        // The log has the document that the router has sent, in place of the rewritten one.
        record.set_document(DocumentHash::hash(&resolved.query));
    }
    let (mut result, listed) =
        answered.map_err(|error| trusted_documents::mask_unknown(request, error))?;
    state.documents.register(session, request);
    result.is_unlisted = state
        .documents
        .lists
        .record_once(session.role(), listed)
        .is_reported();
    Ok(result)
}

/// Checks the allow lists of a role for the document of a router. The rewritten document is the
/// gateway's own, so it is not checked.
fn check_listed(
    state: &ExecutionState,
    role: &str,
    request: &Request,
) -> Result<AllowListCheck, Error> {
    let lists = &state.documents.lists;
    if !lists.apply_to(role) {
        return Ok(AllowListCheck::default());
    }
    let parsed = sql::graphql::document::parse(
        &request.query,
        &state.limits.for_role(role).enforced.document,
    )?;
    lists.check_of_router(role, &parsed)
}

async fn answer_document(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    options: ExecutionOptions<'_>,
    document: &FederatedDocument<'_>,
) -> Result<(ExecutionResult, AllowListCheck), Error> {
    let access = access_for(&state.schema, session)?;
    let listed = check_listed(state, session.role(), request)?;
    let mut reserved = vec![];
    let mut result = ExecutionResult {
        payload: Payload::Whole(Vec::new().into()),
        timings: Timings::default(),
        dry_run: false,
        is_unlisted: false,
        written_at: None,
    };
    let mut members: Vec<(String, String)> = vec![];
    for field in &document.fields {
        members.push(match field {
            RootField::Typename { key } => ((*key).to_owned(), "\"query_root\"".to_owned()),
            RootField::Service { key, fields } => {
                let work = state.schema_work(session, options.deadline);
                let (value, memory) = service(state, &access, work, fields).await?;
                reserved.push(memory);
                ((*key).to_owned(), value)
            }
            RootField::Entities(entities) => {
                let found = find(
                    state, session, request, options, &access, document, entities,
                )
                .await?;
                let (value, executed, memory) = found;
                reserved.push(memory);
                if let Some(executed) = executed {
                    result.timings.add(executed.timings);
                }
                (entities.key.to_owned(), value)
            }
        });
    }
    let length = members
        .iter()
        .map(|(key, value)| key.len() + value.len() + 4)
        .sum::<usize>()
        + 16;
    let mut memory = state.memory_of(session).empty_reservation();
    memory::reserve_if_large(&mut memory, length)?;
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(b"{\"data\":{");
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(format!("\"{key}\":").as_bytes());
        bytes.extend_from_slice(value.as_bytes());
    }
    bytes.extend_from_slice(b"}}");
    drop(reserved);
    Ok((
        ExecutionResult {
            payload: Payload::Whole(memory.hold(bytes)),
            ..result
        },
        listed,
    ))
}

/// The value of `_entities`, and the result of the document that it was rewritten to, if any row is
/// asked for.
async fn find(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    options: ExecutionOptions<'_>,
    access: &Access,
    document: &FederatedDocument<'_>,
    selection: &Entities<'_>,
) -> Result<(String, Option<ExecutionResult>, Reservation), Error> {
    let representations = request
        .variables
        .get(selection.variable)
        .and_then(Value::as_array)
        .ok_or_else(malformed)?;
    let mut reserved = state.memory_of(session).empty_reservation();
    memory::reserve_if_large(
        &mut reserved,
        representations.len() * REPRESENTATION_OVERHEAD_BYTES,
    )?;
    let schema = Schema::new(access);
    let mut wanted: IndexMap<&str, Wanted> = IndexMap::new();
    // For each representation the place of its type in `wanted`, and the place of its key there.
    let mut asked: Vec<(usize, usize)> = Vec::with_capacity(representations.len());
    for representation in representations {
        let name = representation
            .get("__typename")
            .and_then(Value::as_str)
            .ok_or_else(malformed)?;
        let of_type = match wanted.entry(name) {
            Entry::Occupied(known) => known,
            Entry::Vacant(new) => {
                let entity = entity_of(&schema, name).ok_or_else(|| unknown_type(name))?;
                new.insert_entry(Wanted {
                    entity,
                    keys: IndexSet::new(),
                })
            }
        };
        let index = of_type.index();
        let of_type = of_type.into_mut();
        let value = |key: &KeyField| {
            representation
                .get(&key.name)
                .filter(|value| key.takes(value))
                .cloned()
        };
        let keys: Option<Vec<Value>> = of_type.entity.keys.iter().map(value).collect();
        asked.push((
            index,
            of_type.keys.insert_full(keys.ok_or_else(malformed)?).0,
        ));
    }
    let wanted: Vec<Wanted> = wanted.into_values().collect();
    if wanted.is_empty() {
        return Ok(("[]".into(), None, reserved));
    }
    let rewritten = rewrite(request, document, selection, &wanted);
    let executed = respond_plainly(
        state,
        session,
        &rewritten,
        ExecutionOptions {
            buffered: true,
            ..options
        },
    )
    .await?;
    let ExecutionResult {
        payload,
        timings,
        dry_run,
        is_unlisted,
        written_at,
    } = executed;
    let bytes = payload.collect().await?;
    let held = representations.len() * REPRESENTATION_OVERHEAD_BYTES + values::values_of(&bytes);
    memory::reserve_if_large(&mut reserved, held)?;
    let most = state
        .limits
        .for_role(session.role())
        .enforced
        .response_bytes;
    let value = in_order(&bytes, &wanted, &asked, |length| {
        if length > most {
            return Err(LimitExceeded::Answer(most).into());
        }
        Ok(memory::reserve_if_large(&mut reserved, held + length)?)
    })?;
    let payload = Payload::Whole(Vec::new().into());
    Ok((
        value,
        Some(ExecutionResult {
            payload,
            timings,
            dry_run,
            is_unlisted,
            written_at,
        }),
        reserved,
    ))
}

/// The request with the lists of all types, whose text depends on the types alone.
fn rewrite(
    request: &Request,
    document: &FederatedDocument<'_>,
    selection: &Entities<'_>,
    wanted: &[Wanted],
) -> Request {
    let mut definitions = vec![];
    let mut fields = String::new();
    definitions.extend(
        document
            .variables
            .iter()
            .filter(|(name, _)| *name != selection.variable)
            .map(|(_, text)| (*text).to_owned()),
    );
    let others = request
        .variables
        .iter()
        .filter(|(name, _)| *name != selection.variable);
    let mut variables: Map<String, Value> = others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (index, Wanted { entity, keys }) in wanted.iter().enumerate() {
        let mut conditions = vec![];
        for (
            at,
            KeyField {
                name, list_type, ..
            },
        ) in entity.keys.iter().enumerate()
        {
            definitions.push(format!("$_e{index}k{at}: {list_type}"));
            conditions.push(format!("{name}: {{_in: $_e{index}k{at}}}"));
            let values = keys.iter().filter_map(|key| key.get(at).cloned()).collect();
            variables.insert(format!("_e{index}k{at}"), Value::Array(values));
        }
        let conditions = conditions.join(", ");
        let selected = selection
            .selected_on(&entity.name)
            .collect::<Vec<_>>()
            .join(" ");
        // Writing into a `String` does not fail.
        let _ = write!(
            fields,
            "_e{index}: {}(where: {{{conditions}}}) {{ {selected} }} ",
            entity.list
        );
    }
    let name = document.name.unwrap_or_default();
    let fragments = document.fragments;
    let query = format!(
        "query {name}({}) {{ {fields}}} {fragments}",
        definitions.join(", ")
    );
    Request {
        query,
        variables: Arc::new(variables),
        reference: None,
        // A hash there is that of the router's document.
        extensions: Map::new(),
        author: DocumentOrigin::Router,
        ..request.clone()
    }
}

/// A row by the names of its fields.
type Row = IndexMap<String, Box<RawValue>>;

/// The rows in the order of the representations, null where there is none. `check` gets the length
/// of the result before it is made: a row may be asked for many times.
fn in_order(
    response: &[u8],
    wanted: &[Wanted],
    asked: &[(usize, usize)],
    check: impl FnOnce(usize) -> Result<(), Error>,
) -> Result<String, Error> {
    #[derive(serde::Deserialize)]
    struct Response {
        data: IndexMap<String, Vec<Row>>,
    }
    let unread = |_| Error::Internal("rows of entities that are no lists".into());
    let Response { mut data } = serde_json::from_slice(response).map_err(unread)?;
    let mut rows: Vec<Vec<Option<String>>> = vec![];
    for (index, Wanted { keys, .. }) in wanted.iter().enumerate() {
        let mut by_key = vec![None; keys.len()];
        for mut row in data.swap_remove(&format!("_e{index}")).unwrap_or_default() {
            let position = row
                .shift_remove(POSITION)
                .and_then(|position| position.get().parse::<usize>().ok());
            if let Some(slot) =
                position.and_then(|position| by_key.get_mut(position.checked_sub(1)?))
            {
                *slot = Some(serde_json::to_string(&row).map_err(unread)?);
            }
        }
        rows.push(by_key);
    }
    let found = asked.iter().map(|(column_index, key)| {
        let row = rows
            .get(*column_index)
            .and_then(|rows| rows.get(*key)?.as_deref());
        row.unwrap_or("null")
    });
    let found: Vec<&str> = found.collect();
    check(found.iter().map(|row| row.len() + 1).sum::<usize>() + 1)?;
    Ok(format!("[{}]", found.join(",")))
}

impl KeyField {
    /// Whether a value may be one of the key. A router may pass a number on as a string.
    fn takes(&self, value: &Value) -> bool {
        match value {
            Value::String(_) | Value::Number(_) | Value::Bool(_) => true,
            Value::Array(_) | Value::Object(_) => self.is_json,
            Value::Null => false,
        }
    }
}

fn malformed() -> Error {
    InvalidRequest::Member {
        name: "representations",
        expected: "a variable with a list of objects, each with '__typename' and the fields of \
                   its key",
    }
    .into()
}

/// The same for a type that the role may not read and one that does not exist.
fn unknown_type(name: &str) -> Error {
    let cause = Cause::Unknown {
        kind: sql::NameKind::Type,
        name: name.to_owned(),
    };
    cause.under("$.variables.representations").into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(fields: &[&str], keys: &[&[Value]]) -> Wanted {
        let field = |name: &&str| KeyField {
            name: (*name).into(),
            list_type: format!("[{name}!]"),
            is_json: false,
        };
        let entity = Entity {
            name: "Product".into(),
            list: "products".into(),
            keys: fields.iter().map(field).collect(),
        };
        Wanted {
            entity,
            keys: keys.iter().map(|key| key.to_vec()).collect(),
        }
    }

    #[test]
    fn document_is_rewritten_to_lists() {
        let text = "query Q($r: [_Any!]!, $n: Int = 1) { _entities(representations: $r) { \
                    __typename ... on Product @include(if: true) { name(n: $n) } ...F } } \
                    fragment F on Product { sku }";
        let document = document::parse(text).unwrap();
        let [RootField::Entities(selection)] = &document.fields[..] else {
            panic!("{document:?}")
        };
        let wanted = [wanted(
            &["x", "y"],
            &[&[json!(1), json!("a")], &[json!(2), json!("b")]],
        )];
        let variables = json!({"r": [], "n": 3}).as_object().unwrap().clone();
        let request = Request {
            variables: variables.into(),
            ..Request::new(text)
        };
        let rewritten = rewrite(&request, &document, selection, &wanted);
        assert_eq!(
            rewritten.query,
            "query Q($n: Int = 1, $_e0k0: [x!], $_e0k1: [y!]) { \
             _e0: products(where: {x: {_in: $_e0k0}, y: {_in: $_e0k1}}) { __typename \
             ... on Product @include(if: true) { name(n: $n) } ...F } } fragment F on Product { \
             sku }"
        );
        assert_eq!(
            Value::from((*rewritten.variables).clone()),
            json!({"n": 3, "_e0k0": [1, 2], "_e0k1": ["a", "b"]})
        );
    }

    #[test]
    fn rows_stand_in_the_order_of_the_representations() {
        let wanted = [wanted(&["id"], &[&[json!(2)], &[json!(9)], &[json!(1)]])];
        let asked = [0, 1, 2, 0].map(|key| (0, key));
        let response = br##"{"data":{"_e0":[{"name":"a","#":3},{"name":"b","#":1}]}}"##;
        let expected = r#"[{"name":"b"},null,{"name":"a"},{"name":"b"}]"#;
        let check = |length| {
            if length == expected.len() {
                Ok(())
            } else {
                Err(malformed())
            }
        };
        assert_eq!(
            in_order(response, &wanted, &asked, check).unwrap(),
            expected
        );
        assert!(in_order(response, &wanted, &asked, |_| Err(malformed())).is_err());
    }
}
