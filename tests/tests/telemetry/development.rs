//! What `--dev` shows to clients, and that nothing of it is shown without.

use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_reasons_suggestions_and_sql() {
    let service = Service::start(&[("dev", "true")]).await;
    let unknown = service.query("{ users { emial } }").await.json();
    let internal = &unknown["errors"][0]["extensions"]["internal"];
    assert_eq!(
        (&internal["suggestions"], &internal["reason"]),
        (
            &json!(["email"]),
            &json!("FieldsOnCorrectType in users at 1:11")
        )
    );
    let argument = service.query("{ users(limt: 1) { id } }").await.json();
    assert_eq!(
        argument["errors"][0]["extensions"]["internal"]["suggestions"],
        json!(["limit"])
    );
    let response = service
        .query("{ users(where: {id: {_eq: 1}}) { id } }")
        .await
        .json();
    let internal = &response["extensions"]["internal"];
    assert!(
        internal["sql"][0]
            .as_str()
            .unwrap()
            .contains("\"public\".\"users\""),
        "{response}"
    );
    assert_eq!(
        (&internal["rows"], &response["data"]),
        (&json!(1), &json!({"users": [{"id": 1}]}))
    );
    let write = service
        .query("mutation { insertUsersOne(object: {id: 1, email: \"x\", team: 1}) { id } }")
        .await
        .json();
    let internal = &write["errors"][0]["extensions"]["internal"];
    assert_eq!(
        (&internal["sqlstate"], &internal["constraint"]),
        (&json!("23505"), &json!("users_pkey"))
    );
    assert!(
        internal["database"]
            .as_str()
            .unwrap()
            .contains("duplicate key"),
        "{write}"
    );
    let unknown = service
        .send(
            &json!({"query": "{ users { id } }"}),
            &[("x-gateway-role", "ghost")],
        )
        .await
        .json();
    let role = unknown["errors"][0]["extensions"]["internal"]["role"]
        .as_str()
        .unwrap();
    assert!(
        role.contains("does not contain the caller's role"),
        "{unknown}"
    );
}

/// What a role asks for, and what the details say about its grants.
#[tokio::test(flavor = "multi_thread")]
async fn errors_name_the_grant() {
    let service = Service::start(&[("dev", "true")]).await;
    for (query, expected) in [
        (
            "{ usersAggregate { aggregate { count } } }",
            "the `select` of `[table.users.role.member]` lacks `aggregates = true`",
        ),
        (
            "mutation { deleteUsers(where: {}) { affected_rows } }",
            "`deleteUsers` exists, but `[table.users.role.member]` has no `delete`",
        ),
        (
            "mutation { insertUsers(objects: [{id: 99, email: \"x\", team: 2}]) { affected_rows } }",
            "a row does not pass the check `team = session.team` (service.toml:7)",
        ),
    ] {
        let response = service.query(query).await.json();
        let grant = response["errors"][0]["extensions"]["internal"]["grant"].as_str();
        assert!(
            grant.unwrap_or_default().contains(expected),
            "{query}: {response}"
        );
    }
    let nowhere = service.query("{ nothing { id } }").await.json();
    let internal = &nowhere["errors"][0]["extensions"]["internal"];
    assert_eq!(
        (&internal["grant"], &internal["suggestions"]),
        (&json!(null), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_in_the_header_of_another_dialect_is_named() {
    let service = Service::start(&[("dev", "true"), ("unauthorized-role", "member")]).await;
    let request = service.post().json(&json!({"query": "{ nothing { id } }"}));
    let request = request.header("x-hasura-admin-secret", ADMIN_SECRET);
    let reply = Reply::of(request).await.unwrap().json();
    let header = reply["errors"][0]["extensions"]["internal"]["header"].as_str();
    assert!(
        header
            .unwrap_or_default()
            .contains("this gateway takes x-gateway-admin-secret"),
        "{reply}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_it_clients_get_none_of_this() {
    let service = Service::start(&[]).await;
    for query in [
        "{ users { emial } }",
        "{ users { id } }",
        "mutation { insertUsersOne(object: {id: 1, email: \"x\", team: 1}) { id } }",
    ] {
        let reply = service.query(query).await;
        assert!(!reply.text.contains("internal"), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_refused_on_other_addresses() {
    let builder = tests::gateway()
        .setting("dev", "true")
        .setting("listen", "0.0.0.0:0")
        .setting("admin-secret", ADMIN_SECRET);
    let error = builder
        .database_url("postgres://localhost/x")
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("has to be a loopback address"), "{error}");
}
