//! Dumps the fixture's writable tables as text that can be compared.

use tokio_postgres::Client;

use crate::wire::Error;

/// The writable tables, each with the column that the dump leaves out.
const TABLES: [(&str, &str); 14] = [
    ("accounts", ""),
    ("priorities", ""),
    ("projects", ""),
    ("tasks", ""),
    ("task_notes", ""),
    ("project_settings", ""),
    ("project_members", ""),
    // The actor is a setting of the gateway's transactions.
    ("journal", "actor"),
    ("remarks", ""),
    ("shelves", ""),
    ("assets", ""),
    ("bookings", ""),
    ("entries", ""),
    ("gadgets", ""),
];

/// Every row of every table, one per line, sorted. Generated keys are left out: the order in which
/// rows get them is not defined.
pub async fn dump(client: &Client) -> Result<String, Error> {
    let rows = |(table, without): &(&str, &str)| {
        format!("SELECT '{table} ' || (to_jsonb(t) - '{without}')::text AS line FROM {table} t")
    };
    let rows: Vec<_> = TABLES.iter().map(rows).collect();
    let statement = format!(
        r#"SELECT coalesce(string_agg(l, E'\n' ORDER BY l COLLATE "C"), '') FROM (SELECT
             regexp_replace(regexp_replace(line, '"(id|project_id|task_id)": 1\d\d\d\y', '"\1": null', 'g'),
               '"id": "(?!00000000-)[-0-9a-f]+"', '"id": null') FROM ({}) rows) lines (l)"#,
        rows.join(" UNION ALL ")
    );
    Ok(client.query_one(&statement, &[]).await?.get(0))
}
