//! Tests the dialect `hasura` over HTTP: headers, tokens, codes, texts and paths of errors, and the
//! coercion of variables. Each case has the number of the fact of the dialect that it tests.

use std::ops::Deref;

use gateway::server::Builder;
use jsonwebtoken::{EncodingKey, Header};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET};

mod cached;
mod writes;

const KEY: &str = "a key of thirty-two bytes, or more";

/// A gateway in the Hasura dialect.
struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    async fn start() -> Service {
        Service::with(|builder| builder).await
    }

    /// Starts a gateway that has more than its permissions.
    async fn with(extend: impl FnOnce(Builder) -> Builder + Send + 'static) -> Service {
        let builder = service::Service::builder("profile", &[include_str!("profile/service.sql")])
            .permissions(include_str!("profile/permissions.toml"))
            .profile("hasura")
            .setting("stringify-numbers", "true");
        Service(builder.change(extend).start().await)
    }

    fn post(&self) -> RequestBuilder {
        self.0.post()
    }

    async fn ask(&self, query: &str, variables: Value) -> Reply {
        self.send(&[("X-Hasura-Admin-Secret", ADMIN_SECRET)], query, variables)
            .await
    }

    async fn send(&self, headers: &[(&str, &str)], query: &str, variables: Value) -> Reply {
        let request = headers.iter().fold(self.post(), |request, (name, value)| {
            request.header(*name, *value)
        });
        Reply::of(request.json(&json!({"query": query, "variables": variables})))
            .await
            .unwrap()
    }

    /// Fails unless the admin gets exactly this error and nothing else.
    async fn refuses(
        &self,
        fact: &str,
        query: &str,
        variables: Value,
        [path, code, message]: [&str; 3],
    ) {
        has_error(
            &self.ask(query, variables).await,
            fact,
            [path, code, message],
        );
    }

    async fn answers(&self, fact: &str, query: &str, variables: Value, data: Value) {
        let reply = self.ask(query, variables).await;
        assert_eq!(
            (reply.status, reply.text),
            (200, json!({"data": data}).to_string()),
            "fact {fact}: {query}"
        );
    }
}

#[track_caller]
fn has_error(reply: &Reply, fact: &str, [path, code, message]: [&str; 3]) {
    let error =
        json!({"errors": [{"extensions": {"path": path, "code": code}, "message": message}]});
    assert_eq!(
        (reply.status, reply.text.as_str()),
        (200, error.to_string().as_str()),
        "fact {fact}"
    );
}

fn signed(claims: &Value) -> String {
    let claims = json!({"exp": 4_000_000_000_u32, "https://hasura.io/jwt/claims": claims});
    let token = jsonwebtoken::encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(KEY.as_bytes()),
    )
    .unwrap();
    format!("Bearer {token}")
}

const VALIDATION: &str = "validation-failed";

