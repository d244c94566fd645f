//! Tests `on_conflict`: which unique indexes it can name, over expressions and some of the rows
//! too, and that a role without a grant to update may leave existing rows as they are. Tables with
//! rewrite rules are tested beside it.

use std::ops::Deref;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service;

const SCHEMA: &str = r#"
CREATE SCHEMA "odd ""schema";
CREATE FUNCTION "odd ""schema"."no""rm"(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lower($1)';
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE people (id int PRIMARY KEY, tenant int, email text, deleted timestamptz, visits int DEFAULT 1, secret int);
CREATE UNIQUE INDEX people_active ON people (tenant, email) WHERE deleted IS NULL;
CREATE UNIQUE INDEX people_by_secret ON people (visits) WHERE secret = 4711;
CREATE TABLE everything (
  id int PRIMARY KEY, tenant int, email text, deleted timestamptz, "we""ird" varchar(20), status varchar(10), document jsonb,
  extra int, list int[], name name, padded bpchar(4), feeling mood, flag bool, at timestamp, size float8, span int4range
);
CREATE UNIQUE INDEX u_partial ON everything (tenant, email) WHERE deleted IS NULL;
CREATE UNIQUE INDEX u_expression ON everything (lower(email));
CREATE UNIQUE INDEX u_both ON everything (tenant, lower("we""ird")) WHERE status IN ('a', 'b') AND deleted IS NULL;
CREATE UNIQUE INDEX u_qualified ON everything ("odd ""schema"."no""rm"("we""ird"));
CREATE UNIQUE INDEX u_collated ON everything (email COLLATE "C" text_pattern_ops, lower(email) COLLATE "C") WHERE extra > 3;
CREATE UNIQUE INDEX u_included ON everything (tenant) INCLUDE (extra, document) WHERE email IS NOT NULL AND id > 0;
CREATE UNIQUE INDEX u_json ON everything ((document ->> 'k')) WHERE (document ->> 'k') IS NOT NULL;
CREATE UNIQUE INDEX u_case ON everything ((CASE WHEN extra > 1 THEN tenant ELSE id END));
CREATE UNIQUE INDEX u_constant ON everything ((1)) WHERE extra = 99;
CREATE UNIQUE INDEX u_boolean ON everything ((extra IS NULL)) WHERE flag;
CREATE UNIQUE INDEX u_lists ON everything ((list[1]), coalesce(email, 'x'), (status::text)) WHERE status NOT IN ('x') AND email LIKE 'a%';
CREATE UNIQUE INDEX u_moments ON everything (date_trunc('day', at), size) WHERE size > 1.5 AND feeling IN ('good', 'bad');
CREATE UNIQUE INDEX u_names ON everything (upper(name), (padded || 'x')) WHERE NOT flag OR feeling = 'good';
CREATE UNIQUE INDEX u_spans ON everything ((ROW(tenant, email) IS NULL), int4range(tenant, id)) WHERE at > '2020-01-31 10:00' AND deleted < '2020-01-31 10:00+02';
CREATE UNIQUE INDEX u_descending ON everything (tenant DESC NULLS LAST, email) WHERE status = 'x';
CREATE UNIQUE INDEX "u odd" ON everything (lower(status));
ALTER TABLE everything ADD CONSTRAINT u_excluded EXCLUDE USING gist (span WITH &&) WHERE (extra > 0);
ALTER TABLE everything ADD CONSTRAINT u_deferrable UNIQUE (visits_of) DEFERRABLE;
CREATE TABLE parts (kind int, name text, deleted timestamptz, note text) PARTITION BY LIST (kind);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE parts_other PARTITION OF parts DEFAULT;
CREATE UNIQUE INDEX parts_active ON parts (kind, lower(name)) WHERE deleted IS NULL;
CREATE TABLE deferred (id int PRIMARY KEY DEFERRABLE, name text);
CREATE UNIQUE INDEX deferred_name ON deferred (lower(name));
CREATE TABLE two_collations (id int PRIMARY KEY, name text);
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE UNIQUE INDEX by_case ON two_collations (name) WHERE name <> '';
CREATE UNIQUE INDEX by_any_case ON two_collations (name COLLATE any_case) WHERE name <> '';
CREATE TABLE outbox (id int PRIMARY KEY, topic text, body text, done bool DEFAULT false);
CREATE TABLE kept (id int PRIMARY KEY, name text, gone bool);
CREATE RULE soft_delete AS ON DELETE TO kept DO INSTEAD UPDATE kept SET gone = true WHERE id = OLD.id;
CREATE VIEW kept_names AS SELECT id, name FROM kept;
CREATE RULE "no deletes" AS ON DELETE TO kept_names DO INSTEAD NOTHING;
CREATE RULE logged AS ON INSERT TO kept DO ALSO NOTIFY kept;
CREATE TABLE returned (id int PRIMARY KEY, name text, gone bool);
CREATE RULE soft_delete AS ON DELETE TO returned DO INSTEAD UPDATE returned SET gone = true WHERE id = OLD.id RETURNING *;
"#;

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.people.role.clerk]
select = { columns = ["id", "tenant", "email", "deleted", "visits"], rows = "true" }
insert = { columns = ["id", "tenant", "email", "visits"], check = "true" }
update = { columns = ["visits"], rows = "tenant = 1", check = "true" }
[table.people.role.blind]
insert = { columns = ["id", "tenant", "email"], check = "true" }
[table.outbox.role.producer]
insert = { columns = ["id", "topic", "body"], check = "topic <> 'none'" }
[table.outbox.role.reader]
select = { columns = "*", rows = "true" }
insert = { columns = ["id", "topic", "body"], check = "true" }
"#;

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start(profile: &str) -> Service {
        let schema = SCHEMA.replace("extra int, list", "extra int, visits_of int, list");
        let builder = service::Service::builder("arbiters", &[&schema]).permissions(PERMISSIONS);
        Service(builder.profile(profile).start().await)
    }

    async fn ask(&self, role: &str, query: &str) -> Reply {
        self.0.ask(role, query).await
    }

    async fn constraints(&self, role: &str, table: &str) -> Vec<String> {
        let query =
            format!("{{ __type(name: \"{table}_constraint\") {{ enumValues {{ name }} }} }}");
        let data = self.ask(role, &query).await.data();
        let values = data["__type"]["enumValues"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let mut names: Vec<String> = values
            .iter()
            .map(|value| value["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort_unstable();
        names
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_infers_every_index_that_the_enum_names() {
    let service = Service::start("gateway").await;
    let names = service.constraints("admin", "everything").await;
    let mut expected: Vec<&str> = SCHEMA
        .lines()
        .filter_map(|line| {
            line.strip_prefix("CREATE UNIQUE INDEX u_")
                .map(|rest| rest.split(' ').next().unwrap())
        })
        .collect();
    expected.sort_unstable();
    let found: Vec<&str> = names
        .iter()
        .filter_map(|name| name.strip_prefix("u_"))
        .collect();
    assert_eq!(
        found, expected,
        "the exclusion, the deferrable key and the name that GraphQL does not allow are absent"
    );
    for (index, name) in names.iter().enumerate() {
        for (row, columns) in [(2 * index + 1, ""), (2 * index + 2, "status")] {
            let query = format!(
                "mutation {{ insert_everything(objects: [{{id: {row}, tenant: \
                                 {row}, email: \"{row}\", extra: {row}, status: \"{row}\", \
                                 visits_of: {row}}}], on_conflict: {{constraint: {name}, \
                                 update_columns: [{columns}]}}) {{ affected_rows }} }}"
            );
            let reply = service.ask("admin", &query).await;
            let is_found =
                reply.text.contains("affected_rows") || reply.text.contains("Uniqueness violation");
            assert!(is_found, "{name}: {}", reply.text);
        }
    }
    assert_eq!(
        service.constraints("admin", "deferred").await,
        ["deferred_name"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_conflict_only_within_the_predicate() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        let upsert = |id: i32, update: &str| {
            format!(
                "mutation {{ insert_people(objects: [{{id: {id}, \
                                             tenant: 1, email: \"a\", visits: {id}}}], \
                                             on_conflict: \
                                             {{constraint: people_active, update_columns: \
                                             [{update}]}}) {{ affected_rows returning {{ id \
                                             visits }} }} }}"
            )
        };
        let response = async |id, update| {
            service.ask("clerk", &upsert(id, update)).await.data()["insert_people"].clone()
        };
        let row = |id: i32, visits: i32| json!({"affected_rows": 1, "returning": [{"id": id, "visits": visits}]});
        assert_eq!(response(1, "visits").await, row(1, 1), "{profile}");
        assert_eq!(response(2, "visits").await, row(1, 2), "the row exists");
        assert_eq!(
            response(3, "").await,
            json!({"affected_rows": 0, "returning": []})
        );
        service
            .ask(
                "admin",
                "mutation { update_people(where: {}, _set: {deleted: \"2020-01-01\"}) \
                           { affected_rows } }",
            )
            .await;
        assert_eq!(
            response(4, "visits").await,
            row(4, 4),
            "the deleted row is no conflict"
        );
        let part = |name: &str, note: &str| {
            format!(
                "mutation {{ insert_parts(objects: [{{kind: 1, \
                                              name: \"{name}\", note: \"{note}\"}}], \
                                              on_conflict: {{constraint: \
                                              parts_active, update_columns: [note]}}) {{ \
                                              affected_rows }} }}"
            )
        };
        for (name, note) in [("x", "first"), ("X", "second")] {
            assert_eq!(
                service.ask("admin", &part(name, note)).await.data()["insert_parts"]["affected_rows"],
                1
            );
        }
        let parts = service.ask("admin", "{ parts { name note } }").await.data();
        assert_eq!(parts["parts"], json!([{"name": "x", "note": "second"}]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn index_of_another_collation_does_not_decide() {
    let service = Service::start("gateway").await;
    assert_eq!(
        service.constraints("admin", "two_collations").await,
        ["by_any_case", "by_case", "two_collations_pkey"]
    );
    let insert = |id: i32, name: &str, constraint: &str| {
        format!(
            "mutation {{ insert_two_collations(objects: [{{id: {id}, name: \"{name}\"}}], \
                 on_conflict: {{constraint: {constraint}, \
                 update_columns: []}}) {{ affected_rows }} }}"
        )
    };
    service.ask("admin", &insert(1, "a", "by_case")).await;
    let other = service.ask("admin", &insert(2, "A", "by_case")).await;
    assert!(
        other.text.contains("Uniqueness violation"),
        "{}",
        other.text
    );
    let same = service.ask("admin", &insert(2, "A", "by_any_case")).await;
    assert_eq!(
        same.data()["insert_two_collations"]["affected_rows"],
        0,
        "{}",
        same.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn role_names_only_indexes_whose_columns_it_knows() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        assert_eq!(
            service.constraints("clerk", "people").await,
            ["people_active", "people_pkey"],
            "{profile}"
        );
        // The predicate reads a column that this role neither reads nor writes.
        assert_eq!(
            service.constraints("blind", "people").await,
            ["people_pkey"],
            "{profile}"
        );
        for name in ["people_by_secret", "people_nothing"] {
            let query = format!(
                "mutation {{ insert_people(objects: [{{id: 7}}], on_conflict: \
                                 {{constraint: {name}, update_columns: []}}) {{ affected_rows }} \
                                 }}"
            );
            let reply = service.ask("clerk", &query).await;
            let text = reply.text.replace("people_nothing", "people_by_secret");
            assert!(
                text.contains("people_by_secret")
                    && !text.contains("4711")
                    && !text.contains("secret ="),
                "{text}"
            );
        }
        let descriptions = service
            .ask(
                "clerk",
                "{ __type(name: \"people_constraint\") { enumValues { description } } }",
            )
            .await;
        assert!(
            !descriptions.text.contains("secret"),
            "{}",
            descriptions.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doing_nothing_on_a_conflict_needs_no_grant_to_update() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        for role in ["producer", "reader"] {
            let insert = |id: i32, topic: &str, on_conflict: &str| {
                format!(
                    "mutation {{ insert_outbox(objects: [{{id: {id}, topic: \"{topic}\", \
                         body: \"b\"}}], on_conflict: {on_conflict}) \
                         {{ affected_rows }} }}"
                )
            };
            let nothing = "{constraint: outbox_pkey, update_columns: []}";
            let rows = async |query: String| {
                service.ask(role, &query).await.data()["insert_outbox"]["affected_rows"].clone()
            };
            let id = if role == "producer" { 1 } else { 2 };
            assert_eq!(rows(insert(id, "t", nothing)).await, 1, "{profile} {role}");
            assert_eq!(rows(insert(id, "t", nothing)).await, 0, "{profile} {role}");
            assert_eq!(
                rows(insert(id, "u", "{constraint: outbox_pkey}")).await,
                0,
                "{profile} {role}"
            );
            // With columns, the grant is needed.
            for columns in ["[body]", "[topic, body]", "[_PLACEHOLDER]", "[done]"] {
                let on_conflict = format!("{{constraint: outbox_pkey, update_columns: {columns}}}");
                let reply = service.ask(role, &insert(id, "u", &on_conflict)).await;
                assert!(
                    reply.text.contains("errors"),
                    "{profile} {role} {columns}: {}",
                    reply.text
                );
            }
            let values = service
                .ask(
                    role,
                    "{ __type(name: \"outbox_update_column\") { enumValues { name } } }",
                )
                .await;
            assert_eq!(
                values.data()["__type"]["enumValues"],
                json!([{"name": "_PLACEHOLDER"}]),
                "{profile} {role}"
            );
            let fields = service
                .ask(
                    role,
                    "{ __type(name: \"outbox_on_conflict\") { inputFields { name type { \
                            name } } } }",
                )
                .await;
            let has_where = fields.text.contains("\"where\"");
            assert_eq!(
                has_where,
                role == "reader",
                "a condition needs a grant to read: {}",
                fields.text
            );
        }
        // The check on new rows holds with `on_conflict`, too.
        let refused = "mutation { insert_outbox(objects: [{id: 9, topic: \"none\"}], \
                       on_conflict: {constraint: outbox_pkey, update_columns: []}) \
                       { affected_rows } }";
        let reply = service.ask("producer", refused).await;
        assert_eq!(reply.json()["data"], Value::Null, "{}", reply.text);
        let stored = service
            .ask("reader", "{ outbox(order_by: {id: asc}) { id topic } }")
            .await
            .data();
        assert_eq!(
            stored["outbox"],
            json!([{"id": 1, "topic": "t"}, {"id": 2, "topic": "t"}]),
            "{profile}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_without_returning_bar_what_they_replace() {
    let service = Service::start("gateway").await;
    let fields = service
        .ask(
            "admin",
            "{ __type(name: \"mutation_root\") { fields { name } } }",
        )
        .await
        .text;
    let offered = [
        "insert_kept\"",
        "update_kept\"",
        "delete_kept\"",
        "delete_kept_names\"",
        "delete_returned\"",
        "update_returned\"",
    ];
    let found: Vec<&str> = offered
        .into_iter()
        .filter(|name| fields.contains(name))
        .collect();
    assert_eq!(
        found,
        ["update_kept\"", "delete_returned\"", "update_returned\""]
    );
    service
        .ask(
            "admin",
            "mutation { insert_returned(objects: [{id: 1}]) { affected_rows } }",
        )
        .await;
    let deleted = service
        .ask(
            "admin",
            "mutation { delete_returned(where: {}) { affected_rows returning { id gone } } }",
        )
        .await;
    assert_eq!(
        deleted.data()["delete_returned"],
        json!({"affected_rows": 1, "returning": [{"id": 1, "gone": true}]})
    );
    for (grant, action, rule) in [
        (
            "[table.kept.role.a]\ndelete = { rows = \"true\" }",
            "deletes",
            "soft_delete",
        ),
        (
            "[table.kept.role.a]\ninsert = { columns = \"*\", check = \"true\" }",
            "inserts",
            "logged",
        ),
        (
            "[table.kept_names.role.a]\ndelete = { rows = \"true\" }",
            "deletes",
            "no deletes",
        ),
    ] {
        let builder = tests::gateway()
            .database_url(service.database.url())
            .admin_secret("secret")
            .listen("127.0.0.1:0");
        let Err(error) = builder
            .permissions_text("permissions.toml", grant)
            .start()
            .await
            .map(drop)
        else {
            panic!("{grant}")
        };
        let message = format!("{error} {error:?}");
        assert!(
            message.contains(&format!("does not allow {action}")),
            "{message}"
        );
        assert!(
            message.contains(&format!("its rewrite rule `{rule}` is the reason")),
            "{message}"
        );
    }
}
