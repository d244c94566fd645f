//! `_service { sdl }`: the schema of the caller's role for routers and their registries.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;
use sql::Cause;
use sql::introspection;
use sql::model::access::Access;

use super::entities;
use crate::error::Error;

/// What the schema of a subgraph begins with.
const LINK: &str =
    "extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", import: [\"@key\", \"@shareable\"])\n\n";

/// `{"sdl": …}`: the role's schema with the keys of its entities.
pub(super) async fn service(access: &Arc<Access>, fields: &[(&str, &str)]) -> Result<String, Error> {
    if !access.introspects() {
        return Err(Cause::IntrospectionOff { role: access.role().to_owned() }.under("$").into());
    }
    let access = access.clone();
    let sdl = tokio::task::spawn_blocking(move || sdl(&access)).await;
    let sdl = sdl.map_err(|_| Error::Internal("the schema was not made".into()))??;
    let members = fields.iter().map(|(key, field)| match *field {
        "sdl" => format!("\"{key}\":{}", Value::from(sdl.as_str())),
        _ => format!("\"{key}\":\"_Service\""),
    });
    Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
}

/// The schema of the role in the schema definition language, as a subgraph.
fn sdl(access: &Access) -> Result<String, Error> {
    let plain = introspection::build(access)?.sdl();
    let entities = entities(access);
    let mut out = LINK.to_owned();
    for line in plain.lines() {
        let name = line.strip_prefix("type ").and_then(|rest| rest.split([' ', '{']).next());
        let entity = name.and_then(|name| entities.iter().find(|entity| entity.name == name));
        match (entity, line.split_once('{')) {
            (Some(entity), Some((head, rest))) => {
                // Writing into a `String` does not fail.
                let _ = writeln!(out, "{} @key(fields: \"{}\") {{{rest}", head.trim_end(), entity.keys.join(" "));
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    Ok(out)
}
