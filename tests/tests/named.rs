//! Tests named SQL: statements of the REST map, whose tables are scanned under the caller's row
//! rules, and whose types Postgres infers.

use std::sync::Arc;

use permissions::{CallPolicy, Permissions, SourceFile};
use serde_json::{Value, json};
use sql::model::access::Access;
use sql::native_query::{Query, RoleMismatch, Types};
use sql::postgres::catalog;
use sql::postgres::catalog::Catalog;
use sql::resolve::Options;
use sql::statement::ValueBudget;
use sql::{Cause, Requirement};
use tests::TestDatabase;
use tests::request::Request;
use tests::wire;
use tokio_postgres::Client;

const SCHEMA: &str = r#"CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE TABLE clubs (id uuid PRIMARY KEY, owner int NOT NULL, "na""me" text NOT NULL);
    CREATE TABLE members (id int PRIMARY KEY, club uuid NOT NULL REFERENCES clubs, name text NOT NULL, mood mood,
      divisor int NOT NULL DEFAULT 1, secret text NOT NULL DEFAULT 's', joined timestamptz DEFAULT '2024-01-01Z');
    CREATE INDEX ON members (club);
    CREATE TABLE hidden (id int PRIMARY KEY);
    CREATE TABLE sums (id int PRIMARY KEY, club uuid NOT NULL, exact numeric, rough float8, wide int8, object oid,
      day date, at timestamptz, path bit(2));
    CREATE DOMAIN small AS int CHECK (value < 10);
    CREATE FUNCTION tell() RETURNS text LANGUAGE sql AS 'SELECT string_agg(secret, '','') FROM members';
    INSERT INTO clubs SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, n, 'c' || n FROM generate_series(1, 2) n;
    INSERT INTO members (id, club, name, mood, divisor)
      SELECT n, ('00000000-0000-0000-0000-00000000000' || 1 + n % 2)::uuid, 'm' || n, 'ok', n % 2
      FROM generate_series(1, 10) n;
    INSERT INTO sums SELECT n, ('00000000-0000-0000-0000-00000000000' || n)::uuid, 1, 1, 1, 1, '2024-01-01', '2024-01-01Z'
      FROM generate_series(1, 2) n;
    UPDATE sums SET exact = 1e400, wide = -7, day = '5874897-12-31' WHERE id = 1"#;

/// The owner of a club sees its members. Those of club 2 have a divisor of one, those of club 1 of
/// zero.
const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user = "int"
[rules.owned]
args = ["club"]
sql = "EXISTS (SELECT FROM clubs c WHERE c.id = club AND c.owner = session.user)"
[table.clubs]
column.'na"me' = "name"
[table.clubs.role.user]
select = { columns = ["id", 'na"me'], rows = "owner = session.user" }
[table.members.role.user]
select = { columns = ["id", "club", "name", "mood", "divisor", "joined"], rows = "owned(club)" }
[table.members.role.poor]
select = { columns = ["id"], rows = "owned(club)" }
[table.members.role.statistics]
select = { columns = "*", rows = "true", roots = ["aggregate"], aggregates = { min_group = 3 } }
[table.members.role.groups]
select = { columns = "*", rows = "true", aggregates = { min_group = 3 } }
[table.members.role.related]
select = { columns = "*", rows = "true", roots = [] }
[table.clubs.role.related]
select = { columns = ["id"], rows = "true" }
[table.sums.role.user]
select = { columns = "*", rows = "owned(club)" }
[table.clubs.role.lonely]
select = { columns = ["id"], rows = "true" }
"#;

const CLUB_1: &str = "00000000-0000-0000-0000-000000000001";
const CLUB_2: &str = "00000000-0000-0000-0000-000000000002";

struct Place {
    _database: TestDatabase,
    client: Client,
    permissions: Permissions,
}

impl Place {
    async fn start() -> Place {
        let database = tests::create("named", &[SCHEMA]).await.unwrap();
        let client = database.connect().await.unwrap();
        client.batch_execute(wire::SETTINGS).await.unwrap();
        let text = client
            .query_one(catalog::QUERY, &[])
            .await
            .unwrap()
            .get::<_, String>(0);
        let catalog = Arc::new(Catalog::decode(&text).unwrap());
        let file = SourceFile::new("permissions.toml", PERMISSIONS);
        let permissions = permissions::compile(&file, catalog).unwrap_or_else(|problems| {
            panic!("{}", permissions::render(&problems, &file, false));
        });
        Place {
            _database: database,
            client,
            permissions,
        }
    }

