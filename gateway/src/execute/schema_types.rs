//! The types that the schema of each caller has: found in slices, and cached for a minute.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use pg::sharing::SharedSlots;
use sql::introspection::{ReachableTypes, TypeWalk};
use sql::model::access::Access;
use sql::schema::Schema;

use super::schema_work::{self, SchemaWork};
use crate::error::Error;
use crate::execute::plan_cache::CallerKey;

/// A cache of the types that each caller's schema has, and the slots of work on schemas.
#[derive(Debug)]
pub struct SchemaTypes {
    types: Cache<CallerKey, Arc<ReachableTypes>>,
    slots: SharedSlots,
}

/// How long the types of a schema are cached, and how many bytes those of all schemas may take up.
const TYPES_TTL: Duration = Duration::from_secs(60);
const TYPES_BYTES: u64 = 32 << 20;

/// The types that a slice finds.
const TYPES_PER_SLICE: usize = 1_000;

/// A table has at least as many types: its row, conditions, orders and so on.
const LEAST_TYPES_PER_TABLE: usize = 4;

/// The bytes of a root field's definition with its arguments. Those of a root type are listed at
/// once.
const ROOT_FIELD_BYTES: usize = 512;

impl Default for SchemaTypes {
    fn default() -> SchemaTypes {
        let weigh = |caller: &CallerKey, types: &Arc<ReachableTypes>| {
            u32::try_from(caller.weight() + types.weight()).unwrap_or(u32::MAX)
        };
        let types = Cache::builder()
            .weigher(weigh)
            .max_capacity(TYPES_BYTES)
            .time_to_live(TYPES_TTL)
            .build();
        SchemaTypes {
            types,
            slots: schema_work::slots(),
        }
    }
}

impl SchemaTypes {
    /// The slots of work on schemas.
    pub fn slots(&self) -> &SharedSlots {
        &self.slots
    }

    /// The types of the caller's schema. They are found in slices; memory for them is reserved
    /// before.
    pub async fn types(
        &self,
        access: &Access,
        work: &mut SchemaWork,
    ) -> Result<Arc<ReachableTypes>, Error> {
        let caller = CallerKey::new(access);
        if let Some(types) = self.types.get(&caller) {
            work.reserve(held_bytes(access, &types))?;
            return Ok(types);
        }
        let schema = Schema::new(access);
        let roots = root_bytes(access);
        work.reserve(
            roots + schema.tables().count() * LEAST_TYPES_PER_TABLE * TypeWalk::BYTES_PER_TYPE,
        )?;
        let mut walk = TypeWalk::new(schema);
        loop {
            // A root type refers to several types for each of its fields.
            let expected = walk.found() + TYPES_PER_SLICE + schema.model().roots().count();
            work.reserve(roots + expected * TypeWalk::BYTES_PER_TYPE)?;
            if !work
                .slice(|| walk.visit(walk.found() + TYPES_PER_SLICE))
                .await?
            {
                break;
            }
        }
        let types = Arc::new(work.slice(|| walk.finish()).await?);
        work.shrink_to(held_bytes(access, &types));
        self.types.insert(caller, types.clone());
        Ok(types)
    }
}

/// The bytes of the types and of the largest type while it is written.
pub(super) fn held_bytes(access: &Access, types: &ReachableTypes) -> usize {
    types.weight() + root_bytes(access)
}

fn root_bytes(access: &Access) -> usize {
    access.model().roots().count() * ROOT_FIELD_BYTES
}