#[tokio::test]
async fn invalid_documents_have_hasuras_errors() {
    let service = Service::start().await;
    let cases = [
        ("6", "query {", "$.query", "not a valid graphql query"),
        (
            "5",
            "query a { author { id } } query b { author { id } }",
            "$",
            "exactly one operation has to be present in the document when operationName is not \
             specified",
        ),
        (
            "9",
            "{ author { id @exclude(if: true) } }",
            "$.selectionSet.author.selectionSet",
            "directive \"exclude\" is not defined in the schema",
        ),
        (
            "9",
            "{ author { id @include(if: true) @include(if: true) } }",
            "$.selectionSet.author.selectionSet",
            "the following directives are used more than once: include",
        ),
        (
            "9",
            "query @include(if: true) { author { id } }",
            "$",
            "directive \"include\" is not allowed on a query",
        ),
        (
            "11",
            "{ author { ...A } } fragment A on author { articles { ...B } } fragment B on \
             article { author { ...A } }",
            "$.selectionSet.author.selectionSet.A.selectionSet.articles.selectionSet.B.selectionSet.author.selectionSet",
            "the fragment definition(s) \"A\" and \"B\" form a cycle",
        ),
        (
            "12",
            "{ nothing { id } }",
            "$.selectionSet.nothing",
            "field \"nothing\" not found in type: 'query_root'",
        ),
        (
            "13",
            "{ author { articles { nothing } } }",
            "$.selectionSet.author.selectionSet.articles.selectionSet.nothing",
            "field \"nothing\" not found in type: 'article'",
        ),
        (
            "13",
            "{ alias: author(where: {name: {_ne: \"x\"}}) { id } }",
            "$.selectionSet.author.args.where.name._ne",
            "field \"_ne\" not found in type: 'String_comparison_exp'",
        ),
        (
            "13",
            "{ author(nothing: 1) { id } }",
            "$.selectionSet.author",
            "\"author\" has no argument named \"nothing\"",
        ),
        (
            "13",
            "{ author_by_pk { id } }",
            "$.selectionSet.author_by_pk.args.id",
            "missing required field \"id\"",
        ),
        (
            "15",
            "{ author(where: {id: {_in: [1, null]}}) { id } }",
            "$.selectionSet.author.args.where.id._in[1]",
            "unexpected null value for type \"Int\"",
        ),
        (
            "15",
            "{ author(order_by: {id: up}) { id } }",
            "$.selectionSet.author.args.order_by[0].id",
            "expected one of the values \"asc\", \"asc_nulls_first\", \"asc_nulls_last\", \
             \"desc\", \"desc_nulls_first\", or \
             \"desc_nulls_last\" for type \"order_by\", but found \"up\"",
        ),
        (
            "19",
            "{ author(where: {id: {_eq: null}}) { id } }",
            "$.selectionSet.author.args.where.id._eq",
            "unexpected null value for type \"Int\"",
        ),
        (
            "19",
            "{ author(where: {_not: null}) { id } }",
            "$.selectionSet.author.args.where._not",
            "expected an object for type \"author_bool_exp\", but found null",
        ),
        (
            "19",
            "{ author(order_by: {id: \"asc\"}) { id } }",
            "$.selectionSet.author.args.order_by[0].id",
            "expected an enum value for type \"order_by\", but found a string",
        ),
        (
            "20",
            "{ author(limit: -1) { id } }",
            "$.selectionSet.author.args.limit",
            "expected a non-negative 32-bit integer for type \"Int\", but found an integer",
        ),
        (
            "20",
            "{ author(limit: \"1\") { id } }",
            "$.selectionSet.author.args.limit",
            "expected a non-negative 32-bit integer for type \"Int\", but found a string",
        ),
        (
            "26",
            "{ author(where: {id: {_in: null}}) { id } }",
            "$.selectionSet.author.args.where.id._in",
            "expected a list, but found null",
        ),
        (
            "38",
            "{ author(distinct_on: name, order_by: {id: asc}) { id } }",
            "$.selectionSet.author.args",
            "\"distinct_on\" columns must match initial \"order_by\" columns",
        ),
    ];
    for (fact, query, path, message) in cases {
        service
            .refuses(fact, query, json!({}), [path, VALIDATION, message])
            .await;
    }
    // The admin may write, and this role may not.
    let reader = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "user"),
        ("X-Hasura-User-Id", "1"),
    ];
    let reply = service
        .send(
            &reader,
            "mutation { insert_author(objects: []) { affected_rows } }",
            json!({}),
        )
        .await;
    has_error(&reply, "8", ["$", VALIDATION, "no mutations exist"]);
}

#[tokio::test]
async fn invalid_values_have_their_own_codes() {
    let service = Service::start().await;
    let bounds = "The value 2.147483648e9 lies outside the bounds or is not an integer. Maybe it \
                  is a float, or is there integer overflow?";
    let at = |rest: &str| format!("$.selectionSet.author.args.where.{rest}");
    let cases = [
        (
            "51",
            "{ author(where: {id: {_eq: 2147483648}}) { id } }",
            at("id._eq"),
            "parse-failed",
            bounds,
        ),
        (
            "16",
            "{ author(where: {name: {_like: \"x\\\\\"}}) { id } }",
            "$".into(),
            "bad-request",
            "LIKE pattern must not end with escape character",
        ),
        (
            "16",
            "{ author(where: {key: {_eq: \"x\"}}) { id } }",
            "$".into(),
            "data-exception",
            "a value has the wrong form for its type, in \"key\"",
        ),
        (
            "16",
            "{ ratio { ratio } }",
            "$".into(),
            "data-exception",
            "division by zero",
        ),
        (
            "20",
            "{ author(offset: -1) { id } }",
            "$".into(),
            "data-exception",
            "OFFSET must not be negative",
        ),
    ];
    for (fact, query, path, code, message) in cases {
        service
            .refuses(fact, query, json!({}), [path.as_str(), code, message])
            .await;
    }
}

