//! Many clients over HTTP, and those who should not be clients.

use std::{net::SocketAddr, sync::atomic::Ordering, time::Duration};

use lockgate::Mode;
use lockgate_gateway::downstream::{HttpError, HttpOptions, HttpServer};
use rmcp::{
    ServiceExt,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::downstream_support::{
    Client, PATIENCE, Person, Rig, accept, options, program, run, text, until,
};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn loopback() -> HttpOptions {
    HttpOptions::new(SocketAddr::from(([127, 0, 0, 1], 0)))
}

async fn serve(rig: &Rig, options: HttpOptions) -> HttpServer {
    rig.gateway.serve_http(options).await.unwrap()
}

async fn connect(server: &HttpServer, person: Person) -> Client {
    // An error says that another test has done it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = StreamableHttpClientTransportConfig::with_uri(server.url());
    let transport = StreamableHttpClientTransport::from_config(config);
    tokio::time::timeout(PATIENCE, person.serve(transport))
        .await
        .unwrap()
        .unwrap()
}

/// One request by hand: the status, the headers and what came of the body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn session(&self) -> String {
        let line = self.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id")
                .then(|| value.trim().to_owned())
        });
        line.unwrap()
    }
}

fn request(server: &HttpServer, method: &str, headers: &str, body: &str) -> Vec<u8> {
    let host = if headers.contains("Host:") {
        String::new()
    } else {
        format!("Host: {}\r\n", server.address())
    };
    format!(
        "{method} /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

async fn send(server: &HttpServer, method: &str, headers: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    // The server may answer and close before it has read all.
    let _ = stream
        .write_all(&request(server, method, headers, body))
        .await;
    let mut bytes = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answer {
        status: status.unwrap_or_else(|| panic!("{text:?}")),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

/// A `tools/call` that hangs.
const HANG: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"await tools.hang({})","description":"x"}}}"#;

// Nothing is lost and nothing is mixed up: 50 clients, 20 runs each, 5 of them at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_clients_lose_nothing() {
    let rig = Rig::new(Mode::Code).await;
    let server = serve(&rig, loopback()).await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        clients.push(connect(&server, Person::silent()).await);
    }
    until("all are known", || rig.gateway.clients() == 50).await;
    let runs = clients
        .iter()
        .enumerate()
        .map(|(number, client)| async move {
            let mut right = 0;
            for batch in 0..4 {
                let batch = (0..5).map(|index| async move {
                    let (a, b) = (number * 1_000, batch * 5 + index);
                    let code = format!(
                        "console.log('{a}/{b}'); return (await tools.add({{ a: {a}, b: {b} }})).sum"
                    );
                    let params = program(&code);
                    let result = run(client, params).await;
                    let expected = json!({"logs": [format!("{a}/{b}")], "result": a + b});
                    assert_eq!(result.structured_content, Some(expected));
                    1
                });
                right += futures_util::future::join_all(batch)
                    .await
                    .into_iter()
                    .sum::<usize>();
            }
            right
        });
    let right: usize = futures_util::future::join_all(runs).await.into_iter().sum();
    assert_eq!(right, 1_000);
    assert_eq!(rig.seen.calls().len(), 1_000);
    for client in &clients {
        let told = client.service().told.clone();
        until("all progress came", || {
            told.progress.lock().unwrap().len() == 40
        })
        .await;
    }
}

// Questions reach the person over HTTP as well, on the stream of the call that they are about.
#[tokio::test]
async fn approvals_work_over_http() {
    let policy = r#"{"rules": [{"tool": "delete", "action": "ask"}]}"#;
    let rig = Rig::with_policy(policy).await;
    let server = serve(&rig, loopback()).await;
    let client = connect(
        &server,
        Person::answering(|_| accept(json!({"decision": "allow"}))),
    )
    .await;
    let result = run(&client, program("return await tools.delete({ path: 'a' })")).await;
    assert_eq!(text(&result), "deleted a");
}

// Who has no token, or a wrong one, gets nowhere.
#[tokio::test]
async fn the_token_is_needed() {
    let rig = Rig::new(Mode::Code).await;
    let mut options = loopback();
    options.token = Some(TOKEN.to_owned());
    let server = serve(&rig, options).await;
    let wrong = TOKEN.replace('f', "e");
    for headers in [
        String::new(),
        format!("Authorization: Bearer {wrong}\r\n"),
        format!("Authorization: Bearer {}\r\n", &TOKEN[..31]),
        format!("Authorization: Bearer {TOKEN}x\r\n"),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: {TOKEN}\r\n"),
        "Authorization: Bearer \r\n".to_owned(),
        "Authorization: Bearer\r\n".to_owned(),
    ] {
        for method in ["POST", "GET", "DELETE"] {
            let answer = send(&server, method, &headers, INITIALIZE).await;
            assert_eq!(answer.status, 401, "{method} {headers}");
            assert!(
                answer
                    .head
                    .to_ascii_lowercase()
                    .contains("www-authenticate: bearer")
            );
        }
    }
    for scheme in ["Bearer", "bearer"] {
        let headers = format!("Authorization: {scheme} {TOKEN}\r\n");
        assert_eq!(
            send(&server, "POST", &headers, INITIALIZE).await.status,
            200
        );
    }
    assert!(
        !format!("{:?}", {
            let mut options = loopback();
            options.token = Some(TOKEN.to_owned());
            options
        })
        .contains(TOKEN)
    );
}

