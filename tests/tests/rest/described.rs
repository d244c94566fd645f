//! Tests requests and responses against the OpenAPI description: every endpoint of the demo and of
//! the map beside this file, with every method, for every role, for successes and errors.

use std::collections::BTreeSet;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};
use tests::openapi::{Asked, Description, Place};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::privacy::{ENDPOINTS, Privacy, ROLES};
use super::service::{ADA, MAP, Service, send};

const NOBODYS: &str = "00000000-0000-0000-0000-000000000000";

/// A caller and the description that it gets.
pub(super) struct Asker {
    client: reqwest::Client,
    url: String,
    headers: HeaderMap,
    pub(super) description: Description,
}

pub(super) fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| -> (HeaderName, HeaderValue) {
        (name.parse().unwrap(), HeaderValue::from_str(value).unwrap())
    };
    pairs.iter().map(pair).collect()
}

impl Asker {
    pub(super) async fn new(url: &str, headers: HeaderMap) -> Asker {
        let client = reqwest::Client::new();
        let reply = send(
            client
                .get(format!("{url}/api/rest/openapi.json"))
                .headers(headers.clone()),
        )
        .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        Asker {
            client,
            url: url.to_owned(),
            headers,
            description: Description(reply.json()),
        }
    }

    /// A request without credentials.
    fn request(&self, asked: &Asked<'_>) -> RequestBuilder {
        let mut left = asked.values.clone();
        let segments: Vec<String> = asked
            .path
            .split('/')
            .map(|segment| segment.to_owned())
            .collect();
        let segments = segments.into_iter().map(|segment| {
            match segment
                .strip_prefix('{')
                .and_then(|segment| segment.strip_suffix('}'))
            {
                Some(name) => left
                    .remove(name)
                    .map_or_else(String::new, |value| text(&value)),
                None => segment,
            }
        });
        let path = segments.collect::<Vec<_>>().join("/");
        let method: Method = asked.method.to_uppercase().parse().unwrap();
        let request = self.client.request(method, format!("{}{path}", self.url));
        match asked.location {
            Place::Query => request.query(&pairs(&left)),
            Place::Json => request.json(&left),
            Place::Form => request.form(&pairs(&left)),
        }
    }

    /// Sends a request with the caller's credentials.
    async fn ask(&self, asked: &Asked<'_>) -> Reply {
        send(self.request(asked).headers(self.headers.clone())).await
    }

    /// Sends a request and checks whether it conforms to the description, and whether the status of
    /// the response does.
    async fn check(&self, asked: &Asked<'_>, fits: bool, status: u16) -> Reply {
        let reply = self.ask(asked).await;
        let about = format!(
            "{asked:?}: {} {}",
            reply.status,
            reply.text.chars().take(600).collect::<String>()
        );
        let faults = self.description.faults_of_request(asked);
        assert_eq!(faults.is_empty(), fits, "{about}: {faults:?}");
        assert_eq!(reply.status, status, "{about}");
        self.check_response(asked, &reply);
        reply
    }

    /// Fails unless a response conforms to the description.
    fn check_response(&self, asked: &Asked<'_>, reply: &Reply) {
        let faults = self
            .description
            .faults_of_answer(asked.path, asked.method, reply);
        let text: String = reply.text.chars().take(600).collect();
        assert_eq!(
            faults,
            Vec::<String>::new(),
            "{asked:?}: {} {text}",
            reply.status
        );
    }

    /// Every described operation, with each place where its parameters can be sent.
    fn all(&self) -> Vec<(String, String, Place)> {
        let places = |method: &str| match method {
            "get" | "delete" => &[Place::Query][..],
            _ => &[Place::Json, Place::Form],
        };
        let operations = self.description.operations().into_iter();
        operations
            .flat_map(|(path, method)| {
                places(&method)
                    .iter()
                    .map(move |location| (path.clone(), method.clone(), *location))
            })
            .collect()
    }

