//! The job queue, and the promises that were rejected and that nobody handles.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use boa_engine::Context;
use boa_engine::job::{Job, JobExecutor};

use super::JsResult;
use super::context::{context, settle};
use super::value::{PromiseState, Value};

thread_local! {
    static QUEUE: RefCell<VecDeque<Job>> = const { RefCell::new(VecDeque::new()) };
    /// In the order of the rejections.
    static REJECTIONS: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Collects the jobs; [`run_job`] runs them.
pub(super) struct Jobs;

impl JobExecutor for Jobs {
    fn enqueue_job(self: Rc<Self>, job: Job, _: &mut Context) {
        // Nothing waits for what a finalization registry might do.
        if !matches!(job, Job::FinalizationRegistryCleanupJob(_)) {
            QUEUE.with_borrow_mut(|queue| queue.push_back(job));
        }
    }

    fn run_jobs(self: Rc<Self>, _: &mut Context) -> boa_engine::JsResult<()> {
        Ok(())
    }
}

/// Whether a job waits in the queue.
pub(crate) fn has_jobs() -> bool {
    QUEUE.with_borrow(|queue| !queue.is_empty())
}

/// Runs the next job of the queue.
pub(crate) fn run_job() -> JsResult<()> {
    let Some(job) = QUEUE.with_borrow_mut(VecDeque::pop_front) else {
        return Ok(());
    };
    let outcome = context(|context| {
        let outcome = match job {
            Job::PromiseJob(job) => job.call(context),
            Job::GenericJob(job) => job.call(context),
            Job::TimeoutJob(job) => job.call(context),
            Job::AsyncJob(job) => {
                let shared = RefCell::new(&mut *context);
                let mut job = pin!(job.call(&shared));
                let mut waiting = std::task::Context::from_waker(Waker::noop());
                // The only such job is the loading of a module, which is refused at once.
                match job.as_mut().poll(&mut waiting) {
                    Poll::Ready(outcome) => outcome,
                    Poll::Pending => Ok(boa_engine::JsValue::undefined()),
                }
            }
            _ => Ok(boa_engine::JsValue::undefined()),
        };
        context.clear_kept_objects();
        outcome
    });
    settle(outcome).map(drop)
}

pub(super) fn rejected(promise: Value) {
    REJECTIONS.with_borrow_mut(|rejections| rejections.push(promise));
}

pub(super) fn handled(promise: &Value) {
    let dropped = REJECTIONS.with_borrow_mut(|rejections| {
        // The newest one is the likeliest: a rejected promise is mostly awaited at once.
        let at = rejections
            .iter()
            .rposition(|other| other.is_same_object(promise))?;
        Some(rejections.remove(at))
    });
    drop(dropped);
}

/// The promises that are rejected and unhandled now, with their reasons.
pub(crate) fn rejections() -> Vec<(Value, Value)> {
    let promises = REJECTIONS.with_borrow(Clone::clone);
    promises
        .into_iter()
        .filter_map(|promise| match promise.promise_state() {
            PromiseState::Rejected(reason) => Some((promise, reason)),
            _ => None,
        })
        .collect()
}
