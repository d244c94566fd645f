//! Every key that a user's file may have stands in the page about the file. The schemas have the
//! keys of the readers: [`super::schemas`] compares them.

use std::collections::BTreeSet;

use gateway::config::SECTIONS;
use serde_json::Value;

use crate::docs::{PERMISSION_PAGES, read, read_all};

/// The names of all properties of a schema and its parts, and the words that its values may be.
fn names(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            found.extend(
                members
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flat_map(|all| all.keys().cloned()),
            );
            let words = members
                .get("enum")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            found.extend(words.filter_map(Value::as_str).map(str::to_owned));
            members.values().for_each(|part| names(part, found));
        }
        Value::Array(parts) => parts.iter().for_each(|part| names(part, found)),
        _ => {}
    }
}

fn missing(pages: &[&str], names: impl IntoIterator<Item = String>) -> Vec<String> {
    let text = read_all(pages);
    let words: BTreeSet<&str> = text
        .split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-'))
        .collect();
    names
        .into_iter()
        .filter(|name| !words.contains(name.as_str()))
        .collect()
}

#[test]
fn keys_of_the_schemas_stand_in_the_pages() {
    let pages: [(&str, &[&str], usize); 3] = [
        ("permissions", &PERMISSION_PAGES, 50),
        ("rest-map", &["docs/rest.md"], 20),
        ("settings", &["docs/settings.md"], 90),
    ];
    for (schema, pages, least) in pages {
        let schema: Value =
            serde_json::from_str(&read(&format!("docs/schemas/{schema}.json"))).expect("JSON");
        let mut found = BTreeSet::new();
        names(&schema, &mut found);
        assert!(found.len() > least, "{schema}: {found:?}");
        assert_eq!(missing(pages, found), Vec::<String>::new(), "{schema}");
    }
}

#[test]
fn tables_of_the_settings_file_stand_in_the_page() {
    let page = read("docs/settings.md");
    let table: String = page
        .lines()
        .filter(|line| line.starts_with("| [`"))
        .collect();
    let plugins = tests::all_plugins();
    for section in SECTIONS
        .iter()
        .chain(plugins.iter().flat_map(|plugin| plugin.sections()))
    {
        let written = [
            format!("[{section}]"),
            format!("[[{section}]]"),
            format!("[{section}."),
            format!("`{section}`"),
        ];
        assert!(written.iter().any(|form| table.contains(form)), "{section}");
    }
}

#[test]
fn keys_that_the_faults_of_event_files_list_stand_in_the_page() {
    let faults = read("tests/tests/events/faults.txt");
    let lists = faults
        .lines()
        .filter_map(|line| line.split_once("the keys are ").map(|(_, keys)| keys));
    let keys: BTreeSet<String> = lists
        .flat_map(|keys| keys.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    assert!(keys.len() > 6, "{keys:?}");
    assert_eq!(missing(&["docs/events.md"], keys), Vec::<String>::new());
}

/// The readers of these files name each key in a call: `fields.text("key")`.
#[test]
fn keys_that_the_reader_of_action_files_knows_stand_in_the_page() {
    let reader = [
        "gateway/src/actions/definition.rs",
        "gateway/src/transform/definition.rs",
    ]
    .map(read)
    .concat();
    let named = reader
        .split("(\"")
        .skip(1)
        .filter_map(|call| call.split_once('"'));
    let keys: BTreeSet<String> = named
        .map(|(key, _)| key.to_owned())
        .filter(|key| {
            key.chars()
                .all(|letter| letter.is_ascii_lowercase() || letter == '_')
        })
        .collect();
    assert!(
        keys.len() > 35 && keys.contains("forward_client_headers"),
        "{keys:?}"
    );
    assert_eq!(
        missing(&["docs/actions.md", "docs/events.md"], keys),
        Vec::<String>::new()
    );
}