    /// The parameters of an operation by name: the schema of each, and whether it is required.
    fn parameters(&self, path: &str, method: &str) -> Vec<(String, Value, bool)> {
        let of = |location: &str| self.description.parameters(path, method, location);
        let stated = ["path", "query"].into_iter().flat_map(of).map(|parameter| {
            let schema = parameter
                .get("schema")
                .unwrap_or(&parameter["content"]["application/json"]["schema"]);
            (
                parameter["name"].as_str().unwrap().to_owned(),
                schema.clone(),
                parameter["required"] == true,
            )
        });
        let schema = &self.description.operation(path, method)["requestBody"]["content"]["application/json"]
            ["schema"];
        let required = |name: &String| {
            schema["required"]
                .as_array()
                .unwrap()
                .contains(&json!(name))
        };
        let members = schema["properties"].as_object().into_iter().flatten();
        stated
            .chain(members.map(|(name, schema)| (name.clone(), schema.clone(), required(name))))
            .collect()
    }

    /// Sends invalid parameters; their errors have to conform to the description.
    async fn check_invalid_parameters(&self, good: &Asked<'_>, statuses: &mut BTreeSet<u16>) {
        for (name, schema, required) in self.parameters(good.path, good.method) {
            let in_path = good.path.contains(&format!("{{{name}}}"));
            if required && !in_path {
                let mut fewer = good.clone();
                fewer.values.remove(&name);
                statuses.insert(self.check(&fewer, false, 400).await.status);
            }
            let is_typed = schema["format"].is_string()
                || matches!(schema["type"].as_str(), Some("boolean" | "integer"));
            if is_typed {
                let mut malformed = good.clone();
                malformed.values.insert(name, "neither".into());
                self.check(&malformed, false, 400).await;
            }
        }
        let mut more = good.clone();
        more.values.insert("more".into(), 1.into());
        self.check(&more, false, 400).await;
        if good.location == Place::Json {
            let plain = send(
                self.request(good)
                    .headers(self.headers.clone())
                    .header("content-type", "text/plain"),
            )
            .await;
            // Two media types at once are refused like an unsupported one.
            statuses.insert(plain.status);
            self.check_response(good, &plain);
        }
        let nobody = send(self.request(good)).await;
        assert_eq!(nobody.status, 401, "{good:?}: {}", nobody.text);
        statuses.insert(401);
        self.check_response(good, &nobody);
    }

    /// A read that is a list is CSV for clients that prefer it, if and only if the description says
    /// so.
    async fn check_csv(&self, good: &Asked<'_>) {
        let operation = self.description.operation(good.path, good.method);
        if operation["tags"] != json!(["queries"]) {
            return;
        }
        let reply = send(
            self.request(good)
                .headers(self.headers.clone())
                .header("Accept", "text/csv"),
        )
        .await;
        self.check_response(good, &reply);
        let is_csv = reply.header("content-type").starts_with("text/csv");
        let described = operation["responses"]["200"]["content"]
            .get("text/csv")
            .is_some();
        assert_eq!(
            (reply.status, is_csv),
            (200, described),
            "{good:?}: {}",
            reply.text
        );
    }

