//! Runs tables of hostile programs, and tells all that went wrong at once.

use std::time::{Duration, Instant};

use lockgate::Json;
use lockgate::code_runtime::{CodeLimits, CodeResult, FailureKind, Limit};

use super::languages::{JAVASCRIPT, Language, PYTHON};
use super::sandbox_support::{by_engine, run_in};

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
    /// The first on QuickJS, the second on Boa.
    ByEngine(&'static Want, &'static Want),
}

/// The program broke the interpreter that ran it: this run is over, and that is all.
pub(crate) const BROKEN: Want = Want::OneOf(&[
    Want::Fails(FailureKind::SandboxExit, ""),
    Want::Fails(FailureKind::Exception, ""),
    Want::Ends(Limit::Compute),
    Want::Ends(Limit::Memory),
]);

/// The name of a case, its program, and what must come of it.
pub(crate) type Case = (&'static str, &'static str, Want);

/// Tight limits, so that a suite of bombs is over soon. Boa needs more time for the same.
pub(crate) fn tight() -> CodeLimits {
    CodeLimits {
        compute: Duration::from_millis(by_engine(200, 1000)),
        wall: Duration::from_millis(by_engine(1500, 5000)),
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
        (Want::ByEngine(quickjs, boa), _) => fits(result, *by_engine(quickjs, boa)),
        _ => false,
    }
}

/// Limits as tight for an interpreter that needs 25 MiB of its own, and that starts slower.
pub(crate) fn tight_for_python() -> CodeLimits {
    CodeLimits {
        compute: Duration::from_millis(400),
        wall: Duration::from_millis(3000),
        memory_bytes: 64 << 20,
        ..tight()
    }
}

/// Limits for programs of which none is there to meet its compute time, also on a busy machine.
pub(crate) fn patient_for_python() -> CodeLimits {
    CodeLimits {
        compute: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    }
}

/// Runs every case in JavaScript, and after each an honest program.
pub(crate) async fn attack(cases: &[Case], limits: CodeLimits) {
    let wrong = attack_in(&JAVASCRIPT, cases, limits).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs every case in Python, and after each an honest program.
pub(crate) async fn attack_python(cases: &[Case], limits: CodeLimits) {
    let wrong = attack_in(&PYTHON, cases, limits).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The name of a case, its program in JavaScript and in Python, and what must come of both.
pub(crate) type Shared = (&'static str, [&'static str; 2], Want);

/// Runs every case in each language, and after each an honest program.
pub(crate) async fn attack_both(cases: &[Shared], limits: CodeLimits) {
    let mut wrong = Vec::new();
    for (at, language) in [&JAVASCRIPT, &PYTHON].into_iter().enumerate() {
        let own: Vec<Case> = cases
            .iter()
            .map(|&(name, programs, want)| (name, programs[at], want))
            .collect();
        wrong.extend(attack_in(language, &own, limits).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What went wrong in one language.
async fn attack_in(language: &Language, cases: &[Case], limits: CodeLimits) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(sandbox) = language.sandbox() else {
        return wrong;
    };
    for &(name, source, want) in cases {
        let name = format!("{}: {name}", language.name);
        let began = Instant::now();
        let (result, _) = run_in(sandbox, source, limits).await;
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
        if !language.is_unaffected().await {
            wrong.push(format!("{name}: the next run is affected"));
        }
    }
    wrong
}
