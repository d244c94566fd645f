//! The OpenAPI description of the paths to sign in, at `/v1/openapi.json`. Every success and every
//! error that it names is provoked, and compared with it and with hasura-auth's own description,
//! which Nhost's client is generated from and has in its types.

mod exchanges;
mod factor_exchanges;
mod provider_exchanges;
mod recorder;

use std::collections::BTreeSet;

use gateway::config::Settings;
use gateway::http::ErrorFormat;
use gateway::rest::openapi::join_parts;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value, json};
use tests::openapi::{Asked, Description, Place};
use tests::program;
use tests::reply::Reply;
use tests::service::{ADMIN_SECRET, JWT_SECRET, send};

use super::service::{Service, builder, migrated, settings};
use crate::rest::linted::lint;
use recorder::Exchange;

const PATH: &str = "/v1/openapi.json";

/// The parts of the description.
const PARTS: [&str; 4] = [
    include_str!("../../../plugins/src/token_exchange/openapi.json"),
    include_str!("../../../plugins/src/accounts/openapi.json"),
    include_str!("../../../plugins/src/accounts/openapi_providers.json"),
    include_str!("../../../plugins/src/accounts/openapi_second_factors.json"),
];

/// How responses differ from hasura-auth's schemas, and why.
const DIFFERENCES: [(&str, &str); 21] = [
    (
        "`session` is null",
        "what is not there is null; hasura-auth leaves it out, and clients ask whether it is true",
    ),
    ("`mfa` is null", "as above"),
    ("`phoneNumber` is null", "as above"),
    ("`activeMfaType` is null", "as above"),
    ("`email` is null", "as above, of an anonymous user"),
    (
        "`createdAt` is null",
        "only where the query of users has no such column",
    ),
    (
        "there is `mfa`",
        "every first factor asks for a second one, theirs after passwords and SMS alone",
    ),
    (
        "there is `methods`",
        "what the person may show; hasura-auth has authenticator apps alone",
    ),
    (
        "there is no `refreshToken`",
        "only if the request asks for it in a cookie",
    ),
    (
        "`personalAccessToken` has another form",
        "256 random bits with the prefix `pat_`, which scanners of secrets find; theirs is a UUID",
    ),
    (
        "there is `data`",
        "errors of the token exchange have the envelope of REST, with the code added",
    ),
    ("`status` is \"error\"", "as above"),
    (
        "`error` is \"too-many-requests\"",
        "hasura-auth's 429 has no body",
    ),
    (
        "`error` is \"email-already-in-use\"",
        "the code of hasura-auth before it became `user-already-exists`; both clients show either",
    ),
    (
        "`error` is \"elevation-required\"",
        "hasura-auth has no code for it, and none for the following",
    ),
    ("`error` is \"invalid-webauthn-credential\"", "as above"),
    ("`error` is \"no-security-key\"", "as above"),
    ("`error` is \"too-many-security-keys\"", "as above"),
    (
        "there is no `e`, `n`",
        "of a key of an elliptic curve; hasura-auth describes RSA alone",
    ),
    ("there is `crv`, `x`, `y`", "as above"),
    ("there is `crv`, `x`", "as above, of Ed25519"),
];

async fn described(service: &Service) -> Description {
    let reply = send(service.get(PATH)).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    Description(reply.json())
}