// An address that others can reach needs a token, and a token must be one.
#[tokio::test]
async fn an_open_address_needs_a_token() {
    let rig = Rig::new(Mode::Code).await;
    let open = HttpOptions::new(SocketAddr::from(([0, 0, 0, 0], 0)));
    let refused = rig.gateway.serve_http(open.clone()).await.unwrap_err();
    assert!(
        matches!(refused, HttpError::TokenNeeded { .. }),
        "{refused}"
    );
    for token in [
        "",
        "short",
        "with spaces in the middle",
        "not-ascii-but-long-é",
    ] {
        let mut options = open.clone();
        options.token = Some(token.to_owned());
        let refused = rig.gateway.serve_http(options).await.unwrap_err();
        assert!(matches!(refused, HttpError::BadToken), "{refused}");
    }
    let mut options = open;
    options.token = Some(TOKEN.to_owned());
    rig.gateway.serve_http(options).await.unwrap();
}

// A web page that makes its name point here can't speak to the gateway.
#[tokio::test]
async fn rebound_names_and_foreign_origins_are_refused() {
    let rig = Rig::new(Mode::Code).await;
    let server = serve(&rig, loopback()).await;
    for headers in [
        "Host: evil.example\r\n",
        "Host: evil.example:80\r\n",
        "Host: 127.0.0.1.evil.example\r\n",
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://localhost\r\n",
    ] {
        let answer = send(&server, "POST", headers, INITIALIZE).await;
        assert_eq!(answer.status, 403, "{headers}");
    }
    for headers in [
        "Host: localhost\r\n",
        "Host: 127.0.0.1:1\r\n",
        "Host: [::1]:8765\r\n",
    ] {
        assert_eq!(
            send(&server, "POST", headers, INITIALIZE).await.status,
            200,
            "{headers}"
        );
    }
    let mut options = loopback();
    options.allowed_hosts = vec!["gateway.example".to_owned()];
    options.allowed_origins = vec!["https://app.example:443".to_owned()];
    let server = serve(&rig, options).await;
    let headers = "Host: gateway.example\r\nOrigin: https://app.example\r\n";
    assert_eq!(send(&server, "POST", headers, INITIALIZE).await.status, 200);
    let headers = "Host: gateway.example\r\nOrigin: https://app.example:444\r\n";
    assert_eq!(send(&server, "POST", headers, INITIALIZE).await.status, 403);
}

// The limits of bodies and of sessions hold.
#[tokio::test]
async fn bodies_and_sessions_are_bounded() {
    let rig = Rig::new(Mode::Code).await;
    let mut options = loopback();
    options.max_body_bytes = 10_000;
    options.max_sessions = 2;
    let server = serve(&rig, options).await;
    let huge = INITIALIZE.replace("raw", &"x".repeat(20_000));
    assert_eq!(send(&server, "POST", "", &huge).await.status, 413);
    for body in ["", "{", "[]", "not json", r#"{"jsonrpc":"2.0"}"#] {
        let answer = send(&server, "POST", "", body).await;
        assert!(
            (400..500).contains(&answer.status),
            "{body}: {}",
            answer.status
        );
    }
    let first = send(&server, "POST", "", INITIALIZE).await;
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(send(&server, "POST", "", INITIALIZE).await.status, 200);
    let third = send(&server, "POST", "", INITIALIZE).await;
    assert_eq!(third.status, 503);
    assert!(third.body.contains("max_sessions"), "{}", third.body);
    let session = format!("Mcp-Session-Id: {}\r\n", first.session());
    assert!(send(&server, "DELETE", &session, "").await.status < 300);
    assert_eq!(send(&server, "POST", "", INITIALIZE).await.status, 200);
    assert_eq!(
        send(&server, "POST", &session, HANG).await.status,
        404,
        "it is over"
    );
}

// A client that goes away in the middle of a call has some time to come back; then its calls are cancelled.
#[tokio::test]
async fn a_client_that_stays_away_is_cancelled() {
    let rig = Rig::new(Mode::Code).await;
    let mut options = loopback();
    options.reconnect_grace = Duration::from_millis(300);
    let server = serve(&rig, options).await;
    let session = send(&server, "POST", "", INITIALIZE).await.session();
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream
        .write_all(&request(&server, "POST", &headers, HANG))
        .await
        .unwrap();
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    assert_eq!(rig.seen.cancelled.load(Ordering::SeqCst), 0);
    drop(stream);
    until("it is cancelled", || {
        rig.seen.cancelled.load(Ordering::SeqCst) == 1
    })
    .await;
    until("no call is left", || rig.gateway.calls_in_flight() == 0).await;
    assert_eq!(send(&server, "POST", &headers, HANG).await.status, 404);
}

// Ending the session ends its calls.
#[tokio::test]
async fn deleting_the_session_cancels_its_calls() {
    let rig = Rig::build(Mode::Code, None, options(), |builder| builder).await;
    let server = serve(&rig, loopback()).await;
    let session = send(&server, "POST", "", INITIALIZE).await.session();
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream
        .write_all(&request(&server, "POST", &headers, HANG))
        .await
        .unwrap();
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    assert!(send(&server, "DELETE", &headers, "").await.status < 300);
    until("it is cancelled", || {
        rig.seen.cancelled.load(Ordering::SeqCst) == 1
    })
    .await;
    rig.gateway.shutdown(PATIENCE).await;
    tokio::time::timeout(PATIENCE, server.stopped())
        .await
        .unwrap()
        .unwrap();
}
