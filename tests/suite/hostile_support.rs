//! Runs tables of hostile programs, and tells all that went wrong at once.

use std::time::{Duration, Instant};

use lockgate::Json;
use lockgate::code_runtime::{CodeLimits, CodeResult, FailureKind, Limit};

use crate::sandbox_support::{JAVASCRIPT, run_in, value};

/// What must come of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Want {
    /// It returns this JSON.
    Value(&'static str),
    /// It fails with this kind, and the message holds this text.
    Fails(FailureKind, &'static str),
    /// A limit ends it: the kind is the one of the limit.
    Ends(Limit),
    /// It ends in one of these ways; which one depends on the engine.
    OneOf(&'static [Want]),
}

/// The name of a case, its program, and what must come of it.
pub(crate) type Case = (&'static str, &'static str, Want);

/// Tight limits, so that a suite of bombs is over soon.
pub(crate) fn tight() -> CodeLimits {
    CodeLimits {
        compute: Duration::from_millis(200),
        wall: Duration::from_millis(1500),
        memory_bytes: 32 << 20,
        output_bytes: 1 << 20,
        calls: 500,
        ..CodeLimits::default()
    }
}

fn kind_of(limit: Limit) -> FailureKind {
    match limit {
        Limit::Compute | Limit::Wall => FailureKind::Timeout,
        Limit::Output => FailureKind::OutputLimit,
        Limit::Calls => FailureKind::CallLimit,
        _ => FailureKind::SandboxExit,
    }
}

fn fits(result: &CodeResult, want: Want) -> bool {
    match (want, &result.outcome) {
        (Want::Value(text), Ok(Some(found))) => Json::parse(text).is_ok_and(|want| want == *found),
        (Want::Fails(kind, text), Err(failure)) => {
            failure.kind == kind && (failure.message.contains(text) || failure.name.contains(text))
        }
        (Want::Ends(limit), Err(failure)) => {
            failure.kind == kind_of(limit)
                && failure.limit.is_some_and(|hit| {
                    // The size of a stack tells an author nothing: its message names recursion.
                    let said = match limit {
                        Limit::Stack => "recursion".to_owned(),
                        _ => hit.value.to_string(),
                    };
                    hit.limit == limit && failure.message.contains(&said)
                })
        }
        (Want::OneOf(all), _) => all.iter().any(|&want| fits(result, want)),
        _ => false,
    }
}

/// Runs every case, and after each an honest program.
pub(crate) async fn attack(cases: &[Case], limits: CodeLimits) {
    let mut wrong = Vec::new();
    for &(name, source, want) in cases {
        let began = Instant::now();
        let (result, _) = run_in(&JAVASCRIPT, source, limits).await;
        let took = began.elapsed();
        if !fits(&result, want) {
            let mut seen = format!("{:?}", result.outcome);
            let cut = seen.floor_char_boundary(600);
            seen.truncate(cut);
            wrong.push(format!("{name}: wanted {want:?}, saw {seen}"));
        }
        if took > limits.wall + Duration::from_secs(2) {
            wrong.push(format!("{name}: took {took:?}"));
        }
        let honest =
            value("const r = await tools.echo({a: [1]}); return r.a.map(x => x + 1)").await;
        if honest != lockgate::json!([2]) {
            wrong.push(format!("{name}: the next run is affected"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