#[tokio::test]
async fn variables_are_coerced_where_they_are_used() {
    let service = Service::start().await;
    let at = "$.selectionSet.author.args";
    let by_id = "query ($x: Int) { author(where: {id: {_eq: $x}}) { id } }";
    let cases = [
        (
            "21",
            "query ($x: String) { author(limit: $x) { id } }",
            json!({"x": "1"}),
            format!("{at}.limit"),
            "variable \"x\" is declared as String, but used where Int is expected",
        ),
        (
            "21",
            "query ($x: nothing) { author(limit: $x) { id } }",
            json!({"x": 1}),
            format!("{at}.limit"),
            "variable \"x\" is declared as nothing, but used where Int is expected",
        ),
        (
            "21",
            "query ($x: Int) { author_by_pk(id: $x) { id } }",
            json!({"x": 1}),
            "$.selectionSet.author_by_pk.args.id".into(),
            "variable \"x\" is declared as Int, but used where Int! is expected",
        ),
        (
            "21",
            "query ($x: Int) { article(where: {weight: {_eq: $x}}) { id } }",
            json!({"x": 1}),
            "$.selectionSet.article.args.where.weight._eq".into(),
            "variable \"x\" is declared as Int, but used where float8 is expected",
        ),
        (
            "22",
            by_id,
            json!({"x": 1, "y": 2}),
            "$".into(),
            "unexpected variables in variableValues: y",
        ),
        (
            "22",
            "query ($x: Int!) { author(where: {id: {_eq: $x}}) { id } }",
            json!({}),
            "$".into(),
            "expecting a value for non-nullable variable: \"x\"",
        ),
        (
            "50",
            by_id,
            json!({}),
            format!("{at}.where.id._eq"),
            "unexpected null value for type \"Int\"",
        ),
        (
            "50",
            by_id,
            json!({"x": null}),
            format!("{at}.where.id._eq"),
            "unexpected null value for type \"Int\"",
        ),
        (
            "13",
            "query ($w: author_bool_exp) { author(where: $w) { id } }",
            json!({"w": {"nothing": {}}}),
            format!("{at}.where.nothing"),
            "field \"nothing\" not found in type: 'author_bool_exp'",
        ),
        (
            "19",
            "query ($w: author_bool_exp) { author(where: $w) { id } }",
            json!({"w": {"id": 1}}),
            format!("{at}.where.id"),
            "expected an object for type \"Int_comparison_exp\", but found an integer",
        ),
        (
            "20",
            "query ($n: Int) { author(limit: $n) { id } }",
            json!({"n": "1"}),
            format!("{at}.limit"),
            "expected a non-negative 32-bit integer for type \"Int\", but found a string",
        ),
    ];
    for (fact, query, variables, path, message) in cases {
        service
            .refuses(fact, query, variables, [path.as_str(), VALIDATION, message])
            .await;
    }
}

#[tokio::test]
async fn values_are_coerced_like_hasura() {
    let service = Service::start().await;
    let one = json!({"author": [{"id": 1}]});
    let both = json!({"author": [{"id": 1}, {"id": 2}]});
    let all = json!({"author": [{"id": 1}, {"id": 2}, {"id": 3}]});
    let cases = [
        (
            "21",
            "query ($x: Int) { author(where: {id: {_eq: $x}}) { id } }",
            json!({"x": "1"}),
            one.clone(),
        ),
        (
            "21",
            "{ author(where: {id: {_eq: \"1\"}}) { id } }",
            json!({}),
            one.clone(),
        ),
        (
            "21",
            "query ($x: [Int!]) { author(where: {id: {_in: $x}}) { id } }",
            json!({"x": ["1", 2]}),
            both.clone(),
        ),
        (
            "21",
            "{ author(where: {registered: {_eq: \"t\"}}) { id } }",
            json!({}),
            one.clone(),
        ),
        (
            "22",
            "query ($n: Int! = 1) { author(limit: $n) { id } }",
            json!({"n": null}),
            all.clone(),
        ),
        (
            "22",
            "query ($x: Int) { author(limit: 1) { id } }",
            json!({}),
            one.clone(),
        ),
        (
            "20",
            "{ author(offset: \"2\") { id } }",
            json!({}),
            json!({"author": [{"id": 3}]}),
        ),
        (
            "20",
            "query ($n: Int) { author(offset: $n, limit: 1) { id } }",
            json!({"n": "0"}),
            one.clone(),
        ),
        (
            "19",
            "query ($d: order_by) { author(order_by: {id: $d}, limit: 1) { id } }",
            json!({"d": "desc"}),
            json!({"author": [{"id": 3}]}),
        ),
        (
            "36",
            "query ($d: order_by, $a: author_order_by) { article(order_by: [{author: $a}, {id: \
             $d}]) { id } }",
            json!({"a": null}),
            json!({"article": [{"id": 1}, {"id": 2}, {"id": 3}]}),
        ),
        (
            "50",
            "query ($w: author_bool_exp) { author(where: $w) { id } }",
            json!({}),
            all,
        ),
        (
            "9",
            "query ($t: Boolean!) { author @include(if: $t) { id } }",
            json!({"t": false}),
            json!({}),
        ),
        (
            "31",
            "{ author(where: {name: {_like: \"C\\\\\\\\\"}}) { id } }",
            json!({}),
            json!({"author": [{"id": 3}]}),
        ),
        (
            "46",
            "{ article(where: {size: {_eq: \"9007199254740993\"}}) { size price weight rank } }",
            json!({}),
            json!({"article": [{"size": "9007199254740993", "price": "1.50", "weight": "0.5", "rank": 7}]}),
        ),
        (
            "7",
            "{ __typename author(limit: 1) { __typename } }",
            json!({}),
            json!({"__typename": "query_root", "author": [{"__typename": "author"}]}),
        ),
    ];
    for (fact, query, variables, data) in cases {
        service.answers(fact, query, variables, data).await;
    }
}

