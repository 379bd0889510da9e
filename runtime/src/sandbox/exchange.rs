//! What goes between a guest and the calls of its program: calls out, outcomes in, all of it checked and counted.

use std::task::{Context, Poll};

use super::bindings::program::lockgate::guest::types as wit;
use super::fault;
use crate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeFailure, CodeLimits, ProgramCall, Usage,
};
use crate::json::{Json, JsonErrorKind, ParseOptions};

/// Text of outcomes that is collected for one resume; what is ready beyond waits for the next.
const INBOX_BYTES: u64 = 4 * 1024 * 1024;

/// Text that is long enough to be worth another thread, which costs some 30 µs.
const LONG_TEXT_BYTES: usize = 1024 * 1024;

/// How much memory a value may take, as a multiple of the output limit: text can say small things that are large.
const MEMORY_FACTOR: u64 = 2;

/// An outcome on its way to the guest: the id of the call, and JSON text or the text of the error.
type Outcome = (u32, Result<String, String>);

/// The two directions between a guest and a [`CallHandler`]. The guest is not trusted: it may claim any id, any index, any
/// number of calls, any text.
pub(super) struct Exchange<'r> {
    calls: &'r mut dyn CallHandler,
    bindings: &'r [Binding],
    limits: &'r CodeLimits,
    parse: ParseOptions,
    /// Outcomes that the guest has not seen yet.
    inbox: Vec<Outcome>,
    inbox_bytes: u64,
    last_id: u32,
    /// Calls that were submitted and whose outcome did not come yet.
    outstanding: u64,
    /// Calls, bytes in and bytes out.
    pub(super) usage: Usage,
    /// Calls that the handler never saw.
    pub(super) unsubmitted: Vec<ProgramCall>,
}

impl<'r> Exchange<'r> {
    pub(super) fn new(
        calls: &'r mut dyn CallHandler,
        bindings: &'r [Binding],
        limits: &'r CodeLimits,
    ) -> Self {
        Exchange {
            calls,
            bindings,
            limits,
            parse: ParseOptions {
                max_depth: limits.json_depth as usize,
                max_memory: usize::try_from(limits.output_bytes.saturating_mul(MEMORY_FACTOR))
                    .unwrap_or(usize::MAX),
                ..ParseOptions::default()
            },
            inbox: Vec::new(),
            inbox_bytes: 0,
            last_id: 0,
            outstanding: 0,
            usage: Usage::default(),
            unsubmitted: Vec::new(),
        }
    }

    /// Submits the calls of a step in their order.
    pub(super) async fn submit(&mut self, calls: Vec<wit::Call>) -> Result<(), Box<CodeFailure>> {
        let mut bytes = 0;
        for call in calls {
            let call = self.checked(call, &mut bytes).await?;
            if self.usage.calls > self.limits.calls {
                self.unsubmitted.push(call);
                continue;
            }
            self.outstanding += 1;
            if self.outstanding > u64::from(self.limits.pending_calls) {
                return Err(fault::broken("it had more calls pending than it may"));
            }
            self.calls.submit(call);
        }
        if self.usage.calls > self.limits.calls {
            return Err(fault::calls(self.limits.calls));
        }
        Ok(())
    }

    /// Keeps the calls of a last step, which came too late to start.
    pub(super) async fn keep_unsubmitted(
        &mut self,
        calls: Vec<wit::Call>,
    ) -> Result<(), Box<CodeFailure>> {
        let mut bytes = 0;
        for call in calls {
            let call = self.checked(call, &mut bytes).await?;
            self.unsubmitted.push(call);
        }
        Ok(())
    }

    /// A call as the program made it, if the guest kept to its world. `bytes` sums the arguments of the step.
    async fn checked(
        &mut self,
        call: wit::Call,
        bytes: &mut u64,
    ) -> Result<ProgramCall, Box<CodeFailure>> {
        if call.id <= self.last_id {
            return Err(fault::broken("the number of a call did not grow"));
        }
        self.last_id = call.id;
        let (binding, function) = (call.binding as usize, call.function as usize);
        let known = self.bindings.get(binding);
        if known.is_none_or(|binding| function >= binding.functions.len()) {
            return Err(fault::broken("a call named a function that does not exist"));
        }
        let arguments = match call.arguments {
            None => None,
            Some(text) => {
                *bytes += text.len() as u64;
                if *bytes > u64::from(self.limits.pending_bytes) {
                    return Err(fault::broken("it handed over more arguments than it may"));
                }
                Some(self.json(text).await?)
            }
        };
        self.usage.calls += 1;
        Ok(ProgramCall {
            id: call.id,
            binding,
            function,
            arguments,
        })
    }

