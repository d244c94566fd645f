//! Tests allow lists: which operations a role may run, and what happens to others.

use serde_json::json;
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::place::{Place, Service, extension, refused};

const LIST: &str = r#"
[[collection]]
name = "everybody's"
queries = ["query Names { authors(order_by: {id: asc}) { name } }", "query Short { authors { name } }"]

[[collection]]
name = "readers'"
roles = ["reader"]
documents = ["queries/one.graphql", "more"]
"#;
const ONE: &str = "# one of them\nquery One($id: Int!) { authors_by_pk(id: $id) { ...Author } \
                   }\nfragment Author on authors { id name }";
const SEVERAL: &str = "query A { authors { ...Author } } query B { articles { id } } fragment \
                       Author on authors { id }";

async fn with(settings: &str) -> Service {
    let location = Place::with(&format!(
        "[operations]\nallow_list = \"list.toml\"\n{settings}"
    ))
    .await;
    location.write("list.toml", LIST);
    location.write("queries/one.graphql", ONE);
    location.write("more/several.graphql", SEVERAL);
    location.start().await
}

#[track_caller]
fn is_refused(reply: &Reply) {
    refused(reply, 200, "validation-failed", "query is not allowed");
}

#[track_caller]
fn answered(reply: &Reply) {
    assert!(!reply.data().is_null(), "{}", reply.text);
}

#[tokio::test]
async fn only_listed_operations_are_allowed() {
    let service = with("mode = \"enforce\"\n").await;
    let names = "query Names { authors(order_by: {id: asc}) { name } }";
    answered(&service.ask("reader", names).await);
    answered(
        &service
            .ask("visitor", "query Short { authors { name } }")
            .await,
    );
    is_refused(
        &service
            .ask(
                "reader",
                "query Names { authors(order_by: {id: desc}) { name } }",
            )
            .await,
    );
    is_refused(
        &service
            .ask(
                "reader",
                "query Other { authors(order_by: {id: asc}) { name } }",
            )
            .await,
    );
    is_refused(&service.ask("reader", "{ __typename }").await);
    is_refused(
        &service
            .ask("reader", "{ __schema { types { name } } }")
            .await,
    );
    assert_eq!(service.unlisted("reader", "enforce"), 4);
    // Unknown roles are counted together as `other`.
    is_refused(&service.ask("intruder", "{ __typename }").await);
    assert_eq!(
        (
            service.unlisted("other", "enforce"),
            service.unlisted("intruder", "enforce")
        ),
        (1, 0)
    );
    // A repeated request gets an identical response.
    is_refused(&service.ask("reader", "{ __typename }").await);
    answered(&service.ask("reader", names).await);
    // A document listed for one role is not allowed for another.
    let one = json!({"query": ONE, "variables": {"id": 1}});
    answered(&service.post("reader", &one).await);
    is_refused(&service.post("author", &one).await);
}

#[tokio::test]
async fn documents_are_compared_without_layout() {
    let service = with("mode = \"enforce\"\n").await;
    let run = async |query: &str| {
        service
            .post("reader", &json!({"query": query, "variables": {"id": 1}}))
            .await
    };
    for same in [
        "query One($id:Int!){authors_by_pk(id:$id){...Author}}fragment Author on authors{id,name}",
        "fragment Author on authors { id name __typename } query One($id: Int!) { \
         authors_by_pk(id: $id) { ...Author __typename } }",
        "query One($id: Int!) { # else\n authors_by_pk(id: $id) { ...Author } }\r\nfragment \
         Author on authors { id name }",
    ] {
        answered(&run(same).await);
    }
    for other in [
        "query One($id: Int!) { authors_by_pk(id: $id) { ...Author born } } fragment Author on \
         authors { id name }",
        "query One($id: Int!) { authors_by_pk(id: $id) { ...Author } } fragment Author on \
         authors { id name born }",
        "query One($id: Int!) { authors_by_pk(id: $id) { id name } }",
        "query One($id: Int! = 2) { authors_by_pk(id: $id) { ...Author } } fragment Author on \
         authors { id name }",
        "query One($id: Int!) { authors_by_pk(id: 2) { ...Author } } fragment Author on authors \
         { id name }",
        "query One($id: Int!) { authors_by_pk(id: $id) { ...Author x: __typename } } fragment \
         Author on authors { id name }",
    ] {
        is_refused(&run(other).await);
    }
    // A syntax error is reported as such, since it reveals nothing about a schema.
    assert_eq!(
        service.ask("reader", "{ authors {").await.error().code,
        "parse-failed"
    );
}

