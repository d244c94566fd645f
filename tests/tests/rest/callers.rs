//! Tests authentication and roles on endpoints: tokens, the admin secret, roles, and mutations that
//! a foreign page could send.

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{ADA, Service, is, send, token};

const DENIED: &str = "User does not have required role permissions";
const NOBODY: &str = "No authorization header provided";

async fn by_token(service: &Service, role: &str, method: Method, path: &str) -> Reply {
    send(
        service
            .ask(method, path)
            .bearer_auth(token())
            .header("X-Gateway-Role", role),
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn role_reaches_the_endpoints_of_its_schema() {
    let service = Service::start().await;
    send(service.ask(Method::GET, "names"))
        .await
        .assert_envelope(401, NOBODY);
    let own = json!({"things": [{"id": 1, "name": "a/b + ü"}]});
    is(
        &by_token(&service, "owner", Method::GET, "names").await,
        &own,
    );
    is(
        &send(service.ask(Method::GET, "names").bearer_auth(token())).await,
        &own,
    );
    by_token(&service, "owner", Method::GET, "secrets")
        .await
        .assert_envelope(403, DENIED);
    by_token(&service, "visitor", Method::GET, "long")
        .await
        .assert_envelope(403, DENIED);
    by_token(&service, "reader", Method::GET, "names")
        .await
        .assert_envelope(403, DENIED);
    service.get("secrets").await.assert_envelope(403, DENIED);
    send(service.by("nobody", Method::GET, "names"))
        .await
        .assert_envelope(403, DENIED);
    // Even with unknown parameters: an unauthorized caller gets no other error.
    by_token(&service, "visitor", Method::GET, "resize")
        .await
        .assert_envelope(405, "this path takes PATCH, OPTIONS only");
    by_token(&service, "visitor", Method::PATCH, "resize?no=1")
        .await
        .assert_envelope(403, DENIED);
    let admin = service
        .ask(Method::GET, "secrets")
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    is(
        &send(admin).await,
        &json!({"things": [{"secret": "s1"}, {"secret": "s2"}]}),
    );
    let wrong = service
        .ask(Method::GET, "names")
        .header("X-Gateway-Admin-Secret", "wrong");
    send(wrong)
        .await
        .assert_envelope(401, "invalid admin secret");
    let broken = send(service.ask(Method::GET, "names").bearer_auth("x")).await;
    assert_eq!(broken.status, 401);
    // Rows of other owners do not exist for the caller.
    is(
        &by_token(&service, "owner", Method::GET, "one?id=2").await,
        &json!(null),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn role_header_can_be_required() {
    let service = Service::with(super::service::MAP, &[("require-role-header", "true")]).await;
    send(service.ask(Method::GET, "names").bearer_auth(token()))
        .await
        .assert_envelope(403, DENIED);
    assert_eq!(
        by_token(&service, "owner", Method::GET, "names")
            .await
            .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthorized_role_reads_but_does_not_write_by_forms() {
    let service = Service::with(super::service::MAP, &[("unauthorized-role", "visitor")]).await;
    assert_eq!(send(service.ask(Method::GET, "names")).await.status, 200);
    send(service.ask(Method::GET, "long"))
        .await
        .assert_envelope(403, DENIED);
    let rename = "rename?id=1&name=x";
    send(service.ask(Method::GET, rename))
        .await
        .assert_envelope(401, NOBODY);
    send(service.ask(Method::POST, rename))
        .await
        .assert_envelope(401, NOBODY);
    send(
        service
            .ask(Method::POST, "rename")
            .form(&[("id", "1"), ("name", "x")]),
    )
    .await
    .assert_envelope(401, NOBODY);
    // A page can send JSON only after a CORS preflight.
    let json = service
        .ask(Method::POST, "rename")
        .json(&json!({"id": 1, "name": "y"}));
    is(
        &send(json).await,
        &json!({"update_things_by_pk": {"id": 1, "name": "y"}}),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn get_can_run_a_mutation_where_the_endpoint_allows_it() {
    let service = Service::start().await;
    let renamed = |name: &str| json!({"update_things_by_pk": {"id": 1, "name": name}});
    is(
        &by_token(&service, "owner", Method::GET, "rename?id=1&name=b").await,
        &renamed("b"),
    );
    is(
        &send(service.by("owner", Method::GET, "rename?id=1&name=c")).await,
        &renamed("c"),
    );
    let put = service
        .ask(Method::PUT, "rename")
        .bearer_auth(token())
        .json(&json!({"id": 1, "name": "d"}));
    is(&send(put).await, &renamed("d"));
    // Rows of other owners are not written.
    is(
        &by_token(&service, "owner", Method::GET, "rename?id=2&name=b").await,
        &json!({"update_things_by_pk": null}),
    );
    by_token(&service, "owner", Method::GET, "rename?id=1")
        .await
        .assert_envelope(400, "the parameter 'name' is missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_do_not_authorize_writes_by_forms() {
    let secret = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}}"#;
    let service = Service::with(super::service::MAP, &[("jwt-secret", secret)]).await;
    let with_cookie =
        |request: RequestBuilder| request.header("Cookie", format!("session={}", token()));
    assert_eq!(
        send(with_cookie(service.ask(Method::GET, "names")))
            .await
            .status,
        200
    );
    let rename = "rename?id=1&name=x";
    send(with_cookie(service.ask(Method::GET, rename)))
        .await
        .assert_envelope(401, NOBODY);
    send(with_cookie(service.ask(Method::POST, rename)))
        .await
        .assert_envelope(401, NOBODY);
    let form = service
        .ask(Method::POST, "rename")
        .form(&[("id", "1"), ("name", "x")]);
    send(with_cookie(form)).await.assert_envelope(401, NOBODY);
    // Browsers send such a header automatically.
    let basic = service.ask(Method::GET, rename).basic_auth("a", Some("b"));
    send(with_cookie(basic)).await.assert_envelope(401, NOBODY);
    let json = service
        .ask(Method::POST, "rename")
        .json(&json!({"id": 1, "name": "x"}));
    assert_eq!(send(with_cookie(json)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn required_row_must_be_visible() {
    const HIDDEN: &str = "the required row is not visible";
    const BOB: &str = "00000000-0000-0000-0000-00000000000b";
    const NOBODYS: &str = "00000000-0000-0000-0000-00000000000f";
    let service = Service::start().await;
    let ask = async |role: &str, path: String| send(service.by(role, Method::GET, &path)).await;
    is(
        &ask("owner", format!("of/{ADA}")).await,
        &json!({"things": [{"id": 1}]}),
    );
    is(
        &ask("reader", format!("of/{BOB}")).await,
        &json!({"things": [{"id": 2}]}),
    );
    is(
        &ask("admin", format!("of/{BOB}")).await,
        &json!({"things": [{"id": 2}]}),
    );
    // Another owner's row, one that does not exist, and any row for a role that reads none give
    // identical errors.
    for (role, id) in [
        ("owner", BOB),
        ("owner", NOBODYS),
        ("reader", NOBODYS),
        ("admin", NOBODYS),
        ("visitor", ADA),
    ] {
        ask(role, format!("beside?ownerId={id}"))
            .await
            .assert_envelope(403, HIDDEN);
    }
    ask("owner", format!("of/{BOB}"))
        .await
        .assert_envelope(403, HIDDEN);
    is(
        &ask("owner", format!("beside?ownerId={ADA}&id=1")).await,
        &json!({"things": [{"id": 1}]}),
    );
    // Missing or malformed parameters are reported first; null is not a valid key either.
    ask("owner", "beside".into())
        .await
        .assert_envelope(400, "the parameter 'ownerId' is missing");
    let malformed = ask("owner", "beside?ownerId=7".into()).await;
    assert!(
        malformed.status == 400 && malformed.text.contains("'ownerId'"),
        "{}",
        malformed.text
    );
    let null = service
        .by("owner", Method::POST, "beside")
        .json(&json!({"ownerId": null}));
    assert_eq!(send(null).await.status, 400);
    // A caller without access to the endpoint learns nothing about rows.
    ask("nobody", format!("beside?ownerId={ADA}"))
        .await
        .assert_envelope(403, DENIED);

    let rename = |id: &str| {
        let body = json!({"ownerId": id, "id": 1, "name": "of"});
        send(service.by("owner", Method::PUT, "rename-of").json(&body))
    };
    rename(BOB)
        .await
        .assert_envelope(403, "only the owner renames things");
    is(
        &service.get("one?id=1").await,
        &json!({"id": 1, "name": "a/b + ü"}),
    );
    is(
        &rename(ADA).await,
        &json!({"update_things_by_pk": {"id": 1, "name": "of"}}),
    );
}

/// Everything in a response except its date and request id.
fn comparable_parts(reply: &Reply) -> (u16, Vec<(String, Vec<u8>)>, String) {
    let named = reply
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    let mut headers: Vec<_> = named
        .filter(|(name, _)| name != "date" && name != "x-request-id")
        .collect();
    headers.sort();
    (reply.status, headers, reply.text.clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_and_missing_required_rows_get_identical_responses() {
    const NOBODYS: &str = "00000000-0000-0000-0000-00000000000f";
    // The bucket refills so fast that each request leaves an equal number.
    let service = Service::of_file("[[rates]]\nname = \"all\"\nper = []\nrate = 1000000\n").await;
    for method in [Method::GET, Method::HEAD, Method::POST] {
        for (role, path) in [
            ("owner", "of/:id"),
            ("owner", "beside?ownerId=:id"),
            ("visitor", "beside?ownerId=:id"),
        ] {
            for coding in ["identity", "br"] {
                let ask = async |id: &str| {
                    let request = service.by(role, method.clone(), &path.replace(":id", id));
                    comparable_parts(
                        &send(
                            request
                                .header("If-None-Match", "*")
                                .header("Accept-Encoding", coding),
                        )
                        .await,
                    )
                };
                let foreign = ask("00000000-0000-0000-0000-00000000000b").await;
                let none = ask(NOBODYS).await;
                assert!(
                    foreign.0 == 403 && foreign.1.iter().any(|(name, _)| name == "ratelimit"),
                    "{foreign:?}"
                );
                assert_eq!(foreign, none, "{method} {path} {role}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hasura_dialect_errors_have_hasuras_format() {
    let service = Service::with(super::service::MAP, &[("profile", "hasura")]).await;
    let ask = |path: &str| {
        let request = service
            .ask(Method::GET, path)
            .header("X-Hasura-Admin-Secret", ADMIN_SECRET);
        send(request.header("X-Hasura-Role", "reader"))
    };
    is(&ask("one?id=2").await, &json!({"id": 2, "name": "7"}));
    let missing = ask("one").await;
    let expected =
        json!({"path": "$", "error": "the parameter \"id\" is missing", "code": "bad-request"});
    assert_eq!((missing.status, missing.json()), (400, expected));
    let nowhere = ask("nowhere").await;
    assert_eq!(
        (nowhere.status, nowhere.json()["code"].as_str()),
        (404, Some("not-found"))
    );
}
