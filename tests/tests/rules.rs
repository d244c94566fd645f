//! Tests that row rules keep their meaning: the rows that a role sees are those for which Postgres
//! evaluates the rule's original text as true, although the engine has parsed, resolved and
//! rendered it.

use std::fmt::Write;
use std::sync::Arc;

use permissions::SourceFile;
use serde_json::Value as Json;
use tests::fixture;
use tests::request::Request;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Rules on `users`, `"or""ders"` and `products`: precedence, scopes, shadowing, and forms with
/// their own grammar.
const RULES: &[(&str, &[&str])] = &[
    (
        "users",
        &[
            "id = session.user_id OR team_id IS NULL AND score > 0",
            "(id = session.user_id OR team_id IS NULL) AND id > 0",
            "NOT id = 1 AND NOT (team_id IS NULL OR name LIKE 'A%')",
            "id - 1 - 1 > 0",
            "id - (1 - 1) > 1",
            "2 * (id + 1) > 6",
            "-id + 3 > - 1",
            "id = session.user_id - -1",
            "(id + 1) * 2 % 3 = 0",
            "2 ^ id - 1 > 3 AND id # 1 > 1",
            "name || 'x' || id::text LIKE '%2'",
            "CASE WHEN score IS NULL THEN true ELSE score > 1 END",
            "CASE id WHEN 1 THEN name <> '' WHEN 2 THEN false ELSE team_id IS NULL END",
            "id BETWEEN 2 AND 3 OR id = 1 AND false",
            "id NOT BETWEEN 2 AND 3 AND id < 5 + 1",
            "id IN (SELECT user_id FROM memberships WHERE memberships.team_id = users.team_id)",
            "EXISTS (SELECT FROM users u WHERE u.manager_id = users.id AND u.id <> users.id)",
            "EXISTS (SELECT FROM users WHERE users.manager_id = session.user_id)",
            "EXISTS (SELECT FROM users AS _0 WHERE _0.manager_id = users.id)",
            "EXISTS (SELECT FROM users AS _0 WHERE _0.manager_id = _0.id OR _0.id = users.id)",
            "NOT EXISTS (SELECT FROM users id WHERE id.manager_id = users.id)",
            "EXISTS (SELECT FROM memberships users WHERE users.team_id = 1 AND users.user_id = id)",
            "(SELECT count(*) FROM memberships m WHERE m.user_id = users.id) > 1",
            "(SELECT count(*) FROM memberships m WHERE m.user_id = id) >= (SELECT min(i.id) FROM \
             teams i)",
            "id = ANY (ARRAY(SELECT m.user_id FROM memberships m))",
            "team_id = ANY (SELECT team_id FROM memberships)",
            "team_id = SOME (SELECT m.team_id FROM memberships m WHERE m.role <> users.name)",
            "id <> ALL (ARRAY[1, 2])",
            "ARRAY[id, 2] @> ARRAY[2, 1]",
            "(ARRAY[id, team_id])[2] IS NOT NULL",
            "id = (WITH m AS (SELECT max(id) AS id FROM users) SELECT id FROM m)",
            "id IN (WITH RECURSIVE up AS (SELECT u.id, u.manager_id FROM users u WHERE u.id = \
             session.user_id UNION SELECT b.id, b.manager_id FROM users b JOIN up ON \
             up.manager_id = b.id) SELECT up.id FROM up)",
            "EXISTS (SELECT FROM memberships m JOIN teams t ON t.id = m.team_id WHERE m.user_id \
             = users.id AND t.name <> '')",
            "EXISTS (SELECT FROM memberships JOIN passports USING (user_id) WHERE user_id = \
             users.id)",
            "EXISTS (SELECT FROM memberships m LEFT JOIN passports p ON p.user_id = m.user_id \
             WHERE p.number IS NULL AND m.user_id = users.id)",
            "EXISTS (SELECT FROM memberships m, LATERAL (SELECT m.team_id AS t) x WHERE x.t = \
             users.team_id)",
            "EXISTS (SELECT FROM (SELECT team_id AS id FROM memberships) m WHERE m.id = \
             users.team_id AND id > 0)",
            "EXISTS (SELECT 1 FROM memberships GROUP BY team_id HAVING count(*) > 1 AND \
             min(user_id) = users.id)",
            "EXISTS (SELECT user_id FROM memberships INTERSECT SELECT users.id)",
            "id IN (SELECT user_id FROM memberships EXCEPT SELECT user_id FROM passports)",
            "id IN (VALUES (1), (3))",
            "(id, team_id) IN (SELECT user_id, team_id FROM memberships)",
            "ROW(id, 1) < ROW(2, 2)",
            "EXISTS (SELECT FROM generate_series(1, 2) g WHERE g = users.id)",
            "NOT EXISTS (SELECT FROM unnest(session.labels) l(x) WHERE l.x <> users.name)",
            "(SELECT u.name FROM users u ORDER BY u.name DESC LIMIT 1) = name",
            "(SELECT r.rank FROM (SELECT id, rank() OVER (ORDER BY score DESC NULLS LAST) AS \
             rank FROM users) r WHERE r.id = users.id) <= 2",
            "name = 'O''Brien' OR name ~* '^a' AND name !~ 'z$'",
            "name ILIKE '%\\_%' ESCAPE '\\' OR name NOT LIKE '%a%'",
            "name SIMILAR TO '(A|B)%'",
            "substring(name FROM 1 FOR 1) = 'A' OR position('o' IN name) > 0",
            "trim(BOTH 'x' FROM name) = name AND upper(left(name, 1)) <> 'B'",
            "(name COLLATE \"C\") < 'c'",
            "created_at AT TIME ZONE 'UTC' > timestamp '2000-01-01' - interval '1 day'",
            "extract(year FROM created_at) > 2000 AND date_trunc('day', created_at) <= created_at",
            "(coalesce(score, 0) > 0) IS NOT TRUE",
            "(score > 0) IS DISTINCT FROM (id > 1)",
            "nullif(id, 2) IS NULL OR greatest(id, team_id) = 3",
            "cast(id AS text) = '2' OR id::text::int = 1",
            "mood IS NULL OR mood > 'sad'::mood",
            "manager_id IS NULL AND team_id IS NOT NULL OR email IS NULL",
            "true AND NOT false AND (id = 1) = (team_id = 1)",
        ],
    ),
    (
        "or\"ders",
        &[
            "\"Total Amount\" > 10 AND \"na\"\"me\" IS NOT NULL",
            "user_id = session.user_id OR status::text = 'new'",
            "EXISTS (SELECT FROM \"or\"\"ders\" o WHERE o.parent_id = \"or\"\"ders\".id)",
            "id IN (SELECT order_id FROM order_lines GROUP BY order_id HAVING sum(quantity * \
             coalesce(price, 0)) > 5)",
            "placed_on - date '2000-01-01' > 100 AND placed_on < current_date + 1",
            "(SELECT coalesce(sum(l.quantity), 0) FROM order_lines l WHERE l.order_id = id) = 0",
            "(SELECT coalesce(sum(l.quantity), 0) FROM order_lines l WHERE l.order_id = \
             \"or\"\"ders\".id) > 1",
        ],
    ),
    (
        "products",
        &[
            "attributes -> 'a' ->> 'b' = 'x' OR attributes ? 'color' OR attributes #>> '{a,b}' = \
             'x'",
            "attributes @> '{}' AND NOT attributes ?| ARRAY['size', 'x']",
            "tags && session.labels OR tags IS NULL",
            "session.labels[1] = ANY (tags) OR cardinality(tags) > 1",
            "NOT hidden AND (price IS NULL OR price * 1.1 >= 10.0)",
            "discount IS NULL OR discount > 0.5::numeric",
            "released >= '2020-01-01' IS TRUE",
        ],
    ),
];