    /// A read has an `ETag`, and is not sent again to a client that has it.
    async fn check_etag(&self, good: &Asked<'_>, reply: &Reply, statuses: &mut BTreeSet<u16>) {
        let tag = reply.header("etag");
        let described = self.description.operation(good.path, good.method)["responses"]
            .get("304")
            .is_some();
        assert!(described || tag.is_empty(), "{good:?}");
        if tag.is_empty() {
            return;
        }
        let same = send(
            self.request(good)
                .headers(self.headers.clone())
                .header("If-None-Match", tag),
        )
        .await;
        assert_eq!(same.status, 304, "{good:?}");
        statuses.insert(304);
        self.check_response(good, &same);
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Flattens the values; lists repeat their name.
fn pairs(values: &Map<String, Value>) -> Vec<(String, String)> {
    let all = values.iter().flat_map(|(name, value)| match value {
        Value::Array(items) if !items.iter().any(Value::is_object) => items
            .iter()
            .map(|item| (name.clone(), text(item)))
            .collect(),
        value => vec![(name.clone(), text(value))],
    });
    all.collect()
}

impl Privacy {
    pub(super) async fn asker(&self, role: &str) -> Asker {
        let secret = self.fact("admin_secret").as_str().unwrap().to_owned();
        let shown = match role {
            "admin" => headers(&[("X-Gateway-Admin-Secret", &secret)]),
            _ => headers(&[
                (
                    "Authorization",
                    &format!("Bearer {}", self.demo.token(role).unwrap()),
                ),
                ("X-Gateway-Role", role),
            ]),
        };
        Asker::new(&self.gateway.url(), shown).await
    }

    /// Valid values for the parameters of an operation; of the optional ones only those that every
    /// role may use.
    fn good(
        &self,
        asker: &Asker,
        path: &str,
        method: &str,
        notification: &Value,
    ) -> Map<String, Value> {
        let value = |name: &str| match name {
            "dataControllerId" => Some(self.fact("data_controller_id")),
            "dataSubjectId" => Some(self.fact("data_subject_id")),
            "requestType" => Some("access".into()),
            "question" => Some("Wie widerrufe ich meine Einwilligung?".into()),
            "id" => Some(notification.clone()),
            "isRead" => Some(true.into()),
            "description" => Some("as it is described".into()),
            _ => None,
        };
        let names = asker
            .parameters(path, method)
            .into_iter()
            .map(|(name, ..)| name);
        names
            .filter_map(|name| Some((name.clone(), value(&name)?)))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_endpoints_conform_to_their_descriptions() {
    let service = Privacy::start().await;
    let notification = service.notification().await;
    let admin = service.asker("admin").await;
    let mut statuses = BTreeSet::new();
    for role in ROLES.into_iter().chain(["admin"]) {
        let asker = service.asker(role).await;
        let expected: BTreeSet<(String, String)> = ENDPOINTS
            .iter()
            .filter(|endpoint| role == "admin" || endpoint.roles.contains(&role))
            .flat_map(|endpoint| {
                endpoint
                    .methods
                    .iter()
                    .map(|method| (endpoint.path, method))
            })
            .map(|(path, method)| (format!("/api/rest/{path}"), method.as_str().to_lowercase()))
            .collect();
        let described: BTreeSet<(String, String)> =
            asker.description.operations().into_iter().collect();
        assert_eq!(described, expected, "{role}");
        for (path, method, location) in asker.all() {
            let values = service.good(&asker, &path, &method, &notification);
            let good = Asked {
                path: &path,
                method: &method,
                location,
                values,
            };
            let reply = asker.check(&good, true, 200).await;
            statuses.insert(200);
            asker.check_etag(&good, &reply, &mut statuses).await;
            asker.check_csv(&good).await;
            asker.check_invalid_parameters(&good, &mut statuses).await;
            for (name, other) in [
                ("dataControllerId", "other_data_controller_id"),
                ("dataSubjectId", "other_data_subject_id"),
            ] {
                for row in [service.fact(other), json!(NOBODYS)] {
                    let mut foreign = good.clone();
                    if foreign.values.insert(name.into(), row).is_some() {
                        let reply = asker.ask(&foreign).await;
                        statuses.insert(reply.status);
                        assert_eq!(
                            asker.description.faults_of_request(&foreign),
                            Vec::<String>::new()
                        );
                        asker.check_response(&foreign, &reply);
                    }
                }
            }
            if role != "admin" {
                let mut without_role = asker.headers.clone();
                without_role.remove("X-Gateway-Role");
                let reply = send(asker.request(&good).headers(without_role)).await;
                assert_eq!(reply.status, 403, "{good:?}: {}", reply.text);
                asker.check_response(&good, &reply);
            }
        }
        // Endpoints that a role may not call are not in its description, and are refused as other
        // roles' descriptions say.
        for (path, method, claims_location) in admin.all() {
            if !described.contains(&(path.clone(), method.clone())) {
                let values = service.good(&admin, &path, &method, &notification);
                let asked = Asked {
                    path: &path,
                    method: &method,
                    location: claims_location,
                    values,
                };
                let reply = asker.ask(&asked).await;
                assert_eq!(reply.status, 403, "{asked:?} as {role}: {}", reply.text);
                admin.check_response(&asked, &reply);
            }
        }
    }
    assert_eq!(statuses, BTreeSet::from([200, 304, 400, 401, 403, 415]));
}

/// Endpoints with every type, as parameters and in responses.
pub(super) const KINDS: &str = r#"
[[endpoint]]
path = "kinds/:key"
methods = ["GET", "POST", "DELETE"]
query = """
query Kinds($key: uuid!, $body: jsonb!, $at: timestamptz!, $day: date!, $mood: mood!, $keys: [uuid!], $exact: numeric!, $ratio: float8!,
  $whole: bigint!, $yes: Boolean!, $where: things_bool_exp! = {}, $order: [things_order_by!], $name: String! = "x") {
  things(
    where: {_and: [{key: {_eq: $key}}, $where, {body: {_eq: $body}, at: {_eq: $at}, day: {_eq: $day}, mood: {_eq: $mood},
      key: {_in: $keys}, exact: {_eq: $exact}, ratio: {_eq: $ratio}, whole: {_eq: $whole}, yes: {_eq: $yes}, name: {_neq: $name}}]}
    order_by: $order
  ) { id owner_id name whole exact ratio yes key day at mood body keys kind: __typename }
}
"""

[[endpoint]]
path = "rows/:id"
methods = ["GET", "POST"]
optional = ["since"]
sql = """
SELECT id, name, whole, exact, ratio, yes, key, day, at, mood, body, keys, NULL::int AS none
FROM things WHERE id = :id AND (day >= :since OR :since IS NULL) AND body = :body
"""
"#;

/// Endpoints that are slow, or fail while streaming: an aborted response has no status of its own.
const CUT: [&str; 2] = ["/api/rest/slow", "/api/rest/flood"];

/// Valid values for the endpoints of the map.
fn good(path: &str) -> Value {
    match path.strip_prefix("/api/rest/").unwrap() {
        "names" => json!({"limit": 1, "from": 0}),
        "things/{id}" => json!({"id": 1, "with": true}),
        "by/{name}/named" => json!({"name": "7"}),
        "one" => json!({"id": 1}),
        "search" => json!({"where": {"id": {"_gt": 0}}, "order": [{"id": "desc"}], "ids": [1, 2]}),
        "rename" => json!({"id": 1, "name": "other"}),
        "resize" => json!({"id": 1, "whole": 9_007_199_254_740_993_i64}),
        "of/{owner}" => json!({"owner": ADA}),
        "beside" => json!({"id": 1, "ownerId": ADA}),
        "rename-of" => json!({"id": 1, "name": "other", "ownerId": ADA}),
        "kinds/{key}" => json!({
            "key": "00000000-0000-0000-0000-000000000001", "body": {"a": 1}, "at": "2024-02-29T12:00:00Z", "day": "2024-02-29",
            "mood": "wild", "keys": ["00000000-0000-0000-0000-000000000001"], "exact": 1.5, "ratio": 0.25,
            "whole": 9_007_199_254_740_993_i64, "yes": true, "where": {"id": {"_eq": 1}}, "order": [{"id": "asc"}], "name": "y",
        }),
        "rows/{id}" => json!({"id": 1, "since": "2024-01-01", "body": {"a": 1}}),
        _ => json!({}),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn map_with_every_kind_of_endpoint_conforms_to_its_description() {
    let service = Service::with(&format!("{MAP}{KINDS}"), &[]).await;
    let url = service.gateway.url();
    let mut statuses = BTreeSet::new();
    let mut asked_of = BTreeSet::new();
    for role in ["reader", "owner", "visitor", "admin"] {
        let shown = [
            ("X-Gateway-Admin-Secret", ADMIN_SECRET),
            ("X-Gateway-Role", role),
            ("X-Gateway-Owner-Id", ADA),
        ];
        let asker = Asker::new(&url, headers(&shown)).await;
        for (path, method, location) in asker
            .all()
            .into_iter()
            .filter(|(path, ..)| !CUT.contains(&path.as_str()))
        {
            let values = good(&path).as_object().unwrap().clone();
            let asked = Asked {
                path: &path,
                method: &method,
                location,
                values,
            };
            // A role that does not see owners does not see the required one.
            let is_blind = role == "visitor"
                && ["owner", "ownerId"]
                    .iter()
                    .any(|name| asked.values.contains_key(*name));
            let reply = asker
                .check(&asked, true, if is_blind { 403 } else { 200 })
                .await;
            if !is_blind {
                asker.check_csv(&asked).await;
            }
            if path.ends_with("kinds/{key}") {
                assert_eq!(
                    reply.json()["things"][0]["kind"],
                    "things",
                    "{}",
                    reply.text
                );
            }
            asker.check_etag(&asked, &reply, &mut statuses).await;
            asker.check_invalid_parameters(&asked, &mut statuses).await;
            for name in ["ownerId", "owner"] {
                let mut foreign = asked.clone();
                if foreign.values.insert(name.into(), NOBODYS.into()).is_some() {
                    statuses.insert(asker.check(&foreign, true, 403).await.status);
                }
            }
            asked_of.insert((path, method));
        }
    }
    assert_eq!(statuses, BTreeSet::from([304, 400, 401, 403, 415]));
    let endpoints: BTreeSet<&String> = asked_of.iter().map(|(path, _)| path).collect();
    let there = [MAP, KINDS]
        .map(|map| map.matches("[[endpoint]]").count())
        .iter()
        .sum::<usize>();
    assert_eq!(endpoints.len(), there - CUT.len(), "{endpoints:?}");
}

/// The JSON pointers of the schemas below this one for which the response has a value that is not
/// null.
fn places(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if !at.is_empty() && !value.is_null() {
        found.push(at.to_owned());
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        places(
            inner,
            &value[name],
            &format!("{at}/properties/{name}"),
            found,
        );
    }
    if let (Some(items), Some(first)) = (schema.get("items"), value.get(0)) {
        places(items, first, &format!("{at}/items"), found);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deviations_from_the_description_are_detected() {
    let service = Privacy::start().await;
    let notification = service.notification().await;
    let asker = service.asker("user").await;
    let mut changed = 0;
    for (path, method, location) in asker.all() {
        let values = service.good(&asker, &path, &method, &notification);
        let asked = Asked {
            path: &path,
            method: &method,
            location,
            values,
        };
        let reply = asker.ask(&asked).await;
        let faults = |description: &Description, reply: &Reply| {
            description.faults_of_answer(&path, &method, reply)
        };
        assert_eq!(faults(&asker.description, &reply), Vec::<String>::new());
        let response = format!(
            "/paths/{}/{method}/responses/200/content/application~1json/schema",
            path.replace('/', "~1")
        );
        let mut found = vec![];
        places(
            asker.description.0.pointer(&response).unwrap(),
            &reply.json(),
            "",
            &mut found,
        );
        for source_location in found {
            let mut other = asker.description.clone();
            *other
                .0
                .pointer_mut(&format!("{response}{source_location}"))
                .unwrap() = json!({"type": "null"});
            assert_ne!(
                faults(&other, &reply),
                Vec::<String>::new(),
                "{path}{source_location} is not looked at"
            );
            // One member too many, or one too few.
            if let Some((object, name)) = source_location
                .rsplit_once("/properties/")
                .filter(|(_, name)| !name.contains('/'))
            {
                let mut fewer = asker.description.clone();
                fewer
                    .0
                    .pointer_mut(&format!("{response}{object}/properties"))
                    .unwrap()
                    .as_object_mut()
                    .unwrap()
                    .remove(name);
                assert_ne!(
                    faults(&fewer, &reply),
                    Vec::<String>::new(),
                    "{path}{source_location} may be there or not"
                );
                changed += 1;
            }
        }
        let mut bare = reply.clone();
        bare.headers.remove("x-request-id");
        assert_eq!(
            faults(&asker.description, &bare),
            ["there is no header X-Request-Id"]
        );
        let mut more = reply.clone();
        more.headers.insert("x-more", HeaderValue::from_static("1"));
        assert_eq!(
            faults(&asker.description, &more),
            ["nothing is said of the header x-more"]
        );
        let strange = Reply {
            status: 418,
            ..reply.clone()
        };
        assert_eq!(
            faults(&asker.description, &strange),
            ["nothing is said of status 418"]
        );
        let mut html = reply.clone();
        html.headers
            .insert("content-type", HeaderValue::from_static("text/html"));
        assert_eq!(
            faults(&asker.description, &html),
            ["nothing is said of an answer of `text/html`"]
        );
    }
    assert!(changed > 200, "{changed}");
}
