//! Tests `"token"` in `[settings]`: policies read the whole payload of the caller's token, as
//! PostgREST passes it on, or the claims that an admin gives. Nothing that a client makes up is
//! among them.

use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::wait::until;

use super::service::{ALL, PERMISSIONS, Service};
use super::transports::{LETTERS, TRANSPORTS, bodies, start, subscriber};

const SETTINGS: &str = r#"
jwt_secret = '{"type":"HS256","key":"a key of thirty-two bytes, or more"}'
unauthorized_role = "user"

[cache.operation.Letters]
seconds = 60
share = true
"#;

/// Policies as for the teams of a token, and a function that shows the claims.
const BY_TEAM: &str = "
DROP POLICY own ON letters;
CREATE POLICY team ON letters FOR SELECT USING (user_id IN (
  SELECT jsonb_array_elements_text(nullif(current_setting('request.jwt.claims', true), '')::jsonb
                                   -> 'app_metadata' -> 'teams')::int));
CREATE POLICY writes ON letters FOR INSERT WITH CHECK (true);
CREATE FUNCTION claims() RETURNS text LANGUAGE sql STABLE AS $$ SELECT current_setting('request.jwt.claims', true) $$;
GRANT EXECUTE ON FUNCTION claims() TO PUBLIC;";

fn permissions() -> String {
    let permissions = PERMISSIONS.replace(
        "request.jwt.claims = \"claims\"",
        "request.jwt.claims = \"token\"",
    );
    format!("{permissions}[function.claims]\nroles = [\"user\"]\n")
}

async fn service(permissions: &str, grants: &str) -> Service {
    start(permissions, &format!("{ALL};{BY_TEAM}{grants}"), SETTINGS).await
}

/// A token of the role `user` with these claims beside its own.
fn token(claims: &Value) -> String {
    let mut payload = json!({
        "exp": 4_102_444_800_u64,
        "gateway": {"x-gateway-default-role": "user", "x-gateway-allowed-roles": ["user"], "x-gateway-user-id": "7"},
    });
    payload
        .as_object_mut()
        .unwrap()
        .extend(claims.as_object().unwrap().clone());
    let key = EncodingKey::from_secret(b"a key of thirty-two bytes, or more");
    jsonwebtoken::encode(&Header::default(), &payload, &key).unwrap()
}

fn of_teams(teams: &[usize]) -> Value {
    json!({"app_metadata": {"teams": teams}})
}

