//! The JSON Schemas of the files that users write, for editors. That of the settings file is made
//! from the table of settings; those of the permission file and the REST map are compared with the
//! keys that their readers know.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gateway::config::{Kind, SECTIONS, SETTINGS, Setting};
use gateway::rest::{Documents, Source, check_form};
use permissions::{Diagnostic, DiagnosticKind, SourceFile};
use serde_json::{Map, Value, json};
use tests::golden::is_blessed;

use crate::docs::{path, read};

/// A key that is similar to no other, so that the fault about it lists all keys of its table.
const UNKNOWN: &str = "zzzzzzzzzzzz";

fn schema(name: &str) -> Value {
    serde_json::from_str(&read(&format!("docs/schemas/{name}.json"))).expect("JSON")
}

#[test]
fn schema_of_the_settings_file_matches_the_table() {
    let mut properties: Map<String, Value> = SETTINGS
        .iter()
        .filter(|setting| setting.name != SETTINGS.config.name)
        .map(|setting| (setting.key.to_owned(), property(setting)))
        .collect();
    let plugins = tests::all_plugins();
    let of_plugins = plugins.iter().flat_map(|plugin| plugin.sections());
    for section in SECTIONS.iter().chain(of_plugins) {
        let form = match *section {
            "rates" => json!({"type": "array", "items": {"type": "object"}}),
            "webhooks" => json!({"type": "array", "items": {"type": "string"}}),
            _ => json!({"type": "object"}),
        };
        properties.insert((*section).to_owned(), form);
    }
    let expected = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings file of Postern",
        "description": "docs/configuration.md describes it.",
        "type": "object",
        // Plugins of users read tables of their own.
        "additionalProperties": {"type": "object"},
        "properties": properties,
    });
    if schema("settings") != expected && is_blessed("docs") {
        let text = format!(
            "{}\n",
            serde_json::to_string_pretty(&expected).expect("JSON")
        );
        std::fs::write(path("docs/schemas/settings.json"), text)
            .expect("the schema can be written");
    } else {
        assert!(
            schema("settings") == expected,
            "docs/schemas/settings.json is not up to date: make bless CASE=docs"
        );
    }
}

/// Helm refuses values that do not fit: a mistake in a setting does not wait for the pod's start.
#[test]
fn schema_of_the_chart_has_the_settings() {
    const FILE: &str = "deploy/chart/postern/values.schema.json";
    let found: Value = serde_json::from_str(&read(FILE)).expect("JSON");
    let mut expected = found.clone();
    expected["properties"]["settings"]["properties"] = schema("settings")["properties"].clone();
    if found != expected && is_blessed("docs") {
        let text = serde_json::to_string_pretty(&expected).expect("JSON");
        std::fs::write(path(FILE), format!("{text}\n")).expect("the schema can be written");
    } else {
        assert!(
            found == expected,
            "{FILE} is not up to date: make bless CASE=docs"
        );
    }
}

