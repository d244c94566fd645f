//! Tests which of the client's headers a handler gets: no made-up header reads like one of the
//! gateway's.

use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{SCHEMA, Service, TYPES, definitions, faults};
use crate::http::elsewhere::{Answer, Elsewhere};
use crate::http::token;

const LOGIN: &str = r#"mutation { login(credentials: {email: "a", password: "b"}) { token } }"#;

async fn service(handler: &Elsewhere, forwarded: &str) -> Service {
    let definitions =
        definitions(&handler.url("")).replace("forward_client_headers = true", forwarded);
    let settings = "trusted_proxies = [\"127.0.0.1\"]\n";
    Service::with(&definitions, TYPES, settings).await
}

/// What the handler gets of a request with a token and further headers: lines of its head, in lower
/// case.
async fn forwarded(
    service: &Service,
    handler: &Elsewhere,
    headers: &[(String, &str)],
) -> Vec<String> {
    let request = service
        .client
        .post(format!("{}/v1/graphql", service.gateway.url()))
        .bearer_auth(token::good());
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, *value)
    });
    let reply = Reply::of(request.json(&json!({"query": LOGIN})))
        .await
        .unwrap();
    assert_eq!(
        reply.data()["login"]["token"],
        "t",
        "{headers:?}: {}",
        reply.text
    );
    handler
        .asked()
        .pop()
        .unwrap()
        .head
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn no_made_up_header_reads_like_one_of_the_gateway() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let service = service(&handler, "forward_client_headers = true").await;
    let mut names = vec![];
    for prefix in [
        "X-Gateway-",
        "x-hasura-",
        "X_Gateway_",
        "X-Gateway_",
        "X_HASURA-",
        "x.gateway.",
        "X-Hasura_",
    ] {
        for name in [
            "User-Id",
            "user_id",
            "Tenant-Id",
            "ROLE",
            "Allowed-Roles",
            "admin_secret",
            "Access-Key",
        ] {
            names.push(format!("{prefix}{name}"));
        }
    }
    let of_gateway = [
        "X_Key",
        "x-key",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X_Forwarded_For",
        "Forwarded",
        "X-Real-IP",
    ];
    names.extend(of_gateway.map(str::to_owned));
    names.extend(
        [
            "traceparent",
            "tracestate",
            "Connection",
            "Proxy-Connection",
            "If-Match",
            "Range",
        ]
        .map(str::to_owned),
    );
    for name in names {
        // These have a meaning for the request itself, or are refused.
        let spelling = name.to_lowercase().replace('_', "-");
        if ["x-gateway-role", "x-gateway-admin-secret"].contains(&&*spelling) {
            continue;
        }
        let head = forwarded(
            &service,
            &handler,
            &[(name.clone(), "made-up"), ("X-Own".into(), "7")],
        )
        .await;
        assert!(
            !head.iter().any(|line| line.contains("made-up")),
            "{name}: {head:?}"
        );
        for there in [
            "x-own: 7",
            "x-gateway-role: author",
            "x-key: secret of the handler",
            "x-forwarded-for: 127.0.0.1",
        ] {
            assert!(
                head.iter().any(|line| line == there),
                "{name}: {there}: {head:?}"
            );
        }
    }
    let head = forwarded(
        &service,
        &handler,
        &[("Connection".into(), "close, X-Hop"), ("X-Hop".into(), "7")],
    )
    .await;
    assert!(
        !head.iter().any(|line| line.starts_with("x-hop")),
        "{head:?}"
    );
}

#[tokio::test]
async fn session_headers_of_the_client_become_those_of_its_token() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let service = service(&handler, "forward_client_headers = true").await;
    let names = [
        ("X-Gateway-Role".into(), "reader"),
        ("x-gateway-user_id".into(), "2"),
        ("X-Gateway-Team".into(), "1"),
    ];
    let head = forwarded(&service, &handler, &names).await;
    let of_session: Vec<_> = head
        .iter()
        .filter(|line| line.starts_with("x-gateway"))
        .collect();
    assert_eq!(
        of_session,
        ["x-gateway-user-id: 1", "x-gateway-role: reader"]
    );
    assert!(
        head.iter()
            .any(|line| line.starts_with("authorization: bearer ")),
        "the token is forwarded as before"
    );
    // A back end with the admin secret speaks for its users.
    let request = service
        .by("author")
        .header("X-Gateway-Team", "3")
        .json(&json!({"query": LOGIN}));
    Reply::of(request).await.unwrap().data();
    let head = handler.asked().pop().unwrap().head;
    for there in [
        "x-gateway-user-id: 1\r\n",
        "x-gateway-team: 3\r\n",
        "x-gateway-role: author\r\n",
    ] {
        assert!(head.contains(there), "{there}: {head}");
    }
    assert!(!head.contains(ADMIN_SECRET));
}

