//! Hostile delays, floods of timers and hostile callbacks.

use lockgate::code_runtime::{CodeLimits, FailureKind::Exception, Limit};

use super::hostile_support::{Case, Want, attack, tight};

// SPEC J6, J9
#[tokio::test]
async fn odd_delays_are_clamped() {
    let cases: [Case; 12] = [
        (
            "not a number",
            "await new Promise(r => setTimeout(r, NaN)); return 1",
            Want::Value("1"),
        ),
        (
            "negative",
            "await new Promise(r => setTimeout(r, -1e9)); return 1",
            Want::Value("1"),
        ),
        (
            "minus infinity",
            "await new Promise(r => setTimeout(r, -Infinity)); return 1",
            Want::Value("1"),
        ),
        (
            "text",
            "await new Promise(r => setTimeout(r, '2')); return 1",
            Want::Value("1"),
        ),
        (
            "nothing",
            "await new Promise(r => setTimeout(r)); return 1",
            Want::Value("1"),
        ),
        (
            "past the clock",
            "await new Promise(r => setTimeout(r, 1e300))",
            Want::Ends(Limit::Wall),
        ),
        (
            "past 31 bits",
            "await new Promise(r => setTimeout(r, 2 ** 31))",
            Want::Ends(Limit::Wall),
        ),
        (
            "an object that throws",
            "setTimeout(() => {}, { valueOf() { throw new Error('delay') } })",
            Want::Fails(Exception, "delay"),
        ),
        (
            "clearing what is not there",
            "clearTimeout(-1); clearTimeout(NaN); clearTimeout({}); clearInterval(undefined); clearTimeout(2 ** 53); return 1",
            Want::Value("1"),
        ),
        (
            "clearing itself",
            "await new Promise(r => { const t = setInterval(() => { clearInterval(t); r() }, 0) }); return 1",
            Want::Value("1"),
        ),
        (
            "clearing a sibling that is due",
            "let n = 0; let b; setTimeout(() => clearTimeout(b), 0); b = setTimeout(() => n++, 0); await new Promise(r => setTimeout(r, 5)); return n",
            Want::Value("0"),
        ),
        (
            "a timer that is left",
            "setTimeout(() => console.log('late'), 1e6); return 1",
            Want::Value("1"),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J4, J6
#[tokio::test]
async fn floods_of_timers_are_bounded() {
    let cases: [Case; 5] = [
        (
            "many timers",
            "let n = 0; for (let i = 0; i < 2e4; i++) setTimeout(() => n++, 1)",
            Want::OneOf(&[Want::Fails(Exception, "timer")]),
        ),
        (
            "timers that make timers",
            "const f = () => { setTimeout(f, 0); setTimeout(f, 0) }; f(); await new Promise(() => {})",
            Want::OneOf(&[
                Want::Fails(Exception, "timer"),
                Want::Ends(Limit::Compute),
                Want::Ends(Limit::Wall),
            ]),
        ),
        (
            "an interval without end",
            "setInterval(() => {}, 0); await new Promise(() => {})",
            Want::OneOf(&[Want::Ends(Limit::Wall), Want::Ends(Limit::Compute)]),
        ),
        (
            "a callback that throws",
            "setTimeout(() => { throw new TypeError('in a timer') }, 0); await new Promise(r => setTimeout(r, 50))",
            Want::Fails(Exception, "in a timer"),
        ),
        (
            "a callback that rejects",
            "setTimeout(async () => { throw new TypeError('in a timer') }, 0); await new Promise(r => setTimeout(r, 50))",
            Want::Fails(Exception, "in a timer"),
        ),
    ];
    attack(
        &cases,
        CodeLimits {
            wall: tight().wall.min(tight().compute * 5),
            ..tight()
        },
    )
    .await;
}
