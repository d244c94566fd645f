//! Tests `set_role`: the statements of a role run with the privileges of a role of the database.

use serde_json::json;
use tests::reply::Reply;

use super::service::{NOTES, Service};

const OF_ROLE: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[settings]
app.user_id = "session.user_id"

[role.user]
set_role = "READER"

[table.notes.role.user]
select = { columns = "*", rows = "true" }
insert = { columns = ["body"], check = "true", preset = { user_id = "session.user_id" } }

[table.secrets.role.user]
select = { columns = "*", rows = "true" }

[function.whoami]
roles = ["user"]
"#;

const OF_READER: &str = "GRANT READER TO LOGIN; GRANT SELECT, INSERT ON notes TO READER; \
     GRANT USAGE ON SEQUENCE notes_id_seq TO READER";

#[tokio::test(flavor = "multi_thread")]
async fn set_role_gives_the_privileges_of_that_role() {
    let service = Service::start(OF_ROLE, OF_READER, "").await.unwrap();
    let reader = service.users[1].clone();
    for _ in 0..2 {
        assert_eq!(service.ask("7", "{ whoami }").await.data()["whoami"], json!(format!("{reader} 7")));
        assert_eq!(service.ask("8", NOTES).await.data(), json!({"notes": [{"body": "of eight"}]}));
        let refused = service.ask("7", "{ secrets { body } }").await.error();
        assert_eq!(refused, (200, "permission-error".into(), "the database does not allow this".into()));
    }
    let insert = r#"mutation { insert_notes_one(object: {body: "new"}) { body } }"#;
    assert_eq!(service.ask("8", insert).await.data(), json!({"insert_notes_one": {"body": "new"}}));
    // The database user itself has no privilege, and the role ends with the transaction.
    let login = service.users[0].clone();
    let query = json!({"query": "{ whoami }"});
    let admin = service.client.post(format!("{}/v1/graphql", service.running.url()));
    let admin = Reply::of(admin.header("X-Gateway-Admin-Secret", "secret").json(&query)).await.unwrap();
    assert_eq!(admin.data()["whoami"], json!(format!("{login} ")));
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn set_role_needs_a_role_that_can_be_set() {
    let grants = OF_READER.replace("GRANT READER TO LOGIN; ", "");
    let error = Service::start(OF_ROLE, &grants, "").await.err().unwrap().to_string();
    assert!(error.contains("error[database-role]") && error.contains("GRANT reader_of_"), "{error}");
    for name in ["none", ""] {
        let error = Service::start(&OF_ROLE.replace("READER", name), OF_READER, "").await.err().unwrap().to_string();
        assert!(error.contains("cannot be a role of the database"), "{error}");
    }
}
