//! Answers `__schema` and `__type`. Schemas are built and queried one at a time on blocking threads, because both are
//! slow with many tables. Schemas are cached for a minute, answers as long as the engine. If a request has other root
//! fields too, the answers are merged with their rows.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use moka::sync::Cache;
use serde_json::value::RawValue;
use sql::introspection::{self, IntrospectionSchema};
use sql::model::access::Access;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use crate::error::Error;
use crate::execute::plan_cache::{CallerKey, DocumentKey, Plan};

/// Caches of introspection schemas by caller, and of answers by document and variables.
#[derive(Debug)]
pub struct IntrospectionCache {
    shown: Cache<CallerKey, Arc<IntrospectionSchema>>,
    answers: Cache<(Arc<DocumentKey>, String), Arc<Answers>>,
    working: Mutex<()>,
}

/// Response keys and their JSON.
type Answers = IndexMap<String, Vec<u8>>;

/// How many bytes of answers are cached. They are valid as long as the engine exists.
const ANSWER_BYTES: u64 = 64 << 20;

/// How long a schema is cached, and how many bytes all schemas may take up.
const SCHEMA_TTL: Duration = Duration::from_secs(60);
const SCHEMA_BYTES: u64 = 256 << 20;

impl Default for IntrospectionCache {
    fn default() -> IntrospectionCache {
        let weigh = |asker: &CallerKey, shown: &Arc<IntrospectionSchema>| {
            u32::try_from(asker.weight() + shown.weight()).unwrap_or(u32::MAX)
        };
        let shown = Cache::builder().weigher(weigh).max_capacity(SCHEMA_BYTES).time_to_live(SCHEMA_TTL).build();
        let weigh = |(known, variables): &(Arc<DocumentKey>, String), answers: &Arc<Answers>| {
            let bytes = known.weight() + variables.len() + answers.values().map(Vec::len).sum::<usize>();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let answers = Cache::builder().weigher(weigh).max_capacity(ANSWER_BYTES).build();
        IntrospectionCache { shown, answers, working: Mutex::new(()) }
    }
}

impl IntrospectionCache {
    /// The answers of the introspection fields of a request.
    async fn answers(&self, access: &Arc<Access>, plan: &Plan) -> Result<Arc<Answers>, Error> {
        let variables = serde_json::Value::from(plan.variables.to_json()).to_string();
        let key = (plan.entry.known().clone(), variables);
        if let Some(answers) = self.answers.get(&key) {
            return Ok(answers);
        }
        let _alone = self.working.lock().await;
        // Another request may have made the same answers while this one waited.
        if let Some(answers) = self.answers.get(&key) {
            return Ok(answers);
        }
        let asker = plan.entry.known().asker();
        let held = self.shown.get(asker);
        let is_new = held.is_none();
        let (access, entry, variables) = (access.clone(), plan.entry.clone(), plan.variables.clone());
        let runtime = Handle::current();
        let work = move || {
            let shown = held.map_or_else(|| introspection::build(&access).map(Arc::new), Ok)?;
            let answers = runtime.block_on(shown.answer(&entry.operation, &variables))?;
            Ok::<_, Error>((shown, Arc::new(answers.into_iter().collect::<Answers>())))
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (shown, answers) = done.map_err(|error| Error::Internal(error.to_string()))??;
        if is_new {
            self.shown.insert(asker.clone(), shown);
        }
        self.answers.insert(key, answers.clone());
        Ok(answers)
    }
}

/// Encodes `{"data":…}` of a request with introspection fields; `rows` is the response of its other root fields.
pub async fn answer(
    schemas: &IntrospectionCache,
    access: &Arc<Access>,
    plan: &Plan,
    rows: &[u8],
) -> Result<Vec<u8>, Error> {
    let answers = schemas.answers(access, plan).await?;
    // This is rare, so the rows are parsed again instead of encoded field by field. serde's message may repeat a value,
    // so the error gives only the column.
    let unread =
        |error: serde_json::Error| Error::Internal(format!("rows that are not JSON: column {}", error.column()));
    let rows: Data = serde_json::from_slice(rows).map_err(unread)?;
    let mut out = b"{\"data\":{".to_vec();
    for (place, (key, introspects)) in plan.translation.roots.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(sql::encode::shape::Key::new(key).as_str().as_bytes());
        let value = match introspects {
            true => answers.get(key).map(Vec::as_slice),
            false => rows.data.get(key).map(|value| value.get().as_bytes()),
        };
        let missing = || Error::Internal(format!("no response for the root field `{key}`"));
        out.extend_from_slice(value.ok_or_else(missing)?);
    }
    out.extend_from_slice(b"}}");
    Ok(out)
}

#[derive(serde::Deserialize)]
struct Data {
    data: IndexMap<String, Box<RawValue>>,
}