    fn access(&self, role: &str) -> &Arc<Access> {
        self.permissions.role(role).unwrap()
    }

    fn compile(&self, text: &str, checked: CallPolicy) -> Result<Query, String> {
        let file = SourceFile::new("rest-map.toml", text);
        permissions::statement(&self.permissions, &file, 0..text.len(), text, checked)
            .map(|statement| statement.query)
            .map_err(|problems| permissions::render(&problems, &file, false))
    }

    /// Infers the types with Postgres, as a gateway does at its start.
    async fn types(&self, query: &Query, role: &str) -> Result<Types, String> {
        let draft = query
            .draft(self.access(role), Options::default())
            .map_err(|unfit| unfit.to_string())?;
        let prepared = self.client.prepare(&draft.text).await;
        let prepared = prepared.map_err(|error| {
            error
                .as_db_error()
                .map_or(String::new(), |e| e.message().to_owned())
        })?;
        let parameters = draft
            .places
            .iter()
            .map(|index| prepared.params()[*index].oid())
            .collect();
        let columns = prepared
            .columns()
            .iter()
            .map(|column| (column.name().to_owned(), column.type_().oid()))
            .collect();
        Ok(Types {
            parameters,
            columns,
        })
    }

    async fn answer(
        &self,
        text: &str,
        role: &str,
        user: i32,
        given: Value,
    ) -> Result<Value, String> {
        let query = self.compile(text, CallPolicy::Yes)?;
        let types = self.types(&query, role).await?;
        let translation = query.translate(self.access(role), &types, "rows", Options::default());
        let translation = translation.map_err(|unfit| unfit.to_string())?;
        let statement = translation.kind.statement().unwrap();
        let Value::Object(given) = given else {
            panic!("{given}")
        };
        let variables = query
            .coerce(&Arc::new(given))
            .map_err(|error| error.to_string())?;
        let caller = Request::new("").session("user", user.to_string());
        let bound = statement
            .bind(&variables, &caller, &mut ValueBudget::default())
            .map_err(|error| error.to_string())?;
        let response = wire::answer(&self.client, &statement.text, &bound, &statement.shape).await;
        let response_value = response.map_err(|error| error.to_string())?;
        Ok(serde_json::from_str::<Value>(&response_value).unwrap()["rows"].clone())
    }
}

const MEMBERS: &str =
    "SELECT m.id, m.mood, joined FROM members m WHERE club = :club ORDER BY id LIMIT :most";

#[tokio::test]
async fn native_queries_return_rows_of_the_caller() {
    let location = Place::start().await;
    let given = |club: &str| json!({"club": club, "most": 2});
    let own = location
        .answer(MEMBERS, "user", 1, given(CLUB_1))
        .await
        .unwrap();
    assert_eq!(
        own,
        json!([
            {"id": 2, "mood": "ok", "joined": "2024-01-01T00:00:00+00:00"},
            {"id": 4, "mood": "ok", "joined": "2024-01-01T00:00:00+00:00"},
        ])
    );
    for club in [CLUB_2, "00000000-0000-0000-0000-000000000003"] {
        assert_eq!(
            location
                .answer(MEMBERS, "user", 1, given(club))
                .await
                .unwrap(),
            json!([]),
            "{club}"
        );
    }
    // Every table in joins, subqueries, WITH and set operations is scanned under its rule.
    for text in [
        "SELECT m.id FROM clubs c JOIN members m ON m.club = c.id ORDER BY m.id",
        "SELECT id FROM members WHERE EXISTS (SELECT FROM clubs c WHERE c.id = club) ORDER BY id",
        "WITH all_of_them AS (SELECT * FROM members) SELECT id FROM all_of_them ORDER BY id;",
        "SELECT x.id FROM (SELECT id FROM members UNION SELECT id FROM members) AS x ORDER BY id",
        "SELECT id FROM public.members WHERE (SELECT count(*) FROM clubs) = 1 ORDER BY 1",
        "SELECT id FROM members m, LATERAL (SELECT 1 AS one FROM clubs c WHERE c.id = m.club) l \
         ORDER BY id",
    ] {
        let rows = location
            .answer(text, "user", 2, json!({}))
            .await
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(
            rows,
            json!([{"id": 1}, {"id": 3}, {"id": 5}, {"id": 7}, {"id": 9}]),
            "{text}"
        );
    }
    let session = location
        .answer(
            "SELECT session.user AS me, count(*) AS n FROM members",
            "user",
            2,
            json!({}),
        )
        .await;
    assert_eq!(session.unwrap(), json!([{"me": 2, "n": 5}]));
    let admin = location.answer(
        "SELECT count(*) AS n FROM members WHERE mood = :mood",
        "admin",
        2,
        json!({"mood": "ok"}),
    );
    assert_eq!(admin.await.unwrap(), json!([{"n": 10}]));
}

