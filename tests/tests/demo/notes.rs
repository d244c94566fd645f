//! Tests `notes`, the table with a column of every type: the demo's user and the admin write it
//! under the dialect's plain names.

use serde_json::{Map, Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::Demo;

/// The caller: the demo's user, or the admin.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    User,
    Admin,
}

async fn ask(demo: &Demo, who: Who, query: &str, variables: Value) -> Reply {
    match who {
        Who::User => demo.ask("user", query, variables).await,
        Who::Admin => demo.ask_as_admin(query, variables).await,
    }
}

async fn data(demo: &Demo, who: Who, query: &str, variables: Value) -> Value {
    let reply = ask(demo, who, query, variables).await;
    assert_ne!(
        reply.data(),
        Value::Null,
        "{who:?}: {query}: {}",
        reply.text
    );
    reply.data()
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_round_trip_every_column_type() {
    let demo = Demo::start(&[]);
    for who in [Who::User, Who::Admin] {
        what_is_read_can_be_written(&demo, who).await;
        many_and_upserts(&demo, who).await;
        every_operator_updates(&demo, who).await;
        deletions(&demo, who).await;
    }
    who_wrote_is_noted_not_asked(&demo).await;
    a_rehearsal_leaves_nothing(&demo).await;
}

/// The fields of an input type.
async fn fields(demo: &Demo, who: Who, name: &str) -> Vec<String> {
    let query = "query ($name: String!) { __type(name: $name) { inputFields { name } } }";
    let found = data(demo, who, query, json!({"name": name})).await;
    let fields = found["__type"]["inputFields"].as_array().unwrap();
    fields
        .iter()
        .map(|field| field["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Inserts each note again with the values it was read with, and checks that reading it returns
/// equal values. Does the same with an update of an empty note.
async fn what_is_read_can_be_written(demo: &Demo, who: Who) {
    let given = fields(demo, who, "notes_insert_input").await;
    assert!(
        given.len() > 55 && !given.iter().any(|name| name == "title_length"),
        "{given:?}"
    );
    let columns: Vec<&str> = given
        .iter()
        .map(String::as_str)
        .filter(|name| !["id", "user"].contains(name))
        .collect();
    let columns = columns.join(" ");
    let query = format!(
        "{{ notes(where: {{id: {{_in: [1, 7, 47, 48]}}}}, order_by: {{id: asc}}) {{ {columns} }} }}"
    );
    let read = data(demo, who, &query, json!({})).await["notes"].clone();
    let insert = format!(
        "mutation ($objects: [notes_insert_input!]!) {{ insert_notes(objects: \
                          $objects) {{ affected_rows returning {{ {columns} }} }} }}"
    );
    let made = data(demo, who, &insert, json!({"objects": read})).await;
    assert_eq!(made["insert_notes"]["affected_rows"], 4);
    assert_eq!(made["insert_notes"]["returning"], read);

    let set = fields(demo, who, "notes_set_input").await;
    for note in read.as_array().unwrap() {
        let empty = data(
            demo,
            who,
            "mutation { insert_notes_one(object: {title: \"empty\"}) { id } }",
            json!({}),
        )
        .await;
        let values: Map<String, Value> = note
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| set.contains(name))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        let names = values.keys().cloned().collect::<Vec<_>>().join(" ");
        let update = format!(
            "mutation ($id: Int!, $set: notes_set_input!) {{ \
                              update_notes_by_pk(pk_columns: {{id: $id}}, _set: $set) {{ {names} \
                              }} }}"
        );
        let variables = json!({"id": empty["insert_notes_one"]["id"], "set": values.clone()});
        let updated = data(demo, who, &update, variables).await["update_notes_by_pk"].clone();
        // A trigger sets this column.
        let without = |value: &Value| {
            let mut fields = value.as_object().unwrap().clone();
            fields.remove("updated_at");
            fields
        };
        assert_eq!(without(&updated), without(&Value::Object(values)));
    }
}

async fn many_and_upserts(demo: &Demo, who: Who) {
    let insert = "mutation ($objects: [notes_insert_input!]!, $conflict: notes_on_conflict) { \
                  insert_notes(objects: $objects, on_conflict: $conflict) { affected_rows \
                  returning { id title title_length priority tags body } } }";
    let objects = json!([{"title": "one", "tags": ["a", "b"]}, {"title": "two", "priority": "high"}, {"title": "three", "tags": null}]);
    let made = data(demo, who, insert, json!({"objects": objects})).await["insert_notes"].clone();
    assert_eq!(made["affected_rows"], 3);
    let titles: Vec<&str> = made["returning"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["one", "two", "three"],
        "in the order of the request"
    );
    assert_eq!(made["returning"][1]["title_length"], 3);
    assert_eq!(
        (
            &made["returning"][0]["tags"],
            &made["returning"][1]["priority"]
        ),
        (&json!(["a", "b"]), &json!("high"))
    );

    let id = &made["returning"][0]["id"];
    let conflict = json!({"constraint": "notes_pkey", "update_columns": ["body"]});
    let again =
        json!({"objects": [{"id": id, "title": "not taken", "body": "new"}], "conflict": conflict});
    let upserted = data(demo, who, insert, again).await["insert_notes"].clone();
    assert_eq!(
        (
            &upserted["affected_rows"],
            &upserted["returning"][0]["title"],
            &upserted["returning"][0]["body"]
        ),
        (&json!(1), &json!("one"), &json!("new"))
    );
    let nothing = json!({"objects": [{"id": id, "title": "x"}], "conflict": {"constraint": "notes_pkey", "update_columns": []}});
    assert_eq!(
        data(demo, who, insert, nothing).await["insert_notes"],
        json!({"affected_rows": 0, "returning": []})
    );
    let clash = ask(
        demo,
        who,
        insert,
        json!({"objects": [{"id": id, "title": "x"}]}),
    )
    .await;
    let message =
        "Uniqueness violation. duplicate key value violates unique constraint 'notes_pkey'";
    assert_eq!(
        clash.error(),
        ReplyError::new(200, "constraint-violation", message)
    );
    assert_eq!(
        data(demo, who, insert, json!({"objects": []})).await["insert_notes"],
        json!({"affected_rows": 0, "returning": []})
    );
}

async fn every_operator_updates(demo: &Demo, who: Who) {
    let made = "mutation { insert_notes_one(object: {title: \"t\", whole: 5, price: \"2.50\", \
                tags: [\"a\", \"b\", \"a\"], \
                document: {a: 1, b: [1, 2], c: {d: 3}}}) { id } }";
    let id = data(demo, who, made, json!({})).await["insert_notes_one"]["id"].clone();
    for (operator, field, found) in [
        ("_inc: {whole: 3}", "whole", json!(8)),
        ("_mul: {whole: 2}", "whole", json!(16)),
        ("_inc: {price: \"1.25\"}", "price", json!("$3.75")),
        (
            "_append: {document: {z: 0}}",
            "document",
            json!({"a": 1, "b": [1, 2], "c": {"d": 3}, "z": 0}),
        ),
        (
            "_delete_key: {document: \"z\"}",
            "document",
            json!({"a": 1, "b": [1, 2], "c": {"d": 3}}),
        ),
        (
            "_delete_at_path: {document: [\"c\", \"d\"]}",
            "document",
            json!({"a": 1, "b": [1, 2], "c": {}}),
        ),
        ("_set: {document: [1, 2]}", "document", json!([1, 2])),
        ("_prepend: {document: 0}", "document", json!([0, 1, 2])),
        ("_delete_elem: {document: -1}", "document", json!([0, 1])),
        (
            "_array_append: {tags: \"c\"}",
            "tags",
            json!(["a", "b", "a", "c"]),
        ),
        ("_array_remove: {tags: \"a\"}", "tags", json!(["b", "c"])),
        (
            "_set: {priority: \"urgent\", title: \"longer\"}",
            "title_length",
            json!(6),
        ),
    ] {
        let query = format!(
            "mutation ($id: Int!) {{ update_notes_by_pk(pk_columns: {{id: $id}}, \
                             {operator}) {{ {field} }} }}"
        );
        assert_eq!(
            data(demo, who, &query, json!({"id": id})).await["update_notes_by_pk"][field],
            found,
            "{operator}"
        );
    }
    let stale = "mutation ($id: Int!) { update_notes(where: {id: {_eq: $id}}, _set: {body: \
                 \"late\"}, if_match: {title: \"t\"}) { affected_rows } }";
    assert_eq!(
        ask(demo, who, stale, json!({"id": id})).await.error().code,
        "conflict"
    );
    let many = "mutation ($id: Int!) { update_notes_many(updates: [{where: {id: {_eq: $id}}, \
                _set: {body: \"1\"}}, \
                {where: {id: {_eq: $id}, body: {_eq: \"1\"}}, _set: {body: \"2\"}}]) { \
                affected_rows returning { body } } }";
    let responses = data(demo, who, many, json!({"id": id})).await["update_notes_many"].clone();
    assert_eq!(
        responses[1],
        json!({"affected_rows": 1, "returning": [{"body": "2"}]})
    );
}

async fn deletions(demo: &Demo, who: Who) {
    let made = data(
        demo,
        who,
        "mutation { insert_notes(objects: [{title: \"gone\"}, {title: \"gone\"}]) { returning { \
         id } } }",
        json!({}),
    )
    .await;
    let id = made["insert_notes"]["returning"][0]["id"].clone();
    let one = "mutation ($id: Int!) { delete_notes_by_pk(id: $id) { id title } }";
    assert_eq!(
        data(demo, who, one, json!({"id": id})).await["delete_notes_by_pk"],
        json!({"id": id, "title": "gone"})
    );
    assert_eq!(
        data(demo, who, one, json!({"id": id})).await["delete_notes_by_pk"],
        Value::Null
    );
    let all = "mutation { delete_notes(where: {title: {_eq: \"gone\"}}) { affected_rows \
               returning { title } } }";
    assert_eq!(
        data(demo, who, all, json!({})).await["delete_notes"],
        json!({"affected_rows": 1, "returning": [{"title": "gone"}]})
    );
    let without = ask(
        demo,
        who,
        "mutation { delete_notes { affected_rows } }",
        json!({}),
    )
    .await;
    assert_eq!(
        without.error().code,
        "validation-failed",
        "{}",
        without.text
    );
}

async fn who_wrote_is_noted_not_asked(demo: &Demo) {
    let made = data(
        demo,
        Who::User,
        "mutation { insert_notes_one(object: {title: \"mine\"}) { user_id } }",
        json!({}),
    )
    .await;
    assert_eq!(made["insert_notes_one"]["user_id"], demo.fact("user_id"));
    let asked = "mutation { insert_notes_one(object: {title: \"x\", user_id: null}) { id } }";
    assert_eq!(
        ask(demo, Who::User, asked, json!({})).await.error().code,
        "validation-failed"
    );
    assert!(data(demo, Who::Admin, asked, json!({})).await["insert_notes_one"]["id"].is_number());
}

/// The admin and the role `user` may use dry runs; other roles get an error.
async fn a_rehearsal_leaves_nothing(demo: &Demo) {
    let query = "mutation { delete_notes(where: {}) { affected_rows } \
                 insert_notes_one(object: {title: \"rehearsed\"}) { title } }";
    let post = |query: &str| {
        let post = demo
            .client
            .post(format!("{}/v1/graphql", demo.fact("url")))
            .json(&json!({"query": query}));
        post.header("X-Gateway-Dry-Run", "true")
    };
    for role in ["admin", "user", "me"] {
        let query = if role == "me" {
            "mutation { updateUsers(where: {}, _set: {}) { affected_rows } }"
        } else {
            query
        };
        let post = match role {
            "admin" => post(query).header("X-Gateway-Admin-Secret", demo.fact("admin_secret")),
            role => post(query)
                .bearer_auth(demo.token(role))
                .header("X-Gateway-Role", role),
        };
        let reply = Reply::of(post).await.unwrap();
        match role {
            "me" => assert_eq!(reply.error().code, "access-denied", "{}", reply.text),
            _ => assert_eq!(
                reply.data()["insert_notes_one"],
                json!({"title": "rehearsed"}),
                "{}",
                reply.text
            ),
        }
    }
    let count = "{ notes(limit: 1) { id } notes_aggregate(where: {title: {_eq: \"rehearsed\"}}) \
                 { aggregate { count } } }";
    let left = data(demo, Who::Admin, count, json!({})).await;
    let rehearsed = &left["notes_aggregate"]["aggregate"]["count"];
    assert_eq!(
        (rehearsed, left["notes"].as_array().map(Vec::len)),
        (&json!(0), Some(1))
    );
}
