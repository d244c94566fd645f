//! Reads the rows that relations lead to from a handler's answer: for each relation one statement
//! for all objects of the answer, under the caller's rules. It is the batch that live queries run
//! for many subscribers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use sql::Translation;
use sql::graphql::variables::Variables;
use sql::resolve::selection::{ActionFieldKind, ActionOutput, ActionOutputKind, RelatedRows};
use tokio::time::Instant;

use crate::error::Error;
use crate::execute::bound_query::BoundQuery;
use crate::execute::execution::Execution;
use crate::execute::live_query::{LiveQuery, ResultRows};
use crate::execute::request_context::RequestContext;
use crate::limits::LimitExceeded;

/// The rows of all relations, as JSON lists: by the relation in the selection, and by the keys.
#[derive(Default)]
pub(super) struct RowsByKeys(HashMap<usize, IndexMap<String, Bytes>>);

/// How many objects one statement reads the rows of.
const OBJECTS_PER_STATEMENT: usize = 1000;

/// The keys that an answer has, as JSON, by relation.
type Keys<'r> = IndexMap<
    usize,
    (
        &'r RelatedRows<Arc<Translation>>,
        IndexMap<String, Vec<Value>>,
    ),
>;

impl RowsByKeys {
    /// The rows that a relation leads to from an object, as a JSON list; none if the object lacks a
    /// key.
    pub(super) fn rows_of(
        &self,
        related: &RelatedRows<Arc<Translation>>,
        object: &Map<String, Value>,
    ) -> Option<&Bytes> {
        let (key, _) = keys(related, object)?;
        self.0.get(&identity(related))?.get(&key)
    }
}

/// Reads the rows of all relations.
pub(super) async fn read(
    context: &RequestContext<'_>,
    variables: &Variables,
    output: &ActionOutput<Arc<Translation>>,
    response: &Value,
) -> Result<RowsByKeys, Error> {
    let mut wanted = Keys::new();
    collect(output, response, &mut wanted);
    let mut found = RowsByKeys::default();
    for (identity, (related, keys)) in wanted {
        let rows = read_relation(context, variables, related, keys).await?;
        found.0.insert(identity, rows);
    }
    Ok(found)
}

async fn read_relation(
    context: &RequestContext<'_>,
    variables: &Variables,
    related: &RelatedRows<Arc<Translation>>,
    keys: IndexMap<String, Vec<Value>>,
) -> Result<IndexMap<String, Bytes>, Error> {
    let RequestContext {
        state,
        session,
        limits,
        deadline,
        ..
    } = *context;
    let unrecorded = RequestContext {
        record: None,
        ..*context
    };
    let bound = keys.into_iter().map(|(key, values)| {
        let further = values
            .into_iter()
            .enumerate()
            .map(|(index, value)| (index.to_string(), value));
        let variables = variables.with(further.collect());
        let execution = Execution::new(unrecorded, &related.rows, &variables);
        Ok((key, execution.bind_live()?))
    });
    let bound: Vec<(String, BoundQuery)> = bound.collect::<Result<_, Error>>()?;
    let query = LiveQuery::new(related.rows.clone(), limits.clone());
    let statement = related.rows.kind.statement();
    let size = if statement.is_some_and(|statement| statement.batch.is_some()) {
        OBJECTS_PER_STATEMENT
    } else {
        1
    };
    let found = Mutex::new(IndexMap::new());
    // The rows of each key are in the answer at least once.
    let limit = limits.enforced.response_bytes;
    let bytes = AtomicUsize::new(0);
    for group in bound.chunks(size) {
        let lists: Vec<&BoundQuery> = group.iter().map(|(_, bound)| bound).collect();
        let time = deadline.saturating_duration_since(Instant::now());
        let keep = |position: usize, rows: ResultRows<'_>| {
            let list = list_of(&query.encode(state.memory_of(session), &rows)?)?;
            if bytes.fetch_add(list.len(), Ordering::Relaxed) + list.len() > limit {
                return Err(LimitExceeded::Answer(limit).into());
            }
            if let Some((key, _)) = group.get(position) {
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(key.clone(), list);
            }
            Ok(())
        };
        query.run(state, &lists, time, keep).await?;
    }
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The list in `{"data":{"rows":[…]}}`.
fn list_of(response: &Bytes) -> Result<Bytes, Error> {
    const HEAD: &[u8] = b"{\"data\":{\"rows\":";
    let inside = response.starts_with(HEAD) && response.ends_with(b"}}");
    if inside {
        Ok(response.slice(HEAD.len()..response.len() - 2))
    } else {
        Err(Error::Internal("the rows of a relation are no list".into()))
    }
}

/// Collects the keys of all objects of an answer. Values that are not what the type says are left
/// out; writing the response reports them.
fn collect<'r>(output: &'r ActionOutput<Arc<Translation>>, value: &Value, wanted: &mut Keys<'r>) {
    let ActionOutputKind::Object(fields) = &output.kind else {
        return;
    };
    let objects = if output.list {
        value.as_array().map_or(&[][..], Vec::as_slice)
    } else {
        std::slice::from_ref(value)
    };
    for object in objects.iter().filter_map(Value::as_object) {
        for field in fields {
            match &field.kind {
                ActionFieldKind::Constant(_) => {}
                ActionFieldKind::Value(name, inner) => {
                    if let Some(value) = object.get(name) {
                        collect(inner, value, wanted);
                    }
                }
                ActionFieldKind::Related(related) => {
                    if let Some((key, values)) = keys(related, object) {
                        let entry = wanted
                            .entry(identity(related))
                            .or_insert_with(|| (related, IndexMap::new()));
                        entry.1.insert(key, values);
                    }
                }
            }
        }
    }
}

/// The values that join a relation, and their text; none if one is null or no value of its column.
fn keys(
    related: &RelatedRows<Arc<Translation>>,
    object: &Map<String, Value>,
) -> Option<(String, Vec<Value>)> {
    let value = |(name, input): &(String, sql::postgres::types::Input)| {
        object
            .get(name)
            .filter(|value| !value.is_null() && input.text(value).is_ok())
            .cloned()
    };
    let values = related
        .keys
        .iter()
        .map(value)
        .collect::<Option<Vec<Value>>>()?;
    Some((Value::from(values.clone()).to_string(), values))
}

/// A relation in the selection, as a number.
fn identity(related: &RelatedRows<Arc<Translation>>) -> usize {
    std::ptr::from_ref(related).addr()
}
