//! Tests the sharing of the memory: whatever one caller sends, opens or leaves unread, others are
//! served.

use std::time::Duration;

use serde_json::json;
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::service::{PERMISSIONS, SCHEMA, Service, gauge, send};
use super::token;
use super::websocket_client::{LEGACY, TRANSPORT};

const SUBSCRIPTION: &str = r#"{"query":"subscription { authors { id } }"}"#;

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(15);

/// A caller: a user by its token, at an address that a proxy reports.
#[derive(Clone, Copy)]
struct Caller {
    user: u32,
    address: &'static str,
}

const ADDRESSES: [&str; 8] = [
    "192.0.2.1",
    "192.0.2.2",
    "192.0.2.3",
    "192.0.2.4",
    "192.0.2.5",
    "192.0.2.6",
    "192.0.2.7",
    "192.0.2.8",
];

/// One user with several addresses, and two users with one address.
const FLOODS: [fn(usize) -> Caller; 2] = [
    |n| Caller {
        user: 1,
        address: ADDRESSES[n % ADDRESSES.len()],
    },
    |n| Caller {
        user: 1 + n as u32 % 2,
        address: "192.0.2.1",
    },
];

const OTHER: Caller = Caller {
    user: 9,
    address: "198.51.100.7",
};

impl Caller {
    /// The headers by which the gateway knows the caller.
    fn headers(self) -> String {
        let signed = token::changed(|claims| {
            claims["gateway"]["x-gateway-user-id"] = self.user.to_string().into();
        });
        format!(
            "Authorization: Bearer {signed}\r\nX-Forwarded-For: {}\r\n",
            self.address
        )
    }

    /// The status of a short query.
    async fn ask(self, service: &Service) -> u16 {
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        let body = r#"{"query":"{ authors { id } }"}"#;
        let head = format!(
            "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: \
             application/json\r\nConnection: close\r\n{}\
             Content-Length: {}\r\n\r\n{body}",
            self.headers(),
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        status(&mut stream).await.expect("an answer")
    }
}

/// The status of the response that arrives next; none if the connection ends before.
async fn status(stream: &mut TcpStream) -> Option<u16> {
    let mut head = [0; 12];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut head))
        .await
        .expect("no answer")
        .ok()?;
    std::str::from_utf8(&head[9..]).unwrap().parse().ok()
}

async fn service(memory: &str) -> Service {
    let text = format!("memory_limit = {memory}\ntrusted_proxies = [\"127.0.0.1\"]\n");
    Service::of_tables(SCHEMA, PERMISSIONS, &text).await
}

async fn exceeded(service: &Service, share: &str) -> bool {
    service.metrics().await.contains(&format!(
        "postern_memory_shares_exceeded_total{{share=\"{share}\"}}"
    ))
}

/// Sends a request and returns the connection with the status of its response.
async fn open(service: &Service, request: &str) -> (TcpStream, u16) {
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let status = status(&mut stream).await.expect("an answer");
    (stream, status)
}