#[tokio::test]
async fn each_operation_of_a_document_is_checked() {
    let service = with("mode = \"enforce\"\n").await;
    let named = async |query: &str, name: &str| {
        service
            .post("reader", &json!({"query": query, "operationName": name}))
            .await
    };
    answered(&named(SEVERAL, "A").await);
    answered(&named(SEVERAL, "B").await);
    answered(&service.ask("reader", "query B { articles { id } }").await);
    answered(
        &service
            .ask(
                "reader",
                "query A { authors { ...Author } } fragment Author on authors { id }",
            )
            .await,
    );
    // The selected operation is listed but another definition beside it is not: validation errors
    // would reveal its fields.
    is_refused(
        &named(
            "query B { articles { id } } query X { authors { salary } }",
            "B",
        )
        .await,
    );
    is_refused(
        &named(
            "query B { articles { id } } query X { authors { born } }",
            "B",
        )
        .await,
    );
    is_refused(
        &service
            .ask(
                "reader",
                "query B { articles { id } } fragment F on salaries { id }",
            )
            .await,
    );
    is_refused(
        &service
            .ask(
                "reader",
                "query B { articles { id } } fragment F on authors { id }",
            )
            .await,
    );
}

#[tokio::test]
async fn refusals_reveal_nothing_about_the_schema() {
    let service = with("mode = \"enforce\"\n").await;
    let there = service.ask("reader", "{ authors { born } }").await;
    let not_there = service.ask("reader", "{ authors { salary } }").await;
    let nor_this = service.ask("reader", "{ secrets(x: 1) }").await;
    let writes = service
        .ask("reader", "mutation { delete_secrets { x } }")
        .await;
    let by_get = service
        .get("reader", &[("query", "mutation { delete_secrets { x } }")])
        .await;
    for reply in [&there, &not_there, &nor_this, &writes, &by_get] {
        assert_eq!(reply.text, there.text);
        is_refused(reply);
    }
}

#[tokio::test]
async fn batches_digests_and_get_are_checked() {
    let service = with("mode = \"enforce\"\n").await;
    let names = "query Names { authors(order_by: {id: asc}) { name } }";
    let other = "{ authors { id } }";
    let batch = service
        .post(
            "reader",
            &json!([{"query": names}, {"query": other}, {"query": names}]),
        )
        .await
        .json();
    assert!(
        batch[0]["data"].is_object() && batch[2]["data"].is_object(),
        "{batch}"
    );
    assert_eq!(batch[1]["errors"][0]["message"], "query is not allowed");
    is_refused(&service.get("reader", &[("query", other)]).await);
    answered(&service.get("reader", &[("query", names)]).await);
    is_refused(
        &service
            .post(
                "reader",
                &json!({"query": other, "extensions": extension(other)}),
            )
            .await,
    );
    let ReplyError { code, .. } = service
        .post("reader", &json!({"extensions": extension(other)}))
        .await
        .error();
    assert_eq!(
        code, "PERSISTED_QUERY_NOT_FOUND",
        "what is refused is not kept"
    );
    answered(
        &service
            .post(
                "reader",
                &json!({"query": names, "extensions": extension(names)}),
            )
            .await,
    );
    answered(
        &service
            .post("reader", &json!({"extensions": extension(names)}))
            .await,
    );
}

#[tokio::test]
async fn modes_can_be_set_per_role() {
    let service = with(
        "mode = \"enforce\"\n[operations.role.reader]\nmode = \
                        \"log\"\n[operations.role.visitor]\nintrospection = true\n\
                        [operations.role.author]\nmode = \"off\"\n",
    )
    .await;
    let other = "{ authors { name } }";
    answered(&service.ask("reader", other).await);
    answered(&service.ask("reader", other).await);
    assert_eq!(service.unlisted("reader", "log"), 2, "each request counts");
    answered(
        &service
            .ask(
                "reader",
                "query Names { authors(order_by: {id: asc}) { name } }",
            )
            .await,
    );
    assert_eq!(service.unlisted("reader", "log"), 2);
    let author = json!({"query": "{ __typename }"});
    answered(&service.post("author", &author).await);
    assert_eq!(service.unlisted("author", "off"), 0);
    is_refused(&service.ask("visitor", other).await);
    answered(
        &service
            .ask(
                "visitor",
                "{ __schema { types { ...F } } } fragment F on __Type { name }",
            )
            .await,
    );
    answered(&service.ask("visitor", "{ __typename }").await);
    is_refused(
        &service
            .ask("visitor", "{ __typename authors { name } }")
            .await,
    );
    // The list applies to the admin only if the settings say so.
    answered(&service.ask("admin", other).await);
    let service = with("mode = \"enforce\"\n[operations.role.admin]\nmode = \"enforce\"\n").await;
    is_refused(&service.ask("admin", other).await);
    answered(
        &service
            .ask(
                "admin",
                "query Names { authors(order_by: {id: asc}) { name } }",
            )
            .await,
    );
}

