//! Tests what values mean that a request does not have: absent variables in conditions of writes,
//! session values that a rule takes as null, and arguments of functions that are left out.

use std::ops::Deref;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET};

const SCHEMA: &str = r#"
CREATE TABLE notes (
  id int PRIMARY KEY, owner uuid, title text NOT NULL DEFAULT '', public bool NOT NULL DEFAULT false, document jsonb,
  parent int REFERENCES notes, secret text
);
CREATE VIEW titles AS SELECT id, owner, title FROM notes;
INSERT INTO notes (id, owner, title, public, document, secret) VALUES
  (1, '00000000-0000-0000-0000-000000000001', 'own', false, '{"a": 1}', 's1'),
  (2, '00000000-0000-0000-0000-000000000002', 'public', true, '{"a": 2}', 's2'), (3, NULL, 'nobody''s', false, NULL, NULL);
UPDATE notes SET parent = 2 WHERE id = 1;
CREATE FUNCTION pick(a text, b int DEFAULT 7, c text DEFAULT NULL) RETURNS SETOF notes LANGUAGE sql STABLE AS
  $$ SELECT * FROM notes WHERE id = 1 AND title || b || coalesce(c, '-') = a $$;
CREATE FUNCTION rename(a int, b text DEFAULT 'b', c text DEFAULT 'c') RETURNS SETOF notes LANGUAGE sql AS
  $$ UPDATE notes SET title = b || c WHERE id = a RETURNING * $$;
CREATE FUNCTION described(notes, before text DEFAULT '<', n int DEFAULT 1, after text DEFAULT '>') RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT before || repeat($1.title, n) || after $$;
CREATE FUNCTION nameless(text DEFAULT 'own', int DEFAULT 1, text DEFAULT '') RETURNS SETOF notes LANGUAGE sql STABLE AS
  $$ SELECT * FROM notes WHERE id = $2 AND title = $1 || $3 $$;
"#;

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
sub = "uuid"
ids = "int4[]"
tenant = "text"

[rules.mine]
args = ["who"]
sql = "who = session.sub?"

[table.notes.computed.described]
function = "described"
[function.pick]
[function.rename]
[function.nameless]

[table.notes.role.visitor]
select = { columns = ["id", "title", "owner"], rows = "public or owner = session.sub?", mask = { title = "case when mine(owner) then title else upper(title) end" } }
insert = { columns = ["id", "title"], check = "owner is not distinct from session.sub?", preset = { owner = "session.sub?" } }
update = { columns = ["title"], rows = "mine(owner)", check = "true" }
delete = { rows = "owner = session.sub?" }
[table.notes.role.listed]
select = { columns = ["id"], rows = "id = any (session.ids?)" }
[table.notes.role.unlisted]
select = { columns = ["id"], rows = "id <> all (session.ids?)" }
[table.notes.role.cast]
select = { columns = ["id"], rows = "owner::text = session.sub?::text or session.tenant? is null and id = 3" }
[table.notes.role.both]
select = { columns = ["id"], rows = "public or owner = session.sub? or owner = session.sub" }
[table.notes.role.operator]
select = { columns = ["id"], rows = "document ? session.tenant" }
[table.titles.role.visitor]
select = { columns = "*", rows = "owner = session.sub?" }
"#;

const FIRST: &str = "00000000-0000-0000-0000-000000000001";

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start(profile: &str) -> Service {
        let builder = service::Service::builder("absent_values", &[SCHEMA]);
        let builder = builder.permissions(PERMISSIONS).profile(profile);
        Service(builder.start().await)
    }

    async fn send(
        &self,
        role: &str,
        session: &[(&str, &str)],
        query: &str,
        variables: Value,
    ) -> Reply {
        let request = self.by_session(role, session);
        service::send(request.json(&json!({"query": query, "variables": variables}))).await
    }

    async fn ids(&self, role: &str, session: &[(&str, &str)]) -> Value {
        let reply = self
            .send(
                role,
                session,
                "{ notes(order_by: {id: asc}) { id } }",
                json!({}),
            )
            .await;
        let rows = reply.json()["data"]["notes"].as_array().cloned();
        rows.map_or(Value::Null, |rows| {
            rows.into_iter().map(|row| row["id"].clone()).collect()
        })
    }

    async fn stored(&self) -> String {
        let query = "SELECT string_agg(concat_ws(':', id, title, left(owner::text, 8)), ' ' \
                     ORDER BY id) FROM notes";
        self.value(query).await
    }
}

