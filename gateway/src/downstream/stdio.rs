//! One client over a pair of streams.

use rmcp::{ServiceExt, service::ServerInitializeError, transport::async_rw::AsyncRwTransport};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Gateway, session::Session, transport::Watched};

/// Bytes of one line from the client: one JSON-RPC message. A longer one is skipped.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

impl Gateway {
    /// Serves the client that started this process, over standard input and output. Nothing else may write to the output.
    ///
    /// # Errors
    /// As [`serve_stream`](Self::serve_stream).
    pub async fn serve_stdio(&self) -> std::io::Result<()> {
        let (input, output) = rmcp::transport::io::stdio_pipes();
        self.serve_stream(input, output).await
    }

    /// Serves one client, a JSON-RPC message on each line, until its input ends or the gateway shuts down. Lines that are no
    /// messages are passed over or answered with an error; they don't end the session. When the input ends, the calls that
    /// run are cancelled.
    ///
    /// # Errors
    /// The output can't be written to during the handshake.
    pub async fn serve_stream<R, W>(&self, input: R, output: W) -> std::io::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let transport =
            AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE_BYTES);
        let shutdown = &self.0.shutdown;
        let transport = Watched::new(transport, shutdown);
        let served = Session::new(self)
            .serve_with_ct(transport, shutdown.child_token())
            .await;
        match served {
            Ok(session) => {
                let _ = session.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(std::io::Error::other(error)),
        }
    }
}