#[tokio::test]
async fn introspection_has_hasuras_order() {
    let service = Service::start().await;
    let query = "query ($d: Boolean) { __type(name: \"article\") { fields(includeDeprecated: $d) \
                 { name } } }";
    let names = [
        "author",
        "author_id",
        "id",
        "price",
        "rank",
        "size",
        "title",
        "weight",
    ];
    let fields: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    service
        .answers(
            "23",
            query,
            json!({"d": false}),
            json!({"__type": {"fields": fields}}),
        )
        .await;
}

#[tokio::test]
async fn introspection_can_be_disabled_for_a_role() {
    let service = Service::start().await;
    let silent = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "silent"),
    ];
    for query in [
        "{ __schema { types { name } } }",
        "{ author { name } __type(name: \"author\") { name } }",
    ] {
        let reply = service.send(&silent, query, json!({})).await;
        has_error(
            &reply,
            "89",
            [
                "$",
                "not-supported",
                "introspection is disabled for role: \"silent\"",
            ],
        );
    }
    let names = service
        .send(
            &silent,
            "{ __typename author { __typename name } }",
            json!({}),
        )
        .await;
    let expected =
        json!({"__typename": "query_root", "author": [{"__typename": "author", "name": "Ada"}]});
    assert_eq!(names.data(), expected);
}

#[tokio::test]
async fn batch_has_a_response_for_each_request() {
    let service = Service::start().await;
    let batch = json!([{"query": "{ nothing { id } }"}, {"query": "{ author(limit: 1) { id } }"}]);
    let request = service
        .post()
        .header("X-Hasura-Admin-Secret", ADMIN_SECRET)
        .json(&batch);
    let error = json!({"errors": [{
        "extensions": {"path": "$.selectionSet.nothing", "code": VALIDATION},
        "message": "field \"nothing\" not found in type: 'query_root'",
    }]});
    let expected = json!([error, {"data": {"author": [{"id": 1}]}}]);
    assert_eq!(Reply::of(request).await.unwrap().text, expected.to_string());
}

#[tokio::test]
async fn session_variables_are_required_only_where_used() {
    let service = Service::start().await;
    let user = [
        ("x-hasura-admin-secret", ADMIN_SECRET),
        ("X-HASURA-ROLE", "user"),
    ];
    let articles = "{ author { name articles { title } } }";
    let missing = [
        "$",
        "not-found",
        "missing session variables: \"x-hasura-user-id\"",
    ];
    has_error(
        &service.send(&user, articles, json!({})).await,
        "71",
        missing,
    );
    let names = json!({"author": [{"name": "Ada"}, {"name": "Bob"}, {"name": "C\\"}]});
    assert_eq!(
        service
            .send(&user, "{ author { name } }", json!({}))
            .await
            .data(),
        names
    );
    let branch = "query ($t: Boolean!) { author { name articles @include(if: $t) { title } } }";
    assert_eq!(
        service
            .send(&user, branch, json!({"t": false}))
            .await
            .data(),
        names
    );
    let with = [
        ("x-hasura-admin-secret", ADMIN_SECRET),
        ("X-HASURA-ROLE", "user"),
        ("X-HASURA-User-Id", "2"),
    ];
    let expected = json!({"article": [{"title": "third"}]});
    assert_eq!(
        service
            .send(&with, "{ article { title } }", json!({}))
            .await
            .data(),
        expected
    );
    let hidden = service
        .send(&user, "{ author { registered } }", json!({}))
        .await;
    let location = "$.selectionSet.author.selectionSet.registered";
    has_error(
        &hidden,
        "12",
        [
            location,
            VALIDATION,
            "field \"registered\" not found in type: 'author'",
        ],
    );
}

