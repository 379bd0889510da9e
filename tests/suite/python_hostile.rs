//! Python programs that fight their interpreter: each ends in a way that has a name, and the host goes on.

use std::time::Duration;

use lockgate::code_runtime::{CodeLimits, FailureKind::Exception, Limit};

use crate::hostile_support::{BROKEN, Case, Want, attack_python, tight_for_python};
use crate::sandbox_support::{python, run_in};

const COMPUTE: Want = Want::Ends(Limit::Compute);
const STACK: Want = Want::Ends(Limit::Stack);
const MEMORY: Want = Want::Ends(Limit::Memory);
/// A bomb may meet an error of CPython, or its compute time, before it meets its memory.
const BOUNDED: Want = Want::OneOf(&[
    MEMORY,
    COMPUTE,
    Want::Fails(Exception, "OverflowError"),
    Want::Fails(Exception, "ValueError"),
]);
/// What descends too deep, by recursion or by a parser.
const TOO_DEEP: Want = Want::OneOf(&[
    STACK,
    COMPUTE,
    Want::Fails(Exception, "SyntaxError"),
    Want::Fails(Exception, "RecursionError"),
]);
// SPEC J4, J6
#[tokio::test]
async fn no_handler_holds_off_the_end_of_the_compute_time() {
    let cases: [Case; 16] = [
        (
            "every handler",
            "while True:\n  try:\n    while True: pass\n  except BaseException: continue\n  finally:\n    while True: pass",
            COMPUTE,
        ),
        (
            "a context manager",
            "class C:\n  def __enter__(self): return self\n  def __exit__(self, *a):\n    while True: pass\nwith C():\n  1 / 0",
            COMPUTE,
        ),
        (
            "an asynchronous context manager",
            "class C:\n  async def __aenter__(self): pass\n  async def __aexit__(self, *a):\n    while True: pass\nasync with C(): await tools.echo()",
            COMPUTE,
        ),
        (
            "a finalizer",
            "class A:\n  def __del__(self):\n    while True: pass\nA()\nreturn 1",
            COMPUTE,
        ),
        (
            "a finalizer of what is left at the end",
            "class A:\n  def __del__(self):\n    while True: pass\nglobal keep\nkeep = A()\nreturn 1",
            Want::OneOf(&[Want::Value("1"), COMPUTE]),
        ),
        (
            "a handler of a signal",
            "import signal\ndef on(*a):\n  while True: pass\nsignal.signal(signal.SIGINT, on)\nsignal.raise_signal(signal.SIGINT)\nwhile True: pass",
            Want::OneOf(&[COMPUTE, Want::Fails(Exception, "")]),
        ),
        (
            "an alarm",
            "import signal\nsignal.alarm(1)\nwhile True: pass",
            Want::OneOf(&[COMPUTE, Want::Fails(Exception, "AttributeError")]),
        ),
        (
            "a tracer",
            "import sys\ndef t(*a):\n  while True: pass\nsys.settrace(t)\ndef f(): pass\nf()\nreturn 1",
            COMPUTE,
        ),
        (
            "a profiler",
            "import sys\ndef t(*a):\n  while True: pass\nsys.setprofile(t)\nlen('')\nreturn 1",
            COMPUTE,
        ),
        (
            "an audit hook",
            "import sys\ndef t(*a):\n  while True: pass\nsys.addaudithook(t)\ncompile('1', 'x', 'eval')\nreturn 1",
            COMPUTE,
        ),
        (
            "a text of an error",
            "class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
            COMPUTE,
        ),
        (
            "a name of an error's class",
            "class M(type):\n  @property\n  def __qualname__(self):\n    while True: pass\nclass E(Exception, metaclass=M): pass\nraise E",
            Want::OneOf(&[COMPUTE, Want::Fails(Exception, "")]),
        ),
        (
            "a task that will not be cancelled",
            "import asyncio\nasync def f():\n  while True:\n    try: await asyncio.sleep(0)\n    except asyncio.CancelledError: pass\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)\nt.cancel()\nawait t",
            COMPUTE,
        ),
        (
            "callbacks that call again",
            "import asyncio\nloop = asyncio.get_running_loop()\ndef f(): loop.call_soon(f)\nf()\nawait tools.hang()",
            COMPUTE,
        ),
        (
            "a comprehension without end",
            "import itertools\nreturn sum(1 for _ in itertools.count())",
            COMPUTE,
        ),
        ("a sum in C", "return sum(iter(int, 1))", COMPUTE),
    ];
    let limits = CodeLimits {
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_python(&cases, limits).await;
}

// SPEC J4, J6: what is one long step of the interpreter.
#[tokio::test]
async fn no_operation_of_the_interpreter_is_too_long_to_be_ended() {
    let cases: [Case; 20] = [
        ("a power", "return len(str(10 ** 10 ** 8))", BOUNDED),
        ("a larger power", "x = 10 ** 10 ** 10", BOUNDED),
        ("powers of powers", "x = 3\nwhile True: x = x ** 3", BOUNDED),
        ("a product", "x = 3 ** 1000000\nwhile True: x *= x", BOUNDED),
        ("a shift", "x = 1 << 10 ** 12", BOUNDED),
        ("a shorter shift", "x = 1 << 10 ** 9", BOUNDED),
        (
            "a text of digits",
            "int('9' * 10 ** 6)",
            Want::Fails(Exception, "ValueError"),
        ),
        (
            "a text of digits, with the limit lifted",
            "import sys\nsys.set_int_max_str_digits(0)\nwhile True: str(3 ** 3000000)",
            BOUNDED,
        ),
        (
            "a factorial",
            "import math\nmath.factorial(10 ** 7)",
            BOUNDED,
        ),
        (
            "a binomial",
            "import math\nmath.comb(10 ** 8, 10 ** 7)",
            BOUNDED,
        ),
        (
            "a decimal of every digit",
            "import decimal\nc = decimal.getcontext()\nc.prec = decimal.MAX_PREC\nreturn str(decimal.Decimal(1) / 3)[:3]",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "")]),
        ),
        (
            "a decimal as an integer",
            "import decimal\nreturn int(decimal.Decimal('1e99999999')) > 0",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "")]),
        ),
        (
            "a regular expression",
            r"import re
re.match(r'(a|aa)+$', 'a' * 60 + '!')",
            COMPUTE,
        ),
        (
            "a regular expression with a back reference",
            r"import re
re.match(r'(a*)*\1b', 'a' * 60)",
            COMPUTE,
        ),
        (
            "a substitution",
            "import re\nre.sub('(x+x+)+y', '', 'x' * 60)",
            COMPUTE,
        ),
        (
            "a search for what is not there",
            "s = 'a' * 3000000\nwhile True: s.count('a' * 1000 + 'b' + 'a' * 1000)",
            COMPUTE,
        ),
        (
            "hashes that collide",
            "class K:\n  def __hash__(self): return 1\n  def __eq__(self, o): return False\nd = {}\nwhile True: d[K()] = 1",
            COMPUTE,
        ),
        (
            "an order of many",
            "a = list(range(200000))\nwhile True:\n  a.reverse()\n  a.sort(key=lambda x: -x)",
            COMPUTE,
        ),
        (
            "a wait for a lock",
            "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
            Want::OneOf(&[BROKEN, Want::Ends(Limit::Wall)]),
        ),
        (
            "a sleep of the process",
            "import time\ntime.sleep(1000)",
            Want::OneOf(&[COMPUTE, Want::Ends(Limit::Wall), Want::Fails(Exception, "")]),
        ),
    ];
    attack_python(&cases, tight_for_python()).await;
}

