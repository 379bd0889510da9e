//! Counts what a server sends unasked: one that floods is stopped.

use std::{borrow::Cow, time::Instant};

use rmcp::{
    RoleClient,
    model::JsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};

use super::{
    limits::{MESSAGE_BURST, MESSAGES_PER_SECOND},
    session::Fault,
};

/// A bucket of messages that fills with time.
#[derive(Debug)]
pub(super) struct Gate {
    left: f64,
    at: Instant,
}

impl Gate {
    pub(super) fn new() -> Self {
        Self {
            left: f64::from(MESSAGE_BURST),
            at: Instant::now(),
        }
    }

    /// Takes one message that answers nothing; the error says that there were too many.
    pub(super) fn take(&mut self) -> Result<(), String> {
        let now = Instant::now();
        let filled = (now - self.at).as_secs_f64() * f64::from(MESSAGES_PER_SECOND);
        self.left = (self.left + filled).min(f64::from(MESSAGE_BURST));
        self.at = now;
        if self.left < 1.0 {
            return Err(format!(
                "it floods: more than {MESSAGE_BURST} messages at once and {MESSAGES_PER_SECOND} a second that answer no request (limits MESSAGE_BURST, MESSAGES_PER_SECOND)"
            ));
        }
        self.left -= 1.0;
        Ok(())
    }

    /// Whether the message may pass.
    pub(super) fn admit(&mut self, message: &RxJsonRpcMessage<RoleClient>) -> Result<(), String> {
        match message {
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Ok(()),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => self.take(),
        }
    }
}

/// A transport behind a [`Gate`].
pub(super) struct Gated<T> {
    pub(super) inner: T,
    pub(super) gate: Gate,
    pub(super) fault: Fault,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Gated<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        match self.gate.admit(&message) {
            Ok(()) => Some(message),
            Err(flood) => {
                self.fault.set(flood);
                None
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