#[tokio::test]
async fn columns_and_tables_without_a_grant_do_not_exist() {
    let location = Place::start().await;
    let query = location
        .compile("SELECT m.secret FROM members m", CallPolicy::Yes)
        .unwrap();
    assert_eq!(
        location.types(&query, "user").await,
        Err("column m.secret does not exist".into())
    );
    assert!(location.types(&query, "admin").await.is_ok());
    let query = location.compile(MEMBERS, CallPolicy::Yes).unwrap();
    assert_eq!(
        location.types(&query, "poor").await,
        Err("column m.mood does not exist".into())
    );
    assert_eq!(
        location.types(&query, "lonely").await,
        Err(RoleMismatch::Denied("members".into()).to_string())
    );
    let outer = "SELECT id FROM clubs c WHERE EXISTS (SELECT FROM members WHERE name = 'm1')";
    let outer = location.compile(outer, CallPolicy::Yes).unwrap();
    assert!(location.types(&outer, "poor").await.is_err());
    // `*` and whole rows contain the granted columns.
    let all = location
        .compile("SELECT * FROM members", CallPolicy::Yes)
        .unwrap();
    let columns = |types: Types| {
        types
            .columns
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(columns(location.types(&all, "poor").await.unwrap()), ["id"]);
    let whole = location
        .answer(
            "SELECT to_jsonb(m) AS m FROM members m ORDER BY id LIMIT 1",
            "poor",
            2,
            json!({}),
        )
        .await;
    assert_eq!(whole.unwrap(), json!([{"m": {"id": 1}}]));
}

/// A condition that divides by zero on hidden rows does not reveal that they exist.
#[tokio::test]
async fn conditions_do_not_reveal_hidden_rows() {
    let location = Place::start().await;
    for text in [
        "SELECT id FROM members WHERE 1 / divisor = :one",
        "SELECT m.id FROM clubs c JOIN members m ON m.club = c.id AND 1 / m.divisor = :one",
        "SELECT x.id FROM (SELECT id, 1 / divisor AS d FROM members) AS x WHERE d = :one",
        "WITH x AS (SELECT id, 1 / divisor AS d FROM members) SELECT id FROM x WHERE d = :one",
        "SELECT m.id FROM members m, generate_series(1, 1 / m.divisor) AS g(n) WHERE g.n = :one",
        "SELECT id FROM members m WHERE EXISTS (SELECT FROM members o WHERE o.id = m.id AND 1 / \
         o.divisor = :one)",
        // In any clause of a subquery.
        "SELECT id FROM members m WHERE :one IN (VALUES (1 / m.divisor))",
        "SELECT id FROM members m WHERE :one IN (SELECT 1 UNION ALL VALUES (1 / m.divisor))",
        "SELECT m.id, v.q FROM members m, LATERAL (VALUES (1 / m.divisor)) AS v(q) WHERE v.q = \
         :one",
        "SELECT id FROM members m WHERE EXISTS (SELECT c.id FROM clubs c LIMIT 1 / m.divisor) \
         AND :one = 1",
        "SELECT id FROM members m WHERE EXISTS (SELECT c.id FROM clubs c OFFSET 1 / m.divisor - \
         1) AND :one = 1",
        "SELECT id FROM members m WHERE EXISTS (WITH x AS (SELECT id FROM clubs LIMIT 1 / \
         m.divisor) SELECT id FROM x) \
         AND :one = 1",
        "SELECT id FROM members m WHERE m.club IN (SELECT c.id FROM clubs c ORDER BY 1 / \
         m.divisor LIMIT 1) AND :one = 1",
        "SELECT id FROM members m WHERE m.club IN (SELECT c.id FROM clubs c GROUP BY c.id, 1 / \
         m.divisor) AND :one = 1",
        "SELECT id FROM members m WHERE m.club IN (SELECT DISTINCT ON (1 / m.divisor) c.id FROM \
         clubs c) AND :one = 1",
        "SELECT id FROM members m WHERE :one IN (SELECT count(c.id ORDER BY 1 / m.divisor) FROM \
         clubs c)",
        "SELECT id FROM members m WHERE :one IN (SELECT count(c.id) FILTER (WHERE 1 / m.divisor \
         = 1) FROM clubs c)",
        "SELECT id FROM members m WHERE :one IN (SELECT count(*) OVER (ORDER BY 1 / m.divisor) \
         FROM clubs c)",
        "SELECT id FROM members m WHERE :one IN (SELECT count(*) OVER w FROM clubs c WINDOW w AS \
         (ORDER BY 1 / m.divisor))",
        "SELECT id FROM members m WHERE EXISTS (SELECT FROM clubs c HAVING 1 / m.divisor = 1) \
         AND :one = 1",
    ] {
        let rows = location.answer(text, "user", 2, json!({"one": 1})).await;
        assert_eq!(
            rows.unwrap_or_else(|error| panic!("{text}: {error}"))
                .as_array()
                .unwrap()
                .len(),
            5,
            "{text}"
        );
    }
    // `LIMIT` raises an error for a negative number, and so may an implicit cast.
    for (text, given) in [
        (
            "SELECT id FROM sums s WHERE EXISTS (SELECT c.id FROM clubs c LIMIT s.wide)",
            json!({}),
        ),
        (
            "SELECT id FROM sums s WHERE id <> 1 OR EXISTS (SELECT c.id FROM clubs c LIMIT :most)",
            json!({"most": -1}),
        ),
        (
            "SELECT id FROM sums s WHERE id <> 1 OR EXISTS (SELECT c.id FROM clubs c FETCH FIRST \
             :most ROWS ONLY)",
            json!({"most": -1}),
        ),
        (
            "SELECT id FROM sums WHERE exact = :x::float8",
            json!({"x": 1}),
        ),
        (
            "SELECT id FROM sums WHERE rough = :x AND exact = :x",
            json!({"x": 1}),
        ),
        ("SELECT id FROM sums WHERE exact = rough", json!({})),
        (
            "SELECT id FROM sums WHERE exact IN (SELECT rough FROM sums)",
            json!({}),
        ),
        (
            "SELECT s.id FROM sums s JOIN (SELECT rough AS exact FROM sums) AS x USING (exact)",
            json!({}),
        ),
        (
            "SELECT s.id FROM (SELECT * FROM sums) AS s WHERE 1 IN (SELECT exact UNION ALL \
             SELECT rough)",
            json!({}),
        ),
        ("SELECT id FROM sums WHERE wide = object", json!({})),
        (
            "SELECT id FROM sums s WHERE at IN (SELECT s.day UNION ALL SELECT s.at)",
            json!({}),
        ),
        (
            "SELECT id FROM sums WHERE id <> 1 OR id = :x::small",
            json!({"x": 11}),
        ),
    ] {
        let rows = location.answer(text, "user", 2, given).await;
        assert_eq!(rows, Ok(json!([{"id": 2}])), "{text}");
    }
    // Where nothing can raise an error there is no fence, and an index is used.
    let text = |text: &str| {
        let query = location.compile(text, CallPolicy::Yes).unwrap();
        query
            .draft(location.access("user"), Options::default())
            .unwrap()
            .text
    };
    for quiet in [
        MEMBERS,
        "SELECT id, 1 / divisor AS d FROM members WHERE club = :club ORDER BY 1 / divisor",
        "SELECT m.id FROM members m WHERE mood = :mood::mood AND (:since::timestamptz IS NULL OR \
         joined >= :since)",
        "SELECT c.id, m.n FROM clubs c, LATERAL (SELECT count(*) AS n FROM members WHERE club = \
         c.id LIMIT 1) AS m",
        "WITH RECURSIVE r AS (SELECT id FROM members WHERE id = :id UNION SELECT m.id FROM r \
         JOIN members m USING (id)) \
         SELECT id FROM r",
        "SELECT id FROM sums WHERE exact > :exact AND wide = :wide AND day < at",
        "SELECT id, exact FROM sums WHERE rough > :rough",
    ] {
        assert!(!text(quiet).contains("OFFSET 0"), "{}", text(quiet));
    }
    assert!(text("SELECT id FROM members WHERE 1 / divisor = 1").contains("OFFSET 0"));
}

/// The columns of each level are resolved first, which does not count towards a limit.
#[tokio::test]
async fn recursive_queries_can_be_nested() {
    let location = Place::start().await;
    let long = format!("SELECT '{}' AS t, 1 AS n", "x".repeat(20_000));
    let nested = (0..5).fold(long, |inner, level| {
        format!("WITH RECURSIVE r{level} AS ({inner}) SELECT t, n FROM r{level}")
    });
    let rows = location
        .answer(
            &format!("SELECT n FROM ({nested}) AS x"),
            "user",
            2,
            json!({}),
        )
        .await;
    assert_eq!(rows, Ok(json!([{"n": 1}])));
}

#[tokio::test]
async fn parameters_have_the_types_that_postgres_infers() {
    let location = Place::start().await;
    let ask = async |given| {
        location
            .answer(MEMBERS, "user", 1, given)
            .await
            .unwrap_err()
    };
    assert_eq!(
        ask(json!({"club": CLUB_1})).await,
        "expecting a value for non-nullable variable: 'most'"
    );
    assert_eq!(
        ask(json!({"club": CLUB_1, "most": 1, "x": 1})).await,
        "unexpected variables: x"
    );
    let malformed = ask(json!({"club": "c", "most": 1})).await;
    assert_eq!(
        malformed,
        "expected type 'uuid!' for 'club', found text that is not a uuid"
    );
    let injected = "SELECT id FROM members WHERE name = :name";
    let given = json!({"name": "' OR true --"});
    assert_eq!(
        location.answer(injected, "user", 1, given).await.unwrap(),
        json!([])
    );
    let twice = location
        .compile("SELECT id, id FROM members", CallPolicy::Yes)
        .unwrap();
    let types = location.types(&twice, "user").await.unwrap();
    let twice = twice.translate(location.access("user"), &types, "rows", Options::default());
    assert_eq!(
        twice.unwrap_err(),
        RoleMismatch::DuplicateColumn("id".into())
    );
}

/// The required row is looked up first, as it is for a document.
#[tokio::test]
async fn required_row_must_be_visible() {
    let location = Place::start().await;
    let access = location.access("user");
    let catalog = access.model().catalog();
    let clubs = catalog.find("public", "clubs").unwrap();
    let query = location
        .compile("SELECT id FROM members WHERE id = :id", CallPolicy::Yes)
        .unwrap();
    let query = Query {
        requirement: Requirement::new(catalog, clubs, "club"),
        ..query
    };
    let types = location.types(&query, "user").await.unwrap();
    let translation = query
        .translate(access, &types, "rows", Options::default())
        .unwrap();
    let statement = translation.kind.statement().unwrap();
    for (club, visible) in [
        (CLUB_1, true),
        (CLUB_2, false),
        ("00000000-0000-0000-0000-000000000003", false),
    ] {
        let Value::Object(given) = json!({"id": 2, "club": club}) else {
            panic!()
        };
        let variables = query.coerce(&Arc::new(given)).unwrap();
        let caller = Request::new("").session("user", "1");
        let bound = statement
            .bind(&variables, &caller, &mut ValueBudget::default())
            .unwrap();
        match wire::answer(&location.client, &statement.text, &bound, &statement.shape).await {
            Ok(response) => assert_eq!(
                (visible, response.as_str()),
                (true, r#"{"rows":[{"id":2}]}"#)
            ),
            Err(error) => {
                let alarm = statement.alarm(&error.to_string()).unwrap();
                assert_eq!((visible, &alarm.cause), (false, &Cause::Required));
            }
        }
    }
    let missing = query.coerce(&Arc::new(serde_json::Map::from_iter([(
        "id".to_owned(),
        json!(1),
    )])));
    assert_eq!(
        missing.unwrap_err().to_string(),
        "expecting a value for non-nullable variable: 'club'"
    );
}

/// Rows granted only for aggregates, or through relations, cannot be read by themselves.
#[tokio::test]
async fn tables_need_a_grant_to_list_rows() {
    let location = Place::start().await;
    let unlisted = Err(RoleMismatch::NotListable("members".into()).to_string());
    for text in [
        "SELECT * FROM members",
        "SELECT count(*) AS n FROM members",
        "SELECT 1 AS x WHERE EXISTS (SELECT FROM members)",
    ] {
        let query = location.compile(text, CallPolicy::Yes).unwrap();
        for role in ["statistics", "groups", "related"] {
            assert_eq!(
                location.types(&query, role).await,
                unlisted,
                "{role}: {text}"
            );
        }
        assert!(location.types(&query, "poor").await.is_ok(), "{text}");
    }
    let both = location
        .compile(
            "SELECT c.id FROM clubs c JOIN members m ON m.club = c.id",
            CallPolicy::Yes,
        )
        .unwrap();
    assert_eq!(location.types(&both, "related").await, unlisted);
    // Such a row may still be a required row, as for a document.
    let access = location.access("related");
    let members = access.model().catalog().find("public", "members").unwrap();
    let query = location
        .compile("SELECT id FROM clubs", CallPolicy::Yes)
        .unwrap();
    let query = Query {
        requirement: Requirement::new(access.model().catalog(), members, "member"),
        ..query
    };
    let types = location.types(&query, "related").await.unwrap();
    assert!(
        query
            .translate(access, &types, "rows", Options::default())
            .is_ok()
    );
}

/// The columns of `*` depend on the role, so `*` cannot determine columns by position.
#[tokio::test]
async fn star_is_refused_where_position_matters() {
    let location = Place::start().await;
    for text in [
        "INSERT INTO members SELECT * FROM members",
        "INSERT INTO members SELECT m.* FROM members m",
        "INSERT INTO members SELECT x.* FROM (SELECT * FROM members) AS x",
        "INSERT INTO members WITH x AS (SELECT * FROM members) SELECT * FROM x",
        "WITH x (a, b) AS (SELECT * FROM members) SELECT a FROM x",
        "WITH x AS (SELECT * FROM members) SELECT a FROM x AS y (a, b)",
        "SELECT a FROM (SELECT * FROM members) AS x (a, b)",
        "SELECT * FROM members UNION SELECT 1, NULL, 'x', NULL, 1, 's', NULL",
        "SELECT id FROM clubs UNION (SELECT * FROM clubs)",
        "WITH x (a) AS (DELETE FROM clubs USING members RETURNING members.*) SELECT a FROM x",
        "UPDATE clubs SET (id, owner) = (SELECT * FROM members)",
        "SELECT id FROM clubs WHERE (id, owner) IN (SELECT * FROM members)",
    ] {
        let refused = location.compile(text, CallPolicy::No).expect_err(text);
        assert!(
            refused.contains("`*` where columns are matched by position cannot be used"),
            "{text}:\n{refused}"
        );
    }
    for text in [
        "INSERT INTO members SELECT x.* FROM (SELECT id, club FROM members) AS x",
        "SELECT * FROM (SELECT id AS a FROM members UNION SELECT 1) AS x",
        "SELECT id FROM clubs WHERE EXISTS (SELECT * FROM members)",
        "WITH x AS (SELECT * FROM members) SELECT x.id, c.* FROM x, clubs c",
        "DELETE FROM members RETURNING *",
        "WITH x (a) AS (DELETE FROM members RETURNING *) SELECT a FROM x",
    ] {
        location
            .compile(text, CallPolicy::No)
            .unwrap_or_else(|refused| panic!("{text}:\n{refused}"));
    }
}

/// A whole row is rendered as a row of its granted columns, which is equivalent as the argument of
/// a function, but not elsewhere.
#[tokio::test]
async fn whole_rows_are_allowed_only_as_function_arguments() {
    let location = Place::start().await;
    for text in [
        "SELECT m FROM members m",
        "SELECT (m) AS r, 1 AS one FROM members m",
        "SELECT count(*) AS n FROM members m GROUP BY m",
        "SELECT id FROM members m ORDER BY m",
        "SELECT ROW(m) AS r FROM members m",
        "SELECT (m, 1) AS r FROM members m",
        "SELECT x.a FROM members m, LATERAL (VALUES (m)) AS x(a)",
    ] {
        let refused = location.compile(text, CallPolicy::Yes).expect_err(text);
        assert!(
            refused.contains("a whole row by itself cannot be used in an endpoint"),
            "{text}:\n{refused}"
        );
        assert!(
            refused.contains("`to_jsonb(m)` is an object of its columns"),
            "{text}:\n{refused}"
        );
    }
    let named = "SELECT to_jsonb(id) AS m, count(m) AS n FROM members m WHERE id = 1 GROUP BY id \
                 ORDER BY m";
    let rows = location.answer(named, "user", 2, json!({})).await;
    assert_eq!(rows.unwrap(), json!([{"m": 1, "n": 1}]));
}

#[tokio::test]
async fn unused_parameters_are_refused() {
    let location = Place::start().await;
    let query = location
        .compile("SELECT :a::int AS a", CallPolicy::Yes)
        .unwrap();
    let query = Query {
        parameters: vec!["a".into(), "b".into()],
        ..query
    };
    let refused = query
        .draft(location.access("user"), Options::default())
        .unwrap_err();
    assert_eq!(refused, RoleMismatch::UnusedParameter("b".into()));
}

#[tokio::test]
async fn unchecked_statements_and_functions_are_refused() {
    let location = Place::start().await;
    for (text, message) in [
        ("DELETE FROM members", "`DELETE` needs `unchecked = true`"),
        (
            "DROP TABLE members",
            "a statement that neither reads nor writes rows cannot be used in an endpoint",
        ),
        (
            "WITH gone AS (DELETE FROM members RETURNING id) SELECT id FROM gone",
            "`DELETE` needs `unchecked = true`",
        ),
        (
            "SELECT id FROM members FOR UPDATE",
            "`FOR UPDATE` needs `unchecked = true`",
        ),
        (
            "SELECT id FROM members FOR SHARE",
            "`FOR SHARE` needs `unchecked = true`",
        ),
        ("SELECT id INTO copy FROM members", "SELECT INTO"),
        (
            "SELECT id FROM members; DROP TABLE members",
            "`DROP` was not expected here",
        ),
        ("SELECT tell()", "`tell` is not known to be Postgres' own"),
        (
            "SELECT pg_read_file('/etc/passwd')",
            "`pg_read_file` is not known",
        ),
        (
            "SELECT query_to_xml('SELECT * FROM members', true, true, '')",
            "`query_to_xml` is not known",
        ),
        (
            "SELECT * FROM nowhere",
            "table `nowhere` is not in the database",
        ),
        ("SELECT * FROM pg_catalog.pg_authid", "pg_authid"),
        ("SELECT $1::int", "not written like `:name`"),
        ("SELECT session.other", "session"),
        ("SELECT ctid FROM members", "column `ctid`"),
        ("SELEC", "the statement is not SQL"),
    ] {
        let refused = location.compile(text, CallPolicy::Yes).unwrap_err();
        assert!(refused.contains(message), "{text}:\n{refused}");
        assert!(refused.contains("rest-map.toml:1:"), "{text}:\n{refused}");
    }
    // `unchecked = true` allows any function; tables are still scanned under their rules.
    let query = location
        .compile(
            "SELECT tell() AS told, count(*) AS n FROM members",
            CallPolicy::No,
        )
        .unwrap();
    let draft = query
        .draft(location.access("user"), Options::default())
        .unwrap();
    assert!(draft.text.contains("WHERE ("), "{}", draft.text);
}
