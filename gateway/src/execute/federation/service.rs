//! `_service { sdl }`: the schema of the caller's role for routers and their registries.

use std::collections::HashMap;
use std::sync::Arc;

use pg::memory::Reservation;
use serde_json::Value;
use sql::Cause;
use sql::introspection::{ReachableTypes, SdlWriter};
use sql::model::access::Access;
use sql::schema::Schema;

use super::entity::entities;
use crate::error::Error;
use crate::execute::ExecutionState;
use crate::execute::schema_types::held_bytes;
use crate::execute::schema_work::{SLICE_BYTES, SchemaWork};

/// What the schema of a subgraph begins with.
const LINK: &str = "extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", \
                    import: [\"@key\", \"@shareable\"])\n\n";

/// `{"sdl": …}`: the role's schema with the keys of its entities, and the memory that is reserved
/// for it.
pub(super) async fn service(
    state: &ExecutionState,
    access: &Arc<Access>,
    mut work: SchemaWork,
    fields: &[(&str, &str)],
) -> Result<(String, Reservation), Error> {
    if !access.introspects() {
        return Err(Cause::IntrospectionOff {
            role: access.role().to_owned(),
        }
        .under("$")
        .into());
    }
    let types = state.schema.schema_types.types(access, &mut work).await?;
    let entities = work.slice(|| entities(access)).await?;
    let keys: HashMap<String, String> = entities
        .into_iter()
        .map(|entity| (entity.name.clone(), entity.key_fields()))
        .collect();
    let base = held_bytes(access, &types) + 4 * SLICE_BYTES;
    work.reserve(base)?;
    let mut length = 0;
    write_sdl(access, &types, &keys, &work, &mut |part| {
        length += part.len();
    })
    .await?;
    let copies = fields.iter().filter(|(_, field)| *field == "sdl").count();
    let length = copies * length + fields.iter().map(|(key, _)| key.len() + 16).sum::<usize>() + 2;
    // The response is one more copy.
    work.reserve(base + 2 * length)?;
    let mut out = String::with_capacity(length);
    out.push('{');
    for (index, (key, field)) in fields.iter().enumerate() {
        out.push_str(if index > 0 { ",\"" } else { "\"" });
        out.push_str(key);
        out.push_str("\":\"");
        match *field {
            "sdl" => {
                write_sdl(access, &types, &keys, &work, &mut |part| out.push_str(part)).await?;
            }
            _ => out.push_str("_Service"),
        }
        out.push('"');
    }
    out.push('}');
    work.shrink_to(out.capacity());
    Ok((out, work.into_reservation()))
}

/// Writes the schema as the text inside a JSON string, part by part.
async fn write_sdl(
    access: &Access,
    types: &ReachableTypes,
    keys: &HashMap<String, String>,
    work: &SchemaWork,
    write: &mut (dyn FnMut(&str) + Send),
) -> Result<(), Error> {
    let mut writer = SdlWriter::new(Schema::new(access), types).with_keys(keys);
    let mut part = LINK.to_owned();
    loop {
        let slice = || {
            let more = writer.write(SLICE_BYTES, &mut part);
            let quoted = Value::from(part.as_str()).to_string();
            write(quoted.get(1..quoted.len() - 1).unwrap_or_default());
            part.clear();
            more
        };
        if !work.slice(slice).await? {
            return Ok(());
        }
    }
}