/// Conditions with a variable at each position, with its type.
const CONDITIONS: [(&str, &str); 26] = [
    ("{id: $v}", "Int_comparison_exp"),
    ("{id: {_eq: $v}}", "Int"),
    ("{id: {_in: $v}}", "[Int!]"),
    ("{id: {_in: [$v]}}", "Int"),
    ("{id: {_is_null: $v}}", "Boolean"),
    ("{_and: $v}", "[notes_bool_exp!]"),
    ("{_and: [$v]}", "notes_bool_exp"),
    ("{_or: [{id: {_eq: 1}}, $v]}", "notes_bool_exp"),
    ("{_or: $v}", "[notes_bool_exp!]"),
    ("{_not: $v}", "notes_bool_exp"),
    ("{_not: {id: $v}}", "Int_comparison_exp"),
    (
        "{_and: [{_or: [{_not: {title: $v}}]}]}",
        "String_comparison_exp",
    ),
    ("{_and: [{_or: [{_not: {title: {_eq: $v}}}]}]}", "String"),
    ("{title: {_like: $v}}", "String"),
    ("{document: {_contains: $v}}", "jsonb"),
    ("{document: {_contains: {a: $v}}}", "jsonb"),
    ("{document: {_contains: {a: [{b: $v}]}}}", "jsonb"),
    ("{document: {_has_keys_any: $v}}", "[String!]"),
    ("{document: {_cast: $v}}", "jsonb_cast_exp"),
    ("{document: {_cast: {String: $v}}}", "String_comparison_exp"),
    ("{above: $v}", "notes_bool_exp"),
    ("{above: {title: $v}}", "String_comparison_exp"),
    ("{below: {above: {title: {_eq: $v}}}}", "String"),
    (
        "{below_aggregate: {count: {predicate: {_gte: 0}, filter: $v}}}",
        "notes_bool_exp",
    ),
    (
        "{below_aggregate: {count: {predicate: {_gte: 0}, filter: {title: $v}}}}",
        "String_comparison_exp",
    ),
    (
        "{below_aggregate: {count: $v}}",
        "notes_aggregate_bool_exp_count",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn absent_variable_in_the_condition_of_a_write_is_an_error() {
    for profile in ["gateway", "hasura"] {
        let builder = service::Service::builder("absent_values", &[SCHEMA]);
        let builder = builder.permissions(RELATIONS).profile(profile);
        let service = Service(builder.start().await);
        let before = service.stored().await;
        let write = |condition: &str, kind: usize| match kind {
            0 => format!("delete_notes(where: {condition}) {{ affected_rows }}"),
            1 => format!(
                "update_notes(where: {condition}, _set: {{title: \"x\"}}) {{ affected_rows }}"
            ),
            2 => format!(
                "update_notes_many(updates: [{{where: {condition}, _set: {{title: \
                          \"x\"}}}}]) {{ affected_rows }}"
            ),
            _ => format!(
                "insert_notes(objects: [{{id: 1, title: \"x\"}}], on_conflict: \
                          {{constraint: notes_pkey, update_columns: [title], \
                          where: {condition}}}) {{ affected_rows }}"
            ),
        };
        for (condition, r#type) in CONDITIONS {
            for kind in 0..4 {
                let query = format!("mutation ($v: {type}) {{ {} }}", write(condition, kind));
                let reply = service.send("admin", &[], &query, json!({})).await;
                let errors = reply.json()["errors"].clone();
                assert!(errors.is_array(), "{profile}: {query}: {}", reply.text);
                assert!(
                    !reply.text.contains("not found in type"),
                    "{profile}: {query}: {}",
                    reply.text
                );
                assert!(
                    !reply.text.contains("unknown type"),
                    "{profile}: {query}: {}",
                    reply.text
                );
            }
        }
        let whole = "mutation ($v: notes_bool_exp) { insert_notes(objects: [{id: 1, title: \
                     \"x\"}], on_conflict: {constraint: notes_pkey, \
                     update_columns: [title], where: $v}) { affected_rows } }";
        let reply = service.send("admin", &[], whole, json!({})).await;
        assert!(
            reply.text.contains("expecting a value for variable"),
            "{profile}: {}",
            reply.text
        );
        assert_eq!(service.stored().await, before, "{profile}");

        // A plan that was made with the variable is not used without it.
        let filter = "mutation ($v: notes_bool_exp) { update_notes(where: {id: {_eq: 3}, \
                      below_aggregate: {count: {predicate: {_eq: 0}, \
                      filter: $v}}}, _set: {title: \"x\"}) { affected_rows } }";
        for (variables, affected) in [
            (json!({"v": {}}), json!(1)),
            (json!({}), Value::Null),
            (json!({"v": {}}), json!(1)),
        ] {
            let reply = service.send("admin", &[], filter, variables).await;
            assert_eq!(
                reply.json()["data"]["update_notes"]["affected_rows"],
                affected,
                "{profile}: {}",
                reply.text
            );
        }
        // What is written out stays, and so do absent variables in reads.
        let all = service
            .send(
                "admin",
                &[],
                "mutation { update_notes(where: {}, _set: {title: \"y\"}) { affected_rows } }",
                json!({}),
            )
            .await;
        assert_eq!(
            all.json()["data"]["update_notes"]["affected_rows"],
            3,
            "{profile}: {}",
            all.text
        );
        let default = "mutation ($v: Int = 1) { update_notes(where: {id: {_eq: $v}}, _set: \
                       {title: \"z\"}) { affected_rows } }";
        let reply = service.send("admin", &[], default, json!({})).await;
        assert_eq!(
            reply.json()["data"]["update_notes"]["affected_rows"],
            1,
            "{profile}: {}",
            reply.text
        );
        if profile == "gateway" {
            let read = "query ($v: Int_comparison_exp) { notes(where: {id: $v}) { id } }";
            let reply = service.send("admin", &[], read, json!({})).await;
            assert_eq!(
                reply.data()["notes"].as_array().unwrap().len(),
                3,
                "{}",
                reply.text
            );
        }
    }
}

const RELATIONS: &str = r#"
[naming]
convention = "snake"
[table.notes.relation]
above = { column = "parent" }
below = { table = "notes", column = "parent" }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn optional_session_value_is_null_for_callers_without_it() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        let user = [("Sub", FIRST)];
        for _ in 0..2 {
            assert_eq!(service.ids("visitor", &[]).await, json!([2]), "{profile}");
            assert_eq!(
                service.ids("visitor", &user).await,
                json!([1, 2]),
                "{profile}"
            );
        }
        let titles = async |session: &[(&str, &str)]| {
            service
                .send(
                    "visitor",
                    session,
                    "{ notes(order_by: {id: asc}) { title } titles { id } }",
                    json!({}),
                )
                .await
                .data()
        };
        assert_eq!(
            titles(&[]).await,
            json!({"notes": [{"title": "PUBLIC"}], "titles": []})
        );
        assert_eq!(
            titles(&user).await,
            json!({"notes": [{"title": "own"}, {"title": "PUBLIC"}], "titles": [{"id": 1}]})
        );
        assert_eq!(service.ids("listed", &[]).await, json!([]));
        assert_eq!(
            service.ids("listed", &[("Ids", "{1,3}")]).await,
            json!([1, 3])
        );
        assert_eq!(
            service.ids("unlisted", &[]).await,
            json!([]),
            "null is no empty list"
        );
        assert_eq!(
            service.ids("unlisted", &[("Ids", "{1,3}")]).await,
            json!([2])
        );
        assert_eq!(service.ids("cast", &[]).await, json!([3]));
        assert_eq!(
            service
                .ids("cast", &[("Sub", FIRST), ("Tenant", "t")])
                .await,
            json!([1])
        );
        assert_eq!(
            service.ids("both", &[]).await,
            Value::Null,
            "a value without `?` is required"
        );
        assert_eq!(service.ids("both", &user).await, json!([1, 2]));
        assert_eq!(
            service.ids("operator", &[("Tenant", "a")]).await,
            json!([1, 2])
        );
        let malformed = service
            .send("visitor", &[("Sub", "x")], "{ notes { id } }", json!({}))
            .await;
        assert!(malformed.text.contains("errors"), "{}", malformed.text);

        let insert = |id: i32| {
            format!(
                "mutation {{ insert_notes(objects: [{{id: {id}, title: \
                                        \"n\"}}]) {{ affected_rows }} }}"
            )
        };
        for (id, session) in [(11, &[][..]), (12, &user[..])] {
            let reply = service
                .send("visitor", session, &insert(id), json!({}))
                .await;
            assert_eq!(
                reply.json()["data"]["insert_notes"]["affected_rows"],
                1,
                "{profile}: {}",
                reply.text
            );
        }
        let update = "mutation { update_notes(where: {}, _set: {title: \"u\"}) { affected_rows } }";
        let delete = "mutation { delete_notes(where: {}) { affected_rows } }";
        for (query, field) in [(update, "update_notes"), (delete, "delete_notes")] {
            let reply = service.send("visitor", &[], query, json!({})).await;
            assert_eq!(
                reply.json()["data"][field]["affected_rows"],
                0,
                "{profile}: {}",
                reply.text
            );
        }
        let reply = service.send("visitor", &user, update, json!({})).await;
        assert_eq!(
            reply.json()["data"]["update_notes"]["affected_rows"],
            2,
            "{profile}: {}",
            reply.text
        );
        assert_eq!(
            service.stored().await,
            "1:u:00000000 2:public:00000000 3:nobody's 11:n 12:u:00000000",
            "{profile}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn optional_session_values_do_not_change_the_statement() {
    let service = Service::start("gateway").await;
    let query = json!({"query": "{ notes { id title } }"});
    let explain = async |session: &[(&str, &str)]| {
        let post = service
            .client
            .post(format!("{}/v1/graphql/explain", service.gateway.url()))
            .json(&query);
        let post = post
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "visitor");
        let post = session.iter().fold(post, |post, (name, value)| {
            post.header(format!("X-Gateway-{name}"), *value)
        });
        let text = post.send().await.unwrap().text().await.unwrap();
        serde_json::from_str::<Value>(&text).unwrap().to_string()
    };
    let statement = |text: &str| {
        text.split("\"sql\":")
            .nth(1)
            .map(|rest| rest.split("\",").next().unwrap_or_default().to_owned())
    };
    let visitor = explain(&[]).await;
    let user = explain(&[("Sub", FIRST)]).await;
    assert!(statement(&visitor).is_some(), "{visitor}");
    assert_eq!(statement(&visitor), statement(&user));
}

#[tokio::test(flavor = "multi_thread")]
async fn named_arguments_can_be_left_out_in_the_middle() {
    for profile in ["gateway", "hasura"] {
        let service = Service::start(profile).await;
        let admin = async |query: &str, variables: Value| {
            service.send("admin", &[], query, variables).await
        };
        let picked = admin("{ pick(args: {a: \"own7z\", c: \"z\"}) { id } }", json!({})).await;
        assert_eq!(
            picked.json()["data"],
            json!({"pick": [{"id": 1}]}),
            "{profile}: {}",
            picked.text
        );
        let described = "{ notes_by_pk(id: 1) { described(args: {after: \"!\"}) } }";
        let described = admin(described, json!({})).await;
        assert_eq!(
            described.json()["data"]["notes_by_pk"]["described"],
            "<own!",
            "{profile}: {}",
            described.text
        );
        let two = admin(
            "{ notes_by_pk(id: 1) { described(args: {n: 2}) } }",
            json!({}),
        )
        .await;
        assert_eq!(
            two.json()["data"]["notes_by_pk"]["described"],
            "<ownown>",
            "{profile}: {}",
            two.text
        );
        let renamed = admin(
            "mutation { rename(args: {a: 1, c: \"z\"}) { title } }",
            json!({}),
        )
        .await;
        assert_eq!(
            renamed.json()["data"],
            json!({"rename": [{"title": "bz"}]}),
            "{profile}: {}",
            renamed.text
        );
        let [first, second, third] = ["arg_1", "arg_2", "arg_3"];
        let nameless = admin(
            &format!("{{ nameless(args: {{{first}: \"bz\", {second}: 1}}) {{ id }} }}"),
            json!({}),
        )
        .await;
        assert_eq!(
            nameless.json()["data"],
            json!({"nameless": [{"id": 1}]}),
            "{profile}: {}",
            nameless.text
        );
        let gap = admin(
            &format!("{{ nameless(args: {{{first}: \"own\", {third}: \"\"}}) {{ id }} }}"),
            json!({}),
        )
        .await;
        assert_eq!(gap.json()["data"], Value::Null, "{profile}: {}", gap.text);
        let required = admin("{ pick(args: {c: \"z\"}) { id } }", json!({})).await;
        assert!(
            required.text.contains("errors"),
            "{profile}: {}",
            required.text
        );
    }
}

/// Reads a stream of events until it has a text.
async fn read_until(response: &mut reqwest::Response, text: &str) {
    let mut read = String::new();
    let reading = async {
        while !read.contains(text) {
            read.push_str(&String::from_utf8_lossy(
                &response.chunk().await.unwrap().expect("the stream goes on"),
            ));
        }
    };
    let is_read = tokio::time::timeout(std::time::Duration::from_secs(30), reading)
        .await
        .is_ok();
    assert!(is_read, "{text}: {read}");
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_with_and_without_a_session_value_get_their_own_rows() {
    let service = Service::start("gateway").await;
    let subscribe = async |session: &[(&str, &str)]| {
        let post = service
            .client
            .post(format!("{}/v1/graphql", service.gateway.url()))
            .header("Accept", "text/event-stream");
        let post = post
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "visitor");
        let post = session.iter().fold(post, |post, (name, value)| {
            post.header(format!("X-Gateway-{name}"), *value)
        });
        post.json(&json!({"query": "subscription { notes(order_by: {id: asc}) { id } }"}))
            .send()
            .await
            .unwrap()
    };
    let second = "00000000-0000-0000-0000-000000000002";
    let mut visitors = [subscribe(&[]).await, subscribe(&[]).await];
    let mut users = [
        subscribe(&[("Sub", FIRST)]).await,
        subscribe(&[("Sub", second)]).await,
    ];
    for visitor in &mut visitors {
        read_until(visitor, r#"{"notes":[{"id":2}]}"#).await;
    }
    read_until(&mut users[0], r#"{"notes":[{"id":1},{"id":2}]}"#).await;
    read_until(&mut users[1], r#"{"notes":[{"id":2}]}"#).await;
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute(
            "UPDATE notes SET public = true WHERE id = 3; UPDATE notes SET public = \
                        false WHERE id = 2",
        )
        .await
        .unwrap();
    for visitor in &mut visitors {
        read_until(visitor, r#"{"notes":[{"id":3}]}"#).await;
    }
    read_until(&mut users[0], r#"{"notes":[{"id":1},{"id":3}]}"#).await;
    read_until(&mut users[1], r#"{"notes":[{"id":2},{"id":3}]}"#).await;
}