fn property(setting: &Setting) -> Value {
    let mut property = match setting.kind {
        Kind::Text | Kind::Path => json!({"type": "string"}),
        Kind::Secret => json!({"type": ["string", "object", "array"]}),
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Number { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Kind::Seconds => json!({"type": "number", "exclusiveMinimum": 0}),
        Kind::Delay => json!({"type": "number", "minimum": 0}),
        Kind::Ratio => json!({"type": "number", "minimum": 0, "maximum": 1}),
        Kind::Urls => json!({"type": ["string", "array"], "items": {"type": "string"}}),
        Kind::List => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Word(words) => json!({"enum": words}),
    };
    property["description"] = json!(format!("{}.", setting.help));
    if let Some(default) = setting.default() {
        property["default"] = match setting.kind {
            Kind::Switch | Kind::Number { .. } | Kind::Seconds | Kind::Delay | Kind::Ratio => {
                serde_json::from_str(&default).expect("a number")
            }
            _ => json!(default),
        };
    }
    property
}

/// `$defs` has an entry for each table, named by the words that faults have for it.
fn name_of(table: &str) -> String {
    let words = table
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Compares the keys that faults list with the properties of the schema; every table of the schema
/// has to occur.
fn compare<F: DiagnosticKind>(schema: &Value, faults: &[Diagnostic<F>]) {
    let mut compared = BTreeSet::new();
    for fault in faults.iter().filter(|fault| fault.code() == "unknown-key") {
        let table = name_of(
            fault
                .message()
                .rsplit(" is not a key of ")
                .next()
                .unwrap_or_default(),
        );
        let help = fault.suggestion().expect("the fault lists the keys");
        let known: BTreeSet<&str> = help.split('`').skip(1).step_by(2).collect();
        let definition = &schema["$defs"][&table]["properties"];
        let found = definition
            .as_object()
            .unwrap_or_else(|| panic!("the schema has no table {table}"));
        assert_eq!(
            found.keys().map(String::as_str).collect::<BTreeSet<_>>(),
            known,
            "{table}"
        );
        compared.insert(table);
    }
    let all: BTreeSet<String> = schema["$defs"]
        .as_object()
        .expect("tables")
        .keys()
        .cloned()
        .collect();
    assert_eq!(compared, all);
}

#[test]
fn schema_of_the_permission_file_has_the_keys_that_its_reader_knows() {
    let tables = [
        "",
        "[naming]",
        "[rules.a]",
        "[role.a]",
        "[function.a]",
        "[table.a]",
        "[table.a.root]",
        "[[table.a.aliases.list]]",
        "[table.a.relation.a]",
        "[table.a.computed.a]",
        "[table.a.role.a]",
        "[table.a.role.a.select]",
        "[table.a.role.a.select.aggregates]",
        "[table.a.role.a.insert]",
        "[table.a.role.a.update]",
        "[table.a.role.a.delete]",
    ];
    let text: String = tables
        .iter()
        .map(|table| format!("{table}\n{UNKNOWN} = \"\"\n"))
        .collect();
    let faults = permissions::compile(
        &SourceFile::new("permissions.toml", text),
        crate::docs::demo_catalog(),
    );
    compare(&schema("permissions"), &faults.expect_err("faults"));
}

#[test]
fn schema_of_the_rest_map_has_the_keys_that_its_reader_knows() {
    let text =
        format!("{UNKNOWN} = 1\n[[endpoint]]\n{UNKNOWN} = 1\n[endpoint.require]\n{UNKNOWN} = 1\n");
    let source = Source::new("rest-map.toml", &text, Documents::Folder(PathBuf::new()));
    compare(
        &schema("rest-map"),
        &check_form(&source).expect_err("faults"),
    );
}

/// Every file of the repository that is valid for the program is valid for its schema.
#[test]
fn files_of_the_repository_are_valid() {
    let permissions = [
        "demo",
        "bench/work",
        "tests/fixture",
        "tests/import/out",
        "tests/tests/bank",
        "tests/tests/profile",
    ]
    .map(|folder| format!("{folder}/permissions.toml"));
    let good = std::fs::read_dir(path("permissions/tests/good"))
        .expect("the folder")
        .flatten();
    let good = good
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|end| end == "toml"));
    let files = permissions
        .iter()
        .map(|file| path(file))
        .chain(good)
        .map(|file| ("permissions", file));
    let maps =
        ["rest-map.toml", "tests/import/out/rest-map.toml"].map(|file| ("rest-map", path(file)));
    let settings = [
        "demo/gateway.toml",
        "tests/import/out/gateway.toml",
        "deploy/compose/config/gateway.toml",
    ];
    let settings = settings.map(|file| ("settings", path(file)));
    for (name, file) in files.chain(maps).chain(settings) {
        let schema = schema(name);
        jsonschema::draft202012::meta::validate(&schema).expect("a JSON Schema");
        let validator = jsonschema::draft202012::new(&schema).expect("a JSON Schema");
        let document = document(&file);
        let faults: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{}: {faults:#?}", file.display());
    }
}

fn document(file: &Path) -> Value {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let table: toml::Table = text
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::to_value(table).expect("JSON")
}
