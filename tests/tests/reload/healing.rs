//! Reloads that the gateway starts itself, because the database has changed: the catalog alone is
//! read, with the files of the running version, and what no longer fits is left out.

use serde_json::json;
use tests::reply::Reply;
use tests::wait::until;

use super::{PATIENCE, Place, SECRET};

/// What every permission file of these tests says about the table that is read.
const READ: &str = "[naming]\nconvention = \"snake\"\n\
    [table.parts.role.reader]\nselect = { columns = [\"id\", \"a\"], rows = \"true\" }\n\
    update = { columns = [\"a\"], rows = \"true\" }\n";

const TABLES: &str =
    "CREATE TABLE parts (id int PRIMARY KEY, a int, b int); INSERT INTO parts VALUES (1, 7, 0);
    CREATE TABLE others (id int PRIMARY KEY, x int, y text, own text, part_id int REFERENCES parts);
    INSERT INTO others VALUES (1, 2, 'y', 'me', 1);
    CREATE TYPE mood AS ENUM ('good');
    CREATE FUNCTION f() RETURNS SETOF parts LANGUAGE sql STABLE AS 'SELECT * FROM parts';
    CREATE FUNCTION g(others) RETURNS text LANGUAGE sql STABLE AS 'SELECT $1.y';
    CREATE TABLE gone (id int PRIMARY KEY);";

/// A stale name: what the permission file says beside [`READ`], the change that makes it stale, and
/// a line of the log.
struct Stale {
    file: &'static str,
    change: &'static str,
    line: &'static str,
}

const STALE: &[Stale] = &[
    Stale {
        file: "[function.f]\n",
        change: "DROP FUNCTION f()",
        line: "function",
    },
    Stale {
        file: "[table.others.role.reader]\nselect = { columns = [\"id\", \"x\"], rows = \"true\" \
               }\n",
        change: "ALTER TABLE others DROP COLUMN x",
        line: "`x`",
    },
    Stale {
        file: "[table.others.role.reader]\nselect = { columns = [\"id\"], rows = \"x = 2\" }\n",
        change: "ALTER TABLE others RENAME COLUMN x TO z",
        line: "`x`",
    },
    Stale {
        file: "[table.others.role.reader]\nselect = { columns = [\"id\", \"y\"], rows = \
               \"true\", mask = { y = \"NULL\" } }\n",
        change: "ALTER TABLE others DROP COLUMN y CASCADE",
        line: "`y`",
    },
    Stale {
        file: "[table.others.role.reader]\ninsert = { columns = [\"id\"], check = \"true\", \
               preset = { y = \"'a'\" } }\n",
        change: "ALTER TABLE others DROP COLUMN y CASCADE",
        line: "`y`",
    },
    Stale {
        file: "[rules.mine]\nsql = \"EXISTS (SELECT FROM gone g WHERE g.id = \
               session.user_id)\"\n[session]\nuser_id = \"int4\"\n\
               [table.others.role.other]\nselect = { columns = [\"id\"], rows = \"mine() AND x > \
               0\" }\n",
        change: "DROP TABLE gone",
        line: "`gone`",
    },
    Stale {
        file: "[table.gone.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n",
        change: "DROP TABLE gone",
        line: "`gone`",
    },
    Stale {
        file: "[session]\nmood = \"mood\"\n[table.others.role.other]\nselect = { columns = \
               [\"id\"], rows = \"session.mood IS NOT NULL AND x > 0\" }\n",
        change: "DROP TYPE mood",
        line: "`mood`",
    },
    Stale {
        file: "[table.others]\ncolumn.y = \"why\"\nrelation.part = { column = \"part_id\" }\n",
        change: "ALTER TABLE others DROP COLUMN y CASCADE, DROP COLUMN part_id",
        line: "`y`",
    },
    Stale {
        file: "[table.others.computed.shown]\nfunction = \"g\"\n[table.others.role.reader]\n\
               select = { columns = [\"id\"], rows = \"true\", computed = [\"shown\"] }\n",
        change: "DROP FUNCTION g(others)",
        line: "`g`",
    },
    Stale {
        file: "[table.others.role.other]\nselect = { columns = [\"id\", \"x\"], rows = \"true\", \
               aggregates = { functions = [\"sum\"], columns = [\"x\"] } }\n\
               update = { columns = [\"x\"], rows = \"x = 1\", check = \"x = 1\" }\ndelete = { \
               rows = \"x = 1\" }\n",
        change: "ALTER TABLE others DROP COLUMN x",
        line: "`x`",
    },
];

