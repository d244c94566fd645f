//! Tests what clients read where policies and privileges of the database refuse a statement, or
//! cannot be evaluated, and that what Postgres permits is not refused: visitors may write rows that
//! they may not read.

use serde_json::json;
use tests::reply::ReplyError;

use super::service::Service;

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "text"

[settings]
app.user_id = "session.user_id"

[role.user]
set_role = "READER"
dry_run = true
"#;

/// Tables whose policies refuse or fail, each with its code and message.
const REFUSING: [(&str, &str, &str, &str); 10] = [
    (
        "unreadable",
        "",
        "permission-error",
        "the database does not allow this",
    ),
    (
        "recursive",
        "CREATE POLICY p ON recursive USING (EXISTS (SELECT FROM recursive r WHERE r.id = \
         recursive.id))",
        "permission-error",
        "policies of the database refer to each other without end",
    ),
    (
        "unset",
        "CREATE POLICY p ON unset USING (current_setting('app.other') = 'x')",
        "permission-error",
        "a setting that the database reads is not set",
    ),
    (
        "other_table",
        "CREATE POLICY p ON other_table USING (EXISTS (SELECT FROM secrets s WHERE s.id = \
         other_table.id))",
        "permission-error",
        "the database does not allow this",
    ),
    (
        "no_execute",
        "CREATE POLICY p ON no_execute USING (hidden_from_roles(id))",
        "permission-error",
        "the database does not allow this",
    ),
    (
        "malformed",
        "CREATE POLICY p ON malformed USING (id = current_setting('app.user_id', true)::int)",
        "constraint-violation",
        "a value has the wrong form for its type",
    ),
    (
        "divided",
        "CREATE POLICY p ON divided USING (1 / (id - 1) > 0)",
        "data-exception",
        "division by zero",
    ),
    (
        "out_of_range",
        "CREATE POLICY p ON out_of_range USING (id + 2147483647 > 0)",
        "data-exception",
        "a number is out of range",
    ),
    (
        "raised",
        "CREATE POLICY p ON raised USING (raises(id))",
        "data-exception",
        "a function or trigger of the database refuses the request",
    ),
    (
        "deep",
        "CREATE POLICY p ON deep USING (calls_itself(id))",
        "limit-exceeded",
        "the request asks for more than one statement of Postgres can hold",
    ),
];