/// What Nhost's client has of hasura-auth's description.
async fn of_hasura_auth() -> Value {
    let mut script = program::node("nhost", "schemas.mjs").unwrap();
    program::run_json(&mut script, "").await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_match_hasura_auth_openapi() {
    let description = described(&Service::start().await).await;
    let theirs = of_hasura_auth().await;
    let (first, second, third) = tokio::join!(
        exchanges::all(),
        factor_exchanges::all(),
        provider_exchanges::all()
    );
    let exchanges = [first, second, third].concat();
    let mut differences = BTreeSet::new();
    let mut succeeded = BTreeSet::new();
    let mut codes = BTreeSet::new();
    for exchange in &exchanges {
        let Exchange { path, reply, .. } = exchange;
        let method = exchange.method.as_str().to_lowercase();
        let faults = description.faults_of_answer(path, &method, reply);
        assert_eq!(faults, Vec::<String>::new(), "{exchange:#?}");
        let operation = &description.operation(path, &method)["operationId"];
        let operation = operation.as_str().unwrap();
        let known = &theirs["operations"][operation];
        let error = json!({"$ref": "#/components/schemas/ErrorResponse"});
        let schema = if reply.status < 400 {
            let faults = faults_of_request(&description, exchange);
            assert_eq!(faults, Vec::<String>::new(), "{exchange:#?}");
            succeeded.insert(operation.to_owned());
            &known["response"]
        } else {
            // A page, and the response to a head that is too large, have no code.
            let Some(code) = code_of(reply) else { continue };
            let named = codes_of(&description, path, &method, reply.status);
            let is_named = named.is_none_or(|named| named.contains(&code));
            assert!(is_named, "{operation} has {}: {exchange:#?}", reply.status);
            codes.insert(format!("{operation}: {} {code}", reply.status));
            &error
        };
        if known.is_object() {
            differences.append(&mut differences_of(&theirs, schema, &reply.json()));
        }
    }
    let expected = DIFFERENCES.map(|(difference, _)| difference.to_owned());
    assert_eq!(differences, BTreeSet::from(expected));

    let mut operations = BTreeSet::new();
    let mut named = BTreeSet::new();
    for (path, method) in description.operations() {
        let operation = description.operation(&path, &method);
        let name = operation["operationId"].as_str().unwrap();
        operations.insert(name.to_owned());
        for status in operation["responses"].as_object().unwrap().keys() {
            let Ok(status) = status.parse() else { continue };
            if let Some(found) = codes_of(&description, &path, &method, status) {
                assert!(!found.is_empty(), "{name}: {status} names no code");
                named.extend(found.iter().map(|code| format!("{name}: {status} {code}")));
            }
        }
    }
    assert_eq!(succeeded, operations);
    let not_provoked: Vec<&String> = named.difference(&codes).collect();
    assert_eq!(not_provoked, Vec::<&String>::new());
}

/// How a request deviates from the description.
fn faults_of_request(description: &Description, exchange: &Exchange) -> Vec<String> {
    let method = exchange.method.as_str().to_lowercase();
    let body = &description.operation(exchange.path, &method)["requestBody"];
    let content = body["content"].as_object();
    let location = match content.and_then(|content| content.keys().next()) {
        None => Place::Query,
        Some(media) if media == "application/json" => Place::Json,
        Some(_) => Place::Form,
    };
    description.faults_of_request(&Asked {
        path: exchange.path,
        method: &method,
        location,
        values: exchange.values.as_object().cloned().unwrap_or_default(),
    })
}

/// The code of an error; `None` if it is a page, or an error of GraphQL.
fn code_of(reply: &Reply) -> Option<String> {
    let body: Value = serde_json::from_str(&reply.text).ok()?;
    body["error"].as_str().map(str::to_owned)
}

/// The codes that the description names for a status of its own, in backticks; `None` if the status
/// is one of all others, or its responses have no code.
fn codes_of(
    description: &Description,
    path: &str,
    method: &str,
    status: u16,
) -> Option<BTreeSet<String>> {
    description.operation(path, method)["responses"].get(status.to_string())?;
    let response = description.response(path, method, status);
    let component = description.resolved(response);
    let content = &component["content"]["application/json"]["schema"];
    let schema = description.resolved(content);
    let all = schema["properties"]["error"]["enum"].as_array()?;
    // What stands beside a reference replaces the component's.
    let text = response.get("description").or(component.get("description"));
    let marked = text
        .unwrap()
        .as_str()
        .unwrap()
        .split('`')
        .skip(1)
        .step_by(2);
    let marked = marked.filter(|word| all.contains(&json!(word)));
    Some(marked.map(str::to_owned).collect())
}

/// How a value differs from a schema of hasura-auth.
fn differences_of(theirs: &Value, schema: &Value, value: &Value) -> BTreeSet<String> {
    let whole = json!({"components": {"schemas": theirs["schemas"]}, "allOf": [schema]});
    let validator = jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&whole)
        .unwrap();
    let mut found = BTreeSet::new();
    let mut missing = BTreeSet::new();
    for error in validator.iter_errors(value) {
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                missing.insert(format!("`{}`", property.as_str().unwrap()));
            }
            _ => drop(found.insert(difference(&error))),
        }
    }
    if !missing.is_empty() {
        let missing: Vec<String> = missing.into_iter().collect();
        found.insert(format!("there is no {}", missing.join(", ")));
    }
    found
}