/// Starts a gateway, makes a name stale, and widens the key of another table.
#[tokio::test(flavor = "multi_thread")]
async fn no_stale_name_keeps_another_table_from_its_new_type() {
    for Stale { file, change, line } in STALE {
        let location = Place::with(TABLES, &format!("{READ}{file}")).await;
        let (running, url) = location.serve(&["--admin-secret", SECRET]);
        assert_eq!(
            location.ask(&url, "{ parts { id a } }").await.data(),
            json!({"parts": [{"id": 1, "a": 7}]}),
            "{file}"
        );
        location
            .run(&format!(
                "{change}; ALTER TABLE parts ALTER COLUMN a TYPE bigint USING 5000000000"
            ))
            .await;
        let healed = async || {
            location.ask(&url, "{ parts { id a } }").await.json()["data"]
                == json!({"parts": [{"id": 1, "a": 5_000_000_000_u64}]})
        };
        until(&format!("the table has its new type beside {file}"), healed).await;
        let left = running.wait_for_line("left out, because the database has changed", PATIENCE);
        let left = left.unwrap_or_else(|| panic!("nothing is left out: {file}"));
        assert!(
            left.contains(line) && left.contains("permissions.toml:"),
            "{left}"
        );
        let reply = location
            .ask(
                &url,
                "mutation { update_parts(where: {}, _set: {a: 8}) { affected_rows \
                        returning { a } } }",
            )
            .await;
        assert_eq!(
            reply.data()["update_parts"]["returning"],
            json!([{"a": 8}]),
            "{file}"
        );
        assert!(
            metric(&location, &url, "postern_left_out{part=\"permissions\"}").await > 0,
            "{file}"
        );
        // A person is told, and nothing changes until the file is right.
        let refused = location.post_reload(&url, Some(SECRET)).await;
        assert_eq!(refused.status, 409, "{file}: {}", refused.text);
        assert!(healed_again(&location, &url).await, "{file}");
        location.write("permissions.toml", READ);
        let reloaded = location.post_reload(&url, Some(SECRET)).await;
        assert_eq!(reloaded.status, 200, "{file}: {}", reloaded.text);
        assert_eq!(
            metric(&location, &url, "postern_left_out{part=\"permissions\"}").await,
            0,
            "{file}"
        );
    }
}

async fn healed_again(location: &Place, url: &str) -> bool {
    location.ask(url, "{ parts { a } }").await.json()["data"] == json!({"parts": [{"a": 8}]})
}