// SPEC J4
#[tokio::test]
async fn no_bomb_outgrows_its_memory() {
    let cases: [Case; 26] = [
        (
            "a text that doubles",
            "s = 'ab'\nwhile True: s += s",
            BOUNDED,
        ),
        (
            "bytes that double",
            "b = bytearray(b'ab')\nwhile True: b += bytes(b)",
            BOUNDED,
        ),
        (
            "a list that doubles",
            "a = [1]\nwhile True: a += a",
            BOUNDED,
        ),
        ("a long list", "a = [0] * (1 << 30)", BOUNDED),
        ("longer bytes than there are", "b = bytes(1 << 40)", BOUNDED),
        (
            "a joined text",
            "'x'.join(['y' * 1000000] * 100000)",
            BOUNDED,
        ),
        (
            "a replacement",
            "s = 'x'\nwhile True: s = s.replace('x', 'xxxx')",
            BOUNDED,
        ),
        ("a width", "return len(f'{1:>{10 ** 9}}')", BOUNDED),
        (
            "a width of percent",
            "return len('%*d' % (10 ** 9, 1))",
            BOUNDED,
        ),
        ("a precision", "return len('%.1000000000f' % 1.5)", BOUNDED),
        ("zeros", "return len('1'.zfill(2 ** 30))", BOUNDED),
        (
            "tabs",
            "return len(('\\t' * 1000).expandtabs(10 ** 8))",
            BOUNDED,
        ),
        ("a list of an iterator", "list(iter(object, 1))", BOUNDED),
        ("a set", "set(iter(object, 1))", BOUNDED),
        (
            "a tuple",
            "import itertools\ntuple(itertools.repeat('x'))",
            BOUNDED,
        ),
        (
            "a queue",
            "import collections, itertools\ncollections.deque(itertools.count())",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "SystemError")]),
        ),
        (
            "a product",
            "import itertools\nlist(itertools.product(range(10000), repeat=3))",
            BOUNDED,
        ),
        (
            "a tee",
            "import itertools\na, b = itertools.tee(itertools.count())\nfor _ in a: pass",
            BOUNDED,
        ),
        (
            "a cache",
            "import functools\n@functools.cache\ndef f(n): return 'x' * 1000 + str(n)\nn = 0\nwhile True: n += len(f(n))",
            BOUNDED,
        ),
        (
            "interned texts",
            "import sys\nn = 0\nkeep = []\nwhile True:\n  n += 1\n  keep.append(sys.intern('x' * 100 + str(n)))",
            BOUNDED,
        ),
        (
            "classes",
            "keep = []\nwhile True: keep.append(type('C', (), {}))",
            BOUNDED,
        ),
        (
            "tasks",
            "import asyncio\nasync def f(): await tools.hang()\nkeep = []\nwhile True: keep.append(asyncio.create_task(asyncio.sleep(0)))",
            BOUNDED,
        ),
        (
            "compressed zeros",
            "import zlib\nd = zlib.compress(bytes(10 ** 6))\nfor _ in range(2): d = zlib.compress(zlib.decompress(d) * 20)\nwhile True: d = zlib.compress(zlib.decompress(d) * 20)",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "")]),
        ),
        (
            "a pickle of a bomb",
            "import pickle\npickle.loads(b'\\x80\\x04\\x8e\\xff\\xff\\xff\\x7f\\x00\\x00\\x00\\x00')",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "")]),
        ),
        (
            "entities of XML",
            "import xml.etree.ElementTree as E\nd = '<!DOCTYPE x [<!ENTITY a0 \"' + 'z' * 1000 + '\">' + ''.join(f'<!ENTITY a{i} \"{(\"&a\" + str(i - 1) + \";\") * 20}\">' for i in range(1, 8)) + ']><x>&a7;</x>'\nE.fromstring(d)",
            Want::OneOf(&[BOUNDED, Want::Fails(Exception, "ParseError")]),
        ),
        (
            "caught, and again",
            "a = []\nwhile True:\n  try:\n    while True: a.append('x' * 100000)\n  except MemoryError: pass",
            BOUNDED,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(3),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_python(&cases, limits).await;
}

