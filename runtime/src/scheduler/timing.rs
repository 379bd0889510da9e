//! When a call passed the doors of its scheduler: what a trace of a run is drawn from.

use std::time::Instant;

use crate::events::CallTiming;

/// The moments of one call. Where nobody records events, no clock is read and there are none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    submitted: Option<Instant>,
    admitted: Option<Instant>,
    body_began: Option<Instant>,
    body_ended: Option<Instant>,
    exclusive: bool,
}

impl Moments {
    pub(super) fn submitted(records: bool) -> Self {
        Self {
            submitted: records.then(Instant::now),
            ..Self::default()
        }
    }

    pub(super) fn admit(&mut self) {
        self.admitted = self.submitted.map(|_| Instant::now());
    }

    pub(super) fn begin_body(&mut self, exclusive: bool) {
        self.body_began = self.submitted.map(|_| Instant::now());
        self.exclusive = exclusive;
    }

    pub(super) fn end_body(&mut self) {
        self.body_ended = self.submitted.map(|_| Instant::now());
    }

    /// The spans between the moments; now takes the place of a moment that was not reached.
    pub(crate) fn timing(&self) -> Option<CallTiming> {
        let submitted = self.submitted?;
        let now = Instant::now();
        let admitted = self.admitted.unwrap_or(now);
        let began = self.body_began.unwrap_or(now);
        let ended = self.body_ended.unwrap_or(now);
        let ms = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1e3;
        Some(CallTiming {
            waited_ms: ms(submitted, admitted),
            policy_ms: ms(admitted, began),
            body_ms: self.body_began.map_or(0.0, |began| ms(began, ended)),
            exclusive: self.exclusive,
        })
    }
}
