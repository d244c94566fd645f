//! Tests that the rows of a prepared statement stay equal once Postgres sends some of their columns
//! in text format, which begins with the second execution on a connection.

use serde_json::json;

use super::service::Service;

const TABLES: &str = "\
                      CREATE DOMAIN word AS varchar(20); \
                      CREATE TYPE mood AS ENUM ('good', 'bad'); \
                      CREATE TABLE owners (id int PRIMARY KEY, name text); \
                      CREATE TABLE things (id int PRIMARY KEY, owner_id int REFERENCES owners, \
                      short varchar(10), fixed char(6), \
                      label name, word word, mood mood, plain json, binary_json jsonb, is_new \
                      bool, key uuid, at timestamptz, \
                      tags text[], number numeric, bytes bytea); \
                      INSERT INTO owners VALUES (1, E'Zoë \"Z\"\\n😀'), (2, NULL); \
                      INSERT INTO things VALUES \
                      (1, 1, 'añb', 'xy', 'label', 'word', 'bad', '{\"a\" : 1}', '{\"b\": [1, \
                      \"2\"]}', true, \
                      '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '2024-02-29 12:00:00.25+00', \
                      '{\"a\\\"b\",NULL}', 1.25, '\\x00ff'), \
                      (2, 1, '', NULL, '', NULL, NULL, '\"text\"', 'null', false, NULL, NULL, \
                      '{}', NULL, '');";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.owners.role.reader]
select = { columns = "*", rows = "true" }
[table.things.role.reader]
select = { columns = "*", rows = "true" }
"#;

const COLUMNS: &str = "id short fixed label word mood plain binary_json is_new key at tags \
                       number bytes owner { name }";

#[tokio::test]
async fn repeated_requests_have_equal_rows() {
    // All requests share one connection, and short reads run alone or in groups.
    for groups in ["0", "1"] {
        let settings = format!("pool_size = 1\nread_group_connections = {groups}\n");
        let service = Service::of_tables(TABLES, PERMISSIONS, &settings).await;
        let first = json!({
            "id": 1, "short": "añb", "fixed": "xy    ", "label": "label", "word": "word", "mood": "bad",
            "plain": {"a": 1}, "binary_json": {"b": [1, "2"]}, "is_new": true,
            "key": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "at": "2024-02-29T12:00:00.25+00:00",
            "tags": ["a\"b", null], "number": 1.25, "bytes": "\\x00ff", "owner": {"name": "Zoë \
                 \"Z\"\n😀"},
        });
        let second = json!({
            "id": 2, "short": "", "fixed": null, "label": "", "word": null, "mood": null, "plain": "text",
            "binary_json": null, "is_new": false, "key": null, "at": null, "tags": [], "number": null, "bytes": "\\x",
            "owner": {"name": "Zoë \"Z\"\n😀"},
        });
        let list = format!("{{ things(order_by: {{id: asc}}) {{ {COLUMNS} }} }}");
        let by_key = format!("{{ things_by_pk(id: 1) {{ {COLUMNS} }} }}");
        let nested = format!(
            "{{ owners(order_by: {{id: asc}}) {{ name things(order_by: {{id: \
                              asc}}) {{ {COLUMNS} }} }} }}"
        );
        for _ in 0..8 {
            assert_eq!(
                service.ask(&list).await.data(),
                json!({"things": [first, second]})
            );
            assert_eq!(
                service.ask(&by_key).await.data(),
                json!({"things_by_pk": first})
            );
            let owners = json!([
                {"name": "Zoë \"Z\"\n😀", "things": [first, second]},
                {"name": null, "things": []},
            ]);
            assert_eq!(service.ask(&nested).await.data(), json!({"owners": owners}));
        }
    }
}
