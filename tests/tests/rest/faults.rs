//! Tests maps with errors: all of them are reported at once, each shown on its line of the file.

use gateway::rest::{Documents, Source};
use serde_json::Value;
use tests::binary;

use super::service::{MAP, faults, source};

/// Fails unless each of these texts is in the report, and each error of the report has one of them
/// of its own.
#[track_caller]
fn assert_report(drawn: &str, expected: &[&str]) {
    for text in expected {
        assert!(drawn.contains(text), "no {text:?} in\n{drawn}");
    }
    let mut left = expected.to_vec();
    for error in drawn.lines().filter(|line| line.starts_with("error")) {
        match left.iter().position(|text| error.contains(text)) {
            Some(index) => drop(left.remove(index)),
            None => panic!("{error:?} is not expected in\n{drawn}"),
        }
    }
}

#[test]
#[should_panic(expected = "`b` is not a key")]
fn report_of_another_error_fails() {
    assert_report(
        "error[unknown-key]: `a` is not a key\n  |\nerror[unknown-key]: `b` is not a key\n",
        &["`a` is not a key"],
    );
}

#[test]
#[should_panic(expected = "is not expected")]
fn second_report_of_an_error_fails() {
    assert_report(
        "error[unknown-key]: `a` is not a key\nerror[unknown-key]: `a` is not a key\n",
        &["`a` is not a key"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_keys_and_wrong_types_are_reported() {
    let map = r#"title = "x"

[[endpoint]]
path = "a"
method = ["GET"]
query = "{ things { id } }"

[[endpoint]]
path = 7
methods = "GET"
tool = "no"
parameters = ["id"]
document = "a.graphql"
require = { table = "owners", parametre = "id" }

[[endpoint]]
path = "b"
methods = ["GET", "GET", "FETCH", "get"]
roles = ["reader", "owner", "reader"]

[[endpoint]]
methods = ["GET"]
query = "{ things { id } }"

[[endpoint]]
path = "c"
methods = ["GET"]
query = "{ things { id } }"
document = "c.graphql"
"#;
    let drawn = faults(source(map)).await;
    assert_report(
        &drawn,
        &[
            "error[unknown-key]: `title` is not a key of the map",
            "map.toml:1:1",
            "error[unknown-key]: `method` is not a key of an endpoint",
            "did you mean `methods`?",
            "error[wrong-type]: `path` must be a string",
            "error[wrong-type]: `methods` must be a list of strings",
            "error[wrong-type]: `tool` must be true or false",
            "error[wrong-type]: `parameters` must be a table: `{ name = \"…\" }`",
            "error[wrong-type]: `require` must be a table: `{ table = \"…\", parameter = \"…\" }`",
            "error[unknown-key]: `parametre` is not a key of `require`",
            "error[duplicate]: `GET` is named twice",
            "error[duplicate]: `reader` is named twice",
            "error[unknown-word]: `FETCH` is not a method that an endpoint can have",
            "error[unknown-word]: `get` is not a method",
            "they are `GET`, `POST`, `PUT`, `PATCH`, `DELETE`",
            "error[missing-key]: the endpoint has no `path`",
            "error[missing-key]: an endpoint has one of `document`, `query` and `sql`",
        ],
    );
    assert_eq!(drawn.matches("`methods` must be").count(), 1, "{drawn}");
    let drawn = faults(source(
        "[[endpoint]]\npath = \"a\"\nmethods = []\nquery = \"{ things { id } }\"\n",
    ))
    .await;
    assert_report(
        &drawn,
        &["error[wrong-type]: `methods` must be a list of methods"],
    );
    let drawn = faults(source("[[endpoint]]\npath = \n")).await;
    assert_report(
        &drawn,
        &["error[syntax]: the file is not valid TOML", "map.toml:2:"],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicting_endpoints_are_reported() {
    let endpoint = |path: &str, more: &str, query: &str| {
        format!(
            "[[endpoint]]\npath = \"{path}\"\nmethods = [\"GET\"]\n{more}\nquery = '''{query}'''\n"
        )
    };
    let good = "query A($id: Int!) { things_by_pk(id: $id) { id } }";
    let map = [
        endpoint("/a", "", good),
        endpoint("a b/../c", "", good),
        endpoint("openapi.json", "", good),
        endpoint("same/:id", "", good),
        endpoint(
            "same/:thing",
            "",
            "query A($thing: Int!) { things_by_pk(id: $thing) { id } }",
        ),
        endpoint("b/:other", "", good),
        endpoint("c", "operation = \"B\"", good),
        endpoint(
            "d",
            "",
            "query A { things { id } } query B { things { id } }",
        ),
        endpoint("e", "", "subscription { things { id } }"),
        endpoint("f", "", "{\n  things {\n    nme\n  }\n}"),
        endpoint("g", "", "{ things { id }"),
        endpoint(
            "h",
            "roles = [\"reader\", \"visitor\", \"redaer\"]",
            "{ things { whole } }",
        ),
        endpoint("i", "single = \"thing\"", "{ things { id } }"),
        endpoint(
            "j",
            "single = \"things\"",
            "{ things { id } owners { id } }",
        ),
        endpoint(
            "k",
            "require = { table = \"owner\", parameter = \"id\" }",
            "{ things { id } }",
        ),
        endpoint(
            "l",
            "require = { table = \"long\", parameter = \"id\" }",
            "{ things { id } }",
        ),
        endpoint("n", "parameters = { id = \"\", ix = \"\" }", good),
        endpoint(
            "m",
            "require = { table = \"owners\", parameter = \"id\" }",
            good,
        ),
    ];
    let drawn = faults(source(&map.concat())).await;
    // Endpoints of one path need identical names for its parameters, whatever their methods are.
    let line = map
        .concat()
        .lines()
        .position(|line| line.contains("same/:thing"))
        .unwrap()
        + 1;
    let renamed = "error[path]: `same/:thing` matches the same requests as `same/:id`, so its \
                   parameters must have the same names";
    // An error in an inline document is shown on its own line and word.
    let line_of_word = map
        .concat()
        .lines()
        .position(|line| line == "    nme")
        .unwrap()
        + 1;
    assert_report(
        &drawn,
        &[
            renamed,
            &format!("--> map.toml:{line}:8\n"),
            "path = \"same/:thing\"\n",
            "^^^^^^^^^^^^^",
            &format!("map.toml:{line_of_word}:5"),
            "    nme\n",
            "error[path]: `/a` is not a path: it begins below `/api/rest/`, so without a slash",
            "error[path]: `a b/../c` is not a path",
            "error[path]: `openapi.json` is reserved for the gateway",
            "error[duplicate]: another endpoint serves GET at `same/:thing`",
            "error[unknown-variable]: the operation declares no variable `other`",
            "error[unknown-variable]: the operation declares no variable `ix`",
            "did you mean `id`?",
            "error[unknown-operation]: the document has no operation `B`",
            "error[missing-key]: the document has several operations, and `operation` selects none",
            "error[subscription]: a subscription cannot be an endpoint",
            "error[no-role]: the document is valid for no role: field 'nme' not found in type: \
             'things'",
            "error[document]: ",
            "error[not-for-role]: the document is not valid for role `visitor`: field 'whole' \
             not found in type: 'things'",
            "error[unknown-role]: there is no role `redaer`",
            "did you mean `reader`?",
            "error[single]: `thing` is not the only root field of the operation",
            "error[single]: `things` is not the only root field of the operation",
            "error[unknown-table]: table `owner` is not in the database",
            "did you mean `owners`?",
            "error[no-key]: table `long` has no primary key of one column",
            "error[wrong-type]: `id` is a `Int!`, and the key of `owners` a `uuid`",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn document_errors_are_shown_in_the_document() {
    const DOCUMENTS: &[(&str, &str)] = &[(
        "q/a.graphql",
        "# for nobody\nquery A {\n  things { nothing }\n}\n",
    )];
    let map = "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\ndocument = \"q/a.graphql\"\n\n\
               [[endpoint]]\npath = \"b\"\nmethods = [\"GET\"]\ndocument = \"q/b.graphql\"\n";
    let drawn = faults(Source::new("map.toml", map, Documents::Given(DOCUMENTS))).await;
    let expected = [
        "q/a.graphql:3:12",
        "field 'nothing' not found in type: 'things'",
        "error[unreadable]: cannot read `q/b.graphql`",
        "map.toml:9:12",
    ];
    assert_report(&drawn, &expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_validates_the_map_with_the_permissions() {
    let database = tests::create("rest", &[include_str!("service.sql")])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    write("permissions.toml", include_str!("service.toml"));
    write("map.toml", MAP);
    let check = |arguments: &[&str]| {
        let permissions = path("permissions.toml");
        let map = path("map.toml");
        let usual = [
            "check",
            "--database-url",
            database.url(),
            "--permissions",
            &permissions,
            "--rest-map",
            &map,
        ];
        binary::run(&[&usual, arguments].concat()).unwrap()
    };
    let checked = check(&[]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let endpoints = MAP.matches("[[endpoint]]").count();
    assert!(
        checked
            .err
            .trim_end()
            .ends_with(&format!(", {endpoints} endpoints")),
        "{}",
        checked.err
    );
    let json: Value = serde_json::from_str(&check(&["--json"]).out).unwrap();
    assert_eq!(json["endpoints"], endpoints);

    // An endpoint that a role reaches but whose document exceeds the role's limits is not an error.
    write(
        "gateway.toml",
        "[bounds.role.reader]\nroots = 1\nnodes = 1\n[bounds.role.owner]\naliases = 0\nmode = \
         \"measure\"\n",
    );
    let checked = check(&["--config", &path("gateway.toml")]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let over = "note: endpoint `long/two` exceeds the bounds `nodes` and `roots` of role \
                `reader`, which gets an error from it";
    // A parameter of the path is always given, so only that of the query is noted.
    let operand = "note: endpoint `search` requires `ids`: its document compares with it";
    assert_report(&checked.err, &[over, operand]);
    assert_eq!(checked.err.matches("note: ").count(), 3, "{}", checked.err);
    let json: Value =
        serde_json::from_str(&check(&["--json", "--config", &path("gateway.toml")]).out).unwrap();
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(3), "{json}");

    write(
        "map.toml",
        "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\ndocument = \"a.graphql\"\nfoo = 1\n",
    );
    write("a.graphql", "{ things { nothing } }\n");
    let checked = check(&[]);
    assert_eq!((checked.code, checked.out.as_str()), (Some(1), ""));
    let nothing = "field 'nothing' not found in type: 'things'";
    assert_report(
        &checked.err,
        &[
            "`foo` is not a key of an endpoint",
            "map.toml:5:1",
            nothing,
            "a.graphql:1:12",
        ],
    );
    let json: Value = serde_json::from_str(&check(&["--json"]).out).unwrap();
    let lines: Vec<_> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["line"].as_u64().unwrap())
        .collect();
    assert_eq!(
        (lines, json["ok"].as_bool()),
        (vec![5, 1], Some(false)),
        "{json}"
    );

    // Errors of both files are reported together, as far as the map can be checked without roles.
    write("permissions.toml", "[table.thongs]\n");
    assert_report(
        &check(&[]).err,
        &[
            "table `thongs` is not in the database",
            "`foo` is not a key of an endpoint",
        ],
    );
    let folder_of_nothing = binary::run(&[
        "check",
        "--database-url",
        database.url(),
        "--rest-map",
        &path("no.toml"),
    ]);
    let missing = folder_of_nothing.unwrap();
    assert!(
        missing.code == Some(1) && missing.err.contains("cannot read"),
        "{}",
        missing.err
    );
}
