//! A client that sends what it likes over standard input.

use std::{sync::atomic::Ordering, time::Duration};

use lockgate::{Json, Mode};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use crate::downstream_support::{PATIENCE, Rig, until};

struct Raw {
    output: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Raw {
    fn new(rig: &Rig) -> Self {
        let (near, far) = tokio::io::duplex(1024 * 1024);
        let gateway = rig.gateway.clone();
        tokio::spawn(async move {
            let (input, output) = tokio::io::split(far);
            gateway.serve_stream(input, output).await.unwrap();
        });
        let (input, output) = tokio::io::split(near);
        Self {
            output,
            lines: BufReader::new(input).lines(),
        }
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    /// The answer to a request; what comes before it is passed over.
    async fn answer(&mut self, id: i64) -> Json {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line());
            let line = line.await.unwrap().unwrap().expect("the server lives");
            let line = Json::parse(&line).unwrap();
            if line["id"].as_i64() == Some(id) {
                return line;
            }
        }
    }

    async fn initialize(&mut self) {
        self.send(br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#).await;
        let answer = self.answer(1).await;
        assert_eq!(
            answer["result"]["protocolVersion"].as_str(),
            Some("2025-06-18")
        );
        self.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }

    async fn still_works(&mut self, id: i64) {
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"run_code","arguments":{{"code":"return {id}","description":"x"}}}}}}"#
        );
        self.send(request.as_bytes()).await;
        let answer = self.answer(id).await;
        assert_eq!(
            answer["result"]["structuredContent"]["result"].as_i64(),
            Some(id),
            "{answer}"
        );
    }
}

const NONSENSE: &[&[u8]] = &[
    b"",
    b"\r",
    b"not json",
    b"{",
    b"\xff\xfe\x00\x01",
    b"[]",
    b"[1, 2, 3]",
    b"null",
    b"{}",
    br#"{"jsonrpc":"1.0","id":7,"method":"tools/list"}"#,
    br#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
    br#"{"jsonrpc":"2.0","id":8,"method":"no/such/method"}"#,
    br#"{"jsonrpc":"2.0","id":9,"method":"tools/call"}"#,
    br#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":7}}"#,
    br#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"run_code","arguments":[1]}}"#,
    br#"{"jsonrpc":"2.0","id":12,"result":{"unasked":true}}"#,
    br#"{"jsonrpc":"2.0","id":13,"error":{"code":1,"message":"unasked"}}"#,
    br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
    br#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
    br#"{"jsonrpc":"2.0","method":"notifications/unheard-of","params":{"x":1}}"#,
    br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    br#"{"jsonrpc":"2.0","id":14,"method":"resources/read","params":{"uri":"lockgate://runs/../../etc/passwd"}}"#,
    br#"{"jsonrpc":"2.0","id":15,"method":"logging/setLevel","params":{"level":"shouting"}}"#,
];

// Malformed messages never end the session, before the handshake or after it.
#[tokio::test]
async fn nonsense_never_ends_the_session() {
    let rig = Rig::new(Mode::Code).await;
    let mut raw = Raw::new(&rig);
    for line in NONSENSE {
        raw.send(line).await;
    }
    raw.initialize().await;
    raw.still_works(100).await;
    for (index, line) in NONSENSE.iter().enumerate() {
        raw.send(line).await;
        raw.still_works(101 + i64::try_from(index).unwrap()).await;
    }
}

// SPEC A5: deep or huge lines are passed over without a crash and without being kept.
#[tokio::test]
async fn deep_and_huge_lines_are_passed_over() {
    let rig = Rig::new(Mode::Code).await;
    let mut raw = Raw::new(&rig);
    raw.initialize().await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"add","arguments":{{"a":{}1{}}}}}}}"#,
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    raw.send(deep.as_bytes()).await;
    raw.still_works(3).await;
    let huge = vec![b'x'; 20 * 1024 * 1024];
    raw.send(&huge).await;
    raw.still_works(4).await;
}

// The end of the input is the end of the client: what it started is cancelled at once, not after the time for late answers.
#[tokio::test]
async fn the_end_of_input_cancels() {
    let rig = Rig::new(Mode::Code).await;
    let mut raw = Raw::new(&rig);
    raw.initialize().await;
    raw.send(br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"await tools.hang({})","description":"x"}}}"#).await;
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    drop(raw);
    let ended = tokio::time::timeout(Duration::from_secs(4), async {
        until("it is cancelled", || {
            rig.seen.cancelled.load(Ordering::SeqCst) == 1
        })
        .await;
    });
    ended.await.unwrap();
    until("no client is left", || rig.gateway.clients() == 0).await;
}

// Without a progress token nothing is told of sub-calls, and without `logging/setLevel` no line.
#[tokio::test]
async fn nothing_is_told_that_was_not_asked_for() {
    let rig = Rig::new(Mode::Code).await;
    let mut raw = Raw::new(&rig);
    raw.initialize().await;
    raw.send(br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code","arguments":{"code":"console.error('x'); await tools.add({ a: 1, b: 1 })","description":"x"}}}"#).await;
    let line = raw.lines.next_line().await.unwrap().unwrap();
    assert_eq!(
        Json::parse(&line).unwrap()["id"].as_i64(),
        Some(2),
        "{line}"
    );
}
