//! Tests conditions inside and outside of the optimization fence around row rules: the indexes that
//! they use on either side.

use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use serde_json::{Value as Json, json};
use sql::postgres::catalog::{Catalog, QUERY};
use tests::TestDatabase;
use tests::request::Request;
use tokio_postgres::Client;

use super::{Outcome, plan};

const SCHEMA: &str = include_str!("schema.sql");

/// The roles: one without rules, one with a rule by column, one with a membership.
const ROLES: [&str; 3] = ["reader", "owner", "member"];

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[table.teams.role]
reader.select = { columns = "*", rows = "true" }
owner.select = { columns = "*", rows = "true" }
member.select = { columns = "*", rows = "true" }

[table.people.role]
reader.select = { columns = "*", rows = "true" }
owner.select = { columns = "*", rows = "owner_id = session.user_id" }
member.select = { columns = "*", rows = "EXISTS (SELECT FROM members m WHERE m.team_id = people.team_id AND m.user_id = session.user_id)" }

[table.notes.role]
reader.select = { columns = "*", rows = "true" }
owner.select = { columns = "*", rows = "owner_id = session.user_id" }
member.select = { columns = "*", rows = "EXISTS (SELECT FROM people p JOIN members m USING (team_id) WHERE p.id = notes.person_id AND m.user_id = session.user_id)" }
"#;

struct Tables {
    client: Client,
    permissions: Permissions,
    _database: TestDatabase,
}

impl Tables {
    async fn new() -> Outcome<Tables> {
        let database = tests::create("fence_plans", &[SCHEMA]).await?;
        let client = database.connect().await?;
        client
            .batch_execute("SET max_parallel_workers_per_gather = 0")
            .await?;
        let catalog = Arc::new(Catalog::decode(
            &client.query_one(QUERY, &[]).await?.get::<_, String>(0),
        )?);
        let file = SourceFile::new("permissions.toml", PERMISSIONS);
        let permissions = permissions::compile(&file, catalog)
            .map_err(|problems| permissions::render(&problems, &file, false).to_string())?;
        Ok(Tables {
            client,
            permissions,
            _database: database,
        })
    }

    /// The statement of a document with its parameters inlined, and its plan.
    async fn plan(&self, role: &str, document: &str, variables: Json) -> Outcome<(String, String)> {
        self.plan_for("1", role, document, variables).await
    }

    async fn plan_for(
        &self,
        user: &str,
        role: &str,
        document: &str,
        variables: Json,
    ) -> Outcome<(String, String)> {
        let request = Request::new(document)
            .variables(variables)
            .session("user_id", user);
        let translated = request.translate(self.permissions.role(role).ok_or("no such role")?)?;
        let statement = translated
            .translation
            .kind
            .statement()
            .ok_or("no statement")?;
        let mut text = statement.text.clone();
        for (index, value) in request
            .bind(statement, &translated.variables)?
            .iter()
            .enumerate()
            .rev()
        {
            let value = value.as_ref().ok_or("a null")?.replace('\'', "''");
            text = text.replace(&format!("${}::", index + 1), &format!("'{value}'::"));
        }
        let found = plan(&self.client, &text).await?;
        Ok((statement.text.clone(), found))
    }
}