    /// Reads JSON text of the guest, and counts it. A long text is read on another thread, so that this one stays free.
    pub(super) async fn json(&mut self, text: String) -> Result<Json, Box<CodeFailure>> {
        self.usage.bytes_out += text.len() as u64;
        let parsed = if text.len() < LONG_TEXT_BYTES {
            Json::parse_with(&text, &self.parse)
        } else {
            let parse = self.parse.clone();
            let parsing = tokio::task::spawn_blocking(move || Json::parse_with(&text, &parse));
            match parsing.await {
                Ok(parsed) => parsed,
                Err(error) => {
                    return Err(fault::broken(&format!("its JSON was not read: {error}")));
                }
            }
        };
        parsed.map_err(|error| match error.kind() {
            JsonErrorKind::Size => fault::value_too_large(self.limits.output_bytes),
            _ => fault::broken(&format!("its JSON is wrong: {error}")),
        })
    }

    /// Polls the calls, and collects what is ready.
    pub(super) fn collect(&mut self, cx: &mut Context<'_>) {
        while self.inbox_bytes < INBOX_BYTES {
            let Poll::Ready(CallCompletion { id, outcome }) = self.calls.poll_completion(cx) else {
                return;
            };
            let outcome = outcome.map(|value| {
                let mut text = String::new();
                value.write_to(&mut text);
                text
            });
            self.inbox_bytes += outcome.as_ref().map_or_else(String::len, String::len) as u64;
            self.outstanding = self.outstanding.saturating_sub(1);
            self.inbox.push((id, outcome));
        }
    }

    /// Whether there is something to resume the guest with.
    pub(super) fn has_outcomes(&self) -> bool {
        !self.inbox.is_empty()
    }

    /// Whether an outcome can still come.
    pub(super) fn is_waiting(&self) -> bool {
        self.calls.unsettled() > 0
    }

    /// Whether nothing can come but what waits for a person's approval.
    pub(super) fn only_asks(&self) -> bool {
        self.inbox.is_empty() && self.calls.only_asks()
    }

    /// Takes the collected outcomes, to hand them to the guest.
    pub(super) fn take_outcomes(&mut self) -> Vec<Outcome> {
        self.usage.bytes_in += std::mem::take(&mut self.inbox_bytes);
        std::mem::take(&mut self.inbox)
    }

