//! How Python programs end: processes that exit, streams that are closed, errors of every shape, loops of their own.

use lockgate::code_runtime::{
    FailureKind::Exception, FailureKind::OutputLimit, FailureKind::SandboxExit, Limit,
};

use crate::hostile_support::{BROKEN, Case, Want, attack_python, patient_for_python};

const COMPUTE: Want = Want::Ends(Limit::Compute);
const STACK: Want = Want::Ends(Limit::Stack);

// SPEC H5: ways to end a process.
#[tokio::test]
async fn ends_of_the_process_are_failures_of_the_program() {
    let cases: [Case; 14] = [
        (
            "os._exit",
            "import os\nos._exit(0)",
            Want::Fails(SandboxExit, "ended its own process"),
        ),
        (
            "os.abort",
            "import os\nos.abort()",
            Want::Fails(SandboxExit, ""),
        ),
        (
            "sys.exit",
            "import sys\nsys.exit(0)",
            Want::Fails(Exception, "SystemExit"),
        ),
        (
            "sys.exit, caught",
            "import sys\ntry: sys.exit(0)\nexcept SystemExit: return 'caught'",
            Want::Value(r#""caught""#),
        ),
        ("exit", "exit()", Want::Fails(Exception, "")),
        (
            "SystemExit",
            "raise SystemExit('bye')",
            Want::Fails(Exception, "return from it"),
        ),
        (
            "SystemExit in a task",
            "import asyncio\nasync def f(): raise SystemExit(1)\nt = asyncio.create_task(f())\nawait asyncio.sleep(0.01)\nreturn 1",
            Want::Fails(Exception, "SystemExit"),
        ),
        (
            "SystemExit in a callback",
            "import asyncio, sys\nasyncio.get_running_loop().call_soon(sys.exit)\nawait asyncio.sleep(0.01)\nreturn 1",
            Want::Fails(Exception, "SystemExit"),
        ),
        (
            "KeyboardInterrupt",
            "raise KeyboardInterrupt",
            Want::Fails(Exception, "KeyboardInterrupt"),
        ),
        (
            "GeneratorExit",
            "raise GeneratorExit",
            Want::Fails(Exception, "GeneratorExit"),
        ),
        (
            "CancelledError",
            "import asyncio\nraise asyncio.CancelledError",
            Want::Fails(Exception, "CancelledError"),
        ),
        (
            "StopIteration",
            "raise StopIteration(1)",
            Want::Fails(Exception, "StopIteration"),
        ),
        (
            "a signal",
            "import signal\nsignal.raise_signal(signal.SIGABRT)",
            BROKEN,
        ),
        (
            "the end of the task",
            "import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(1)",
            Want::Fails(Exception, "CancelledError"),
        ),
    ];
    attack_python(&cases, patient_for_python()).await;
}

// SPEC J5, J6
#[tokio::test]
async fn streams_of_its_own_hurt_only_the_program() {
    let cases: [Case; 12] = [
        (
            "a print after the end",
            "import sys\nsys.stdout.close()\nprint('x')",
            Want::Fails(Exception, "closed"),
        ),
        (
            "an end before the return",
            "import sys\nsys.stdout.close()\nsys.stderr.close()\nreturn 1",
            Want::Value("1"),
        ),
        (
            "no stream",
            "import sys\nsys.stdout = None\nprint('x')\nreturn 1",
            Want::Value("1"),
        ),
        (
            "a stream of its own",
            "import sys\nclass W:\n  def write(self, s): self.s = s\n  def flush(self): 1 / 0\nw = sys.stdout = W()\nprint('x')\nreturn w.s",
            Want::Value(r#""\n""#),
        ),
        (
            "a stream that is no stream",
            "import sys\nsys.stdout = 5\nprint('x')",
            Want::Fails(Exception, "AttributeError"),
        ),
        (
            "a stream without its buffer",
            "import sys\nsys.stdout.detach()\nreturn 1",
            Want::Value("1"),
        ),
        (
            "an error without a stream",
            "import sys\nsys.stderr = None\nraise ValueError('v')",
            Want::Fails(Exception, "ValueError"),
        ),
        (
            "a flood past the stream",
            "import sys\nw = sys.stdout.buffer.raw\nwhile True: w.write(b'x' * 1000 + b'\\n')",
            Want::Ends(Limit::Output),
        ),
        (
            "a flood of one line",
            "import sys\nwhile True: sys.stdout.write('x' * 1000)",
            Want::OneOf(&[Want::Ends(Limit::Output), Want::Fails(OutputLimit, "")]),
        ),
        (
            "bytes that are no text",
            "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe\\n')\nsys.stdout.buffer.flush()\nprint('\\ud800')\nreturn 1",
            Want::Value("1"),
        ),
        (
            "hooks of the end",
            "import atexit, sys\natexit.register(lambda: 1 / 0)\nsys.excepthook = lambda *a: 1 / 0\nraise ValueError('v')",
            Want::Fails(Exception, "ValueError"),
        ),
        (
            "a finalizer that fails",
            "class A:\n  def __del__(self): raise ValueError('v')\nA()\nreturn 1",
            Want::Value("1"),
        ),
    ];
    attack_python(&cases, patient_for_python()).await;
}

// SPEC J6: errors of every shape are told, in bounded length.
#[tokio::test]
async fn hostile_errors_are_told() {
    let cases: [Case; 14] = [
        (
            "a text that fails",
            "class E(Exception):\n  def __str__(self): 1 / 0\nraise E",
            Want::Fails(Exception, "E"),
        ),
        (
            "a text that is no text",
            "class E(Exception):\n  def __str__(self): return 5\nraise E",
            Want::Fails(Exception, "E"),
        ),
        (
            "a text that exits",
            "class E(Exception):\n  def __str__(self): raise SystemExit\nraise E",
            Want::Fails(Exception, "its text failed: SystemExit"),
        ),
        (
            "a name of many bytes",
            "raise type('N' * 100000, (Exception,), {})('x')",
            Want::Fails(Exception, "NNN"),
        ),
        (
            "a text of many bytes",
            "raise ValueError('m' * 5000000)",
            Want::OneOf(&[Want::Ends(Limit::Output), Want::Fails(Exception, "mmm")]),
        ),
        (
            "half a surrogate pair",
            "raise ValueError('a\\ud800')",
            Want::Fails(Exception, "a\\ud800"),
        ),
        (
            "half a surrogate pair in a name",
            "raise type('E\\ud800', (Exception,), {})('x')",
            Want::Fails(Exception, "Error"),
        ),
        (
            "a source that is too deep",
            "eval('(' * 100000)",
            Want::OneOf(&[STACK, Want::Fails(Exception, "SyntaxError")]),
        ),
        (
            "a cycle of causes",
            "a = ValueError('a')\nb = ValueError('b')\na.__cause__ = b\nb.__cause__ = a\nraise a",
            Want::Fails(Exception, "ValueError"),
        ),
        (
            "a long chain of contexts",
            "e = None\nfor i in range(50000):\n  n = ValueError(str(i))\n  n.__context__ = e\n  e = n\nraise e",
            Want::OneOf(&[Want::Fails(Exception, "ValueError"), COMPUTE]),
        ),
        (
            "a deep group",
            "e = ValueError('x')\nfor i in range(5000): e = ExceptionGroup('g', [e])\nraise e",
            Want::OneOf(&[Want::Fails(Exception, "ExceptionGroup"), STACK]),
        ),
        (
            "notes that are no notes",
            "e = ValueError('v')\ne.__notes__ = 5\nraise e",
            Want::Fails(Exception, "ValueError"),
        ),
        (
            "a class that lies",
            "class M(type):\n  __qualname__ = property(lambda c: 5)\n  __module__ = property(lambda c: None)\nclass E(Exception, metaclass=M): pass\nraise E('x')",
            BROKEN,
        ),
        (
            "a raise of no error",
            "raise 5",
            Want::Fails(Exception, "TypeError"),
        ),
    ];
    attack_python(&cases, patient_for_python()).await;
}

// SPEC J9: what blocks a loop or needs a thread says what to do instead.
#[tokio::test]
async fn loops_and_executors_say_what_to_do() {
    let cases: [Case; 13] = [
        (
            "asyncio.run",
            "import asyncio\nasync def f(): return 1\nreturn asyncio.run(f())",
            Want::Fails(Exception, "already runs in an event loop; use"),
        ),
        (
            "run_until_complete",
            "import asyncio\nasync def f(): return 1\nreturn asyncio.get_event_loop().run_until_complete(f())",
            Want::Fails(Exception, "use await"),
        ),
        (
            "run_forever",
            "import asyncio\nasyncio.get_event_loop().run_forever()",
            Want::Fails(Exception, "use await"),
        ),
        (
            "a runner",
            "import asyncio\nasync def f(): return 1\nwith asyncio.Runner() as r: return r.run(f())",
            Want::Fails(Exception, "use await"),
        ),
        (
            "a loop of its own",
            "import asyncio\nasync def f(): return 1\nreturn asyncio.new_event_loop().run_until_complete(f())",
            Want::Fails(Exception, "use await"),
        ),
        (
            "an executor",
            "import asyncio\nreturn await asyncio.get_running_loop().run_in_executor(None, lambda: 5)",
            Want::Value("5"),
        ),
        (
            "to_thread",
            "import asyncio\nreturn await asyncio.to_thread(lambda: 6)",
            Want::Value("6"),
        ),
        (
            "a pool of threads",
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as e: return list(e.map(abs, [-1]))",
            Want::Fails(Exception, "there are no threads; use asyncio"),
        ),
        (
            "a pool of processes",
            "from concurrent.futures import ProcessPoolExecutor\nwith ProcessPoolExecutor() as e: return list(e.map(abs, [-1]))",
            Want::Fails(Exception, ""),
        ),
        (
            "a timer's thread",
            "import threading\nthreading.Timer(0.01, print).start()",
            Want::Fails(Exception, "there are no threads"),
        ),
        (
            "a stopped loop",
            "import asyncio\nl = asyncio.get_running_loop()\nl.stop()\nl.close()\nreturn await tools.echo(a=1)",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "no call outside of a coroutine",
            "def f(): return tools.echo(a=1)\nreturn await f()",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "a flood of timers",
            "import asyncio\nloop = asyncio.get_running_loop()\nfor i in range(100000): loop.call_later(60, print)",
            Want::Fails(Exception, "timers are already set"),
        ),
    ];
    attack_python(&cases, patient_for_python()).await;
}