fn difference(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let member = path.rsplit('/').next().unwrap_or_default();
    match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::Enum { .. } => {
            format!("`{member}` is {}", error.instance())
        }
        ValidationErrorKind::Pattern { .. } => format!("`{member}` has another form"),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("there is `{}`", unexpected.join("`, `"))
        }
        _ => format!("`{member}`: {error}"),
    }
}

/// Clients that were generated from hasura-auth's description find the same operations: names,
/// methods, paths, and members of requests.
#[tokio::test(flavor = "multi_thread")]
async fn operations_are_those_of_hasura_auth() {
    let theirs = of_hasura_auth().await;
    let description = Description(join_parts(&PARTS).unwrap());
    let mut own = vec![];
    let mut unknown_members = BTreeSet::new();
    for (path, method) in description.operations() {
        let operation = description.operation(&path, &method);
        let name = operation["operationId"].as_str().unwrap();
        let known = &theirs["operations"][name];
        if known.is_null() {
            own.push(name.to_owned());
            continue;
        }
        assert_eq!(
            (&known["method"], &known["path"]),
            (&json!(method), &json!(path)),
            "{name}"
        );
        let content = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(known["request"].is_null(), content.is_null(), "{name}");
        let theirs = Description(json!({"components": {"schemas": theirs["schemas"]}}));
        let sent = members(&theirs, theirs.resolved(&known["request"]), "");
        let read = members(&description, description.resolved(content), "");
        let unknown = sent
            .difference(&read)
            .filter(|name| !name.contains("credential/"));
        unknown_members.extend(unknown.cloned());
        let required = |schema: &Value| -> BTreeSet<String> {
            let names = schema["required"].as_array().into_iter().flatten();
            names
                .map(|name| name.as_str().unwrap().to_owned())
                .collect()
        };
        let needed = required(description.resolved(content));
        assert!(
            needed.is_subset(&required(theirs.resolved(&known["request"]))),
            "{name}"
        );
    }
    // A client of hasura-auth opens the first four in a browser, and sends no request there.
    let expected = [
        "verifyTicket",
        "signInProvider",
        "signUpProvider",
        "signInProviderCallbackGet",
        "signInProviderCallbackPost",
        "linkProvider",
        "listProviders",
        "unlinkProvider",
        "listSessions",
        "endSessions",
        "useTicket",
        "signInMfaWebauthn",
        "verifySignInMfaWebauthn",
        "createRecoveryCodes",
        "listSecurityKeys",
        "removeSecurityKey",
        "getElevationMethods",
        "elevateTotp",
        "elevateOTPEmail",
        "verifyElevateOTPEmail",
    ];
    own.sort();
    assert_eq!(
        own.iter().collect::<BTreeSet<_>>(),
        expected.map(str::to_owned).iter().collect()
    );
    // Proof keys for the redirect of a link (PKCE); the address beside a passkey and the connection
    // of an anonymous user, which hasura-auth ignores as well.
    assert_eq!(
        unknown_members,
        ["/codeChallenge", "/connection", "/email"]
            .map(str::to_owned)
            .into()
    );
}