/// What the function `claims` shows.
async fn shown(request: reqwest::RequestBuilder) -> String {
    Reply::of(request).await.unwrap().data()["claims"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_transport_passes_on_the_whole_token() {
    let service = service(&permissions(), "").await;
    let seven = token(&of_teams(&[7]));
    let eight = token(&of_teams(&[8]));
    let none = token(&json!({"sub": "7"}));
    let given = of_teams(&[8]).to_string();
    for transport in TRANSPORTS {
        for (caller, expected) in [
            (&*seven, &["to seven", "to seven again"][..]),
            (&eight, &["to eight"]),
            (&none, &[]),
            (&given, &["to eight"]),
            ("8", &[]),
            (&seven, &["to seven", "to seven again"]),
        ] {
            assert_eq!(
                transport.letters(&service, caller).await,
                expected,
                "{transport:?} as {caller}"
            );
        }
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_are_those_of_the_token_or_of_an_admin_alone() {
    let service = service(&permissions(), "").await;
    let query = |caller: &str| service.post(caller, "{ claims }", &json!({}));
    // Numbers keep their digits, and `role` is the one that statements run as.
    let metadata = r#"{"n":12345678901234567890.10,"teams":[8,null],"é":"\"ü"}"#;
    let signed = token(
        &json!({"role": "service_role", "app_metadata": serde_json::from_str::<Value>(metadata).unwrap()}),
    );
    let of_token = shown(query(&signed)).await;
    assert!(
        of_token.starts_with(r#"{"role":"user","exp":4102444800,"gateway":{"#),
        "{of_token}"
    );
    assert!(
        of_token.contains(&format!(r#""app_metadata":{metadata}"#)),
        "{of_token}"
    );
    // A header beside a token, or without credentials, counts for nothing.
    for header in [r#"{"app_metadata":{"teams":[7]}}"#, "{", "[]"] {
        assert_eq!(
            shown(query(&signed).header("X-Gateway-Claims", header)).await,
            of_token
        );
        let anonymous = service
            .client
            .post(format!("{}/v1/graphql", service.gateway.url()));
        let anonymous = anonymous
            .header("X-Gateway-Claims", header)
            .json(&json!({"query": "{ claims }"}));
        assert_eq!(shown(anonymous).await, r#"{"role":"user"}"#);
    }
    // Those of an admin, and without them its session values.
    assert_eq!(
        shown(query(r#"{"role":"x","n":1.50}"#)).await,
        r#"{"role":"user","n":1.50}"#
    );
    assert_eq!(
        shown(query("7")).await,
        r#"{"role":"user","sub":"7","user_id":"7"}"#
    );
    let both = query("7").header("X-Gateway-Claims", r#"{"a":1}"#);
    assert_eq!(shown(both).await, r#"{"role":"user","a":1}"#);
    for wrong in ["{\"a\":", "[]", "null", r#"{"a":1,"a":2}"#] {
        let refused = Reply::of(query("").header("X-Gateway-Claims", wrong))
            .await
            .unwrap()
            .error();
        let message =
            "the header 'x-gateway-claims' has to be a JSON object that has each key once";
        assert_eq!(
            (refused.code.as_str(), refused.message.as_str()),
            ("bad-request", message),
            "{wrong}"
        );
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn role_in_the_claims_is_the_one_that_set_role_sets() {
    let grants = "GRANT READER TO LOGIN; GRANT SELECT ON letters TO READER;";
    let permissions = format!("{}[role.user]\nset_role = \"READER\"\n", permissions());
    let service = service(&permissions, grants).await;
    let expected = format!(r#"{{"role":"{}","sub":"7"}}"#, service.users[1]);
    assert_eq!(
        shown(service.post(r#"{"sub":"7","role":"user"}"#, "{ claims }", &json!({}))).await,
        expected
    );
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_answers_belong_to_the_claims() {
    let service = service(&permissions(), "").await;
    let seven = token(&of_teams(&[7]));
    let eight = token(&of_teams(&[8]));
    let query = LETTERS.replacen('{', "query Letters {", 1);
    for _ in 0..2 {
        assert_eq!(
            bodies(&service.ask(&seven, &query).await.json()),
            ["to seven", "to seven again"]
        );
        assert_eq!(
            bodies(&service.ask(&eight, &query).await.json()),
            ["to eight"]
        );
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn renewed_token_with_other_claims_is_of_another_caller() {
    let service = service(&permissions(), "").await;
    let mut socket = subscriber(&service, &token(&of_teams(&[7]))).await;
    assert_eq!(
        bodies(&socket.message().await),
        ["to seven", "to seven again"]
    );
    let refresh = |claims: Value| {
        let authorization = format!("Bearer {}", token(&claims));
        json!({"type": "ping", "payload": {"headers": {"Authorization": authorization}}})
    };
    let renewed = json!({"app_metadata": {"teams": [7]}, "exp": 4_102_444_801_u64, "iat": 1, "jti": "second"});
    socket.send(&refresh(renewed)).await;
    assert_eq!(socket.message().await["type"], "pong");
    socket.send(&refresh(of_teams(&[]))).await;
    assert_eq!(
        socket.closed().await,
        (4403, "the new credentials are of another caller".into())
    );
    service.end().await;
}

const LATER: &str = "
CREATE FUNCTION keep_claims() RETURNS SETOF letters LANGUAGE sql VOLATILE AS $$
  INSERT INTO letters (user_id, body) VALUES (7, current_setting('request.jwt.claims')::jsonb ->> 'app_metadata')
  RETURNING * $$;
GRANT ALL ON SCHEMA postern TO LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA postern TO LOGIN;";

#[tokio::test(flavor = "multi_thread")]
async fn asynchronous_action_runs_with_the_claims_of_its_caller() {
    let grants = format!("{ALL};{BY_TEAM}{}{LATER}", plugins::migration_script());
    let extend = |builder: gateway::server::Builder| {
        let definitions = "[action.keep_claims]\nfunction = \"keep_claims\"\nroles = \
                           [\"user\"]\nasynchronous = true\n";
        let types =
            "type Mutation { keep_claims: [Letter!]! } type Letter { id: Int!, body: String! }";
        builder.actions(gateway::actions::Source {
            definitions: permissions::SourceFile::new("actions.toml", definitions),
            types: permissions::SourceFile::new("actions.graphql", types),
        })
    };
    let service = Service::with(&permissions(), &grants, SETTINGS, extend)
        .await
        .unwrap();
    let seven = token(&of_teams(&[7]));
    let reply = service.ask(&seven, "mutation { keep_claims }").await;
    let id = reply.data()["keep_claims"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", reply.text))
        .to_owned();
    // A newer token of the caller reads the outcome.
    let newer = token(&json!({"app_metadata": {"teams": [7]}, "iat": 5}));
    let outcome = format!("{{ keep_claims(id: \"{id}\") {{ output {{ body }} errors }} }}");
    until("the outcome", async || {
        let reply = service.ask(&newer, &outcome).await;
        reply.data()["keep_claims"]["output"] == json!([{"body": "{\"teams\": [7]}"}])
    })
    .await;
    service.end().await;
}