    /// Gives a handed over list back, so that its memory is used again.
    pub(super) fn recycle(&mut self, mut outcomes: Vec<Outcome>) {
        if self.inbox.is_empty() {
            outcomes.clear();
            self.inbox = outcomes;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::code_runtime::FailureKind;

    /// Keeps what it is given; `ready` are the outcomes that it has.
    #[derive(Default)]
    struct Calls {
        submitted: Vec<ProgramCall>,
        ready: Vec<CallCompletion>,
    }

    impl CallHandler for Calls {
        fn submit(&mut self, call: ProgramCall) {
            self.submitted.push(call);
        }

        fn poll_completion(&mut self, _cx: &mut Context<'_>) -> Poll<CallCompletion> {
            self.ready.pop().map_or(Poll::Pending, Poll::Ready)
        }

        fn unsettled(&self) -> usize {
            self.ready.len()
        }
    }

    /// Short texts are read at once.
    fn now<T>(future: impl Future<Output = T>) -> T {
        future.now_or_never().unwrap()
    }

    fn bindings() -> Vec<Binding> {
        let functions = vec!["a".into(), "b".into()];
        vec![Binding {
            global: "tools".into(),
            functions,
        }]
    }

    fn call(id: u32, function: u32, arguments: &str) -> wit::Call {
        wit::Call {
            id,
            binding: 0,
            function,
            arguments: Some(arguments.to_owned()),
        }
    }

    fn submit(limits: &CodeLimits, calls: Vec<wit::Call>) -> (Result<(), Box<CodeFailure>>, usize) {
        let (mut handler, bindings) = (Calls::default(), bindings());
        let submitted = now(Exchange::new(&mut handler, &bindings, limits).submit(calls));
        (submitted, handler.submitted.len())
    }

    // SPEC J6
    #[test]
    fn a_guest_that_lies_is_stopped() {
        let limits = CodeLimits {
            pending_calls: 3,
            pending_bytes: 10,
            json_depth: 2,
            ..CodeLimits::default()
        };
        let check = |calls: Vec<wit::Call>, what: &str| {
            let failure = submit(&limits, calls).0.unwrap_err();
            assert_eq!(
                failure.kind,
                FailureKind::SandboxExit,
                "{what}: {failure:?}"
            );
            assert_eq!(failure.limit, None, "{what}");
            assert!(failure.message.contains(what), "{what}: {failure:?}");
        };
        check(vec![call(0, 0, "1")], "did not grow");
        check(vec![call(1, 0, "1"), call(1, 0, "1")], "did not grow");
        check(vec![call(2, 0, "1"), call(1, 0, "1")], "did not grow");
        check(vec![call(1, 2, "1")], "does not exist");
        check(vec![call(1, u32::MAX, "1")], "does not exist");
        let elsewhere = wit::Call {
            binding: 1,
            ..call(1, 0, "1")
        };
        check(vec![elsewhere], "does not exist");
        for text in [
            "",
            "{",
            "NaN",
            "\"\\ud800\"",
            "[[[1]]]",
            "1 2",
            "{\"a\":1,\"a\":1}",
        ] {
            let mut wide = limits;
            wide.pending_bytes = 100;
            let failure = submit(&wide, vec![call(1, 0, text)]).0.unwrap_err();
            assert_eq!(failure.kind, FailureKind::SandboxExit, "{text}");
        }
        check(
            vec![call(1, 0, "\"3456789A\""), call(2, 0, "1")],
            "more arguments",
        );
        check(
            (1..=4).map(|id| call(id, 0, "1")).collect(),
            "more calls pending",
        );
        assert_eq!(
            submit(&limits, (1..=3).map(|id| call(id, 0, "1")).collect()).1,
            3
        );
    }

    // SPEC J4
    #[test]
    fn calls_past_the_limit_are_kept_and_not_submitted() {
        let limits = CodeLimits {
            calls: 2,
            ..CodeLimits::default()
        };
        let (mut handler, bindings) = (Calls::default(), bindings());
        let mut exchange = Exchange::new(&mut handler, &bindings, &limits);
        let failure =
            now(exchange.submit((1..=4).map(|id| call(id, 1, "1")).collect())).unwrap_err();
        assert_eq!(failure.kind, FailureKind::CallLimit);
        let kept: Vec<_> = exchange.unsubmitted.iter().map(|call| call.id).collect();
        assert_eq!((kept, exchange.usage.calls), (vec![3, 4], 4));
        assert_eq!(handler.submitted.len(), 2);
    }

    // SPEC J6: outcomes that nobody asked for do no harm; big ones are handed over in parts.
    #[test]
    fn outcomes_are_collected_up_to_a_size() {
        let limits = CodeLimits::default();
        let megabyte = CallCompletion {
            id: 7,
            outcome: Err("x".repeat(1024 * 1024)),
        };
        let mut handler = Calls {
            ready: vec![megabyte; 6],
            ..Calls::default()
        };
        let bindings = bindings();
        let mut exchange = Exchange::new(&mut handler, &bindings, &limits);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        exchange.collect(&mut cx);
        let outcomes = exchange.take_outcomes();
        assert_eq!((outcomes.len(), exchange.is_waiting()), (4, true));
        exchange.recycle(outcomes);
        assert!(!exchange.has_outcomes());
        exchange.collect(&mut cx);
        assert_eq!(exchange.take_outcomes().len(), 2);
        assert_eq!(exchange.usage.bytes_in, 6 * 1024 * 1024);
    }
}
