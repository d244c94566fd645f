//! The requests of webhooks: transforms of their method, URL and body, and the trace of the request
//! that has caused an event.

use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::receiver::Receiver;
use super::service::Service;

const SIGNING: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test(flavor = "multi_thread")]
async fn transform_makes_the_request_and_its_body_is_signed() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        r#"
[event.placed]
table = "orders"
insert = true
webhook = "{}/hooks"
secrets = [{{ value = "{SIGNING}" }}]
[event.placed.request_transform]
version = 2
method = "PUT"
url = "{{{{$base_url}}}}/orders/{{{{$body.event.data.new.id}}}}"
query_params = {{ place = "{{{{$body.event.data.new.place}}}}", user = "{{{{$session_variables['x-gateway-user-id']}}}}" }}
body = {{ action = "transform", template = '{{"id": {{{{$body.event.data.new.id}}}}, "note": "<{{{{$body.event.data.new.place}}}}>"}}' }}
"#,
        receiver.url
    );
    let service = Service::start(&file).await;
    let reply = service
        .ask(
            7,
            "mutation { insert_orders_one(object: {id: 1, customer: 7, place: \"a&b\\\"\"}) \
                 { id } }",
        )
        .await;
    assert_eq!(reply.data()["insert_orders_one"]["id"], 1, "{}", reply.text);
    let received = receiver.wait(1).await.remove(0);
    assert_eq!(
        received.line,
        "PUT /hooks/orders/1?place=a%26b%22&user=7 HTTP/1.1"
    );
    assert_eq!(received.body, json!({"id": 1, "note": "<a&b\">"}));
    let delivery = json!({"secret": SIGNING, "headers": received.headers, "body": received.text});
    assert_eq!(
        super::deliveries::verify(&json!([delivery])).await,
        json!([true]),
        "the body that is sent is signed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn transform_that_makes_no_request_is_a_failed_attempt() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        "[event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n\
         retry_conf = {{ num_retries = 2, interval_sec = 0 }}\n\
         request_transform = {{ url = \"{{{{$base_url}}}}/{{{{$body.event.data.new.place}}}}\" \
         }}\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    service
        .run("INSERT INTO orders (id, place) VALUES (1, '..'), (2, 'here')")
        .await;
    service
        .database
        .until("count(*) = 1 FROM postern.event_queue WHERE state = 'dead' AND attempts = 3")
        .await;
    service
        .database
        .until(
            "count(*) = 3 FROM postern.event_invocation WHERE error = 'a value cannot be part \
                of the address'",
        )
        .await;
    assert_eq!(receiver.wait(1).await[0].line, "POST /here HTTP/1.1");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_behind_the_path_stops_an_event() {
    let receiver = Receiver::start(vec![]).await;
    let of = |name: &str, url: &str| {
        let url = url.replace("{}", "{{$body.event.data.new.place}}");
        format!(
            "[event.{name}]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n\
             request_transform = {{ url = \"{{{{$base_url}}}}{url}\" }}\n",
            receiver.url
        )
    };
    let urls = ["?q={}", "/a?{}=1", "/a#{}", "/a-{}", "/{}.json?x=1"];
    let file: String = urls
        .iter()
        .enumerate()
        .map(|(index, url)| of(&format!("e{index}"), url))
        .collect();
    let service = Service::start(&file).await;
    let values =
        "(1, ''), (2, '.'), (3, '..'), (4, NULL), (5, '../x?y#z'), (6, E'\\t\\u0001'), (7, 'ü')";
    service
        .run(&format!("INSERT INTO orders (id, place) VALUES {values}"))
        .await;
    let received = receiver.wait(7 * urls.len()).await;
    assert!(
        received
            .iter()
            .all(|request| !request.line.contains("/../")),
        "{received:?}"
    );
    service
        .database
        .until("count(*) = 35 FROM postern.event_queue WHERE state = 'delivered' AND attempts = 1")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_the_request_goes_to_the_webhook() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        "trusted_proxies = [\"127.0.0.1\"]\ntrust_traceparent = [\"192.0.2.0/24\"]\n\
         [event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    let insert = |id: i32, headers: Vec<(&'static str, &'static str)>| {
        let mut post = reqwest::Client::new().post(format!("{}/v1/graphql", service.gateway.url()));
        post = post.header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        for (name, value) in headers {
            post = post.header(name, value);
        }
        let query = format!("mutation {{ insert_orders_one(object: {{id: {id}}}) {{ id }} }}");
        Reply::of(post.json(&json!({"query": query})))
    };
    let trusted = ("X-Forwarded-For", "192.0.2.7");
    assert_eq!(
        insert(
            1,
            vec![trusted, ("traceparent", PARENT), ("tracestate", "a=1")]
        )
        .await
        .unwrap()
        .status,
        200
    );
    let first = receiver.wait(1).await.remove(0);
    assert_eq!(
        (
            first.headers["traceparent"].as_str(),
            first.headers["tracestate"].as_str()
        ),
        (PARENT, "a=1")
    );
    let trace = &first.body["event"]["trace_context"];
    assert_eq!(
        (&trace["trace_id"], &trace["span_id"]),
        (
            &json!("4bf92f3577b34da6a3ce929d0e0e4736"),
            &json!("00f067aa0ba902b7")
        )
    );
    // Without a trace, with one that is none, or with that of a client who is not trusted, there is
    // none.
    insert(2, vec![trusted]).await.unwrap();
    insert(3, vec![trusted, ("traceparent", "00-x")])
        .await
        .unwrap();
    insert(4, vec![("traceparent", PARENT), ("tracestate", "a=1")])
        .await
        .unwrap();
    let received = receiver.wait(4).await;
    assert!(
        received[1..]
            .iter()
            .all(|request| !request.headers.contains_key("traceparent"))
    );
    assert!(
        received[1..]
            .iter()
            .all(|request| request.body["event"]["trace_context"].is_null())
    );
}
