//! Tests the commands of the binary: their standard output and error, and their exit codes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::TestDatabase;
use tests::binary::{self, Finished, Running, run};
use tests::reply::Reply;

const SCHEMA: &str = include_str!("http/service.sql");
const PERMISSIONS: &str = include_str!("http/service.toml");
const KEY: &str = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#;

/// Arguments with which `serve` starts, unless something is wrong.
const SERVE: [&str; 6] = [
    "--listen",
    "127.0.0.1:0",
    "--admin-secret",
    "s",
    "--jwt-secret",
    KEY,
];

/// A database and a folder of files.
struct Place {
    database: TestDatabase,
    folder: TempDir,
}

impl Place {
    async fn new() -> Place {
        let database = tests::create("commands", &[SCHEMA]).await.unwrap();
        let location = Place {
            database,
            folder: tempfile::tempdir().unwrap(),
        };
        location.file("permissions.toml", PERMISSIONS);
        location
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_string_lossy().into_owned()
    }

    /// Runs a command over the database with the permission file of that name.
    fn run(&self, command: &str, permissions: &str, arguments: &[&str]) -> Finished {
        let permissions = self.path(permissions);
        let usual = [
            command,
            "--database-url",
            self.database.url(),
            "--permissions",
            &permissions,
        ];
        run(&usual.iter().chain(arguments).copied().collect::<Vec<_>>()).unwrap()
    }

    #[track_caller]
    fn expect_refused_by_serve(&self, config: &str, message: &str) {
        let finished = self.run(
            "serve",
            "permissions.toml",
            &[&SERVE[..], &["--config", config]].concat(),
        );
        assert!(
            finished.code == Some(1) && finished.err.contains(message),
            "{message}: {}",
            finished.err
        );
    }
}

#[track_caller]
fn is_fine(finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{}", finished.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_reports_no_problems_in_a_valid_file() {
    let location = Place::new().await;
    let checked = location.run("check", "permissions.toml", &[]);
    is_fine(&checked);
    assert_eq!(checked.out, "");
    assert!(checked.err.starts_with("no problems: "), "{}", checked.err);
    let checked = location.run("check", "permissions.toml", &["--json"]);
    is_fine(&checked);
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!((&json["ok"], &json["problems"]), (&json!(true), &json!([])));
}

