//! Answers of `__schema` and `__type`: schemas are built one at a time off the request threads and kept for a minute, and
//! the answers are put between the other root fields where a request has both.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use moka::sync::Cache;
use serde_json::value::RawValue;
use sql::access::Access;
use sql::introspection::{self, Shown};
use tokio::sync::Mutex;

use crate::error::Error;
use crate::plan_cache::Plan;

/// The schemas that were asked for last, by role.
#[derive(Debug)]
pub struct Schemas {
    shown: Cache<String, Arc<Shown>>,
    building: Mutex<()>,
}

/// How long a schema is kept, and how many bytes all of them may take up.
const KEPT: Duration = Duration::from_secs(60);
const BYTES: u64 = 256 << 20;

impl Default for Schemas {
    fn default() -> Schemas {
        let weigh = |role: &String, shown: &Arc<Shown>| u32::try_from(role.len() + shown.weight()).unwrap_or(u32::MAX);
        let shown = Cache::builder().weigher(weigh).max_capacity(BYTES).time_to_live(KEPT).build();
        Schemas { shown, building: Mutex::new(()) }
    }
}

impl Schemas {
    /// The schema of a role, built when nobody has asked for it lately.
    pub async fn get(&self, access: &Arc<Access>) -> Result<Arc<Shown>, Error> {
        if let Some(shown) = self.shown.get(access.role()) {
            return Ok(shown);
        }
        let _alone = self.building.lock().await;
        // Somebody may have built it while we waited.
        if let Some(shown) = self.shown.get(access.role()) {
            return Ok(shown);
        }
        let built = access.clone();
        let built = tokio::task::spawn_blocking(move || introspection::build(&built)).await;
        let shown = Arc::new(built.map_err(|error| Error::Internal(error.to_string()))??);
        self.shown.insert(access.role().to_owned(), shown.clone());
        Ok(shown)
    }
}

/// `{"data":…}` of a request that introspects; `rows` is what the statement gave for its other root fields.
pub async fn answer(schemas: &Schemas, access: &Arc<Access>, plan: &Plan, rows: &[u8]) -> Result<Vec<u8>, Error> {
    let shown = schemas.get(access).await?;
    let mut answers: IndexMap<String, Vec<u8>> =
        shown.answer(&plan.entry.operation, &plan.variables).await?.into_iter().collect();
    // Rare enough that the rows' fields are cut apart again rather than written apart.
    let rows: Data = serde_json::from_slice(rows).map_err(|error| Error::Internal(error.to_string()))?;
    let mut out = b"{\"data\":{".to_vec();
    for (place, (key, introspects)) in plan.translation.roots.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(sql::shape::Key::new(key).as_str().as_bytes());
        let value = match introspects {
            true => answers.swap_remove(key),
            false => rows.data.get(key).map(|value| value.get().as_bytes().to_vec()),
        };
        let missing = || Error::Internal(format!("nobody answered the root field `{key}`"));
        out.extend_from_slice(&value.ok_or_else(missing)?);
    }
    out.extend_from_slice(b"}}");
    Ok(out)
}

#[derive(serde::Deserialize)]
struct Data {
    data: IndexMap<String, Box<RawValue>>,
}
