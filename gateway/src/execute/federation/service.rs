//! `_service { sdl }`: the schema of the caller's role for routers and their registries.

use std::collections::HashMap;
use std::sync::Arc;

use sql::Cause;
use sql::introspection::SdlWriter;
use sql::model::access::Access;
use sql::schema::Schema;

use super::entities;
use crate::error::Error;
use crate::execute::Executor;
use crate::execute::schema_types::held_bytes;
use crate::execute::schema_work::{SLICE, SchemaWork};
use crate::limits::memory::Reservation;

/// What the schema of a subgraph begins with.
const LINK: &str =
    "extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", import: [\"@key\", \"@shareable\"])\n\n";

/// `{"sdl": …}`: the role's schema with the keys of its entities, and the memory that is reserved for it.
pub(super) async fn service(
    executor: &Executor,
    access: &Arc<Access>,
    mut work: SchemaWork,
    fields: &[(&str, &str)],
) -> Result<(String, Reservation), Error> {
    if !access.introspects() {
        return Err(Cause::IntrospectionOff { role: access.role().to_owned() }.under("$").into());
    }
    let types = executor.engine.schemas.types(access, &mut work).await?;
    let entities = work.slice(|| entities(access)).await?;
    let keys: HashMap<String, String> =
        entities.into_iter().map(|entity| (entity.name, entity.keys.join(" "))).collect();
    let mut out = String::from("{");
    for (index, (key, field)) in fields.iter().enumerate() {
        out.push_str(if index > 0 { ",\"" } else { "\"" });
        out.push_str(key);
        out.push_str("\":\"");
        if *field != "sdl" {
            out.push_str("_Service\"");
            continue;
        }
        let mut writer = SdlWriter::new(Schema::new(access), &types).with_keys(&keys);
        let mut part = LINK.to_owned();
        loop {
            // A vector that grows holds its bytes twice.
            work.reserve(held_bytes(access, &types) + 3 * (out.len() + 4 * SLICE))?;
            let more = work.slice(|| writer.write(SLICE, &mut part)).await?;
            push_escaped(&part, &mut out);
            part.clear();
            if !more {
                break;
            }
        }
        out.push('"');
    }
    out.push('}');
    work.shrink_to(out.capacity());
    Ok((out, work.into_reservation()))
}

/// Adds text inside a JSON string.
fn push_escaped(text: &str, out: &mut String) {
    let quoted = serde_json::Value::from(text).to_string();
    out.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
}