/// Every table of the settings file, with a key that it does not have, with and without the key
/// that signs tokens.
#[tokio::test(flavor = "multi_thread")]
async fn check_and_serve_refuse_the_same_tables_of_the_settings_file() {
    let location = Place::new().await;
    let schema: Value =
        serde_json::from_str(include_str!("../../docs/schemas/settings.json")).unwrap();
    let settings: Vec<&str> = gateway::config::SETTINGS
        .iter()
        .map(|setting| setting.key)
        .collect();
    let known = schema["properties"].as_object().unwrap().iter();
    let tables = known.filter(|(key, value)| {
        let is_list_of_names = value["items"]["type"] == "string";
        !settings.contains(&key.as_str()) && !is_list_of_names
    });
    let mut count = 0;
    for (table, _) in tables {
        let header = match table.as_str() {
            "rates" => format!("[[{table}]]"),
            "event" | "cron" | "webhook" => format!("[{table}.some]"),
            _ => format!("[{table}]"),
        };
        let config = location.file("gateway.toml", &format!("{header}\nno_such_key = 1\n"));
        let key = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more"}"#;
        for secret in [&[][..], &["--jwt-secret", key]] {
            let checked = location.run(
                "check",
                "permissions.toml",
                &[&["--config", &config], secret].concat(),
            );
            assert_eq!(checked.code, Some(1), "{table} {secret:?}: {}", checked.err);
            assert!(
                checked.err.contains("no_such_key"),
                "{table} {secret:?}: {}",
                checked.err
            );
        }
        location.expect_refused_by_serve(&config, "no_such_key");
        count += 1;
    }
    assert!(count > 10, "{count}");
    for (text, message) in [
        ("[replicas]\nmax_lag = 0\n", "`max_lag` has to be"),
        (
            "[replicas]\nroles = [\"nobody_such\"]\n",
            "no role `nobody_such`",
        ),
        (
            "[widgets]\nsession_seconds = 1\norigins = []\n",
            "session_seconds",
        ),
        (
            "[token_exchange]\nusers = \"SELECT 1\"\ngrace_seconds = 99999999999\n",
            "grace_seconds",
        ),
    ] {
        let config = location.file("gateway.toml", text);
        let checked = location.run("check", "permissions.toml", &["--config", &config]);
        assert!(
            checked.code == Some(1) && checked.err.contains(message),
            "{text}: {}",
            checked.err
        );
        location.expect_refused_by_serve(&config, message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_and_serve_report_all_faults_at_once() {
    let location = Place::new().await;
    let text = "otlp_endpoint = \"nowhere\"\n[bounds]\nno_such_key = 1\n[replicas]\nmax_lag = 0\n";
    let config = location.file("gateway.toml", text);
    let missing = location.path("missing.toml");
    let faults = [
        "no_such_key",
        "`max_lag` has to be",
        "`otlp_endpoint` has to be",
        "missing.toml",
    ];
    let arguments = ["--config", config.as_str(), "--rest-map", &missing];
    let checked = location.run("check", "permissions.toml", &arguments);
    let served = location.run(
        "serve",
        "permissions.toml",
        &[&SERVE[..], &arguments[..]].concat(),
    );
    for finished in [checked, served] {
        assert_eq!(finished.code, Some(1), "{}", finished.err);
        for fault in faults {
            assert!(
                finished.err.contains(fault),
                "no {fault:?} in\n{}",
                finished.err
            );
        }
    }
    let checked = location.run(
        "check",
        "permissions.toml",
        &[&arguments[..], &["--json"]].concat(),
    );
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(
        (&json["ok"], json["problems"].as_array().unwrap().len()),
        (&json!(false), 4),
        "{json}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn admin_role_is_refused_to_callers_without_the_secret() {
    let location = Place::new().await;
    for (role, message) in [
        ("admin", "cannot be `admin`"),
        ("nobody", "no role `nobody`"),
    ] {
        let checked = location.run("check", "permissions.toml", &["--unauthorized-role", role]);
        assert_eq!(checked.code, Some(1), "{}", checked.err);
        assert!(checked.err.contains(message), "{}", checked.err);
    }
    is_fine(&location.run(
        "check",
        "permissions.toml",
        &["--unauthorized-role", "visitor"],
    ));
    let token =
        |arguments: &[&str]| run(&[&["token", "--jwt-secret", KEY], arguments].concat()).unwrap();
    for arguments in [
        &["--role", "admin"][..],
        &["--role", "reader", "--allowed-role", "admin"],
    ] {
        let minted = token(arguments);
        assert_eq!(
            (minted.code, minted.out.as_str()),
            (Some(2), ""),
            "{}",
            minted.err
        );
        assert!(
            minted.err.contains("a token cannot open the role `admin`"),
            "{}",
            minted.err
        );
    }
    is_fine(&token(&["--role", "admin", "--profile", "hasura"]));
    let twice = token(&[
        "--role",
        "reader",
        "--session",
        "user-id=1",
        "--session",
        "User_Id=1",
    ]);
    assert_eq!(twice.code, Some(2), "{}", twice.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_reports_notes_that_are_not_problems() {
    let location = Place::new().await;
    let text = "[table.authors.role.a]\ndelete = { rows = \"true\" \
                }\n\n[table.authors.role.b]\ndelete = { rows = \"false\" }\n\n\
                [role.both]\ninherits = [\"a\", \"b\"]\n";
    location.file("noted.toml", text);
    let checked = location.run("check", "noted.toml", &[]);
    is_fine(&checked);
    assert!(
        checked.err.contains(
            "note[not-inherited]: role `both` inherits no grant to delete from `authors`"
        )
    );
    assert!(checked.err.contains("no problems: "), "{}", checked.err);
    let checked = location.run("check", "noted.toml", &["--json"]);
    is_fine(&checked);
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(
        (&json["ok"], &json["notes"][0]["line"]),
        (&json!(true), &json!(7))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn check_shows_every_problem_on_its_line() {
    let location = Place::new().await;
    let faulty = "[session]\nuser_id = \"int\"\n\n[table.authors.role.a]\nselect = { columns = \
                  [\"nam\"], rows = \"true\" }\n\n\
                  [table.articels.role.a]\nselect = { columns = \"*\", rows = \"true\" }\n\n\
                  [table.articles.role.a]\nselect = { columns = \"*\", rows = \"author_id = \
                  'x'\" }\n";
    location.file("faulty.toml", faulty);
    let checked = location.run("check", "faulty.toml", &[]);
    assert_eq!(
        (checked.code, checked.out.as_str()),
        (Some(1), ""),
        "{}",
        checked.err
    );
    for text in [
        "nam",
        "articels",
        "faulty.toml:5",
        "faulty.toml:7",
        "did you mean",
    ] {
        assert!(
            checked.err.contains(text),
            "no {text:?} in\n{}",
            checked.err
        );
    }
    let checked = location.run("check", "faulty.toml", &["--json"]);
    assert_eq!(checked.code, Some(1));
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    let lines: Vec<u64> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["line"].as_u64().unwrap())
        .collect();
    assert!(lines.contains(&5) && lines.contains(&7), "{json}");
    // Postgres checks types, and only once all names are valid.
    location.file(
        "typed.toml",
        "[table.articles.role.a]\nselect = { columns = \"*\", rows = \"author_id = 'x'\" }\n",
    );
    let checked = location.run("check", "typed.toml", &["--json"]);
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(
        (checked.code, json["problems"][0]["line"].as_u64()),
        (Some(1), Some(2)),
        "{json}"
    );
    location.file("broken.toml", "[table\n");
    assert_eq!(location.run("check", "broken.toml", &[]).code, Some(1));
}

/// The codes, lines and messages of the problems that `check` finds in a file.
fn problems(location: &Place, text: &str) -> Vec<(String, u64, String)> {
    location.file("checked.toml", text);
    let checked = location.run("check", "checked.toml", &["--json"]);
    let json: Value = serde_json::from_str(&checked.out).unwrap();
    let problems = json["problems"].as_array().unwrap().iter();
    let text = |problem: &Value, key: &str| problem[key].as_str().unwrap_or_default().to_owned();
    let found = problems.map(|problem| {
        let message = text(problem, "message") + "; " + &text(problem, "help");
        (
            text(problem, "code"),
            problem["line"].as_u64().unwrap(),
            message,
        )
    });
    found.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_mistake_that_many_rules_meet_is_one_problem() {
    let location = Place::new().await;
    let file = |session: &str, named: &str, articles: &str| {
        format!(
            "[session]\nuser_id = \"{session}\"\n\n[rules.own]\nargs = [\"owner\"]\nsql = \
             \"{named}\"\n\n[table.authors.role.a]\nselect = {{ columns = \"*\", rows = \
             \"own(id)\" }}\ndelete = {{ rows = \"own(id) AND name <> ''\" }}\n\n\
             [table.articles.role.a]\nselect = {{ columns = \"*\", rows = \"{articles}\" }}\n\
             delete = {{ rows = \"author_id = session.user_id\" }}\n"
        )
    };
    let own = "owner = session.user_id";
    assert!(problems(&location, &file("int", own, "own(author_id)")).is_empty());

    // The type of a session value.
    let found = problems(&location, &file("uuid", own, "own(author_id)"));
    let [(code, 2, message)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(code, "session-type");
    assert_eq!(
        message,
        "session value `user_id` is declared as `uuid`, but 4 rules need `int4`; write `user_id = \
         \"int4\"`; the first of the rules is in line 9"
    );

    // A named rule that no call fits, and one call that does not.
    let found = problems(&location, &file("int", "owner > true", "own(author_id)"));
    let [(code, 6, message)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(code, "postgres");
    assert!(
        message.contains("all 3 calls of the named rule fail so"),
        "{message}"
    );
    let found = problems(&location, &file("int", own, "own(title)"));
    let [(_, 13, message)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(
        message.contains("operator does not exist: text = integer"),
        "{message}"
    );
    assert!(
        message.contains("`session.user_id` would have to be of type text"),
        "{message}"
    );

    // A misspelt call of a named rule and of a function of Postgres.
    for (rule, meant) in [("owm(author_id)", "own"), ("lowr(title) = 'x'", "lower")] {
        let found = problems(&location, &file("int", own, rule));
        let [(_, 13, message)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            message.ends_with(&format!("did you mean `{meant}`?")),
            "{message}"
        );
    }
    let mask = "true\", mask = { id = \"'x'\" }, limit = 3 } # \"";
    let found = problems(&location, &file("int", own, mask));
    let [(code, 13, message)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(code, "mask-type");
    assert!(
        message.contains("the mask of `id` is no value of its type, int4"),
        "{message}"
    );
}

/// What the messages give to paste is enough for a user without any right, for later tables too.
#[tokio::test(flavor = "multi_thread")]
async fn privileges_that_check_prints_are_enough_for_the_database_user() {
    let location = Place::new().await;
    let admin = location.database.connect().await.unwrap();
    let user = format!("user_of_{}", location.database.name());
    let schema = "CREATE SCHEMA shop; CREATE TABLE shop.orders (id serial PRIMARY KEY, note text)";
    let role = format!("CREATE ROLE \"{user}\" LOGIN PASSWORD 'pw'; {schema}");
    admin.batch_execute(&role).await.unwrap();
    let (_, address) = location.database.url().split_once('@').unwrap();
    let url = format!("postgres://{user}:pw@{address}");
    let grants = |table: &str| {
        format!(
            "[table.\"shop.{table}\".role.a]\nselect = {{ columns = \"*\", rows = \"note <> \
             ''\" }}\ninsert = {{ columns = [\"note\"], check = \"true\" }}\n"
        )
    };
    let path = location.file("shop.toml", &grants("orders"));
    let check = || {
        let arguments = [
            "check",
            "--database-url",
            &url,
            "--permissions",
            &path,
            "--json",
        ];
        let checked = run(&arguments).unwrap();
        let report: Value = serde_json::from_str(&checked.out).unwrap();
        report
    };
    let mut pasted = 0;
    for _ in 0..3 {
        let report = check();
        let lists = ["problems", "notes"].map(|list| report[list].as_array().cloned());
        let found = lists.into_iter().flatten().flatten();
        let help: Vec<String> = found
            .filter_map(|problem| Some(problem["help"].as_str()?.to_owned()))
            .filter(|help| help.starts_with("GRANT"))
            .collect();
        pasted += help.len();
        admin.batch_execute(&help.join("\n")).await.unwrap();
    }
    assert!(pasted > 0);
    let later = "CREATE TABLE shop.later (id serial PRIMARY KEY, note text)";
    admin.batch_execute(later).await.unwrap();
    location.file("shop.toml", &(grants("orders") + &grants("later")));
    let report = check();
    assert_eq!(
        (&report["ok"], &report["notes"]),
        (&json!(true), &json!([])),
        "{report}"
    );
    let client = tests::database::connect(&url).await.unwrap();
    for table in ["orders", "later"] {
        let insert = format!("INSERT INTO shop.{table} (note) VALUES ('a')");
        client.batch_execute(&insert).await.unwrap();
    }
    drop(client);
    let drop_role = format!("DROP OWNED BY \"{user}\" CASCADE; DROP ROLE \"{user}\"");
    admin.batch_execute(&drop_role).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn init_writes_a_valid_file_that_grants_nothing() {
    let location = Place::new().await;
    let out = location.path("first.toml");
    let written = run(&[
        "init",
        "--database-url",
        location.database.url(),
        "--out",
        &out,
    ])
    .unwrap();
    is_fine(&written);
    is_fine(&location.run("check", "first.toml", &[]));
    assert!(std::fs::read_to_string(&out).unwrap().contains("authors"));
    let again = run(&[
        "init",
        "--database-url",
        location.database.url(),
        "--out",
        &out,
    ])
    .unwrap();
    assert_eq!(again.code, Some(1), "a file is not written over");
    assert!(
        again.err.contains("first.toml is there already"),
        "{}",
        again.err
    );
    let shown = run(&["init", "--database-url", location.database.url()]).unwrap();
    assert_eq!(shown.out, std::fs::read_to_string(&out).unwrap());
    let schema = location.run("schema", "first.toml", &["--role", "reader"]);
    assert!(!schema.out.contains("authors"), "{}", schema.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_notes_row_security_that_limits_the_database_user() {
    let location = Place::new().await;
    let client = location.database.connect().await.unwrap();
    let forced = "CREATE TABLE guarded (id int PRIMARY KEY); ALTER TABLE guarded ENABLE ROW \
                  LEVEL SECURITY, FORCE ROW LEVEL SECURITY";
    client.batch_execute(forced).await.unwrap();
    location.file(
        "guarded.toml",
        "[table.guarded.role.a]\nselect = { columns = \"*\", rows = \"true\" }\n",
    );
    let checked = location.run("check", "guarded.toml", &[]);
    is_fine(&checked);
    let is_superuser: bool = client
        .query_one(
            "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(
        checked.err.contains("row-level security of `guarded`"),
        !is_superuser,
        "{}",
        checked.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn translate_offline_and_explain_online_agree() {
    let location = Place::new().await;
    let catalog = run(&["catalog", "--database-url", location.database.url()]).unwrap();
    is_fine(&catalog);
    let saved = location.file("catalog.json", &catalog.out);
    let document = location.file(
        "q.graphql",
        "query Q($n: Int!) { authors(limit: $n) { name articles { title } } }",
    );
    let permissions = location.path("permissions.toml");
    let translate = [
        "translate",
        "--catalog",
        &saved,
        "--permissions",
        &permissions,
        "--json",
        "--role",
        "author",
    ];
    let translated = run(&translate
        .iter()
        .copied()
        .chain([document.as_str()])
        .collect::<Vec<_>>())
    .unwrap();
    is_fine(&translated);
    let line: Value = serde_json::from_str(translated.out.trim()).unwrap();
    assert_eq!(
        (&line["operation"], line["file"].as_str()),
        (&json!("Q"), Some(document.as_str()))
    );
    assert!(line["parameters"].is_array());
    let online = [
        "--role",
        "author",
        "--session",
        "user_id=1",
        "--variables",
        r#"{"n":1}"#,
        "--json",
        &document,
    ];
    let explained = location.run("explain", "permissions.toml", &online);
    is_fine(&explained);
    let explained: Value = serde_json::from_str(&explained.out).unwrap();
    assert_eq!(explained["sql"], line["sql"]);
    assert!(explained["sql"].as_str().unwrap().contains("\"authors\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn translate_reports_every_operation() {
    let location = Place::new().await;
    let saved = location.file(
        "catalog.json",
        &run(&["catalog", "--database-url", location.database.url()])
            .unwrap()
            .out,
    );
    let permissions = location.path("permissions.toml");
    let usual = [
        "translate",
        "--catalog",
        &saved,
        "--permissions",
        &permissions,
        "--role",
        "visitor",
        "--json",
    ];
    let several = location.file(
        "several.graphql",
        "query A { authors { name } } query B { authors { name } }",
    );
    let hidden = location.file("hidden.graphql", "{ articles { id } }");
    let translated = run(&usual
        .iter()
        .copied()
        .chain([several.as_str(), &hidden])
        .collect::<Vec<_>>())
    .unwrap();
    assert_eq!(translated.code, Some(1));
    let lines: Vec<Value> = translated
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3, "{}", translated.out);
    assert_eq!(
        (&lines[0]["operation"], &lines[1]["operation"]),
        (&json!("A"), &json!("B"))
    );
    assert_eq!(
        lines[2]["error"],
        "field 'articles' not found in type: 'query_root'"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_names_the_rule_and_its_line() {
    let location = Place::new().await;
    let document = location.file("q.graphql", "{ authors { name articles { title } } }");
    let explained = location.run(
        "explain",
        "permissions.toml",
        &[
            "--role",
            "author",
            "--session",
            "X-Gateway-User-Id=1",
            &document,
        ],
    );
    is_fine(&explained);
    for (text, rule) in [
        ("authors", "id = session.user_id"),
        ("articles", "author_id = session.user_id"),
    ] {
        let line = PERMISSIONS
            .lines()
            .position(|line| line.contains(&format!("\"{rule}\"")))
            .unwrap()
            + 1;
        let named = format!(
            "reads public.{text} where {rule} ({}:{line})",
            location.path("permissions.toml")
        );
        assert!(
            explained.out.contains(&named),
            "no {named:?} in\n{}",
            explained.out
        );
    }
    let analyzed = [
        "--role",
        "author",
        "--session",
        "user_id=1",
        "--analyze",
        &document,
    ];
    let analyzed = location.run("explain", "permissions.toml", &analyzed);
    assert!(analyzed.out.contains("actual time"), "{}", analyzed.out);
    let missing = location.run(
        "explain",
        "permissions.toml",
        &["--role", "author", &document],
    );
    assert_eq!(
        (missing.code, missing.out.as_str()),
        (Some(1), ""),
        "a session value is missing"
    );
    assert!(
        missing.err.contains("user_id") || missing.err.contains("user-id"),
        "{}",
        missing.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_the_required_row() {
    let location = Place::new().await;
    let document = location.file("titles.graphql", "{ articles { title } }");
    let usual = [
        "--role",
        "author",
        "--session",
        "user_id=1",
        "--require",
        "authors=author",
        "--variables",
    ];
    let explain = |variables: &str, more: &[&str]| {
        location.run(
            "explain",
            "permissions.toml",
            &[&usual, [variables, document.as_str()].as_slice(), more].concat(),
        )
    };
    let explained = explain(r#"{"author": 1}"#, &["--analyze"]);
    is_fine(&explained);
    let read = explained
        .out
        .find("-- _0 reads public.authors where id = session.user_id")
        .unwrap();
    assert!(
        explained.out[read..].contains("-- _0 has to have a row, else nothing is answered"),
        "{}",
        explained.out
    );
    assert_eq!(
        explained.out.matches("has to have a row").count(),
        1,
        "{}",
        explained.out
    );
    let json: Value = serde_json::from_str(&explain(r#"{"author": 1}"#, &["--json"]).out).unwrap();
    assert_eq!(
        (&json["reads"][0]["required"], &json["reads"][1]["required"]),
        (&json!(true), &Value::Null)
    );
    // Another author, and one that does not exist.
    for variables in [r#"{"author": 2}"#, r#"{"author": 22}"#] {
        let refused = explain(variables, &["--analyze"]);
        assert_eq!(refused.code, Some(1), "{}", refused.out);
        assert!(
            refused.err.contains("the required row is not visible"),
            "{}",
            refused.err
        );
    }
    let arguments = [
        "--role",
        "author",
        "--session",
        "user_id=1",
        "--require",
        "nowhere=author",
        document.as_str(),
    ];
    let keyless = location.run("explain", "permissions.toml", &arguments);
    assert!(
        keyless
            .err
            .contains("no table `nowhere` with a primary key of one column"),
        "{}",
        keyless.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_how_a_membership_list_is_read() {
    const ROWS: &str = "INSERT INTO clubs SELECT i, 'club ' || i FROM generate_series(1, 200) i;
        INSERT INTO members SELECT u, 1 + (u * 7 + i * 61) % 200, 1 FROM generate_series(1, 500) u, generate_series(1, 3) i;
        INSERT INTO posts SELECT i, 1 + i % 200, NULL, NULL, i FROM generate_series(1, 20000) i;
        ANALYZE";
    let database = tests::create(
        "memberships_told",
        &[include_str!("memberships/schema.sql"), ROWS],
    )
    .await
    .unwrap();
    let location = Place {
        database,
        folder: tempfile::tempdir().unwrap(),
    };
    location.file(
        "permissions.toml",
        "[session]\nuser_id = \"int\"\n[table.posts.role.user]\nselect = { columns = \"*\", rows \
         = \"club_id IN \
         (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id)\" }\n",
    );
    let of_user = |arguments: &[&str], document: &str| {
        let document = location.file("q.graphql", document);
        let usual = ["--role", "user", "--session", "user_id=7", &document];
        let explained = location.run("explain", "permissions.toml", &[&usual, arguments].concat());
        is_fine(&explained);
        explained.out
    };
    let newest = "{ posts(order_by: {rank: desc}, limit: 20) { id } }";
    let explained = of_user(&["--analyze"], newest);
    let why = "through public.members: of 3 memberships a caller (3 at most), 75 rows are looked \
               at; else 315";
    assert!(
        explained.contains(&format!("-- _0 is read {why}\n")),
        "{explained}"
    );
    assert!(
        explained.contains("CROSS JOIN LATERAL") && explained.contains("actual time"),
        "{explained}"
    );
    let report: Value = serde_json::from_str(&of_user(&["--json"], newest)).unwrap();
    let costs = json!({"memberships": 3, "most": 3, "plain": 315, "through": 75});
    assert_eq!(
        report["reads"][0]["form"],
        json!({"form": "through", "why": why, "costs": costs})
    );
    let report: Value = serde_json::from_str(&of_user(
        &["--json"],
        "{ posts(order_by: {id: asc}, limit: 20) { id } }",
    ))
    .unwrap();
    let why = "with the rule as a condition: no index is over (club_id, id)";
    assert_eq!(
        report["reads"][0]["form"],
        json!({"form": "plain", "why": why})
    );
    let report: Value = serde_json::from_str(&of_user(&["--json"], "{ posts { id } }")).unwrap();
    let why = "with the rule as a condition: rows are not sorted";
    assert_eq!(
        report["reads"][0]["form"],
        json!({"form": "plain", "why": why})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_shows_every_statement_of_a_mutation_and_commits_none() {
    let location = Place::new().await;
    let document = location.file(
        "m.graphql",
        "mutation { a: insert_articles(objects: [{id: 91, author_id: 1, title: \"new\"}]) { \
         returning { author { name articles { \
         title } } } } b: update_articles(where: {id: {_eq: 91}}, _set: {title: \"newer\"}) { \
         affected_rows } }",
    );
    let explained = location.run(
        "explain",
        "permissions.toml",
        &["--role", "admin", "--json", &document],
    );
    is_fine(&explained);
    let explained: Value = serde_json::from_str(&explained.out).unwrap();
    let statements = explained["statements"].as_array().unwrap();
    let sql: Vec<&str> = statements
        .iter()
        .map(|statement| statement["sql"].as_str().unwrap())
        .collect();
    assert!(sql.len() >= 3, "{sql:?}");
    assert!(
        sql.first().unwrap().contains("INSERT INTO") && sql.last().unwrap().contains("UPDATE"),
        "{sql:?}"
    );

    let analyzed = location.run(
        "explain",
        "permissions.toml",
        &["--role", "admin", "--analyze", &document],
    );
    is_fine(&analyzed);
    assert!(
        analyzed.out.contains("Insert on articles") && analyzed.out.contains("Update on articles"),
        "{}",
        analyzed.out
    );
    let client = location.database.connect().await.unwrap();
    let kept: i64 = client
        .query_one("SELECT count(*) FROM articles WHERE id = 91", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(kept, 0);
    let failing = location.file(
        "f.graphql",
        "mutation { insert_articles(objects: [{id: 92, author_id: 77, title: \"x\"}]) { \
         affected_rows } }",
    );
    let failed = location.run(
        "explain",
        "permissions.toml",
        &["--role", "admin", "--analyze", &failing],
    );
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.err.contains("Foreign key violation"),
        "{}",
        failed.err
    );

    let saved = location.file(
        "catalog.json",
        &run(&["catalog", "--database-url", location.database.url()])
            .unwrap()
            .out,
    );
    let permissions = location.path("permissions.toml");
    let translate = [
        "translate",
        "--catalog",
        &saved,
        "--permissions",
        &permissions,
        "--role",
        "admin",
        "--json",
        &document,
    ];
    let translated = run(&translate).unwrap();
    is_fine(&translated);
    let line: Value = serde_json::from_str(translated.out.trim()).unwrap();
    assert_eq!(
        line["statements"].as_array().unwrap().len(),
        statements.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_depends_on_the_role() {
    let location = Place::new().await;
    let schema = location.run("schema", "permissions.toml", &["--role", "visitor"]);
    is_fine(&schema);
    assert!(
        schema.out.contains("type authors") && !schema.out.contains("articles"),
        "{}",
        schema.out
    );
    let reader = location
        .run("schema", "permissions.toml", &["--role", "reader"])
        .out;
    assert!(
        reader.contains("articles_aggregate") && reader.contains("type query_root"),
        "{reader}"
    );
    for role in ["reader", "author", "visitor"] {
        let sdl = location
            .run("schema", "permissions.toml", &["--role", role])
            .out;
        async_graphql_parser::parse_schema(&sdl)
            .unwrap_or_else(|error| panic!("{role}: {error}\n{sdl}"));
    }
    for command in ["schema", "openapi"] {
        let unknown = location.run(command, "permissions.toml", &["--role", "raeder"]);
        assert_eq!(
            (unknown.code, unknown.out.as_str()),
            (Some(1), ""),
            "{command}"
        );
        assert_eq!(
            unknown.err.trim(),
            "error: there is no role `raeder`; did you mean `reader`?",
            "{command}"
        );
    }
    let query = location.file("query.graphql", "{ authors { id } }");
    let unknown = location.run("explain", "permissions.toml", &["--role", "nobody", &query]);
    assert_eq!(
        (unknown.code, unknown.err.trim()),
        (
            Some(1),
            "error: there is no role `nobody`; the roles are `admin`, `reader`, `author`, \
             `visitor`"
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_names_follow_the_naming_convention() {
    let location = Place::new().await;
    let permissions =
        PERMISSIONS.replace("convention = \"snake\"", "convention = \"graphql-default\"");
    location.file("named.toml", &permissions);
    let named = location.run("schema", "named.toml", &["--names"]);
    is_fine(&named);
    assert!(
        named.out.contains("| `articlesAggregate` |"),
        "{}",
        named.out
    );
    let named = location.run(
        "schema",
        "named.toml",
        &["--names", "--json", "--role", "visitor"],
    );
    is_fine(&named);
    let names: Value = serde_json::from_str(&named.out).unwrap();
    let tables = names["tables"].as_array().unwrap();
    assert_eq!(
        (tables.len(), &tables[0]["type"]),
        (1, &json!("Authors")),
        "{names}"
    );
    assert_eq!(
        tables[0]["roots"][0],
        json!({"kind": "list", "name": "authors", "aliases": []})
    );
    assert_eq!(
        location.run("schema", "named.toml", &["--json"]).code,
        Some(2)
    );
}

#[test]
fn token_command_prints_only_the_token() {
    let minted = run(&[
        "token",
        "--jwt-secret",
        KEY,
        "--role",
        "author",
        "--session",
        "user_id=7",
        "--expires",
        "60",
    ])
    .unwrap();
    is_fine(&minted);
    let token = minted.out.strip_suffix('\n').unwrap();
    assert_eq!(
        (
            token.split('.').count(),
            token.lines().count(),
            minted.err.as_str()
        ),
        (3, 1, "")
    );
    let key = jsonwebtoken::DecodingKey::from_secret(b"a key of thirty-two bytes, or more");
    let validation = jsonwebtoken::Validation::new(jsonwebtoken::Algorithm::HS256);
    let claims: Value = jsonwebtoken::decode(token, &key, &validation)
        .unwrap()
        .claims;
    assert_eq!(claims["gateway"]["x-gateway-user-id"], "7", "{claims}");
    assert_eq!(
        claims["gateway"]["x-gateway-allowed-roles"],
        json!(["author"])
    );
    let none = run(&["token", "--role", "author"]).unwrap();
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &["nonsense"][..],
        &[],
        &["serve", "--nonsense"],
        &["token"],
        &["translate"],
        &["serve", "--log-format", "x"],
    ] {
        let finished = run(arguments).unwrap();
        assert_eq!(
            (finished.code, finished.out.as_str()),
            (Some(2), ""),
            "{arguments:?}: {}",
            finished.err
        );
    }
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["serve", "--help"],
        &["demo", "--help"],
    ] {
        is_fine(&run(arguments).unwrap());
    }
}

/// Starts that cannot succeed: the texts that the error must contain. It must not contain the
/// password.
#[tokio::test(flavor = "multi_thread")]
async fn failed_start_reports_the_cause_without_the_password() {
    let location = Place::new().await;
    let url = location.database.url();
    let password = url
        .split_once("postern:")
        .unwrap()
        .1
        .split_once('@')
        .unwrap()
        .0;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let absent = url.rsplit_once('/').unwrap().0.to_owned() + "/absent";
    let refused = url.replace(password, "wr0ngpassw0rd");
    let nowhere = "postgres://postern:s3cr3t@127.0.0.1:1/x";
    let broken = location.file(
        "broken.toml",
        "[table.nothing.role.a]\nselect = { columns = \"*\", rows = \"true\" }\n",
    );
    let missing = location.path("missing.toml");
    let unfit = location.file("gateway.toml", "pool_sise = 3\n");
    let secret = ["--admin-secret", "s"];
    let failures: [(&[&str], &[&str]); 12] = [
        (
            &["--database-url", url, "--listen", &address],
            &["cannot listen on", &address],
        ),
        (
            &["--database-url", url, "--permissions", &missing],
            &["cannot read", "missing.toml"],
        ),
        (
            &["--database-url", url, "--permissions", &broken],
            &["broken.toml:1", "nothing"],
        ),
        (&["--database-url", &absent], &["absent"]),
        (
            &["--database-url", &refused],
            &["cannot connect", "127.0.0.1"],
        ),
        (
            &["--database-url", nowhere],
            &["cannot connect", "127.0.0.1:1", "--wait-for-database"],
        ),
        (
            &["--database-url", "postgres://postern:s3cr3t@[/x"],
            &["database URL"],
        ),
        (
            &["--database-url", "https://s3cr3t.supabase.co"],
            &["address of a web site", "`postgres://`"],
        ),
        (&[], &["--database-url"]),
        (&["--config", &unfit], &["pool_sise", "pool_size"]),
        (
            &["--database-url", url, "--pool-size", "many"],
            &["--pool-size", "number"],
        ),
        (
            &[
                "--database-url",
                url,
                "--jwt-secret",
                "{\"type\":\"HS256\",\"key\":\"s3cr3t",
            ],
            &["JWT secret", "{\"type\":\"HS256\",\"key\":\"…\"}"],
        ),
    ];
    for (arguments, messages) in failures {
        let listen: &[&str] = if arguments.contains(&"--listen") {
            &[]
        } else {
            &["--listen", "127.0.0.1:0"]
        };
        let all: Vec<&str> = ["serve"]
            .iter()
            .chain(listen)
            .chain(&secret)
            .chain(arguments)
            .copied()
            .collect();
        let finished = run(&all).unwrap();
        assert_eq!(
            (finished.code, finished.out.as_str()),
            (Some(1), ""),
            "{arguments:?}: {}",
            finished.err
        );
        for text in messages {
            assert!(
                finished.err.contains(text),
                "{arguments:?}: no {text:?} in\n{}",
                finished.err
            );
        }
        for secret in [password, "wr0ngpassw0rd", "s3cr3t"] {
            assert!(!finished.err.contains(secret), "{}", finished.err);
        }
        assert!(!finished.err.contains("panicked"), "{}", finished.err);
    }
    let open = run(&["serve", "--database-url", url, "--listen", "127.0.0.1:0"]).unwrap();
    assert_eq!(open.code, Some(1));
    assert!(
        open.err.contains("--admin-secret") && open.err.contains("--insecure"),
        "{}",
        open.err
    );
}

/// Starts a server on a free port; its URL comes from the log line that reports readiness.
fn serve(location: &Place, arguments: &[&str]) -> (Running, String) {
    let permissions = location.path("permissions.toml");
    let usual = [
        "serve",
        "--database-url",
        location.database.url(),
        "--permissions",
        &permissions,
        "--admin-secret",
        "s",
    ];
    let json = ["--listen", "127.0.0.1:0", "--log-format", "json"];
    let all: Vec<&str> = usual
        .iter()
        .chain(&json)
        .chain(arguments)
        .copied()
        .collect();
    let child = Running::start(binary::command(&all)).unwrap();
    let line = child
        .wait_for_line("ready", Duration::from_secs(30))
        .expect("the server is ready");
    let line: Value = serde_json::from_str(&line).unwrap();
    let url = format!("http://{}", line["address"].as_str().unwrap());
    (child, url)
}

async fn ask(url: &str, query: &str) -> reqwest::Result<Reply> {
    let post = reqwest::Client::new()
        .post(format!("{url}/v1/graphql"))
        .header("X-Gateway-Admin-Secret", "s");
    Reply::of(post.json(&json!({"query": query}))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_server_finishes_running_requests() {
    let location = Place::new().await;
    for signal in ["TERM", "INT"] {
        let (mut child, url) = serve(&location, &[]);
        let running = tokio::spawn({
            let url = url.clone();
            async move { ask(&url, "{ brief { id slept } }").await }
        });
        location.database.until_waiting(1, "PgSleep").await;
        child.signal(signal).unwrap();
        let reply = running
            .await
            .unwrap()
            .expect("the running request is answered");
        assert_eq!(
            reply.data(),
            json!({"brief": [{"id": 1, "slept": ""}]}),
            "{}",
            reply.text
        );
        let status = child
            .wait(Duration::from_secs(10))
            .unwrap()
            .expect("the server ends");
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(ask(&url, "{ authors { id } }").await.is_err());
    }
}

/// The deepest documents within the limits do not overflow the stack of the process.
#[tokio::test(flavor = "multi_thread")]
async fn deepest_allowed_documents_do_not_overflow_the_stack() {
    let location = Place::new().await;
    let pair = "CREATE TABLE pairs (id int PRIMARY KEY, other_id int REFERENCES pairs); INSERT \
                INTO pairs VALUES (1, 1);";
    location
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(pair)
        .await
        .unwrap();
    let grants = "\n[table.pairs.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n";
    location.file("permissions.toml", &format!("{PERMISSIONS}{grants}"));
    let deepest = [
        "--nesting-limit",
        "128",
        "--depth-limit",
        "128",
        "--alias-limit",
        "100000",
        "--time-limit",
        "60",
    ];
    let (_child, url) = serve(&location, &deepest);
    let nested = |open: &str, times: usize, inner: &str| {
        format!("{}{inner}{}", open.repeat(times), "}".repeat(times))
    };
    for (query, is_answered) in [
        (
            format!(
                "{{ pairs(where: {}) {{ id }} }}",
                nested("{_and:", 120, "{id:{_eq:1}}")
            ),
            true,
        ),
        (
            format!(
                "{{ pairs(where: {}) {{ id }} }}",
                nested("{_not:", 120, "{id:{_eq:1}}")
            ),
            true,
        ),
        (
            format!("{{ pairs {} }}", nested("{other ", 60, "{id}")),
            true,
        ),
        (
            format!("{{ pairs {} }}", nested("{other ", 120, "{nothing}")),
            false,
        ),
        (
            format!("{{ pairs {} }}", nested("{other ", 200, "{id}")),
            false,
        ),
    ] {
        let reply = ask(&url, &query).await.expect("the server is still there");
        assert_eq!(
            reply.json()["data"].is_object(),
            is_answered,
            "{}",
            reply.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_longer_than_the_drain_timeout_are_aborted() {
    let location = Place::new().await;
    let (mut child, url) = serve(&location, &["--drain-timeout", "0.5"]);
    let running = tokio::spawn(async move { ask(&url, "{ slow { slept } }").await });
    location.database.until_waiting(1, "PgSleep").await;
    child.signal("TERM").unwrap();
    let status = child
        .wait(Duration::from_secs(10))
        .unwrap()
        .expect("the server ends");
    assert_eq!(status.code(), Some(0));
    assert!(
        running.await.unwrap().is_err(),
        "no answer is better than a wrong one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn log_line_has_role_and_operation_but_no_values() {
    let location = Place::new().await;
    let (child, url) = serve(&location, &["--jwt-secret", KEY]);
    let document = "query Named { authors(where: {name: {_eq: \"p3rs0nal\"}}) { id } }";
    let post = reqwest::Client::new()
        .post(format!("{url}/v1/graphql"))
        .header("X-Gateway-Admin-Secret", "s");
    let body = json!({"query": document, "operationName": "Named"});
    let reply = Reply::of(
        post.header("X-Gateway-Role", "reader")
            .header("X-Request-Id", "mine")
            .json(&body),
    )
    .await
    .unwrap();
    assert_eq!(reply.data(), json!({"authors": []}), "{}", reply.text);
    let line = child.wait_for_line("mine", Duration::from_secs(5)).unwrap();
    let json: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (json["role"].as_str(), json["operation"].as_str()),
        (Some("reader"), Some("Named")),
        "{line}"
    );
    assert_eq!(json["status"], 200);
    assert!(!line.contains("p3rs0nal"), "{line}");
}

#[test]
fn files_and_binary_that_tests_need_exist() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http");
    assert!(folder.join("service.sql").is_file());
    assert!(
        binary::path().is_file(),
        "`{}` is not built; run `cargo build --workspace --bins`",
        binary::path().display()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn import_writes_files_and_reports_what_it_could_not_carry_over() {
    let location = Place::new().await;
    let metadata = |filter: Value| {
        let permission = json!({"columns": ["id"], "filter": filter});
        let table = json!({"table": "articles", "select_permissions": [{"role": "user", "permission": permission}]});
        json!({"version": 3, "sources": [{"name": "default", "kind": "postgres", "tables": [table]}]}).to_string()
    };
    let good = location.file(
        "good.json",
        &metadata(json!({"id": {"_gt": "X-Hasura-From"}})),
    );
    let out = location.path("imported");
    let database = ["--database-url", location.database.url()];
    let import = |arguments: &[&str]| run(&[&["import", "hasura"], arguments].concat()).unwrap();

    let imported = import(&[&["--metadata", &good, "--out", &out][..], &database].concat());
    is_fine(&imported);
    assert!(
        imported.out.starts_with("carried over ("),
        "{}",
        imported.out
    );
    let written = std::fs::read_to_string(Path::new(&out).join("permissions.toml")).unwrap();
    assert!(
        written.contains(r#"rows = 'id > session."from"'"#),
        "{written}"
    );
    let settings = location.path("imported/gateway.toml");
    let checked = run(&[
        "check",
        "--config",
        &settings,
        "--database-url",
        location.database.url(),
    ])
    .unwrap();
    is_fine(&checked);

    let again = import(&[&["--metadata", &good, "--out", &out][..], &database].concat());
    assert_eq!(again.code, Some(1));
    assert!(
        again.err.contains("`--force` writes over it"),
        "{}",
        again.err
    );

    let bad = location.file("bad.json", &metadata(json!({"moon": true})));
    let refused = import(
        &[
            &["--metadata", &bad, "--out", &out, "--force", "--json"][..],
            &database,
        ]
        .concat(),
    );
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    let report: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(report["counts"]["refused"], 1, "{report}");
    assert_eq!(report["constructs"][1]["outcome"], "refused", "{report}");

    let without = import(&["--metadata", &good, "--out", &out]);
    assert_eq!(without.code, Some(2), "{}", without.err);
}