/// Usual conditions use their index under every rule, and without a fence.
#[tokio::test]
async fn usual_conditions_are_inside_the_fence_and_use_indexes() -> Outcome {
    let tables = Tables::new().await?;
    for (document, indexes) in [
        (
            "{ people(where: {email: {_eq: \"p7@example.org\"}}) { id } }",
            &["people_email", "people_prefix"][..],
        ),
        (
            "{ people(where: {id: {_in: [1, 2, 3]}}) { id } }",
            &["people_pkey"],
        ),
        (
            "{ people(where: {id: {_gt: 50, _lte: 60}}) { id } }",
            &["people_pkey"],
        ),
        (
            "{ people(where: {created: {_between: [\"2020-01-01\", \"2020-01-02\"]}}) { id } }",
            &["people_created", "people_owner", "people_team"],
        ),
        (
            "{ people(where: {email: {_like: \"p777%\"}}) { id } }",
            &["people_prefix"],
        ),
        (
            "{ people(where: {team_id: {_eq: 3}, status: {_eq: \"open\"}}, order_by: {created: \
             desc}, limit: 5) { id } }",
            &["people_team"],
        ),
    ] {
        for role in ROLES {
            let (text, found) = tables.plan(role, document, json!({})).await?;
            assert!(!text.contains("OFFSET 0"), "{role} {text}");
            assert!(
                indexes.iter().any(|index| found.contains(index)),
                "{role} {document}\n{found}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn short_operands_in_variables_use_indexes() -> Outcome {
    let tables = Tables::new().await?;
    let document = "query ($p: String!) { people(where: {email: {_like: $p}}) { id } }";
    for role in ["owner", "member"] {
        let (text, found) = tables.plan(role, document, json!({"p": "p777%"})).await?;
        assert!(
            !text.contains("OFFSET 0") && found.contains("people_prefix"),
            "{role} {text}\n{found}"
        );
        for pattern in ["%777%", &format!("p777{}", "%".repeat(300))] {
            let (text, _) = tables.plan(role, document, json!({"p": pattern})).await?;
            assert!(
                text.contains("OFFSET 0) AS _0 WHERE _0.\"email\" ~~ (SELECT $"),
                "{role} {text}"
            );
        }
        let (text, _) = tables
            .plan("reader", document, json!({"p": "%777%"}))
            .await?;
        assert!(!text.contains("(SELECT $"), "{text}");
    }
    Ok(())
}

/// A long list on an indexed column is joined; no other condition is inside the fence beside the
/// rule.
#[tokio::test]
async fn long_lists_are_joined() -> Outcome {
    let tables = Tables::new().await?;
    let document =
        "query ($l: [Int!]!) { people(where: {id: {_in: $l}, status: {_eq: \"open\"}}) { id } }";
    for (role, user) in [("owner", "1"), ("member", "500")] {
        let (text, found) = tables
            .plan_for(
                user,
                role,
                document,
                json!({"l": (1..100).collect::<Vec<i32>>()}),
            )
            .await?;
        let beside = text.split("OFFSET 0").next().unwrap_or_default();
        assert!(
            beside.contains("\"id\" = ANY (SELECT unnest($2::int4[]))")
                && !beside.contains("status\" ="),
            "{text}"
        );
        let joined = found.contains("people_pkey") || found.contains("Hash Semi Join");
        assert!(joined && !found.contains("SubPlan"), "{role}\n{found}");
    }
    Ok(())
}

/// Rows filtered outside a fence are read in the order of an index, so a page does not need all
/// visible rows.
#[tokio::test]
async fn fenced_rows_keep_the_order_of_an_index() -> Outcome {
    let tables = Tables::new().await?;
    for document in [
        "{ people(where: {body: {_ilike: \"%text%\"}}, order_by: {created: desc}, limit: 5) { id \
         } }",
        "{ people(where: {team: {name: {_ilike: \"%team%\"}}}, order_by: {created: desc}, limit: \
         5) { id } }",
    ] {
        let (text, found) = tables
            .plan_for("500", "member", document, json!({}))
            .await?;
        assert!(
            text.contains("ORDER BY _0.\"created\" DESC OFFSET 0) AS _0 WHERE"),
            "{text}"
        );
        assert!(
            found.contains("people_created") && !found.contains("Sort"),
            "{document}\n{found}"
        );
    }
    Ok(())
}

/// A relation that selects few rows is read from its other end.
#[tokio::test]
async fn selective_relations_are_read_from_the_other_end() -> Outcome {
    let tables = Tables::new().await?;
    let document = "{ notes(where: {person: {email: {_eq: \"p7@example.org\"}}}, order_by: \
                    {created: desc}, limit: 5) { id } }";
    for role in ["owner", "member"] {
        let (text, found) = tables.plan(role, document, json!({})).await?;
        assert!(
            text.contains("\"person_id\" = ANY (SELECT _1.\"id\" FROM"),
            "{text}"
        );
        assert!(
            found.contains("notes_person") && found.contains("using people_"),
            "{role}\n{found}"
        );
    }
    Ok(())
}

/// Beside an equality on a whole key, no other condition is evaluated on a row that the rule hides.
#[tokio::test]
async fn other_conditions_beside_a_key_are_fenced() -> Outcome {
    let tables = Tables::new().await?;
    let document =
        "{ people(where: {id: {_eq: 7}, status: {_eq: \"open\"}, email: {_like: \"a%\"}}) { id } }";
    for role in ["owner", "member"] {
        let (text, found) = tables.plan(role, document, json!({})).await?;
        let beside = text.split("OFFSET 0").next().unwrap_or_default();
        assert!(
            !beside.contains("status\" =") && !beside.contains("~~"),
            "{text}"
        );
        assert!(found.contains("people_pkey"), "{role}\n{found}");
    }
    Ok(())
}
