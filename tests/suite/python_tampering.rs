//! Python programs that patch libraries, the guest's own modules and bytecode: what crosses the bridge stays what it is.

use lockgate::code_runtime::{FailureKind::InvalidOutput, Limit};
use lockgate::json;

use crate::hostile_support::{
    BROKEN, Case, Want, attack_python, patient_for_python, tight_for_python,
};
use crate::sandbox_support::{python, run_in};

/// Patches of what the guest itself is made of that must not change what crosses the bridge.
const PATCHES: [(&str, &str); 18] = [
    (
        "json.dumps",
        "import json\njson.dumps = json.loads = lambda *a, **k: 'spoiled'",
    ),
    (
        "json classes",
        "import json\njson.JSONEncoder.default = json.JSONEncoder.encode = json.JSONDecoder.decode = lambda *a, **k: 'spoiled'",
    ),
    (
        "json's C",
        "import json.encoder, json.scanner, json.decoder\njson.encoder.c_make_encoder = json.scanner.c_make_scanner = json.encoder.c_encode_basestring = json.encoder.c_encode_basestring_ascii = lambda *a: 'spoiled'",
    ),
    (
        "a module named json",
        "import sys, types\nsys.modules['json'] = types.ModuleType('json')",
    ),
    (
        "asyncio",
        "import asyncio\nfor n in ('gather', 'sleep', 'wait', 'create_task', 'Future', 'Task', 'ensure_future', 'Event', 'iscoroutine'): setattr(asyncio, n, lambda *a, **k: 'spoiled')",
    ),
    (
        "asyncio's events",
        "from asyncio import events\nevents.get_running_loop = events._get_running_loop = lambda: None",
    ),
    (
        "the policy of loops",
        "import asyncio\nasyncio.get_running_loop().set_task_factory(None)\nasyncio.get_running_loop().set_exception_handler(lambda *a: None)",
    ),
    (
        "heapq",
        "import heapq\nheapq.heappush = heapq.heappop = lambda *a: 'spoiled'",
    ),
    (
        "re",
        "import re\nre.compile = re.match = lambda *a: 'spoiled'",
    ),
    (
        "traceback",
        "import traceback, linecache\ntraceback.format_exception = traceback.TracebackException = linecache.getline = lambda *a: 'spoiled'",
    ),
    (
        "random",
        "import random\nrandom.seed = random.random = lambda *a: 'spoiled'",
    ),
    (
        "types",
        "import types, dataclasses, enum, datetime, decimal, uuid, pathlib\nfor m in (types, dataclasses, enum, datetime, decimal, uuid, pathlib):\n  for n in list(vars(m)):\n    if not n.startswith('__'): setattr(m, n, None)",
    ),
    (
        "collections",
        "import collections\ncollections.OrderedDict = collections.Counter = collections.defaultdict = collections.deque = int",
    ),
    (
        "repr of builtins",
        "import builtins\nbuiltins.repr = builtins.ascii = builtins.format = builtins.print = lambda *a: 'spoiled'",
    ),
    (
        "ids and hashes",
        "import builtins\nbuiltins.hash = lambda *a: 1",
    ),
    ("modules", "import sys\nsys.modules.clear()"),
    (
        "the tool class",
        "try: type(tools).__getattr__ = lambda *a: 'spoiled'\nexcept (TypeError, AttributeError): pass",
    ),
    (
        "the error class",
        "ToolCallError.__init__ = lambda *a: None\nToolCallError.__str__ = lambda *a: 'spoiled'",
    ),
];

