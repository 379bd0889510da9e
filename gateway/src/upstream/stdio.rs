//! MCP over a process's pipes: one JSON-RPC message per line, in both directions, within bounds.

use std::sync::Arc;

use rmcp::{
    RoleClient,
    model::{ClientRequest, CustomResult, ErrorData, JsonRpcMessage, RequestId, ServerResult},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
    sync::Mutex,
};

use super::{
    gate::Gate,
    limits::{MAX_MESSAGE_BYTES, WRITE_TIMEOUT},
    process::{Pipes, Process},
    session::Fault,
};

/// A message so many times larger than the limit ends the connection: it may never end itself.
const HOPELESS: usize = 16;
/// Bytes of either end of a message that is too long, in which its id is looked for.
const ENDS: usize = 512;

/// The transport of one process.
pub(super) struct StdioTransport {
    process: Arc<Process>,
    lines: Lines<ChildStdout>,
    writer: Arc<Mutex<Option<ChildStdin>>>,
    gate: Gate,
    fault: Fault,
    /// The request whose answer rmcp must understand; all others are taken as they are.
    handshake: Option<RequestId>,
}

impl StdioTransport {
    pub(super) fn new(process: Arc<Process>, pipes: Pipes, fault: Fault) -> Self {
        Self {
            process,
            lines: Lines::new(pipes.stdout),
            writer: Arc::new(Mutex::new(Some(pipes.stdin))),
            gate: Gate::new(),
            fault,
            handshake: None,
        }
    }