const FUNCTIONS: &str = "
GRANT READER TO LOGIN;
CREATE FUNCTION hidden_from_roles(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$;
REVOKE EXECUTE ON FUNCTION hidden_from_roles(int) FROM PUBLIC;
CREATE FUNCTION raises(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret'; END $$;
CREATE FUNCTION calls_itself(id int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN calls_itself(id + 1); END $$;
";

#[tokio::test(flavor = "multi_thread")]
async fn no_refusal_of_policies_is_an_internal_error() {
    let mut permissions = PERMISSIONS.to_owned();
    let mut grants = FUNCTIONS.to_owned();
    for (table, policy, ..) in REFUSING {
        permissions += &format!(
            "\n[table.{table}.role.user]\nselect = {{ columns = [\"id\"], rows = \"true\" }}\n\
             update = {{ columns = [\"id\"], rows = \"true\" }}\n"
        );
        grants += &format!(
            "CREATE TABLE {table} (id int PRIMARY KEY); INSERT INTO {table} VALUES (1); \
             ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; {policy}; "
        );
        if !policy.is_empty() {
            grants += &format!("GRANT SELECT, UPDATE ON {table} TO READER; ");
        }
    }
    let service = Service::start(&permissions, &grants, "").await.unwrap();
    for (table, _, code, message) in REFUSING {
        let refused = service
            .ask("x", &format!("{{ {table} {{ id }} }}"))
            .await
            .error();
        assert_eq!(
            (refused.code.as_str(), refused.message.as_str()),
            (code, message),
            "reading {table}"
        );
        let update = format!(
            "mutation {{ update_{table}(where: {{}}, _set: {{id: 2}}) {{ affected_rows }} }}"
        );
        let refused = service.ask("x", &update).await.error();
        let message = if message.ends_with("does not allow this") {
            format!("{message} change")
        } else {
            message.into()
        };
        assert_eq!(
            (refused.code.as_str(), refused.message),
            (code, message),
            "writing {table}"
        );
    }
    service.end().await;
}

const MESSAGES: &str = r#"
[table.messages.role.user]
insert = { columns = ["body"], check = "true" }

[table.letters_in.role.user]
select = { columns = ["id", "body"], rows = "true" }
insert = { columns = ["id", "body"], check = "true" }

[table.pages.role.user]
select = { columns = ["letter_id", "body"], rows = "true" }
insert = { columns = ["letter_id", "body"], check = "true" }
"#;

const INSERT_ONLY: &str = "
GRANT READER TO LOGIN;
CREATE TABLE messages (id serial PRIMARY KEY, body text);
CREATE TABLE letters_in (id int PRIMARY KEY, body text DEFAULT 'none');
CREATE TABLE pages (letter_id int REFERENCES letters_in, body text);
ALTER TABLE messages ENABLE ROW LEVEL SECURITY; CREATE POLICY w ON messages FOR INSERT WITH CHECK (true);
ALTER TABLE letters_in ENABLE ROW LEVEL SECURITY; CREATE POLICY w ON letters_in FOR INSERT WITH CHECK (true);
ALTER TABLE pages ENABLE ROW LEVEL SECURITY; CREATE POLICY w ON pages FOR INSERT WITH CHECK (true);
GRANT INSERT ON messages TO READER; GRANT USAGE ON SEQUENCE messages_id_seq TO READER;
GRANT SELECT, INSERT ON letters_in, pages TO READER;
";

#[tokio::test(flavor = "multi_thread")]
async fn visitors_may_write_rows_that_they_may_not_read() {
    let service = Service::start(&format!("{PERMISSIONS}{MESSAGES}"), INSERT_ONLY, "")
        .await
        .unwrap();
    for (field, expected) in [
        (
            "insert_messages(objects: [{body: \"a\"}]) { affected_rows }",
            json!({"affected_rows": 1}),
        ),
        (
            "insert_messages(objects: [{body: \"a\"}, {}]) { affected_rows }",
            json!({"affected_rows": 2}),
        ),
        (
            "insert_messages(objects: {}) { __typename }",
            json!({"__typename": "messages_mutation_response"}),
        ),
        (
            "insert_letters_in(objects: [{id: 1}, {id: 2, body: \"b\"}]) { affected_rows }",
            json!({"affected_rows": 2}),
        ),
        (
            "insert_letters_in_one(object: {id: 3, body: \"c\"}) { __typename }",
            json!({"__typename": "letters_in"}),
        ),
        (
            "insert_letters_in(objects: [{id: 4, pages: {data: [{body: \"p\"}]}}]) { \
             affected_rows }",
            json!({"affected_rows": 2}),
        ),
    ] {
        let reply = service
            .ask("x", &format!("mutation {{ field: {field} }}"))
            .await;
        assert_eq!(
            reply.data(),
            json!({"field": expected}),
            "{field}: {}",
            reply.text
        );
    }
    // What reads the new rows is refused, as by Postgres.
    for field in [
        "insert_letters_in(objects: [{id: 9}]) { returning { id } }",
        "insert_letters_in_one(object: {id: 9}) { id }",
    ] {
        let refused = service
            .ask("x", &format!("mutation {{ field: {field} }}"))
            .await
            .error();
        assert_eq!(
            refused,
            ReplyError::new(
                200,
                "permission-error",
                "the database does not allow this change"
            ),
            "{field}"
        );
    }
    let client = service.database.connect().await.unwrap();
    let count = "SELECT (SELECT count(*) FROM messages) + 10 * (SELECT count(*) FROM letters_in) \
                 + 100 * (SELECT count(*) FROM pages)";
    assert_eq!(
        client.query_one(count, &[]).await.unwrap().get::<_, i64>(0),
        4 + 40 + 100
    );
    service.end().await;
}
