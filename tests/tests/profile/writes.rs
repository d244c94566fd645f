//! Tests invalid mutations in the Hasura dialect: their errors match Hasura's.

use tests::service::ADMIN_SECRET;

use super::*;

#[tokio::test]
async fn invalid_inserts_have_hasuras_errors() {
    let service = Service::start().await;
    let author = "$.selectionSet.insert_author.args";
    let article = "$.selectionSet.insert_article.args.objects[0]";
    let cases = [
        (
            "57",
            "mutation { insert_author(objects: [{id: 4}], on_conflict: {constraint: author_pkey, \
             constraint_on: id}) { affected_rows } }",
            format!("{author}.on_conflict.constraint_on"),
            VALIDATION,
            "field \"constraint_on\" not found in type: 'author_on_conflict'",
        ),
        (
            "57",
            "mutation { insert_author(objects: [{id: 4}], on_conflict: {update_columns: [name]}) \
             { affected_rows } }",
            format!("{author}.on_conflict.constraint"),
            VALIDATION,
            "missing required field \"constraint\"",
        ),
        (
            "63",
            "mutation { insert_article(objects: [{id: 9, author_id: 1, author: {data: {id: \
             9}}}]) { affected_rows } }",
            format!("{article}.author"),
            VALIDATION,
            "cannot insert object relationship \"author\" as \"author_id\" column values are \
             already determined",
        ),
        (
            "63",
            "mutation { insert_author(objects: [{id: 9, articles: {data: [{id: 8}, {id: 9, \
             author_id: 1}]}}]) { affected_rows } }",
            format!("{author}.objects[0].articles.data[1]"),
            VALIDATION,
            "cannot insert \"author_id\" columns as their values are already being determined by \
             parent insert",
        ),
        (
            "64",
            "mutation { insert_article(objects: [{id: 9, author: {data: {id: 1}, on_conflict: \
             {constraint: author_pkey}}}]) { affected_rows } }",
            format!("{article}.author"),
            "not-supported",
            "cannot proceed to insert object relation \"author\" since insert to table \
             \"author\" affects zero rows",
        ),
        (
            "64",
            "mutation { insert_author_one(object: {id: 1, articles: {data: [{id: 9}]}}, \
             on_conflict: {constraint: author_pkey}) { id } }",
            "$.selectionSet.insert_author_one.args.object[0]".into(),
            "not-supported",
            "cannot proceed to insert array relations since insert to table \"author\" affects \
             zero rows",
        ),
        (
            "14",
            "mutation { insert_article(objects: [{id: 2147483648, author_id: 1}]) { \
             affected_rows } }",
            format!("{article}.id"),
            "parse-failed",
            "The value 2.147483648e9 lies outside the bounds or is not an integer. Maybe it is a \
             float, or is there integer \
             overflow?",
        ),
    ];
    for (fact, query, path, code, message) in cases {
        service
            .refuses(fact, query, json!({}), [path.as_str(), code, message])
            .await;
    }
}

#[tokio::test]
async fn placeholder_is_not_a_column() {
    let service = Service::start().await;
    let headers = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "upserter"),
    ];
    let query = "mutation { insert_author(objects: [{id: 1}], on_conflict: {constraint: \
                 author_pkey, update_columns: [_PLACEHOLDER]}) { affected_rows } }";
    let reply = service.send(&headers, query, json!({})).await;
    has_error(
        &reply,
        "57",
        [
            "$.selectionSet.insert_author.args.on_conflict",
            VALIDATION,
            "erroneous column name",
        ],
    );
}

#[tokio::test]
async fn invalid_updates_have_hasuras_errors() {
    let service = Service::start().await;
    let cases = [
        (
            "mutation { update_author(where: {}) { affected_rows } }",
            "$.selectionSet.update_author.args",
            "at least any one of _set, _inc, _prepend, _append, _delete_key, _delete_elem, \
             _delete_at_path is expected",
        ),
        (
            "mutation { update_author(where: {}, _inc: {id: 1}, _set: {id: 7}) { affected_rows } }",
            "$.selectionSet.update_author.args",
            "column found in multiple operators; \"id\" in _set, _inc",
        ),
        (
            "mutation { update_author_by_pk(_set: {name: \"x\"}) { id } }",
            "$.selectionSet.update_author_by_pk.args.pk_columns",
            "missing required field \"pk_columns\"",
        ),
    ];
    for (query, path, message) in cases {
        service
            .refuses("65", query, json!({}), [path, VALIDATION, message])
            .await;
    }
}

#[tokio::test]
async fn boolean_header_must_be_a_boolean() {
    let service = Service::start().await;
    let name = "X-Hasura-Use-Backend-Only-Permissions";
    let headers = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "user"),
        (name, "random"),
    ];
    let reply = service
        .send(&headers, "{ author(limit: 1) { id } }", json!({}))
        .await;
    let words = "x-hasura-use-backend-only-permissions:  Not a valid boolean text. True values \
                 are [\"true\",\"t\",\"yes\",\"y\"] \
                 and  False values are [\"false\",\"f\",\"no\",\"n\"]. All values are case \
                 insensitive";
    has_error(&reply, "61", ["$", "bad-request", words]);
}

#[tokio::test]
async fn array_variable_can_be_declared_as_a_list() {
    let service = Service::start().await;
    let query = "mutation ($tags: [String!], $notes: [json!]) {
      insert_sample_one(object: {id: 1, tags: $tags, notes: $notes}) { tags notes }
    }";
    let variables = json!({"tags": ["a", "b,c"], "notes": [{"x": 1}, "y"]});
    service
        .answers(
            "45",
            query,
            variables.clone(),
            json!({"insert_sample_one": variables}),
        )
        .await;
    let query = "query ($tags: [String!]!) { sample(where: {tags: {_contains: $tags}}) { id } }";
    service
        .answers(
            "45",
            query,
            json!({"tags": ["a"]}),
            json!({"sample": [{"id": 1}]}),
        )
        .await;
    let query =
        "mutation ($tags: [Int!]) { insert_sample_one(object: {id: 1, tags: $tags}) { id } }";
    let path = "$.selectionSet.insert_sample_one.args.object.tags";
    let words = "variable \"tags\" is declared as [Int!], but used where _text is expected";
    service
        .refuses("21", query, json!({"tags": [1]}), [path, VALIDATION, words])
        .await;
}

#[tokio::test]
async fn unknown_enum_label_is_a_data_exception() {
    let service = Service::start().await;
    let words = "a value has the wrong form for its type";
    let insert = "mutation { insert_sample(objects: [{id: 1, mood: \"odd\"}]) { affected_rows } }";
    let path = "$.selectionSet.insert_sample.args.objects";
    service
        .refuses("16", insert, json!({}), [path, "data-exception", words])
        .await;
    let read = "{ sample(where: {mood: {_eq: \"odd\"}}) { id } }";
    service
        .refuses("16", read, json!({}), ["$", "data-exception", words])
        .await;
}
