//! What the fixture's tables for writing hold, as text that can be compared.

use tokio_postgres::Client;

use crate::wire::Error;

/// The tables for writing, with what is left out of each.
const TABLES: [(&str, &str); 14] = [
    ("accounts", ""),
    ("priorities", ""),
    ("projects", ""),
    ("tasks", ""),
    ("task_notes", ""),
    ("project_settings", ""),
    ("project_members", ""),
    // Who it was is a setting of the gateway's transactions.
    ("journal", "actor"),
    ("remarks", ""),
    ("shelves", ""),
    ("assets", ""),
    ("bookings", ""),
    ("entries", ""),
    ("gadgets", ""),
];

/// Every row of every table, a line each, sorted. Generated keys are left out: in which order rows get theirs is not decided.
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