// SPEC J6
#[tokio::test]
async fn no_depth_overflows_anything_but_the_programs_own_stack() {
    let cases: [Case; 24] = [
        (
            "recursion with the limit lifted",
            "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n): return f(n + 1) + 1\nf(0)",
            Want::OneOf(&[TOO_DEEP, MEMORY]),
        ),
        (
            "recursion in C with the limit lifted",
            "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n  def __repr__(self): return repr(self)\nrepr(A())",
            TOO_DEEP,
        ),
        (
            "attributes",
            "import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n  def __getattr__(self, n): return getattr(self, n + 'x')\nA().q",
            TOO_DEEP,
        ),
        (
            "comparisons",
            "class A:\n  def __eq__(self, o): return o == self\nA() == A()",
            TOO_DEEP,
        ),
        (
            "hashes",
            "class A:\n  def __hash__(self): return hash(self)\n{A()}",
            TOO_DEEP,
        ),
        (
            "items",
            "class A:\n  def __getitem__(self, n): return self[n]\nA()[0]",
            TOO_DEEP,
        ),
        (
            "classes of classes",
            "class M(type):\n  def __call__(cls, *a): return cls(*a)\nclass A(metaclass=M): pass\nA()",
            TOO_DEEP,
        ),
        (
            "a descriptor",
            "class D:\n  def __get__(self, o, c): return o.x\nclass A: x = D()\nA().x",
            TOO_DEEP,
        ),
        (
            "a subclass check",
            "class M(type):\n  def __instancecheck__(c, o): return isinstance(o, c)\nclass A(metaclass=M): pass\nisinstance(1, A)",
            TOO_DEEP,
        ),
        (
            "caught in each frame",
            "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f():\n  try: f()\n  except RecursionError: f()\nf()",
            Want::OneOf(&[TOO_DEEP, MEMORY]),
        ),
        (
            "a value as JSON",
            "import json\na = []\nfor i in range(100000): a = [a]\njson.dumps(a)",
            TOO_DEEP,
        ),
        (
            "JSON as a value",
            "import json\njson.loads('[' * 100000 + ']' * 100000)",
            TOO_DEEP,
        ),
        (
            "a value as JSON, with the limit lifted",
            "import json, sys\nsys.setrecursionlimit(10 ** 6)\na = []\nfor i in range(100000): a = {'a': a}\njson.dumps(a)",
            TOO_DEEP,
        ),
        (
            "a text of a list",
            "a = []\nfor i in range(100000): a = [a]\nrepr(a)",
            TOO_DEEP,
        ),
        (
            "two lists",
            "a = []\nb = []\nfor i in range(100000): a, b = [a], [b]\na == b",
            TOO_DEEP,
        ),
        (
            "a copy",
            "import copy\na = []\nfor i in range(100000): a = [a]\ncopy.deepcopy(a)",
            TOO_DEEP,
        ),
        (
            "a pickle",
            "import pickle, sys\nsys.setrecursionlimit(10 ** 6)\na = []\nfor i in range(100000): a = [a]\npickle.dumps(a)",
            TOO_DEEP,
        ),
        (
            "parentheses",
            "import ast\nast.parse('(' * 100000 + ')' * 100000)",
            TOO_DEEP,
        ),
        (
            "signs",
            "compile('-' * 100000 + '1', 'x', 'eval')",
            TOO_DEEP,
        ),
        ("names", "eval('a' + '.b' * 100000)", TOO_DEEP),
        (
            "sums",
            "compile('1' + '+1' * 30000, 'x', 'eval')\nreturn 1",
            Want::OneOf(&[TOO_DEEP, Want::Value("1")]),
        ),
        (
            "a tree of syntax",
            "import ast\nn = ast.Constant(1)\nfor i in range(50000): n = ast.UnaryOp(ast.USub(), n, lineno=1, col_offset=0)\ncompile(ast.Expression(n), 'x', 'eval')",
            Want::OneOf(&[TOO_DEEP, Want::Fails(Exception, "TypeError")]),
        ),
        (
            "groups of a regular expression",
            "import re\nre.compile('(' * 10000 + 'a' + ')' * 10000)",
            TOO_DEEP,
        ),
        (
            "generators",
            "def g(n):\n  if n: yield from g(n - 1)\n  yield n\nimport sys\nsys.setrecursionlimit(10 ** 6)\nreturn sum(g(100000))",
            TOO_DEEP,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(3),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_python(&cases, limits).await;
}

// SPEC J6
#[tokio::test]
async fn deep_values_are_dropped_and_caught_recursion_goes_on() {
    let cases: [Case; 5] = [
        (
            "a deep list is dropped",
            "a = []\nfor i in range(300000): a = [a]\na = None\nreturn 1",
            Want::OneOf(&[Want::Value("1"), STACK]),
        ),
        (
            "a deep chain of objects is dropped",
            "class N:\n  def __init__(self, n): self.n = n\nn = None\nfor i in range(100000): n = N(n)\nn = None\nreturn 1",
            Want::OneOf(&[Want::Value("1"), STACK]),
        ),
        (
            "recursion, caught",
            "def f(): f()\ntry: f()\nexcept RecursionError as e: return type(e).__name__",
            Want::Value(r#""RecursionError""#),
        ),
        (
            "recursion, caught a hundred times",
            "def f(): f()\nn = 0\nfor i in range(100):\n  try: f()\n  except RecursionError: n += 1\nreturn n",
            Want::Value("100"),
        ),
        (
            "memory, caught",
            "try: [0] * (1 << 28)\nexcept MemoryError: return 'caught'",
            Want::Value(r#""caught""#),
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_python(&cases, limits).await;
}

// SPEC H5, J6
#[tokio::test]
async fn a_deep_program_is_refused_and_never_faults() {
    let Some(sandbox) = python() else { return };
    let shapes = [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("{1:", "1", "}"),
        ("f(", "", ")"),
        ("-", "1", ""),
        ("not ", "1", ""),
        ("await ", "1", ""),
        ("lambda:", "1", ""),
        ("1 if 1 else ", "1", ""),
        ("a[", "1", "]"),
        ("a.", "b", ""),
        ("1+", "1", ""),
        ("1**", "1", ""),
        ("f'{", "1", "}'"),
        ("(yield ", "1", ")"),
        ("1<", "1", ""),
        ("*", "a", ""),
        ("1and ", "1", ""),
    ];
    let mut wrong = Vec::new();
    for (open, middle, close) in shapes {
        for times in [150, 3000, 50_000] {
            let source = format!(
                "return {}{middle}{}",
                open.repeat(times),
                close.repeat(times)
            );
            let limits = CodeLimits {
                compute: Duration::from_secs(3),
                ..tight_for_python()
            };
            let (result, _) = run_in(sandbox, &source, limits).await;
            if let Err(failure) = result.outcome
                && failure.message.contains("wasm trap")
                && failure.limit.is_none()
            {
                wrong.push(format!("{open} {times}: {failure:?}"));
            }
        }
    }
    // Blocks in blocks.
    for times in [50, 150, 5000] {
        let blocks: String = (0..times)
            .map(|n| format!("{}if 1:\n", " ".repeat(n)))
            .collect();
        let (result, _) = run_in(
            sandbox,
            &format!("{blocks}{}pass", " ".repeat(times)),
            tight_for_python(),
        )
        .await;
        if let Err(failure) = result.outcome
            && failure.message.contains("wasm trap")
            && failure.limit.is_none()
        {
            wrong.push(format!("blocks {times}: {failure:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