    /// The message that a line holds. None for a line that is passed over.
    fn read(&mut self, line: &Line) -> Result<Option<RxJsonRpcMessage<RoleClient>>, String> {
        let message = match line {
            Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => return Ok(None),
            Line::Whole(bytes) => serde_json::from_slice(bytes)
                .ok()
                .and_then(|value| decode(value, self.handshake.as_ref())),
            Line::TooLong { head, tail, bytes } => id_of(head, tail).map(|id| {
                let message = format!(
                    "its answer has {bytes} bytes (limit MAX_MESSAGE_BYTES: {MAX_MESSAGE_BYTES}); ask for less"
                );
                JsonRpcMessage::error(ErrorData::internal_error(message, None), Some(id))
            }),
            Line::Endless => {
                return Err(format!(
                    "it sent a message that does not end (limit MAX_MESSAGE_BYTES: {MAX_MESSAGE_BYTES})"
                ));
            }
        };
        match &message {
            Some(message) => self.gate.admit(message)?,
            None => self.gate.take()?,
        }
        Ok(message)
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item
            && matches!(
                request.request,
                ClientRequest::InitializeRequest(_) | ClientRequest::DiscoverRequest(_)
            )
        {
            self.handshake = Some(request.id.clone());
        }
        let (writer, fault, process) = (
            self.writer.clone(),
            self.fault.clone(),
            self.process.clone(),
        );
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut guard = writer.lock().await;
            let Some(pipe) = guard.as_mut() else {
                return Err(std::io::ErrorKind::NotConnected.into());
            };
            let written = async {
                pipe.write_all(&line).await?;
                pipe.flush().await
            };
            match tokio::time::timeout(WRITE_TIMEOUT, written).await {
                Ok(done) => done,
                Err(_) => {
                    // Half a message may be in the pipe: nothing can follow it.
                    fault.set(format!(
                        "it does not read its input (limit WRITE_TIMEOUT: {} s)",
                        WRITE_TIMEOUT.as_secs()
                    ));
                    *guard = None;
                    process.kill();
                    Err(std::io::ErrorKind::TimedOut.into())
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = tokio::select! {
                biased;
                line = self.lines.next() => line?,
                () = self.process.gone() => {
                    self.process.kill_leftovers();
                    return None;
                }
            };
            match self.read(&line) {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(fault) => {
                    self.fault.set(fault);
                    self.process.kill();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Closing its input tells a server to go. A writer that is stuck holds the lock; then its process is killed below.
        if let Ok(mut writer) = self.writer.try_lock() {
            *writer = None;
        }
        self.process.stop().await;
        Ok(())
    }
}

/// A JSON-RPC message as rmcp takes it. The results of ordinary requests stay as they are: rmcp would guess their type by
/// what members they happen to have.
fn decode(value: Value, handshake: Option<&RequestId>) -> Option<RxJsonRpcMessage<RoleClient>> {
    if value.get("method").is_some() || value.get("error").is_some() {
        return serde_json::from_value(value).ok();
    }
    let Value::Object(mut members) = value else {
        return None;
    };
    let id: RequestId = serde_json::from_value(members.remove("id")?).ok()?;
    let result = members.remove("result")?;
    let result = if handshake == Some(&id) {
        serde_json::from_value(result).ok()?
    } else {
        ServerResult::CustomResult(CustomResult(result))
    };
    Some(JsonRpcMessage::response(result, id))
}

/// The id of an answer of which only the two ends are known: ids stand at the beginning or at the end.
fn id_of(head: &[u8], tail: &[u8]) -> Option<RequestId> {
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let value_after = |text: &str, at: usize| -> Option<(RequestId, usize)> {
        let rest = text[at + 4..].trim_start().strip_prefix(':')?.trim_start();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<RequestId>();
        let id = values.next()?.ok()?;
        let offset = text.len() - rest.len() + values.byte_offset();
        Some((id, offset))
    };
    let at_end = tail.rfind("\"id\"").and_then(|at| {
        let (id, offset) = value_after(&tail, at)?;
        (tail[offset..].trim() == "}").then_some(id)
    });
    at_end.or_else(|| {
        let at = head.find("\"id\"")?;
        let result = head.find("\"result\"").unwrap_or(head.len());
        (at < result && !head[..result].contains("\"method\""))
            .then(|| value_after(&head, at))?
            .map(|(id, _)| id)
    })
}

/// One line, or what is kept of it.
#[derive(Debug, PartialEq)]
enum Line {
    Whole(Vec<u8>),
    TooLong {
        head: Vec<u8>,
        tail: Vec<u8>,
        bytes: usize,
    },
    Endless,
}

/// Reads lines and never holds more than one message's limit.
struct Lines<R> {
    pipe: BufReader<R>,
    line: Vec<u8>,
    /// Bytes of the line so far, when it is too long: then `line` holds its beginning and its end.
    length: Option<usize>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(pipe: R) -> Self {
        Self {
            pipe: BufReader::with_capacity(64 << 10, pipe),
            line: Vec::new(),
            length: None,
        }
    }

    /// The next line; None at the end. What was read stays when this is dropped.
    async fn next(&mut self) -> Option<Line> {
        loop {
            let chunk = self.pipe.fill_buf().await.ok()?;
            if chunk.is_empty() {
                return None;
            }
            let newline = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..newline.unwrap_or(chunk.len())];
            let taken = part.len() + usize::from(newline.is_some());
            let bytes = self.length.unwrap_or(self.line.len()) + part.len();
            self.line.extend_from_slice(part);
            if bytes > MAX_MESSAGE_BYTES {
                self.length = Some(bytes);
                if self.line.len() > 2 * ENDS {
                    self.line.drain(ENDS..self.line.len() - ENDS);
                }
            }
            self.pipe.consume(taken);
            if bytes > MAX_MESSAGE_BYTES * HOPELESS {
                return Some(Line::Endless);
            }
            if newline.is_some() {
                let line = std::mem::take(&mut self.line);
                return Some(match self.length.take() {
                    None => Line::Whole(line),
                    Some(bytes) => Line::TooLong {
                        head: line.iter().copied().take(ENDS).collect(),
                        tail: line
                            .iter()
                            .copied()
                            .skip(line.len().saturating_sub(ENDS))
                            .collect(),
                        bytes,
                    },
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines, MAX_MESSAGE_BYTES, id_of};
    use rmcp::model::RequestId;

    #[test]
    fn finds_the_id_of_what_is_too_long() {
        for (head, tail, id) in [
            (
                "{\"result\":{\"content\":[",
                "\"}],\"x\":{\"id\":9}},\"jsonrpc\":\"2.0\",\"id\":7}",
                Some(7),
            ),
            (
                "{\"jsonrpc\":\"2.0\", \"id\" : 8, \"result\":{\"id\":1",
                "aaa\"}}",
                Some(8),
            ),
            ("{\"result\":{\"id\":3", "\"id\":3}}", None),
            (
                "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"id\":3",
                "aaa",
                None,
            ),
        ] {
            assert_eq!(
                id_of(head.as_bytes(), tail.as_bytes()),
                id.map(RequestId::Number),
                "{head}"
            );
        }
    }

    #[tokio::test]
    async fn holds_the_ends_of_what_is_too_long() {
        let mut text = b"short\n".to_vec();
        text.extend(b"HEAD");
        text.extend(vec![b'x'; MAX_MESSAGE_BYTES]);
        text.extend(b"TAIL\nafter\nunfinished");
        let mut lines = Lines::new(&text[..]);
        assert_eq!(lines.next().await, Some(Line::Whole(b"short".to_vec())));
        match lines.next().await {
            Some(Line::TooLong { head, tail, bytes }) => {
                assert!(head.starts_with(b"HEADx") && tail.ends_with(b"xTAIL"));
                assert_eq!(bytes, MAX_MESSAGE_BYTES + 8);
            }
            other => panic!("{other:?}"),
        }
        assert!(lines.line.capacity() < 1 << 20);
        assert_eq!(lines.next().await, Some(Line::Whole(b"after".to_vec())));
        assert_eq!(lines.next().await, None);
    }
}