/// A transport whose requests open what stays open, and such a request of a caller.
type Opening = (&'static str, fn(Caller) -> String);

fn openings() -> [Opening; 5] {
    fn socket(caller: Caller, protocol: &str) -> String {
        format!(
            "GET /v1/graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
             Sec-WebSocket-Protocol: {protocol}\r\n{}\r\n",
            caller.headers()
        )
    }
    [
        ("event stream by POST", |caller| {
            format!(
                "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\
                 Content-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{SUBSCRIPTION}",
                SUBSCRIPTION.len(),
                caller.headers()
            )
        }),
        ("event stream by GET", |caller| {
            format!(
                "GET /v1/graphql?query=subscription%7Bauthors%7Bid%7D%7D HTTP/1.1\r\nHost: x\r\n\
                 Accept: text/event-stream\r\n{}\r\n",
                caller.headers()
            )
        }),
        ("WebSocket", |caller| socket(caller, TRANSPORT)),
        ("legacy WebSocket", |caller| socket(caller, LEGACY)),
        // Last, since nothing ends them for half a minute.
        ("reserved event stream", |caller| {
            format!(
                "PUT /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{}\r\n",
                caller.headers()
            )
        }),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_caller_opens_leaves_memory_to_others() {
    // A quarter for a caller, and 8 KiB for each.
    let service = service("16777216").await;
    let share = 512;
    for (transport, request) in openings() {
        // A WebSocket is of no user until it has sent its credentials.
        let floods = if transport.contains("WebSocket") {
            &FLOODS[1..]
        } else {
            &FLOODS[..]
        };
        for flood in floods {
            let mut opened = vec![];
            let refused = loop {
                let (stream, status) = open(&service, &request(flood(opened.len()))).await;
                match status {
                    200 | 201 | 101 => opened.push(stream),
                    status => break status,
                }
                assert!(
                    opened.len() <= share,
                    "{transport}: {} are open",
                    opened.len()
                );
            };
            assert_eq!((refused, opened.len()), (503, share), "{transport}");
            let (_stream, status) = open(&service, &request(OTHER)).await;
            assert!(matches!(status, 200 | 201 | 101), "{transport}: {status}");
            assert_eq!(OTHER.ask(&service).await, 200, "{transport}");
            if transport == "reserved event stream" {
                return assert!(
                    exceeded(&service, "user").await && exceeded(&service, "address").await
                );
            }
            drop((opened, _stream));
            let memory = service.gateway.app().memory;
            until("what was open is released", async || memory.used() == 0).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn authenticated_sockets_count_for_their_user() {
    let service = service("16777216").await;
    let mut sockets = vec![];
    let socket = async |number: usize, user: u32| {
        let address = format!("192.0.2.{}", number % 8);
        let headers = [("X-Forwarded-For", address.as_str())];
        let mut socket =
            super::websocket_client::WebSocket::open(service.address(), Some(TRANSPORT), &headers)
                .await;
        let signed = token::changed(|claims| {
            claims["gateway"]["x-gateway-user-id"] = user.to_string().into();
        });
        socket
            .init(&json!({"headers": {"Authorization": format!("Bearer {signed}")}}))
            .await;
        socket
    };
    for number in 0..512 {
        let mut socket = socket(number, 1).await;
        assert_eq!(socket.message().await["type"], "connection_ack");
        sockets.push(socket);
    }
    let (code, _) = socket(513, 1).await.closed().await;
    assert_eq!(code, 1013);
    assert_eq!(
        socket(514, 2).await.message().await["type"],
        "connection_ack"
    );
}

/// Paths that read a body, or whose body is discarded.
const PATHS: [&str; 4] = ["/v1/graphql", "/api/rest/unknown", "/v1/unknown", "/mcp"];

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_bodies_of_one_caller_leave_memory_to_others() {
    // Half of it is room for 256 requests of 32 KiB.
    let service = service("16777216").await;
    let memory = service.gateway.app().memory;
    for path in PATHS {
        // The user of a request to no route is not known.
        let floods = if path == "/v1/graphql" {
            &FLOODS[..]
        } else {
            &FLOODS[1..]
        };
        for flood in floods {
            let mut streams = vec![];
            for number in 0..600 {
                let mut stream = TcpStream::connect(service.address()).await.unwrap();
                let head = format!(
                    "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{}\
                     Content-Length: 100\r\n\r\n{{\"query\":",
                    flood(number).headers()
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                streams.push(stream);
                if number == 300 {
                    assert_eq!(OTHER.ask(&service).await, 200, "{path}");
                }
            }
            assert_eq!(OTHER.ask(&service).await, 200, "{path}");
            assert!(memory.used() <= 12 << 20, "{path}: {}", memory.used());
            drop(streams);
            until("the requests have ended", async || memory.used() == 0).await;
        }
    }
    assert!(exceeded(&service, "user").await && exceeded(&service, "address").await);
}

/// Twelve megabytes.
const LARGE: &str = "CREATE VIEW large AS SELECT g AS id, repeat('x', 300) AS text FROM \
                     generate_series(1, 36000) g;";

const STREAMED: &str = r#"{"query":"{ large { id text } }"}"#;

async fn with_large_answers() -> Service {
    let permissions = format!(
        "{PERMISSIONS}\n[table.large.role.author]\nselect = {{ columns = \
                               \"*\", rows = \"true\" }}\n"
    );
    let text = "memory_limit = 67108864\ntrusted_proxies = [\"127.0.0.1\"]\n";
    Service::of_tables(&format!("{SCHEMA}\n{LARGE}"), &permissions, text).await
}

fn large(caller: Caller, body: &str) -> String {
    format!(
        "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Type: \
         application/json\r\n{}Content-Length: {}\r\n\r\n{body}",
        caller.headers(),
        body.len()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_answers_are_given_up_while_memory_is_busy() {
    let service = with_large_answers().await;
    let memory = service.gateway.app().memory;
    let unread = async |body: &str| {
        let mut streams = vec![];
        for number in 0..12 {
            streams.push(open(&service, &large(FLOODS[0](number), body)).await);
        }
        until("much memory is reserved", async || memory.used() > 16 << 20).await;
        streams
    };
    let streams = unread(STREAMED).await;
    // A large answer of another caller has room.
    let (mut stream, status) = open(&service, &large(OTHER, STREAMED)).await;
    assert_eq!(status, 200);
    let mut length = 0;
    let mut buffer = vec![0; 1 << 16];
    while length < 11 << 20 {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut buffer))
            .await
            .unwrap()
            .unwrap();
        assert!(read > 0, "the answer ends after {length} bytes");
        length += read;
    }
    drop(stream);
    until("the unread answers are given up", async || {
        memory.used() <= 16 << 20
    })
    .await;
    drop(streams);
    until("the rest is released", async || memory.used() == 0).await;
    // The answers of a batch are in memory as a whole.
    let streams = unread(&format!("[{STREAMED}]")).await;
    assert_eq!(OTHER.ask(&service).await, 200);
    until("the unread answers are given up", async || {
        memory.used() <= 16 << 20
    })
    .await;
    drop(streams);
    assert!(gauge(&service.gateway, "unread_answers_total").await > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_streams_of_http2_are_given_up_while_others_go_on() {
    let service = with_large_answers().await;
    let memory = service.gateway.app().memory;
    let frame = |kind: u8, flags: u8, stream: u32, payload: &[u8]| {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
    };
    // SETTINGS_INITIAL_WINDOW_SIZE 0.
    let settings = frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream
        .write_all(&[&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &settings].concat())
        .await
        .unwrap();
    let literal = |name: &str, value: &str| {
        // Lengths above 126 continue in a second byte.
        let length: Vec<u8> = match value.len() {
            short if short < 127 => vec![u8::try_from(short).unwrap()],
            long => {
                vec![
                    127,
                    u8::try_from((long - 127) % 128).unwrap() | 128,
                    u8::try_from((long - 127) / 128).unwrap(),
                ]
            }
        };
        [
            &[0, u8::try_from(name.len()).unwrap()],
            name.as_bytes(),
            &length,
            value.as_bytes(),
        ]
        .concat()
    };
    let headers = FLOODS[0](0).headers();
    let bearer = headers
        .lines()
        .next()
        .unwrap()
        .strip_prefix("Authorization: ")
        .unwrap();
    let block = [
        literal(":method", "POST"),
        literal(":scheme", "http"),
        literal(":path", "/v1/graphql"),
        literal(":authority", "x"),
        literal("content-type", "application/json"),
        literal("authorization", bearer),
    ]
    .concat();
    for number in 0..20 {
        let id = 2 * number + 1;
        let request = [
            frame(1, 4, id, &block),
            frame(0, 1, id, STREAMED.as_bytes()),
        ];
        stream.write_all(&request.concat()).await.unwrap();
    }
    until("much memory is reserved", async || memory.used() > 16 << 20).await;
    assert_eq!(OTHER.ask(&service).await, 200);
    until("the unread answers are given up", async || {
        memory.used() <= 16 << 20
    })
    .await;
    // The connection goes on: a ping is answered.
    stream
        .write_all(&frame(6, 0, 0, b"12345678"))
        .await
        .unwrap();
    let mut read = vec![];
    let answered = async {
        while !read.windows(8).any(|window| window == b"12345678") {
            assert!(
                stream.read_buf(&mut read).await.unwrap() > 0,
                "the connection is closed"
            );
        }
    };
    tokio::time::timeout(PATIENCE, answered)
        .await
        .expect("the ping is not answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_without_others_may_export_as_before() {
    let service = with_large_answers().await;
    let export = async |number: usize| {
        let request = large(FLOODS[0](number), STREAMED);
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        stream
            .write_all(
                request
                    .replace("Host: x\r\n", "Host: x\r\nConnection: close\r\n")
                    .as_bytes(),
            )
            .await
            .unwrap();
        let mut response = vec![];
        stream.read_to_end(&mut response).await.unwrap();
        assert!(
            response.starts_with(b"HTTP/1.1 200") && response.len() > 11 << 20,
            "{} bytes",
            response.len()
        );
    };
    futures_util::future::join_all((0..4).map(export)).await;
}

/// A row of 40 MB, one of control characters, each of which takes six bytes in JSON, and one that
/// is a list.
const LONG: &str =
    "CREATE TABLE long (id int PRIMARY KEY, text text, data jsonb, list text[], bytes bytea);
    INSERT INTO long (id, text) SELECT 1, repeat('x', 40000000);
    INSERT INTO long (id, text) SELECT 2, repeat(E'\\x01', 1500000);
    INSERT INTO long (id, data) SELECT 3, to_jsonb(repeat('x', 40000000));
    INSERT INTO long (id, list) SELECT 4, ARRAY[repeat('x', 40000000)];
    INSERT INTO long (id, bytes) SELECT 5, decode(repeat('00', 3000000), 'hex');
    INSERT INTO long (id, text) SELECT 6, repeat('x', 3000000);";

#[tokio::test(flavor = "multi_thread")]
async fn long_rows_are_refused_within_the_memory_limit() {
    let permissions = format!(
        "{PERMISSIONS}\n[table.long.role.reader]\nselect = {{ columns = \"*\", rows = \"true\" }}\n"
    );
    let text = "memory_limit = 268435456\nanswer_limit = 4194304\nsubscription_interval = 0.2\n";
    let service = Service::of_tables(&format!("{SCHEMA}\n{LONG}"), &permissions, text).await;
    let memory = service.gateway.app().memory;
    for (id, fields) in [
        (1, "text"),
        (2, "text"),
        (3, "data"),
        (4, "list"),
        (5, "bytes"),
        (1, "id text list"),
    ] {
        let one = format!("long_by_pk(id: {id}) {{ {fields} }}");
        let list = format!("long(where: {{id: {{_eq: {id}}}}}) {{ {fields} }}");
        for form in [
            format!("{{ {one} }}"),
            format!("{{ {list} }}"),
            format!("{{ {list} authors {{ id }} }}"),
        ] {
            let reply = service.ask(&form).await;
            assert_eq!(
                reply.error().code,
                "limit-exceeded",
                "{form}: {:.300}",
                reply.text
            );
            until("everything is released", async || memory.used() == 0).await;
        }
        let request = service.reader().header("Accept", "text/event-stream");
        let reply =
            send(request.json(&json!({"query": format!("subscription {{ {list} }}")}))).await;
        assert!(
            reply.text.contains("limit-exceeded"),
            "{id}: {:.300}",
            reply.text
        );
    }
    let reply = service.ask("{ long_by_pk(id: 6) { text } }").await;
    assert_eq!(
        reply.data()["long_by_pk"]["text"].as_str().unwrap().len(),
        3_000_000
    );
    service.is_well().await;
}