async fn metric(location: &Place, url: &str, name: &str) -> i64 {
    let text = Reply::of(location.client.get(format!("{url}/metrics")))
        .await
        .unwrap()
        .text;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap_or_else(|| panic!("{name} in {text}"));
    line.trim().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_in_a_file_that_is_edited_does_not_keep_a_table_from_its_new_type() {
    let location = Place::with(TABLES_WITHOUT_ROLE, READ).await;
    let (_running, url) = location.serve(&["--admin-secret", SECRET]);
    assert_eq!(
        location.ask(&url, "{ parts { a } }").await.data(),
        json!({"parts": [{"a": 7}]})
    );
    location.write("permissions.toml", "[table.parts.role.reader]\nselect = {");
    location
        .run("ALTER TABLE parts ALTER COLUMN a TYPE text")
        .await;
    let healed = async || {
        location.ask(&url, "{ parts { a } }").await.json()["data"] == json!({"parts": [{"a": "7"}]})
    };
    until("the table has its new type", healed).await;
    std::fs::remove_file(location.path("permissions.toml")).unwrap();
    location
        .run("ALTER TABLE parts ALTER COLUMN a TYPE bigint USING 9")
        .await;
    let healed = async || {
        location.ask(&url, "{ parts { a } }").await.json()["data"] == json!({"parts": [{"a": 9}]})
    };
    until("the table has its new type once more", healed).await;
}

const TABLES_WITHOUT_ROLE: &str =
    "CREATE TABLE parts (id int PRIMARY KEY, a int, b int); INSERT INTO parts VALUES (1, 7, 0);";

/// A role that inherits has a narrower grant of its own. When its rule is left out, the wider one
/// of its parent must not take its place.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_gives_no_role_more() {
    let file = "[naming]\nconvention = \"snake\"\n\
                [table.parts.role.wide]\nselect = { columns = [\"id\", \"a\"], rows = \"true\" \
                }\ndelete = { rows = \"true\" }\n\
                [table.parts.role.reader]\nselect = { columns = [\"id\"], rows = \"b = 5\", mask \
                = { id = \"b\" } }\n\
                delete = { rows = \"b = 5\" }\n[role.reader]\ninherits = [\"wide\"]\n\
                [table.others.role.reader]\nselect = { columns = [\"id\"], rows = \"true\" }\n";
    let location = Place::with(
        "CREATE TABLE parts (id int PRIMARY KEY, a int, b int); INSERT INTO parts VALUES (1, 7, 0);
         CREATE TABLE others (id int PRIMARY KEY); INSERT INTO others VALUES (3);",
        file,
    )
    .await;
    let (running, url) = location.serve(&["--admin-secret", SECRET]);
    assert_eq!(
        location.ask(&url, "{ parts { id } }").await.data(),
        json!({"parts": []})
    );
    location
        .run("ALTER TABLE parts DROP COLUMN b; ALTER TABLE others ALTER COLUMN id TYPE bigint")
        .await;
    let healed = async || {
        location.ask(&url, "{ others { id } }").await.json()["data"]
            == json!({"others": [{"id": 3}]})
    };
    until("the other table has its new type", healed).await;
    running
        .wait_for_line("left out", PATIENCE)
        .expect("nothing is left out");
    for query in [
        "{ parts { id } }",
        "{ parts { a } }",
        "mutation { delete_parts(where: {}) { affected_rows } }",
    ] {
        let reply = location.ask(&url, query).await.json();
        assert!(
            reply["data"]["parts"].as_array().is_none_or(Vec::is_empty),
            "{query}: {reply}"
        );
        assert!(reply["data"]["delete_parts"].is_null(), "{query}: {reply}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_endpoints_and_actions_are_left_out_alone() {
    let location = Place::with(
        "CREATE TABLE parts (id int PRIMARY KEY, a int, b int); INSERT INTO parts VALUES (1, 7, 0);
         CREATE TYPE mood AS ENUM ('good');",
        &READ.replace("\"a\"]", "\"a\", \"b\"]"),
    )
    .await;
    location.write("b.graphql", "query B { parts { b } }");
    location.write(
        "map.toml",
        "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\nquery = \"query A { parts { a } }\"\n\
         [[endpoint]]\npath = \"b\"\nmethods = [\"GET\"]\ndocument = \"b.graphql\"\n\
         [[endpoint]]\npath = \"c\"\nmethods = [\"GET\"]\nsql = \"SELECT b FROM parts\"\n",
    );
    location.write(
        "actions.graphql",
        "type Query { one(x: Int): Fine two: Moody }\ntype Fine { n: Int }\ntype Moody { inner: \
         [Inner] }\ntype Inner { m: mood }\n",
    );
    location.write(
        "actions.toml",
        "[action.one]\nhandler = \"http://127.0.0.1:1/\"\nroles = [\"reader\"]\n\
         [action.two]\nhandler = \"http://127.0.0.1:1/\"\nroles = [\"reader\"]\n",
    );
    location.write(
        "gateway.toml",
        "[actions]\ndefinitions = \"actions.toml\"\ntypes = \"actions.graphql\"\n",
    );
    let config = location.path("gateway.toml");
    let map = location.path("map.toml");
    let arguments = [
        "--admin-secret",
        SECRET,
        "--config",
        config.to_str().unwrap(),
        "--rest-map",
        map.to_str().unwrap(),
    ];
    let (_running, url) = location.serve(&arguments);
    let get = async |path: &str| {
        let request = location.client.get(format!("{url}/api/rest/{path}"));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        Reply::of(request).await.unwrap()
    };
    let fields = async || {
        let names = location
            .ask(&url, "{ __schema { queryType { fields { name } } } }")
            .await
            .json();
        let names = names["data"]["__schema"]["queryType"]["fields"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        names
            .iter()
            .filter_map(|field| field["name"].as_str())
            .filter(|name| ["one", "two"].contains(name))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (
            get("a").await.status,
            get("b").await.status,
            get("c").await.status
        ),
        (200, 200, 200)
    );
    assert_eq!(fields().await, ["one", "two"]);
    location
        .run(
            "ALTER TABLE parts DROP COLUMN b; DROP TYPE mood; ALTER TABLE parts ALTER COLUMN a \
              TYPE text",
        )
        .await;
    let healed = async || {
        location.ask(&url, "{ parts { a } }").await.json()["data"] == json!({"parts": [{"a": "7"}]})
    };
    until("the table has its new type", healed).await;
    assert_eq!(get("a").await.json(), json!({"parts": [{"a": "7"}]}));
    assert_eq!((get("b").await.status, get("c").await.status), (404, 404));
    assert_eq!(fields().await, ["one"]);
    assert!(metric(&location, &url, "postern_left_out{part=\"rest_map\"}").await >= 2);
    assert!(metric(&location, &url, "postern_left_out{part=\"actions\"}").await >= 1);
}

/// What changes while the gateway starts is seen, though nothing listened yet.
#[tokio::test(flavor = "multi_thread")]
async fn tables_that_are_made_while_the_gateway_starts_are_seen() {
    let location = Place::with("", "").await;
    std::fs::remove_file(location.path("permissions.toml")).unwrap();
    let migrated = tests::binary::run(&[
        "migrate",
        "--watch-schema",
        "--database-url",
        location.database.url(),
    ])
    .unwrap();
    assert_eq!(migrated.code, Some(0), "{}", migrated.err);
    for index in 0..8 {
        let (_running, url) = location.serve_as(&["--admin-secret", SECRET]);
        location
            .run(&format!("CREATE TABLE made{index} (id int PRIMARY KEY)"))
            .await;
        let query = json!({"query": format!("{{ made{index} {{ id }} }}")});
        let seen = async || {
            let request = location
                .client
                .post(format!("{url}/v1/graphql"))
                .header("X-Gateway-Admin-Secret", SECRET);
            Reply::of(request.json(&query)).await.unwrap().json()["data"]
                == json!({format!("made{index}"): []})
        };
        until("the table is seen", seen).await;
    }
}
