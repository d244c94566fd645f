//! Tests `postern check` of documents and lists: problems and warnings.

use serde_json::{Value, json};
use tests::binary;

use super::place::Place;

async fn checked(location: &Place, arguments: &[&str]) -> (Option<i32>, String, String) {
    let config = location.path("gateway.toml").to_string_lossy().into_owned();
    let usual = [
        "check",
        "--config",
        &config,
        "--database-url",
        location.database.url(),
    ];
    let mut command = binary::command(&[&usual[..], arguments].concat());
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .unwrap()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_validated_for_their_roles() {
    let settings = "[operations]\nallow_list = \"list.toml\"\npersisted = \
                    \"documents\"\n[operations.role.redear]\nmode = \"log\"\n";
    let location = Place::with(settings).await;
    location.write("documents/fine.graphql", "query Fine { authors { name } }");
    location.write("documents/admins.graphql", "query Admins { __typename }");
    location.write(
        "documents/stale.graphql",
        "query Stale { authors { salary } }",
    );
    let list = r#"
[[collection]]
name = "all"
queries = ["{ authors { name } }", "{ writers { name } }"]
[[collection]]
name = "some"
roles = ["reader", "visitor", "ghost"]
queries = ["{ articles { id } }"]
"#;
    location.write("list.toml", list);
    let (code, stdout, _) = checked(&location, &["--json"]).await;
    assert_eq!(code, Some(0), "{stdout}");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(found["ok"], json!(true));
    let notes: Vec<&str> = found["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|note| note["message"].as_str())
        .collect();
    let expected = [
        "`[operations.role.redear]`: the permission file has no role `redear`",
        "stale.graphql: not valid for any role; for `admin`: field 'salary' not found in type: \
         'authors'",
        "all, query 2: not valid for any role; for `reader`: field 'writers' not found in type: \
         'query_root'",
        "some, query 1: not valid for role `visitor`: field 'articles' not found in type: \
         'query_root'",
        "some, query 1: the permission file has no role `ghost`",
    ];
    assert_eq!(notes.len(), expected.len(), "{notes:#?}");
    for part in expected {
        assert!(
            notes.iter().any(|note| note.contains(part)),
            "{part}: {notes:#?}"
        );
    }
    let (code, _, stderr) = checked(&location, &[]).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("note: ") && stderr.contains("no role `ghost`"),
        "{stderr}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_that_prevent_the_start_are_problems() {
    let location = Place::with("[operations]\nallow_list = \"list.toml\"\n").await;
    location.write("list.toml", "[[collection]]\nqueries = [\"{ authors {\"]\n");
    let (code, _, stderr) = checked(&location, &[]).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stderr.contains("list.toml: collection 1, query 1: "),
        "{stderr}"
    );
}