#[tokio::test]
async fn session_variable_can_be_a_postgres_array() {
    let service = Service::start().await;
    let ask = async |names: &str| {
        let headers = [
            ("X-Hasura-Admin-Secret", ADMIN_SECRET),
            ("X-Hasura-Role", "listed"),
            ("X-Hasura-Names", names),
        ];
        service
            .send(&headers, "{ author { id } }", json!({}))
            .await
            .data()
    };
    assert_eq!(ask("{}").await, json!({"author": []}));
    assert_eq!(
        ask("{Ada,\"Bob\"}").await,
        json!({"author": [{"id": 1}, {"id": 2}]})
    );
}

#[tokio::test]
async fn role_can_select_only_a_computed_field() {
    let service = Service::start().await;
    let labeller = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "labeller"),
    ];
    let reply = service
        .send(&labeller, "{ author { label } }", json!({}))
        .await;
    assert_eq!(
        reply.data(),
        json!({"author": [{"label": "Ada!"}, {"label": "Bob!"}]})
    );
}

#[tokio::test]
async fn function_arguments_with_defaults_can_be_omitted() {
    let service = Service::start().await;
    for (arguments, ids) in [
        ("search: \"a%\"", json!([{"id": 1}])),
        ("search: \"%\", high: 2", json!([{"id": 1}, {"id": 2}])),
        ("search: \"%\", low: 2, high: 2", json!([{"id": 2}])),
    ] {
        let query = format!("{{ find_author(args: {{{arguments}}}) {{ id }} }}");
        service
            .answers("78", &query, json!({}), json!({"find_author": ids}))
            .await;
    }
    let path = "$.selectionSet.find_author.args.args";
    let message = "Non default arguments cannot be omitted";
    service
        .refuses(
            "78",
            "{ find_author(args: {low: 2}) { id } }",
            json!({}),
            [path, "not-supported", message],
        )
        .await;
}

#[tokio::test]
async fn role_without_columns_can_count() {
    let service = Service::start().await;
    let nameless = [
        ("X-Hasura-Admin-Secret", ADMIN_SECRET),
        ("X-Hasura-Role", "nameless"),
    ];
    let count = service
        .send(
            &nameless,
            "{ author_aggregate { aggregate { count } } }",
            json!({}),
        )
        .await;
    assert_eq!(
        count.data(),
        json!({"author_aggregate": {"aggregate": {"count": 3}}})
    );
    let columns = service
        .send(
            &nameless,
            "{ author_aggregate { aggregate { count(columns: id) } } }",
            json!({}),
        )
        .await;
    let location = "$.selectionSet.author_aggregate.selectionSet.aggregate.selectionSet.count";
    has_error(
        &columns,
        "41",
        [
            location,
            VALIDATION,
            "\"count\" has no argument named \"columns\"",
        ],
    );
}

