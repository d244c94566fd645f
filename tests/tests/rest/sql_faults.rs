//! Tests statements with errors, each shown in the file that contains it.

use gateway::rest::{Documents, Source};

use super::service::{Service, faults, faults_over, is, source};

/// The report about an endpoint with this statement and these further keys.
async fn drawn(more: &str, sql: &str) -> String {
    faults(source(&format!(
        "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\n{more}\nsql = '''\n{sql}'''\n"
    )))
    .await
}

/// Statements that are refused even with `unchecked = true`, and statements that need it.
#[tokio::test(flavor = "multi_thread")]
async fn unsupported_statements_are_reported() {
    let leave = "unchecked = true\nroles = [\"owner\"]";
    let never = "a statement that neither reads nor writes rows cannot be used in an endpoint";
    let table = [
        (
            leave,
            "DELETE FROM things; DELETE FROM owners",
            "`DELETE` was not expected here",
        ),
        (leave, "CREATE TABLE x (id int)", never),
        (leave, "COPY things TO STDOUT", never),
        (leave, "COPY things TO PROGRAM 'id'", never),
        (leave, "SET search_path = x", never),
        (leave, "COMMIT", never),
        (leave, "CALL f()", never),
        (leave, "EXPLAIN ANALYZE DELETE FROM things", never),
        (leave, "TRUNCATE things", never),
        (leave, "DO $$ BEGIN END $$", "error[statement]"),
        (
            leave,
            "DELETE FROM thigns",
            "table `thigns` is not in the database",
        ),
        (
            leave,
            "UPDATE things SET nmae = 'x'",
            "column `nmae` is not in `things`",
        ),
        (
            leave,
            "INSERT INTO things (idd) VALUES (1)",
            "column `idd` is not in `things`",
        ),
        (
            leave,
            "DELETE FROM things WHERE idd = 1",
            "no table in scope has a column `idd`",
        ),
        (
            leave,
            "INSERT INTO things (id) VALUES (things.id)",
            "`things` is not a table in scope",
        ),
        (
            leave,
            "SELECT id FROM (DELETE FROM things RETURNING id) AS x",
            "Postgres rejects the statement: syntax error at or near \"FROM\"",
        ),
        (
            leave,
            "SELECT id FROM (WITH x AS (DELETE FROM things RETURNING id) SELECT * FROM x) AS y",
            "Postgres rejects the statement: WITH clause containing a data-modifying statement \
             must be at the top level",
        ),
        (
            leave,
            "DELETE FROM things RETURNING id, id",
            "two columns are called `id`",
        ),
        (
            leave,
            "DELETE FROM pg_catalog.pg_authid",
            "is not in the database",
        ),
        (
            "",
            "DELETE FROM things",
            "error[statement]: `DELETE` needs `unchecked = true`",
        ),
        (
            "",
            "WITH x AS (UPDATE things SET id = 1 RETURNING id) SELECT id FROM x",
            "`UPDATE` needs `unchecked = true`",
        ),
        (
            "",
            "SELECT id FROM things FOR UPDATE",
            "`FOR UPDATE` needs `unchecked = true`",
        ),
        (
            "unchecked = false",
            "INSERT INTO owners (id) VALUES (:id)",
            "`INSERT` needs `unchecked = true`",
        ),
        (
            "unchecked = true\nroles = [\"owner\"]\ncache_seconds = 1",
            "DELETE FROM things",
            "`cache_seconds` is for endpoints that read, and this one writes",
        ),
        (
            "unchecked = true\nroles = [\"owner\"]\ncache_control = \"private\"",
            "DELETE FROM things",
            "`cache_control` is for endpoints that read, and this one writes",
        ),
        (
            "unchecked = true\nroles = [\"visitor\"]",
            "DELETE FROM things USING owners",
            "role `visitor` cannot run the statement: table `owners` is not granted",
        ),
    ];
    let mut wrong = vec![];
    for (more, sql, message) in table {
        let drawn = drawn(more, sql).await;
        if !drawn.contains(message) || !drawn.contains("map.toml:") {
            wrong.push(format!("{sql}\n{message}\n{drawn}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Indirect calls of user-defined functions that the text of a statement does not show: each reads
/// secrets of things.
const DISGUISED: &str = "
CREATE FUNCTION secret_of(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret FROM things WHERE id = $1';
CREATE FUNCTION joined(int, int) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret_of($1)';
CREATE OPERATOR public.|| (LEFTARG = int, RIGHTARG = int, PROCEDURE = joined);
CREATE FUNCTION public.ceil(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret_of($1)';
CREATE TYPE box AS (a int);
CREATE FUNCTION box_text(public.box) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret_of(($1).a)';
CREATE CAST (public.box AS text) WITH FUNCTION box_text(public.box);
CREATE FUNCTION thing_secret(things) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret_of(($1).id)';
CREATE FUNCTION gathered(text, int) RETURNS text LANGUAGE sql STABLE AS 'SELECT secret_of($2)';
CREATE AGGREGATE public.string_agg(int) (SFUNC = gathered, STYPE = text);
CREATE FUNCTION is_told(int) RETURNS bool LANGUAGE sql STABLE AS 'SELECT secret_of($1) IS NOT NULL';
CREATE DOMAIN told_id AS int CHECK (is_told(VALUE));
CREATE TYPE with_told AS (id told_id);
CREATE TABLE kept (id int PRIMARY KEY, told told_id, mood mood);
CREATE EXTENSION citext;
";

#[tokio::test(flavor = "multi_thread")]
async fn indirect_function_calls_are_reported() {
    let check = "the check of the domain `told_id` is not known";
    let table = [
        (
            "SELECT (2 || 1) AS v",
            "the operator `||(integer,integer)` is not known",
        ),
        (
            "SELECT id FROM things ORDER BY id || id",
            "the operator `||(integer,integer)` is not known",
        ),
        (
            "SELECT ceil(2) AS v",
            "the function `ceil(integer)` is not known",
        ),
        (
            "SELECT ROW(2)::public.box::text AS v",
            "the function `box_text(public.box)` is not known",
        ),
        (
            "SELECT ('(2,,,,,,,,,,,,,)'::public.things).thing_secret AS v",
            "the function `thing_secret(things)` is not known",
        ),
        (
            "SELECT string_agg(id) AS v FROM (SELECT id FROM things) AS q",
            "the function `string_agg(integer)` is not known",
        ),
        ("SELECT 2::told_id AS v", check),
        ("SELECT :p::told_id AS v", check),
        ("SELECT ARRAY[:p]::told_id[] AS v", check),
        ("SELECT :p::with_told AS v", check),
        (
            "SELECT current_setting('config_file') AS v",
            "`current_setting` is not known",
        ),
        ("SELECT (:o::oid)::regclass AS v", "`regclass` is not known"),
        (
            "SELECT CAST(10::oid AS pg_catalog.regrole) AS v",
            "`pg_catalog.regrole` is not known",
        ),
        (
            "SELECT ARRAY[10::oid]::regtype[] AS v",
            "is not known to be Postgres' own",
        ),
    ];
    let endpoint = |index: usize, sql: &str| {
        format!("[[endpoint]]\npath = \"{index}\"\nmethods = [\"GET\"]\nsql = \"{sql}\"\n")
    };
    let map: String = table
        .iter()
        .enumerate()
        .map(|(position, (sql, _))| endpoint(position, sql))
        .collect();
    // An error found in the text of one statement skips its check by Postgres, but not that of the
    // others.
    let drawn = faults_over(source(&map), DISGUISED).await;
    let is_reported = |column_index: usize, message: &str| {
        let at = format!("map.toml:{}:", column_index * 4 + 4);
        let matches = |fault: &str| {
            [message, &at, "unchecked = true"]
                .iter()
                .all(|text| fault.contains(text))
        };
        drawn.split("error[").any(matches)
    };
    let wrong: Vec<_> = table
        .iter()
        .enumerate()
        .filter(|(place, (_, message))| !is_reported(*place, message))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{drawn}");

    // With `unchecked = true` it is a mutation; calls that only read, or belong to an extension, do
    // not need it.
    let leave = "unchecked = true\nroles = [\"owner\"]\n";
    let fine = [
        "SELECT told, mood::text AS text, mood = :mood AS is_it, ROW(1, 2) AS row FROM kept",
        "SELECT max(x::citext) AS v, bool_or(x::citext = :p::citext) AS w FROM (VALUES ('a')) AS \
         q (x)",
    ];
    let map = format!(
        "{}{leave}{}{}",
        endpoint(0, table[0].0),
        endpoint(1, fine[0]),
        endpoint(2, fine[1])
    );
    let service = Service::over(&map, DISGUISED, "").await;
    is(
        &service.get("2?p=A").await,
        &serde_json::json!({"rows": [{"v": "a", "w": true}]}),
    );
    let joined = service.by("owner", reqwest::Method::GET, "0");
    is(
        &super::service::send(joined).await,
        &serde_json::json!({"rows": [{"v": "s2"}]}),
    );
}

/// The first line of the statements in the map.
const LINE: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn invalid_statements_are_reported() {
    let location = |line: usize, column: usize| format!("map.toml:{}:{column}", LINE + line);
    let unsupported =
        |what: &str| format!("error[statement]: {what} cannot be used in an endpoint");
    let table = [
        (
            "",
            "SELEC id FROM things",
            "error[statement]: the statement is not SQL".to_owned(),
            location(0, 1),
        ),
        (
            "",
            "SELECT id FROM things; SELECT 1",
            "`SELECT` was not expected here".into(),
            location(0, 24),
        ),
        (
            "",
            "DROP TABLE things",
            unsupported("a statement that neither reads nor writes rows"),
            "map.toml:5:7".into(),
        ),
        (
            "",
            "SELECT id INTO copy FROM things",
            unsupported("SELECT INTO"),
            location(0, 1),
        ),
        (
            "",
            "SELECT id FROM thigns",
            "table `thigns` is not in the database".into(),
            location(0, 16),
        ),
        (
            "",
            "SELECT id,\n  nme FROM things",
            "no table in scope has a column `nme`".into(),
            location(1, 3),
        ),
        (
            "",
            "SELECT id FROM things WHERE id = $1",
            unsupported("the parameter `$1`, which is not written like `:name`,"),
            location(0, 34),
        ),
        (
            "",
            "SELECT session.nobody AS x",
            "session value `nobody` is not declared".into(),
            location(0, 16),
        ),
        (
            "",
            "SELECT pg_sleep(1)",
            "`pg_sleep` is not known to be Postgres' own and to read nothing".into(),
            location(0, 8),
        ),
        (
            "",
            "SELECT id\nFROM things\nWHERE day = :day AND id = 'x'",
            "error[postgres]: Postgres rejects the statement: invalid input syntax for type \
             integer"
                .into(),
            location(2, 27),
        ),
        (
            "",
            "SELECT :x + :y AS sum",
            "operator is not unique".into(),
            location(0, 8),
        ),
        (
            "",
            "SELECT row_to_json(:x) AS j",
            "error[postgres]: Postgres rejects the statement: a parameter is a `record`".into(),
            "map.toml:5:7".into(),
        ),
        (
            "",
            "SELECT id, id FROM things",
            "two columns are called `id`".into(),
            "map.toml:5:7".into(),
        ),
        (
            "",
            "SELECT FROM things",
            "error[no-columns]: the statement returns no columns".into(),
            "map.toml:5:7".into(),
        ),
        (
            "optional = [\"from\", \"idd\"]",
            "SELECT id FROM things WHERE id = :id",
            "error[unknown-parameter]: the statement has no parameter `idd`".into(),
            "map.toml:4:21".into(),
        ),
        (
            "single = \"things\"",
            "SELECT id FROM things",
            "error[single]: the response of a statement has `rows`, not `things`".into(),
            "map.toml:4:10".into(),
        ),
        (
            "roles = [\"visitor\"]",
            "SELECT id,\n  t.whole FROM things t",
            "error[not-for-role]: role `visitor` cannot run the statement: column t.whole does \
             not exist"
                .into(),
            location(1, 3),
        ),
        (
            "roles = [\"visitor\"]",
            "SELECT id FROM owners",
            "role `visitor` cannot run the statement: table `owners` is not granted".into(),
            "map.toml:5:7".into(),
        ),
        (
            "roles = [\"visitro\"]",
            "SELECT id FROM owners",
            "there is no role `visitro`".into(),
            "map.toml:4:10".into(),
        ),
        (
            "roles = [\"visitor\"]\nrequire = { table = \"owners\", parameter = \"o\" }",
            "SELECT id FROM things",
            "role `visitor` cannot run the statement: table `owners` is not granted".into(),
            "map.toml:5:21".into(),
        ),
        (
            "require = { table = \"owners\", parameter = \"id\" }",
            "SELECT id FROM things WHERE id = :id",
            "error[wrong-type]: `id` is a `Int!`, and the key of `owners` a `uuid`".into(),
            "map.toml:4:43".into(),
        ),
        (
            "unchecked = true",
            "SELECT id FROM things",
            "error[needless]: nothing of the statement needs `unchecked`".into(),
            "map.toml:4:13".into(),
        ),
        (
            "unchecked = true",
            "SELECT pg_sleep(1)",
            "error[missing-key]: an unchecked statement needs `roles`".into(),
            "map.toml:4:13".into(),
        ),
        (
            "unchecked = 1",
            "SELECT id FROM things",
            "`unchecked` must be true or false".into(),
            "map.toml:4:13".into(),
        ),
        (
            "operation = \"all things\"",
            "SELECT id FROM things",
            "error[name]: `all things` is not a valid operation name".into(),
            "map.toml:4:13".into(),
        ),
        (
            "",
            "SELECT id, 1 + id FROM things",
            "error[unnamed-column]: a column of the statement has no name".into(),
            "map.toml:5:7".into(),
        ),
        (
            "cache_seconds = 5",
            "SELECT id FROM things ORDER BY random()",
            "error[cache-volatile]: `cache_seconds`: the endpoint calls a volatile function".into(),
            "map.toml:4:17".into(),
        ),
        (
            "query = \"{ things { id } }\"",
            "SELECT id FROM things",
            "an endpoint has one of `document`, `query` and `sql`".into(),
            "map.toml:1:1".into(),
        ),
    ];
    let mut wrong = vec![];
    for (more, sql, message, source_location) in table {
        let drawn = drawn(more, sql).await;
        if !drawn.contains(&message) || !drawn.contains(&source_location) {
            wrong.push(format!("{sql}\n{message} {source_location}\n{drawn}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_only_keys_are_reported_for_documents() {
    let map = "[[endpoint]]\npath = \"a/:id\"\nmethods = [\"GET\"]\nsql = \"SELECT id FROM \
               things\"\n\n\
               [[endpoint]]\npath = \"b\"\nmethods = [\"GET\"]\nquery = \"{ things { id } \
               }\"\noptional = [\"x\"]\n\
               unchecked = true\n";
    let drawn = faults(source(map)).await;
    for text in [
        "error[unknown-parameter]: the statement has no parameter `id`",
        "map.toml:2:8",
        "error[only-sql]: `optional` is for `sql`, and the endpoint has a document",
        "error[only-sql]: `unchecked` is for `sql`",
        "map.toml:11:13",
    ] {
        assert!(drawn.contains(text), "{text}\n{drawn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_file_errors_are_shown_in_the_file() {
    const DOCUMENTS: &[(&str, &str)] = &[
        ("q/a.sql", "-- for nobody\nSELECT id, größe\nFROM things\n"),
        (
            "q/b.sql",
            "SELECT id\nFROM things\nWHERE name = 'ü' AND day = 'never';\n",
        ),
    ];
    let endpoint = |name: &str| {
        format!(
            "[[endpoint]]\npath = \"{name}\"\nmethods = [\"GET\"]\ndocument = \"q/{name}.sql\"\n\n"
        )
    };
    let drawn = faults(Source::new(
        "map.toml",
        &["a", "b", "c"].map(endpoint).concat(),
        Documents::Given(DOCUMENTS),
    ))
    .await;
    for text in [
        "q/a.sql:2:12",
        "no table in scope has a column `größe`",
        "q/b.sql:3:28",
        "Postgres rejects the statement: invalid input syntax for type date: \"never\"",
        "error[unreadable]: cannot read `q/c.sql`",
    ] {
        assert!(drawn.contains(text), "{text}\n{drawn}");
    }
}

/// A statement is prepared once, so such a literal would keep the moment of its preparation.
#[tokio::test(flavor = "multi_thread")]
async fn literals_of_the_clock_are_reported() {
    for (condition, literal, help) in [
        ("at > 'now'", "'now'", "now()"),
        ("at > timestamptz 'now'", "'now'", "now()"),
        ("day = 'today'", "'today'", "current_date"),
        (
            "day IN ('2020-01-01', 'tomorrow')",
            "'tomorrow'",
            "current_date + 1",
        ),
    ] {
        let fault = drawn("", &format!("SELECT id FROM things WHERE {condition}")).await;
        assert!(
            fault.contains(&format!("{literal} is a ")) && fault.contains(help),
            "{condition}: {fault}"
        );
    }
}
