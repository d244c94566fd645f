//! Writes `gateway.toml`: settings of the connection and files, and the API limits, which
//! [`limits`] writes.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::json_object::JsonObject;
use crate::limits;
use crate::report::Report;

/// The settings of an allow list. The metadata does not contain whether Hasura enforced it;
/// enforcing it is the safe choice.
pub(crate) const OPERATIONS: &str = "
[operations]
allow_list = \"allow-list.toml\"
# Hasura enforces it only where HASURA_GRAPHQL_ENABLE_ALLOWLIST is set; where it was not, this is \"off\".
mode = \"enforce\"
";

/// The settings of actions.
pub(crate) const ACTIONS: &str = "
[actions]
definitions = \"actions.toml\"
types = \"actions.graphql\"
";

/// Writes the settings.
pub(crate) fn write(
    source: &Map<String, Value>,
    limits: Option<&Value>,
    has_rest_map: bool,
    report: &mut Report,
) -> String {
    let mut text = String::from(
        "# Settings. The database and the secrets are better given as environment variables:\n\
         # POSTERN_DATABASE_URL, POSTERN_ADMIN_SECRET, POSTERN_JWT_SECRET.\n\n\
         profile = \"hasura\"\npermissions = \"permissions.toml\"\n",
    );
    if has_rest_map {
        text.push_str("rest_map = \"rest-map.toml\"\n");
    }
    connection(&mut text, source, report);
    if let Some(limits) = limits {
        limits::write(&mut text, limits, report);
    }
    text
}

fn connection(text: &mut String, source: &Map<String, Value>, report: &mut Report) {
    let info = source
        .get("configuration")
        .and_then(|configuration| configuration["connection_info"].as_object());
    let Some(info) = info else { return };
    let construct = "connection of the source";
    let mut node = JsonObject::from_map(info, construct);
    if let Some(url) = node.get("database_url") {
        match url["from_env"].as_str() {
            Some(variable) => {
                let _ = writeln!(
                    text,
                    "# database_url was the value of the environment variable {variable}"
                );
            }
            None => {
                text.push_str(
                    "# database_url was written in the metadata, and may hold a \
                               password: it is not copied\n",
                );
            }
        }
        report.approximated(construct, "the database is named by `--database-url`");
    }
    // The gateway decides itself how statements are prepared.
    node.get("use_prepared_statements");
    if node
        .text("isolation_level")
        .is_some_and(|level| level != "read-committed")
    {
        report.approximated(
            format!("{construct}, isolation level"),
            "mutations run as `read committed`",
        );
    }
    if let Some(fields) = node.object("pool_settings") {
        let mut pool = JsonObject::from_map(fields, format!("{construct}, pool settings"));
        if let Some(size) = pool
            .number("max_connections")
            .or_else(|| pool.number("total_max_connections"))
        {
            let _ = writeln!(text, "pool_size = {size}");
        }
        for key in [
            "idle_timeout",
            "retries",
            "pool_timeout",
            "connection_lifetime",
        ] {
            if pool.get(key).is_some() {
                report.approximated(
                    format!("{construct}, `{key}`"),
                    "the pool has its own timeouts and retries",
                );
            }
        }
        pool.finish(report);
    }
    node.finish(report);
}
