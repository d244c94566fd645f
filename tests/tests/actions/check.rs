//! Tests `postern check` and `postern schema` with files that declare actions.

use std::path::Path;

use serde_json::{Value, json};
use tests::binary;

use super::service::{PERMISSIONS, SCHEMA};

async fn run(folder: &Path, arguments: &[&str], url: &str) -> (Option<i32>, String, String) {
    let config = folder.join("gateway.toml").to_string_lossy().into_owned();
    let mut command =
        binary::command(&[arguments, &["--config", &config, "--database-url", url]].concat());
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
async fn check_judges_the_files_that_the_settings_name() {
    let database = tests::create("actions", &[SCHEMA]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("permissions.toml", PERMISSIONS);
    let permissions = folder.path().join("permissions.toml");
    let files =
        "[actions]\ndefinitions = \"some/actions.toml\"\ntypes = \"some/actions.graphql\"\n";
    write(
        "gateway.toml",
        &format!("permissions = {permissions:?}\n{files}"),
    );
    let (code, _, stderr) = run(folder.path(), &["check"], database.url()).await;
    assert!(
        code == Some(1) && stderr.contains("some/actions.toml"),
        "{stderr}"
    );
    std::fs::create_dir(folder.path().join("some")).unwrap();
    write(
        "some/actions.toml",
        "[action.people]\nfunction = \"whole\"\nroles = [\"reader\", \"raeder\"]\n",
    );
    write(
        "some/actions.graphql",
        "type Query { people(names: [String!]): [Person!] }\ntype Person { id: Int! }\n",
    );
    let (code, stdout, _) = run(folder.path(), &["check", "--json"], database.url()).await;
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &found["problems"][0]["code"]),
        (Some(1), &json!("unknown-role")),
        "{stdout}"
    );
    assert_eq!(
        (
            &found["problems"][0]["line"],
            found["problems"].as_array().unwrap().len()
        ),
        (&json!(3), 1)
    );
    let (code, _, stderr) = run(folder.path(), &["check"], database.url()).await;
    assert!(
        code == Some(1) && stderr.contains("help: did you mean `reader`?"),
        "{stderr}"
    );
    write(
        "some/actions.toml",
        "[action.people]\nfunction = \"whole\"\nroles = [\"reader\"]\n",
    );
    let (code, _, stderr) = run(folder.path(), &["check"], database.url()).await;
    assert!(code == Some(0) && stderr.contains("1 actions"), "{stderr}");
    let (_, reader, _) = run(
        folder.path(),
        &["schema", "--role", "reader"],
        database.url(),
    )
    .await;
    assert!(
        reader.contains("people(names: [String!]): [Person!]") && reader.contains("type Person {"),
        "{reader}"
    );
    let (_, author, _) = run(
        folder.path(),
        &["schema", "--role", "author"],
        database.url(),
    )
    .await;
    assert!(
        author.contains("type authors") && !author.contains("Person") && !author.contains("people"),
        "{author}"
    );
    write(
        "gateway.toml",
        &format!("permissions = {permissions:?}\n[actions]\ndefinition = \"x\"\n"),
    );
    let (code, _, stderr) = run(folder.path(), &["check"], database.url()).await;
    assert!(
        code == Some(1) && stderr.contains("line 3: unknown field `definition`"),
        "{stderr}"
    );
}