/// The session values, as text of the caller and as an SQL literal.
const SESSION: [(&str, &str, &str); 2] = [
    ("user_id", "2", "2::int"),
    ("labels", "{new,unused}", "'{new,unused}'::text[]"),
];

#[tokio::test]
async fn rendered_rules_keep_their_meaning() -> Outcome {
    let database = fixture::database("rules").await?;
    let client = fixture::connect(&database).await?;
    let catalog = Arc::new(fixture::catalog(&client).await?);
    let file = SourceFile::new("rules.toml", permission_file());
    let compiled =
        permissions::compile(&file, catalog).map_err(|p| permissions::render(&p, &file, false))?;
    let mut some = 0;
    let mut fewer = 0;
    for (table, index, rule) in rules() {
        let expected = native(&client, table, rule).await?;
        let all = native(&client, table, "true").await?;
        let access = compiled.role(&role(index)).ok_or("no such role")?;
        let name = access
            .model()
            .tables()
            .find(|t| access.model().table(t.table).name == *table);
        let name = &name.ok_or("no such table")?.name;
        let request = SESSION.iter().fold(
            Request::new(format!(
                "{{ rows: {name}(order_by: {{id: asc}}) {{ id }} }}"
            )),
            |request, (name, value, _)| request.session(name, *value),
        );
        let response: Json = serde_json::from_str(&request.answer(&client, access).await?)?;
        let rows = response["rows"].as_array().ok_or("no rows")?;
        let found: Vec<String> = rows
            .iter()
            .map(|row| row["id"].to_string().trim_matches('"').to_owned())
            .collect();
        assert_eq!(found, expected, "{table}: {rule}");
        some += usize::from(!expected.is_empty());
        fewer += usize::from(expected.len() < all.len());
    }
    // Rules that are true for every row, or for none, would test little.
    assert!(
        some > 50 && fewer > 50,
        "{some} rules show rows, {fewer} hide some"
    );
    Ok(())
}

/// Every rule with its table and number.
fn rules() -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    let rules = RULES
        .iter()
        .flat_map(|(table, rules)| rules.iter().map(|rule| (*table, *rule)));
    rules
        .enumerate()
        .map(|(index, (table, rule))| (table, index, rule))
}

fn role(index: usize) -> String {
    format!("r{index}")
}

/// A permission file with a role for each rule.
fn permission_file() -> String {
    let mut text = "[session]\nuser_id = \"int\"\nlabels = \
                    \"text[]\"\n\n[table.'or\"ders']\nname = \"orders\"\n"
        .to_owned();
    for (table, index, rule) in rules() {
        let key = Json::from(table);
        let rule = Json::from(rule);
        let _ = write!(
            text,
            "\n[table.{key}.role.{}]\nselect = {{ columns = [\"id\"], rows = {rule} }}\n",
            role(index)
        );
    }
    text
}

/// The keys of the rows for which Postgres evaluates the rule as true, in order.
async fn native(client: &tokio_postgres::Client, table: &str, rule: &str) -> Outcome<Vec<String>> {
    let name = sql::postgres::types::quoted(table);
    let literal = |rule: String, (name, _, literal): &(&str, &str, &str)| {
        rule.replace(&format!("session.{name}"), &format!("({literal})"))
    };
    let rule = SESSION.iter().fold(rule.to_owned(), literal);
    let statement = format!("SELECT id::text FROM {name} WHERE ({rule}) ORDER BY {name}.id");
    let rows = client
        .query(&statement, &[])
        .await
        .map_err(|error| format!("{rule}: {error:?}"))?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
