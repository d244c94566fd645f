//! Tests sockets that break the WebSocket protocol or use it to do harm: the gateway ends or bounds
//! them, goes on, and leaves no work behind.

use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use gateway::http::sockets::SocketLimits;
use serde_json::json;
use tests::service::ADMIN_SECRET;
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::service::{Service, gauge};
use super::websocket_client::{LEGACY, PATIENCE, TRANSPORT, WebSocket};

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

/// Waits until no socket is open and no operation runs, nor any work for one.
pub(super) async fn nothing_is_left(service: &Service) {
    let end = Instant::now() + PATIENCE;
    loop {
        let metrics = service.metrics().await;
        let gauges = [
            "postern_sockets_open{",
            "postern_socket_operations{",
            "postern_subscribers ",
            "postern_subscription_cohorts ",
        ];
        let lines = metrics
            .lines()
            .filter(|line| gauges.iter().any(|gauge| line.starts_with(gauge)));
        if lines.clone().all(|line| line.ends_with(" 0")) {
            break;
        }
        assert!(
            Instant::now() < end,
            "{}",
            lines.collect::<Vec<_>>().join("\n")
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    service.is_well().await;
}

/// Sends raw bytes on a socket that is acknowledged, and returns the code of the close frame.
async fn code_after(service: &Service, bytes: &[u8]) -> u16 {
    let mut socket = WebSocket::reader(service, TRANSPORT).await;
    let stream = socket.stream.get_mut();
    // The gateway may close the connection before everything is sent.
    let _ = stream.write_all(bytes).await;
    let mut head = [0; 4];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut head))
        .await
        .expect("not closed")
        .unwrap();
    assert_eq!(head[0], 0x88, "not a close frame: {head:?}");
    u16::from_be_bytes([head[2], head[3]])
}

#[tokio::test]
async fn frames_that_break_the_protocol_are_refused() {
    let service = Service::start().await;
    let announced = |length: u64| [&[0x81, 0xff][..], &length.to_be_bytes(), &[0; 4]].concat();
    // Unmasked, a reserved bit, an unknown kind of frame, a long ping, a continuation of nothing.
    let long_ping = [&[0x89, 0xfe, 1, 0][..], &[0; 4 + 256]].concat();
    let frames = [
        &[0x81, 2, b'{', b'}'][..],
        &[0xc1, 0x80, 0, 0, 0, 0],
        &[0x83, 0x80, 0, 0, 0, 0],
        &long_ping,
        &[0x80, 0x80, 0, 0, 0, 0],
    ];
    for frame in frames {
        assert_eq!(code_after(&service, frame).await, 1002, "{frame:?}");
    }
    assert_eq!(
        code_after(&service, &[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]).await,
        1007,
        "invalid UTF-8"
    );
    assert_eq!(
        code_after(&service, &announced(20 << 20)).await,
        1009,
        "20 MB announced"
    );
    let mut frame = announced(20 << 20);
    frame.resize(20 << 20, b' ');
    assert_eq!(code_after(&service, &frame).await, 1009, "20 MB sent");
    assert_eq!(code_after(&service, &announced(u64::MAX >> 1)).await, 1009);
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .stream
        .send(Message::binary(vec![1, 2]))
        .await
        .unwrap();
    assert_eq!(socket.closed().await.0, 4400);
    drop(socket);
    nothing_is_left(&service).await;
}