// SPEC J6
#[tokio::test]
async fn no_patch_of_a_library_changes_what_crosses_the_bridge() {
    let Some(sandbox) = python() else { return };
    let mut wrong = Vec::new();
    for (name, patch) in PATCHES {
        let source = format!(
            "call = tools.echo\n{patch}\nreturn {{'r': await call({{'a': [1, 'x', {{'b': None}}], 'c': 0.5, 'é': True}})}}"
        );
        let (result, script) = run_in(sandbox, &source, patient_for_python()).await;
        let want = json!({"a": [1, "x", {"b": null}], "c": 0.5, "é": true});
        if result.outcome != Ok(Some(json!({"r": want.clone()}))) {
            wrong.push(format!("{name}: {:?}", result.outcome));
        }
        let sent: Vec<_> = script
            .submitted
            .iter()
            .map(|call| call.arguments.clone())
            .collect();
        if sent != [Some(want)] {
            wrong.push(format!("{name}: sent {sent:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that turn the guest's own modules against it. Each may lose its own run, and nothing more.
const FORGERIES: [(&str, &str); 22] = [
    (
        "a forged completion",
        "b = m('bridge')\np = tools.hang()\nb._State.pending[1].set_result('forged')\nreturn await p",
    ),
    (
        "a forged outcome",
        "b = m('bridge')\nfrom wit_world.imports.types import Completion\nfrom componentize_py_types import Ok\np = tools.hang()\nb.settle([Completion(1, Ok('5'))])\nreturn await p",
    ),
    (
        "an outcome of many",
        "b = m('bridge')\nfrom wit_world.imports.types import Completion\nfrom componentize_py_types import Ok\nb.settle([Completion(n, Ok('5')) for n in range(1000)])\nreturn await tools.echo(a=1)",
    ),
    (
        "an outcome that is no JSON",
        "b = m('bridge')\nfrom wit_world.imports.types import Completion\nfrom componentize_py_types import Ok\np = tools.hang()\nb.settle([Completion(1, Ok('{]'))])\nreturn await p",
    ),
    (
        "calls of a forged number",
        "b = m('bridge')\nb._State.next_id = 7\nreturn await tools.echo(a=1)",
    ),
    (
        "calls of one number",
        "b = m('bridge')\np = tools.echo(a=1)\nb._State.next_id = 1\nq = tools.echo(a=2)\nreturn [await p, await q]",
    ),
    (
        "a number past the end",
        "b = m('bridge')\nb._State.next_id = 2 ** 32\nreturn await tools.echo(a=1)",
    ),
    (
        "a function that is not there",
        "b = m('bridge')\nfrom wit_world.imports.types import Call\nb._State.outgoing.append(Call(1, 0, 999, None))\nawait tools.hang()",
    ),
    (
        "a binding that is not there",
        "b = m('bridge')\nfrom wit_world.imports.types import Call\nb._State.outgoing.append(Call(1, 99, 0, None))\nawait tools.hang()",
    ),
    (
        "arguments that are no JSON",
        "b = m('bridge')\nfrom wit_world.imports.types import Call\nb._State.outgoing.append(Call(1, 0, 0, '{]'))\nawait tools.hang()",
    ),
    (
        "arguments of another kind",
        "b = m('bridge')\nb._State.outgoing.append(5)\nawait tools.hang()",
    ),
    (
        "many more calls than may wait",
        "b = m('bridge')\nfrom wit_world.imports.types import Call\nb._State.outgoing.extend(Call(n, 0, 0, None) for n in range(1, 100000))\nawait tools.hang()",
    ),
    (
        "limits of its own",
        "b = m('bridge')\nclass L:\n  max_pending_calls = max_depth = max_pending_bytes = max_output_bytes = 10 ** 9\nb._State.limits = L\nm('run')._Run.limits = L\na = []\nfor i in range(20000): a = [a]\nreturn a",
    ),
    (
        "a result of its own",
        "from wit_world.imports.types import State_Done\nr = m('run')\nr._finish = lambda main: State_Done('{]')\nreturn 1",
    ),
    (
        "a result that is long",
        "from wit_world.imports.types import State_Done\nr = m('run')\nr._finish = lambda main: State_Done('\"' + 'x' * 3000000 + '\"')\nreturn 1",
    ),
    (
        "a failure of its own",
        "from wit_world.imports.types import State_Failed, Failure, FailureKind\nr = m('run')\nr._finish = lambda main: State_Failed(Failure(FailureKind.OUT_OF_MEMORY, 'N' * 100000, 'm' * 100000, None, ['f' * 100000] * 1000, 99))\nreturn 1",
    ),
    (
        "a step that is no step",
        "r = m('run')\nr._finish = lambda main: None\nreturn 1",
    ),
    (
        "a run that is over",
        "m('run')._Run.over = True\nimport asyncio\nawait asyncio.sleep(0.01)\nreturn 1",
    ),
    ("a run that is started again", "m('run').start(None)"),
    (
        "a loop without a queue",
        "import asyncio\nl = asyncio.get_running_loop()\nl.ready = l.timers = l._ready = None\nawait asyncio.sleep(0)\nreturn 1",
    ),
    (
        "a loop of rubbish",
        "import asyncio\nl = asyncio.get_running_loop()\nl.ready.append(5)\nl.timers.append('x')\nl.failed.append(5)\nawait asyncio.sleep(0.01)\nreturn 1",
    ),
    ("a log of rubbish", "import wit_world\nwit_world.log(77, 5)"),
];

// SPEC J6: the guest's own state can be reached by the program. It is on the program's side of the fence.
#[tokio::test]
async fn what_a_program_does_to_its_guest_hurts_itself_alone() {
    let cases: Vec<Case> = FORGERIES
        .iter()
        .map(|&(name, program)| -> Case {
            let source = format!(
                "import sys\ndef m(name): return sys.modules['lockgate_guest.' + name]\n{program}"
            );
            // A forger may get what it forged; it can't get past its limits or take the host down.
            const ENDS: Want = Want::OneOf(&[
                BROKEN,
                Want::Value(r#""forged""#),
                Want::Value("5"),
                Want::Value("1"),
                Want::Value(r#"{"a":1}"#),
                Want::Value(r#"[{"a":1},{"a":2}]"#),
                Want::Value(r#"[{"a":2},{"a":2}]"#),
                Want::Value(r#"[{"a":1},{"a":1}]"#),
                Want::Fails(InvalidOutput, ""),
                Want::Ends(Limit::Output),
                Want::Ends(Limit::Calls),
                Want::Ends(Limit::Wall),
            ]);
            (name, source.leak(), ENDS)
        })
        .collect();
    attack_python(&cases, tight_for_python()).await;
    // What was forged never reached the host as a call that it would take for another.
    let Some(sandbox) = python() else { return };
    let source = "import sys\nb = sys.modules['lockgate_guest.bridge']\nb._State.next_id = 7\ntry: await tools.echo(a=1)\nexcept BaseException: pass\nreturn 1";
    let (_, script) = run_in(sandbox, source, tight_for_python()).await;
    assert!(script.submitted.len() <= 1, "{:?}", script.submitted);
}

// SPEC J6: not even code that CPython would never compile leaves the guest.
#[tokio::test]
async fn broken_bytecode_breaks_its_own_run() {
    let cases: [Case; 6] = [
        (
            "rubbish",
            "f = lambda: 1\nf.__code__ = f.__code__.replace(co_code=b'\\xff' * 40)\nf()",
            BROKEN,
        ),
        (
            "constants that are not there",
            "import types\nc = (lambda: 1).__code__.replace(co_code=bytes([100, 255]) * 50, co_consts=())\ntypes.FunctionType(c, {})()\nreturn 1",
            Want::OneOf(&[BROKEN, Want::Value("1")]),
        ),
        (
            "an empty stack",
            "import types\nc = (lambda: 1).__code__.replace(co_stacksize=0, co_code=bytes([27, 0]) * 1000)\ntypes.FunctionType(c, {})()\nreturn 1",
            // What it finds beyond its stack depends on what the memory held.
            Want::OneOf(&[BROKEN, Want::Value("1")]),
        ),
        (
            "every operation",
            "import types\nfor op in range(256):\n  try: types.FunctionType((lambda: 1).__code__.replace(co_code=bytes([op, 200]) * 8), {})()\n  except Exception: pass\nreturn 1",
            Want::OneOf(&[BROKEN, Want::Value("1")]),
        ),
        (
            "a fault on purpose",
            "import faulthandler\nfaulthandler._sigsegv()",
            BROKEN,
        ),
        (
            "marshalled rubbish",
            "import marshal\nfor n in range(256):\n  try: marshal.loads(bytes([n]) * 50)\n  except (ValueError, EOFError, TypeError): pass\nreturn 1",
            Want::OneOf(&[BROKEN, Want::Value("1")]),
        ),
    ];
    attack_python(&cases, tight_for_python()).await;
}
