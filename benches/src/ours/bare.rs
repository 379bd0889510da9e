//! The sandbox without a registry: a handler that answers each call by itself.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeLimits, CodeRequest, CodeRuntime, ProgramCall,
};
use lockgate::sandbox::Sandbox;
use lockgate::{BoxFuture, Json};

use super::registry::{NAMES, Tools};
use super::{Failed, LANES, RunProgram};

pub(super) struct Bare {
    sandbox: Sandbox,
    limits: CodeLimits,
    tools: Tools,
    bindings: [Binding; 1],
}

impl Bare {
    pub(super) fn new(sandbox: Sandbox, limits: CodeLimits, tools: Tools) -> Self {
        let bindings = [Binding {
            global: "tools".into(),
            functions: NAMES.iter().map(|name| (*name).into()).collect(),
        }];
        Bare {
            sandbox,
            limits,
            tools,
            bindings,
        }
    }
}

impl RunProgram for Bare {
    fn run<'a>(&'a self, source: &'a str) -> BoxFuture<'a, Result<Json, Failed>> {
        Box::pin(async move {
            let mut calls = Calls {
                tools: &self.tools,
                ready: VecDeque::new(),
                queued: VecDeque::new(),
                running: Vec::new(),
            };
            let mut request = CodeRequest::new(source, &self.bindings, &mut calls);
            request.limits = self.limits;
            let result = self.sandbox.run(request).await?;
            let value = result.outcome.map_err(|failure| failure.message)?;
            Ok(value.unwrap_or(Json::Null))
        })
    }
}

/// Answers at once what needs no time; the others run in lanes, in their order.
struct Calls<'t> {
    tools: &'t Tools,
    ready: VecDeque<CallCompletion>,
    queued: VecDeque<ProgramCall>,
    running: Vec<(u32, BoxFuture<'static, Json>)>,
}

impl CallHandler for Calls<'_> {
    fn submit(&mut self, call: ProgramCall) {
        let outcome = match NAMES.get(call.function) {
            Some(&"noop") => Ok(Json::Null),
            Some(&"report") => Ok(self.tools.report.clone()),
            _ => return self.queued.push_back(call),
        };
        self.ready.push_back(CallCompletion {
            id: call.id,
            outcome,
        });
    }

    fn poll_completion(&mut self, cx: &mut Context<'_>) -> Poll<CallCompletion> {
        if let Some(completion) = self.ready.pop_front() {
            return Poll::Ready(completion);
        }
        while self.running.len() < LANES
            && let Some(call) = self.queued.pop_front()
        {
            let arguments = call.arguments.unwrap_or(Json::Null);
            let name = NAMES.get(call.function).copied().unwrap_or_default();
            let running = Box::pin(self.tools.call(name, &arguments));
            self.running.push((call.id, running));
        }
        for index in 0..self.running.len() {
            if let Some((id, running)) = self.running.get_mut(index)
                && let Poll::Ready(value) = running.as_mut().poll(cx)
            {
                let id = *id;
                drop(self.running.swap_remove(index));
                // What is queued starts at the next poll, which follows at once.
                cx.waker().wake_by_ref();
                return Poll::Ready(CallCompletion {
                    id,
                    outcome: Ok(value),
                });
            }
        }
        Poll::Pending
    }

    fn unsettled(&self) -> usize {
        self.ready.len() + self.queued.len() + self.running.len()
    }
}