#[tokio::test]
async fn second_gateway_takes_the_caller_for_no_one_else() {
    let database = tests::create("actions_second", &[SCHEMA]).await.unwrap();
    let second = tests::gateway()
        .database_url(database.url())
        .admin_secret("of the second");
    let second = second
        .permissions_text("service.toml", super::service::PERMISSIONS)
        .listen("127.0.0.1:0");
    let second = second.start().await.unwrap();
    let definitions = format!(
        "[action.mine]\nhandler = \"{}/v1/graphql\"\nroles = \
         [\"author\"]\nforward_client_headers = true\n\
         headers = [{{ name = \"X-Gateway-Admin-Secret\", value = \"of the second\" }}]\n\
         request_transform = {{ body = '{{\"query\": \"{{ authors {{ id }} }}\"}}' }}\n\
         response_transform = {{ body = '{{\"found\": {{{{$body}}}}}}' }}\n",
        second.url()
    );
    let types = "type Query { mine: Mine } type Mine { found: Any } scalar Any";
    let service = Service::with(&definitions, types, "").await;
    for name in [
        "X-Gateway-User-Id",
        "x-gateway-user_id",
        "X_Gateway_User_Id",
        "X-Own",
    ] {
        let request = service
            .client
            .post(format!("{}/v1/graphql", service.gateway.url()))
            .bearer_auth(token::good());
        let request = request
            .header(name, "2")
            .json(&json!({"query": "{ mine { found } }"}));
        let reply = Reply::of(request).await.unwrap();
        let found = reply.data()["mine"]["found"].clone();
        let is_of_author = found["data"]["authors"] == json!([{"id": 1}]);
        let is_unknown = found["errors"][0]["extensions"]["code"] == "permission-error";
        assert!(is_of_author || is_unknown, "{name}: {}", reply.text);
    }
}

#[tokio::test]
async fn listed_headers_alone_are_forwarded() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let listed = "forward_client_headers = [\"X-Own\", \"X-Forwarded-For\"]";
    let service = service(&handler, listed).await;
    let given = [
        ("X-Own".into(), "7"),
        ("X-Other".into(), "7"),
        ("Cookie".into(), "c=1"),
    ];
    let head = forwarded(&service, &handler, &given).await;
    for there in [
        "x-own: 7",
        "x-forwarded-for: 127.0.0.1",
        "x-gateway-role: author",
    ] {
        assert!(head.iter().any(|line| line == there), "{there}: {head:?}");
    }
    for absent in ["x-other", "cookie", "authorization"] {
        assert!(
            !head.iter().any(|line| line.starts_with(absent)),
            "{absent}: {head:?}"
        );
    }
    let wrong = definitions("http://localhost").replace(
        "forward_client_headers = true",
        "forward_client_headers = [\"X-Hasura-User-Id\", \"Host\", \"no header\", \
         \"traceparent\", \"X-Own\"]",
    );
    let report = faults(&wrong, TYPES).await;
    for name in ["X-Hasura-User-Id", "Host", "no header", "traceparent"] {
        assert!(
            report.contains(&format!("`{name}` is not forwarded")),
            "{report}"
        );
    }
    assert!(!report.contains("`X-Own` is"), "{report}");
}

#[tokio::test]
async fn handler_gets_the_user_agent_of_the_gateway() {
    for forwards in ["true", "false"] {
        let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
        let service = service(&handler, &format!("forward_client_headers = {forwards}")).await;
        let head = forwarded(&service, &handler, &[("User-Agent".into(), "made-up")]).await;
        let agents: Vec<_> = head
            .iter()
            .filter(|line| line.starts_with("user-agent"))
            .collect();
        assert!(
            matches!(agents[..], [agent] if agent.starts_with("user-agent: postern/")),
            "{forwards}: {head:?}"
        );
    }
}
