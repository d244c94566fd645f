//! Tests the reports about faults of the files that declare actions.

use super::service::{Service, faults};

/// A minimal action with further text in both files.
async fn found(definitions: &str, types: &str) -> String {
    faults(definitions, types).await
}

#[tokio::test]
async fn faults_are_drawn_on_their_files() {
    let definitions = r#"
[action.one]
handler = "ftp://x"
roles = ["nobody", "reader"]
rolez = []

[action.two]
function = "rename_author"

[action.three]
handler = "http://h"
function = "whole"

[action.four]

[action.five]
handler = "${NO_SUCH_VARIABLE}/x"
retries = 3
as = "query"

[action.six]
function = "missing"
timeout = 3

[action.undeclared]
handler = "http://h"

[action.seven]
handler = "http://h"
[action.seven.request_transform]
url = "{{ if $body }}"
body = "{{$response}}"

[type.Out.relation.rows]
table = "nothing"
on = { id = "id" }

[type.Out.relation.wrong]
table = "authors"
on = { id = "name", other = "id", name = "column" }

[type.Missing.relation.rows]
table = "authors"
on = { id = "id" }
"#;
    let types = "type Query {
  one(x: Unknown): Out
  two(a: Int): Out
  authors: Out
  six: Out
  seven(o: Out): [[Out]]
}
type Mutation {
  three: Out
  four: Out
  five(n: Int = 1): In
}
type Out { id: Int, name: String, id: Int }
input In { n: Int }
type authors { id: Int }
type Empty
interface I { id: Int }
enum E { A }
type Subscription { x: Int }
";
    let report = found(definitions, types).await;
    for part in [
        "`rolez` is not a key of an action",
        "`https://`",
        "role `nobody` is not in the permission file",
        "type `Unknown` is neither declared here nor a type of the database",
        "function `rename_author` cannot answer this action",
        "`authors` is already the name of a type of the schema",
        "`authors` is already the name of a root field",
        "action `undeclared` is not in actions.graphql",
        "environment variable `NO_SUCH_VARIABLE` is not set",
        "action `five` is declared as a mutation",
        "a default value cannot be declared here",
        "function `missing` is not in the database",
        "a list of lists cannot be declared here",
        "`Out` cannot be used here: an argument needs an input type",
        "`In` cannot be used here: a field needs an output type",
        "`id` is declared twice",
        "`Empty` has no fields",
        "interface `I` cannot be declared here",
        "a subscription cannot be declared here",
        "table `nothing` is not in the database",
        "field `id` is a Int, and column `name` a String",
        "`Out` has no field `other`",
        "column `column` is not in `authors`",
        "`Missing` is not an object type",
        "action `four` needs one of `handler` and `function`",
    ] {
        assert!(report.contains(part), "{part}\n{report}");
    }
    assert!(
        report.contains("actions.toml:3") && report.contains("actions.graphql:2"),
        "{report}"
    );
}

#[tokio::test]
async fn a_broken_file_has_a_position() {
    let report = found(
        "[action.one]\nhandler = \"http://h\"\n",
        "type Query {\n  one(: Int\n}",
    )
    .await;
    assert!(
        report.contains("the file is not a GraphQL document of types")
            && report.contains("actions.graphql:2:7"),
        "{report}"
    );
    let report = found("[action.one\n", "type Query { one: Int }").await;
    assert!(
        report.contains("the file is not valid TOML") && report.contains("actions.toml:1"),
        "{report}"
    );
}

/// The files that `postern import hasura` writes for the metadata of its tests.
#[tokio::test]
async fn imported_files_are_read_as_written() {
    let definitions =
        include_str!("../../import/out/actions.toml").replace("{{BASE}}", "http://accounts");
    let definitions = definitions.replace("value_from_env = \"KEY\"", "value = \"x\"");
    let definitions = definitions
        .replace("[\"anonymous\"]", "[\"visitor\"]")
        .replace("[\"editor\", \"user\"]", "[\"reader\"]");
    let service = Service::with(
        &definitions,
        include_str!("../../import/out/actions.graphql"),
        "",
    )
    .await;
    let fields = "{ __schema { queryType { fields { name } } } __type(name: \"Token\") { fields \
                  { name } } }";
    let data = service.ask("admin", fields).await.data();
    assert!(
        data["__schema"]["queryType"]["fields"]
            .to_string()
            .contains("report"),
        "{data}"
    );
    assert!(
        data["__type"]["fields"].to_string().contains("author"),
        "{data}"
    );
}

#[tokio::test]
async fn url_in_which_a_value_could_change_the_host_is_a_fault() {
    let types = "type Query { report(host: String!): String }";
    let with = |url: &str| {
        format!(
            "[action.report]\nhandler = \"http://h\"\nroles = \
                                    [\"reader\"]\n[action.report.request_transform]\nurl = \
                                    \"{url}\"\n"
        )
    };
    for url in [
        "{{$body.input.host}}",
        "https://{{$body.input.host}}/x",
        "https://h.example:{{$body.input.host}}/x",
        "https://{{$session_variables['x-gateway-team']}}.example/x",
        "{{$base_url}}{{$body.input.host}}",
    ] {
        let report = found(&with(url), types).await;
        assert!(
            report.contains("no value may change where a request goes"),
            "{url}: {report}"
        );
        assert!(report.contains("actions.toml:5"), "{report}");
    }
    Service::with(&with("{{$base_url}}?host={{$body.input.host}}"), types, "").await;
}