#[tokio::test]
async fn authentication_errors_match_hasura() {
    let service = Service::start().await;
    let query = "{ author(limit: 1) { id } }";
    let access = |message| ["$", "access-denied", message];
    let nobody = service.send(&[], query, json!({})).await;
    has_error(
        &nobody,
        "1",
        access("x-hasura-admin-secret/x-hasura-access-key required, but not found"),
    );
    let wrong = service
        .send(&[("X-Hasura-Admin-Secret", "x")], query, json!({}))
        .await;
    has_error(
        &wrong,
        "1",
        access("invalid x-hasura-admin-secret/x-hasura-access-key"),
    );
    let claims = |roles: &[&str]| json!({"x-hasura-default-role": roles[0], "x-hasura-allowed-roles": roles, "x-hasura-user-id": "1"});
    let user = signed(&claims(&["user"]));
    let by_token = service
        .send(
            &[("Authorization", &user)],
            "{ article { title } }",
            json!({}),
        )
        .await;
    assert_eq!(
        by_token.data(),
        json!({"article": [{"title": "first"}, {"title": "second"}]})
    );
    let other = service
        .send(
            &[("Authorization", &user), ("X-Hasura-Role", "nameless")],
            query,
            json!({}),
        )
        .await;
    has_error(
        &other,
        "1",
        access("Your requested role is not in allowed roles"),
    );
    let admin = signed(&claims(&["user", "admin"]));
    let by_admin = service
        .send(
            &[("Authorization", &admin), ("X-Hasura-Role", "admin")],
            query,
            json!({}),
        )
        .await;
    assert_eq!(by_admin.data(), json!({"author": [{"id": 1}]}));
    let broken = service
        .send(&[("Authorization", "Bearer x")], query, json!({}))
        .await;
    has_error(
        &broken,
        "1",
        ["$", "invalid-jwt", "Could not verify JWT: malformed token"],
    );
}

#[tokio::test]
async fn malformed_requests_have_hasuras_errors() {
    let service = Service::start().await;
    let post = |body: &'static str| {
        let request = service.post().header("X-Hasura-Admin-Secret", ADMIN_SECRET);
        Reply::of(
            request
                .header("Content-Type", "application/json")
                .body(body),
        )
    };
    has_error(
        &post("{}").await.unwrap(),
        "1",
        ["$", "parse-failed", "key \"query\" not found"],
    );
    let broken = post("{").await.unwrap();
    has_error(
        &broken,
        "1",
        [
            "$",
            "invalid-json",
            "the body is not JSON: line 1, column 1",
        ],
    );
    let persisted = r#"{"query":"{ author { id } }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#;
    let message = "Automatic Persisted Queries is not enabled";
    has_error(
        &post(persisted).await.unwrap(),
        "1",
        ["$", "not-supported", message],
    );
    let path = reqwest::Client::new().get(format!("{}/nothing", service.gateway.url()));
    let reply = Reply::of(path).await.unwrap();
    let expected = json!({"path": "$", "error": "resource does not exist", "code": "not-found"});
    assert_eq!((reply.status, reply.text), (404, expected.to_string()));
}

/// Features that Hasura lacks are not in the schema unless the permission file enables them.
#[tokio::test(flavor = "multi_thread")]
async fn schema_has_no_extensions_unless_enabled() {
    let service = Service::start().await;
    let query = "{ query: __type(name: \"query_root\") { fields { name } } mode: __type(name: \
                 \"count_mode\") { name } }";
    let data = service.ask(query, json!({})).await.data();
    let fields = data["query"]["fields"].as_array().unwrap();
    let names: Vec<&str> = fields
        .iter()
        .filter_map(|field| field["name"].as_str())
        .collect();
    assert!(
        names.iter().any(|name| name.ends_with("_aggregate")),
        "{names:?}"
    );
    assert!(
        !names
            .iter()
            .any(|name| name.ends_with("_group") || name.ends_with("_connection")),
        "{names:?}"
    );
    assert_eq!(data["mode"], Value::Null);
}

/// The descriptions come from the permission file; an empty one is null.
#[tokio::test(flavor = "multi_thread")]
async fn descriptions_come_from_the_permission_file() {
    let service = Service::start().await;
    let query = "{ __type(name: \"article\") { description fields { name description } } }";
    let data = service.ask(query, json!({})).await.data();
    assert_eq!(data["__type"]["description"], "what was written");
    let fields = data["__type"]["fields"].as_array().unwrap();
    let description_of = |name: &str| {
        fields
            .iter()
            .find(|field| field["name"] == name)
            .map(|field| field["description"].clone())
    };
    assert_eq!(description_of("title"), Some(json!("the first line")));
    assert_eq!(description_of("author_id"), Some(Value::Null));
}

#[tokio::test]
async fn enum_values_of_introspection_are_in_order_of_their_names() {
    let service = Service::start().await;
    for name in ["author_select_column", "article_select_column", "order_by"] {
        let query = format!("{{ __type(name: \"{name}\") {{ enumValues {{ name }} }} }}");
        let data = service.ask(&query, json!({})).await.data();
        let values = data["__type"]["enumValues"].as_array().cloned().unwrap();
        let names: Vec<&str> = values
            .iter()
            .filter_map(|value| value["name"].as_str())
            .collect();
        assert!(names.len() > 3 && names.is_sorted(), "{name}: {names:?}");
    }
}