#[tokio::test]
async fn fragments_without_end_are_bounded() {
    let service = Service::with(&[("body-limit", "100000")]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let fragment =
        |kind| Message::Frame(Frame::message(vec![b' '; 1000], OpCode::Data(kind), false));
    let mut kind = Data::Text;
    for _ in 0..1000 {
        if socket.stream.send(fragment(kind)).await.is_err() {
            break;
        }
        kind = Data::Continue;
    }
    assert_eq!(socket.closed().await.0, 1009);
    drop(socket);
    nothing_is_left(&service).await;
}

#[tokio::test]
async fn silence_at_each_step_ends_the_socket() {
    let init_time = Duration::from_millis(500);
    let ping_interval = Duration::from_millis(500);
    let limits = SocketLimits {
        init_time,
        ping_interval,
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    let mut silent = vec![];
    for protocol in [TRANSPORT, LEGACY] {
        silent.push(WebSocket::open(service.address(), Some(protocol), &[]).await);
        // In the middle of a frame, and in the middle of a fragmented message.
        for bytes in [
            &[0x81][..],
            &[0x81, 0xfe, 0xff],
            &[0x01, 0x81, 0, 0, 0, 0, b'{'],
        ] {
            let mut socket = WebSocket::reader(&service, protocol).await;
            socket.stream.get_mut().write_all(bytes).await.unwrap();
            silent.push(socket);
        }
        let mut running = WebSocket::reader(&service, protocol).await;
        running.start("1", "{ slow { slept } }").await;
        silent.push(running);
    }
    nothing_is_left(&service).await;
}

#[tokio::test]
async fn messages_beyond_the_rate_wait() {
    let limits = SocketLimits {
        messages_per_second: 100,
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let began = Instant::now();
    for _ in 0..400 {
        socket.send(&json!({"type": "ping"})).await;
    }
    for _ in 0..400 {
        assert_eq!(socket.message().await, json!({"type": "pong"}));
    }
    assert!(
        began.elapsed() > Duration::from_millis(1800),
        "{:?}",
        began.elapsed()
    );
    service.is_well().await;
}

#[tokio::test]
async fn many_operations_and_reused_ids_leave_nothing_behind() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, LEGACY).await;
    for number in 0..1500 {
        socket.start(&format!("{}", number % 700), AUTHORS).await;
    }
    for number in 0..700 {
        socket
            .send(&json!({"type": "stop", "id": format!("{number}")}))
            .await;
    }
    socket.start("last", AUTHORS).await;
    loop {
        let message = socket.message().await;
        if message["id"] == "last" {
            assert_eq!(message["type"], "data");
            break;
        }
    }
    drop(socket);
    nothing_is_left(&service).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn churn_of_2000_sockets_leaves_nothing_behind() {
    let service = Service::with(&[("subscription-interval", "0.2")]).await;
    let open = async |round: usize| {
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
        if round.is_multiple_of(2) {
            socket
                .init(&json!({"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": "reader"}))
                .await;
        }
        match round % 8 {
            0 => socket.start("1", "{ slow { slept } }").await,
            2 => socket.start("1", &format!("subscription {AUTHORS}")).await,
            4 => {
                socket.start("1", &format!("subscription {AUTHORS}")).await;
                assert_eq!(socket.message().await["type"], "connection_ack");
                assert_eq!(socket.message().await["type"], "next");
            }
            _ => {}
        }
    };
    let all = futures_util::stream::iter((0..2000).map(open)).buffer_unordered(200);
    all.collect::<Vec<()>>().await;
    nothing_is_left(&service).await;
}

#[tokio::test]
async fn socket_opens_while_requests_reserve_half_of_the_memory() {
    let service = Service::with(&[("memory-limit", "16777216")]).await;
    let mut busy = WebSocket::reader(&service, TRANSPORT).await;
    for id in 0..300 {
        busy.start(&id.to_string(), "{ slow { slept } }").await;
    }
    until("the operations have begun", async || {
        gauge(&service.gateway, "memory_reserved_bytes").await > f64::from(8 << 20)
    })
    .await;
    // With status 101.
    WebSocket::reader(&service, TRANSPORT).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_3000_subscriptions_on_one_socket_only_as_many_as_allowed_run() {
    let service = Service::with(&[
        ("subscription-interval", "0.2"),
        ("socket-message-rate", "10000"),
    ])
    .await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let query = "subscription ($id: Int!) { authors(where: {id: {_eq: $id}}) { id } }";
    for number in 0..3000 {
        let payload = json!({"query": query, "variables": {"id": number}});
        socket
            .send(&json!({"type": "subscribe", "id": number.to_string(), "payload": payload}))
            .await;
    }
    let mut results = 0;
    let mut refused = 0;
    while results + refused < 3000 {
        let message = socket.message().await;
        match message["type"].as_str().unwrap() {
            "next" => results += 1,
            "error" => {
                assert_eq!(
                    message["payload"][0]["extensions"]["code"], "limit-exceeded",
                    "{message}"
                );
                refused += 1;
            }
            _ => panic!("{message}"),
        }
    }
    assert_eq!((results, refused), (1000, 2000));
    // The ids of those that were refused, and of those that have ended, can be used again.
    for id in ["2999", "0"] {
        socket.send(&json!({"type": "complete", "id": "0"})).await;
        socket.send(&json!({"type": "complete", "id": "1"})).await;
        socket.start(id, AUTHORS).await;
        while socket.message().await["id"] != id {}
    }
    drop(socket);
    nothing_is_left(&service).await;
}

#[tokio::test]
async fn client_that_stops_reading_is_given_up() {
    let limits = SocketLimits {
        write_time: Duration::from_millis(500),
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    for id in 0..20 {
        socket
            .start(
                &id.to_string(),
                "{ flood(where: {id: {_lt: 50000}}) { id text } }",
            )
            .await;
    }
    nothing_is_left(&service).await;
    // The bytes that were under way are followed by the end.
    while let Some(Ok(_)) = socket.stream.next().await {}
}

#[tokio::test]
async fn document_over_its_limits_is_an_error_of_the_operation() {
    let service = Service::with(&[("body-limit", "100000")]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .start(
            "deep",
            &format!("{}id{}", "{ authors ".repeat(300), "}".repeat(300)),
        )
        .await;
    let error = socket.message().await;
    assert_eq!(
        (&error["id"], &error["type"]),
        (&json!("deep"), &json!("error"))
    );
    socket.start("next", AUTHORS).await;
    assert_eq!(socket.message().await["type"], "next");
    socket.start("long", &" ".repeat(100_000)).await;
    loop {
        if let Some(Ok(Message::Close(Some(frame)))) = socket.stream.next().await {
            assert_eq!(u16::from(frame.code), 1009);
            break;
        }
    }
}