/// The paths of all members of a schema.
fn members(description: &Description, schema: &Value, path: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{name}");
        found.append(&mut members(
            description,
            description.resolved(member),
            &path,
        ));
        found.insert(path);
    }
    found
}

/// Every route of the two plugins is described, and nothing else is.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_described() {
    let service = Service::start().await;
    let formats = [ErrorFormat::TokenExchange, ErrorFormat::Accounts];
    let mut routed = vec![];
    for route in service.gateway.routes() {
        if formats.contains(&route.error_format) {
            let methods = route
                .methods
                .iter()
                .map(|method| method.as_str().to_lowercase());
            routed.extend(methods.map(|method| (route.path.to_owned(), method)));
        }
    }
    let mut operations = described(&service).await.operations();
    routed.sort();
    operations.sort();
    assert_eq!(operations, routed);
}

#[tokio::test(flavor = "multi_thread")]
async fn linter_reports_nothing_for_the_paths_to_sign_in() {
    let parts = [("token-exchange", &PARTS[..1]), ("accounts", &PARTS[..])];
    let descriptions = parts.map(|(name, parts)| (name.to_owned(), join_parts(parts).unwrap()));
    assert_eq!(lint(&descriptions).await, Vec::<String>::new());
}

/// The paths of the description at this gateway; `None` if there is no description.
async fn paths(service: &tests::service::Service) -> Option<Vec<String>> {
    let reply = send(service.get(PATH)).await;
    let page = send(service.get("/").header("accept", "text/html")).await;
    assert_eq!(
        page.text.contains(PATH),
        reply.status == 200,
        "{}",
        page.text
    );
    if reply.status == 404 {
        return None;
    }
    let paths: Map<String, Value> = reply.json()["paths"].as_object().unwrap().clone();
    Some(paths.into_iter().map(|(path, _)| path).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_follows_the_settings() {
    let database = migrated().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    let name = file.to_str().unwrap().to_owned();
    let gather =
        move || Settings::gather(|flag| (flag == "config").then(|| name.clone()), |_| None);
    let write = |sections: &[&str]| {
        let mut table: toml::Table = settings("smtp://127.0.0.1:1", "").parse().unwrap();
        for section in ["token_exchange", "accounts"] {
            if !sections.contains(&section) {
                table.remove(section);
            }
        }
        for (key, value) in [
            ("database_url", database.url()),
            ("listen", "127.0.0.1:0"),
            ("admin_secret", ADMIN_SECRET),
            ("jwt_secret", JWT_SECRET),
        ] {
            table.insert(key.into(), value.into());
        }
        std::fs::write(&file, table.to_string()).unwrap();
    };
    write(&[]);
    let gateway = tests::gateway()
        .settings_from(gather)
        .start()
        .await
        .unwrap();
    let service = tests::service::Service::from_parts(gateway, migrated().await);
    assert_eq!(paths(&service).await, None);
    write(&["token_exchange"]);
    service.gateway.reload().await.unwrap();
    assert_eq!(paths(&service).await.unwrap().len(), 7);
    write(&["token_exchange", "accounts"]);
    service.gateway.reload().await.unwrap();
    assert_eq!(paths(&service).await.unwrap().len(), 53);
    write(&[]);
    service.gateway.reload().await.unwrap();
    assert_eq!(paths(&service).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn openapi_is_for_everybody_and_revalidated() {
    let service = builder(&settings("smtp://127.0.0.1:1", "")).start().await;
    let first = send(service.get(PATH)).await;
    assert_eq!(
        (first.status, first.header("cache-control")),
        (200, "no-cache")
    );
    let held = service
        .get(PATH)
        .header("if-none-match", first.header("etag"));
    let same = send(held.header("authorization", "Bearer nonsense")).await;
    assert_eq!((same.status, same.text.as_str()), (304, ""));
    assert_eq!(first.json()["info"]["title"], "Postern");
}