#[tokio::test]
async fn persisted_documents_can_be_the_allow_list() {
    let location = Place::with(
        "[operations]\npersisted = \"queries\"\nallow_list = [\"list.toml\"]\nmode = \"enforce\"\n",
    )
    .await;
    location.write(
        "list.toml",
        "[[collection]]\nroles = [\"reader\"]\npersisted = true\n",
    );
    location.write("queries/one.graphql", ONE);
    let service = location.start().await;
    let one = json!({"documentId": "One", "variables": {"id": 1}});
    answered(&service.post("reader", &one).await);
    answered(
        &service
            .post("reader", &json!({"query": ONE, "variables": {"id": 1}}))
            .await,
    );
    is_refused(&service.ask("reader", "{ authors { id } }").await);
    let reply = service.post("author", &one).await;
    refused(&reply, 200, "not-found", "document 'One' not found");
}

/// The map has its own documents, which are not the client's.
#[tokio::test]
async fn rest_endpoints_need_not_be_listed() {
    let location =
        Place::with("rest_map = \"rest-map.toml\"\n[operations]\nmode = \"enforce\"\n").await;
    let query = "{ authors_by_pk(id: 1) { name } }";
    location.write(
        "rest-map.toml",
        &format!("[[endpoint]]\npath = \"first\"\nmethods = [\"GET\"]\nquery = \"{query}\"\n"),
    );
    let service = location.start().await;
    is_refused(&service.ask("reader", query).await);
    let request = reqwest::Client::new().get(format!("{}/api/rest/first", service.gateway.url()));
    let request = request
        .header("X-Gateway-Admin-Secret", "open sesame, and close")
        .header("X-Gateway-Role", "reader");
    let reply = Reply::of(request).await.unwrap();
    assert_eq!(
        (reply.status, reply.json()["authors_by_pk"]["name"].as_str()),
        (200, Some("Ada")),
        "{}",
        reply.text
    );
    is_refused(&service.ask("reader", query).await);
}

#[tokio::test]
async fn hasura_dialect_has_hasuras_refusal() {
    let location = Place::with(
        "profile = \"hasura\"\nheader_prefix = \
                                \"X-Gateway-\"\n[operations]\nallow_list = \"list.toml\"\nmode = \
                                \"enforce\"\n",
    )
    .await;
    location.write(
        "list.toml",
        "[[collection]]\nqueries = [\"{ authors { name } }\"]\n",
    );
    let service = location.start().await;
    answered(&service.ask("reader", "{authors{name __typename}}").await);
    let reply = service.ask("reader", "{ authors { id } }").await;
    let expected = r#"{"errors":[{"extensions":{"path":"$","code":"validation-failed"},"message":"query is not allowed"}]}"#;
    assert_eq!((reply.status, reply.text.as_str()), (200, expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_reloaded() {
    let service = with("mode = \"enforce\"\n").await;
    let old = "query Names { authors(order_by: {id: asc}) { name } }";
    let new = "{ authors { id } }";
    answered(&service.ask("reader", old).await);
    is_refused(&service.ask("reader", new).await);
    service.place.write(
        "list.toml",
        "[[collection]]\nqueries = [\"{ authors { id } }\"]\n",
    );
    service.gateway.reload().await.unwrap();
    is_refused(&service.ask("reader", old).await);
    answered(&service.ask("reader", new).await);
    service
        .place
        .write("list.toml", "[[collection]]\nquery = \"{\"\n");
    let error = service.gateway.reload().await.unwrap_err().to_string();
    assert!(
        error.contains("list.toml: line 2: unknown field `query`"),
        "{error}"
    );
    answered(&service.ask("reader", new).await);
}

#[tokio::test]
async fn list_errors_prevent_the_start() {
    let location = Place::with("[operations]\nallow_list = [\"list.toml\", \"none.toml\"]\n").await;
    location.write(
        "list.toml",
        "[[collection]]\nname = \"x\"\nqueries = [\"{ a }\", \"{\"]\ndocuments = \
         [\"gone.graphql\"]\n",
    );
    let error = location.try_start().await.unwrap_err().to_string();
    for part in [
        "list.toml: x, query 2: ",
        "cannot read",
        "gone.graphql",
        "none.toml",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    location.configure("[operations]\nmode = \"on\"\n");
    let error = location.try_start().await.unwrap_err().to_string();
    assert!(error.contains("line 6: unknown variant `on`"), "{error}");
}
