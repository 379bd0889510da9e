//! What a Python program can reach, and what of it the next run sees: nothing.

use lockgate::code_runtime::{CodeLimits, FailureKind::Exception, FailureKind::SandboxExit};
use lockgate::json;

use crate::hostile_support::{Case, Want, attack_python, patient_for_python, tight_for_python};
use crate::sandbox_support::{python, run_in};

// SPEC J3
#[tokio::test]
async fn no_door_leads_out_of_the_guest() {
    let cases: [Case; 40] = [
        (
            "open",
            "open('/etc/passwd')",
            Want::Fails(Exception, "mounted"),
        ),
        (
            "open to write",
            "open('out.txt', 'w')",
            Want::Fails(Exception, "mounted"),
        ),
        (
            "open of a descriptor",
            "found = []\nfor n in range(3, 40):\n  try: found.append(open(n, 'rb', closefd=False).read(1) and n)\n  except OSError: pass\nreturn [n for n in found if n]",
            Want::Value("[]"),
        ),
        (
            "standard input",
            "import sys\nreturn sys.stdin.read() if sys.stdin else ''",
            Want::Value(r#""""#),
        ),
        ("input", "input()", Want::Fails(Exception, "EOFError")),
        (
            "io and os open",
            "import io, os\nseen = []\nfor f in (lambda: io.open('/proc/self/environ'), lambda: io.FileIO('/etc/passwd'), lambda: os.open('/', os.O_RDONLY)):\n  try: seen.append(str(f()))\n  except OSError: seen.append('refused')\nreturn seen",
            Want::Value(r#"["refused","refused","refused"]"#),
        ),
        (
            "pathlib",
            "from pathlib import Path\nreturn [Path('/').exists(), Path('/proc').exists(), Path.cwd().as_posix()]",
            Want::Value(r#"[false,false,"/"]"#),
        ),
        (
            "a list of a folder",
            "import os\nos.listdir('/')",
            Want::Fails(Exception, "FileNotFoundError"),
        ),
        (
            "a walk of a folder",
            "import os\nreturn list(os.walk('/'))",
            Want::Value("[]"),
        ),
        (
            "a search in a folder",
            "import glob\nreturn glob.glob('/**', recursive=True)",
            Want::Value("[]"),
        ),
        (
            "a new folder",
            "import os\nos.mkdir('/new')",
            Want::Fails(Exception, "Error"),
        ),
        (
            "the environment",
            "import os\nreturn dict(os.environ)",
            Want::Value("{}"),
        ),
        (
            "the environment of the system",
            "import os\nreturn [os.getenv('HOME'), os.getenv('PATH')]",
            Want::Value("[null,null]"),
        ),
        (
            "arguments and paths",
            "import sys\nreturn [sys.argv, sys.path, sys.executable]",
            Want::Value(r#"[[],[],""]"#),
        ),
        (
            "no path of the host in the modules",
            "import sys\nreturn [m for m, v in sys.modules.items() if any(p in str(getattr(v, '__file__', '')) for p in ('/home', '/root', '/usr', '/work', '/tmp', '/Users'))]",
            Want::Value("[]"),
        ),
        (
            "a socket",
            "import socket\ns = socket.socket()\ns.connect(('127.0.0.1', 80))",
            Want::Fails(Exception, "Error"),
        ),
        (
            "a connection",
            "import socket\nsocket.create_connection(('127.0.0.1', 80))",
            Want::Fails(Exception, "there is no network"),
        ),
        (
            "a connection of asyncio",
            "import asyncio\nawait asyncio.open_connection('127.0.0.1', 80)",
            Want::Fails(Exception, "Error"),
        ),
        (
            "a server",
            "import asyncio\nawait asyncio.start_server(lambda r, w: None, '127.0.0.1', 0)",
            Want::Fails(Exception, "Error"),
        ),
        (
            "a name of the network",
            "import socket\nreturn socket.getaddrinfo('localhost', 80)",
            Want::Fails(Exception, ""),
        ),
        (
            "a page",
            "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')",
            Want::Fails(Exception, "there is no network"),
        ),
        (
            "a page of a file",
            "import urllib.request\nurllib.request.urlopen('file:///etc/passwd')",
            Want::Fails(Exception, "URLError"),
        ),
        (
            "a process",
            "import subprocess\nsubprocess.run(['ls'])",
            Want::Fails(Exception, ""),
        ),
        (
            "a process of asyncio",
            "import asyncio\nawait asyncio.create_subprocess_shell('ls')",
            Want::Fails(Exception, ""),
        ),
        (
            "system and popen",
            "import os\nseen = []\nfor name in ('system', 'popen', 'fork', 'execv', 'spawnv', 'posix_spawn', 'kill'):\n  try:\n    getattr(os, name)('ls')\n    seen.append(name)\n  except (AttributeError, OSError, TypeError): pass\nreturn seen",
            Want::Value("[]"),
        ),
        (
            "foreign functions",
            "import ctypes",
            Want::Fails(Exception, "ModuleNotFoundError"),
        ),
        (
            "mapped memory",
            "import mmap\nmmap.mmap(-1, 4096)",
            Want::Fails(Exception, ""),
        ),
        (
            "a module that is not there",
            "import numpy",
            Want::Fails(Exception, "use lists, math and statistics"),
        ),
        (
            "a module by its name",
            "import importlib\nimportlib.import_module('requests')",
            Want::Fails(Exception, "there is no network; call a tool"),
        ),
        (
            "a module by __import__",
            "__import__('yaml')",
            Want::Fails(Exception, "use json"),
        ),
        (
            "a module from a path",
            "import sys\nsys.path.insert(0, '/')\nimport anything",
            Want::Fails(Exception, "No module named"),
        ),
        (
            "a module from an archive",
            "import sys, zipimport\nsys.path_hooks.append(zipimport.zipimporter)\nsys.path.append('/x.zip')\nimport anything",
            Want::Fails(Exception, "No module named"),
        ),
        (
            "a module from source, in memory",
            "import importlib.util, sys\nspec = importlib.util.spec_from_loader('mine', loader=None)\nm = importlib.util.module_from_spec(spec)\nexec('x = 5', m.__dict__)\nsys.modules['mine'] = m\nimport mine\nreturn mine.x",
            Want::Value("5"),
        ),
        (
            "a thread",
            "import threading\nthreading.Thread(target=print).start()",
            Want::Fails(Exception, "there are no threads"),
        ),
        (
            "a low thread",
            "import _thread\n_thread.start_new_thread(print, ())",
            Want::Fails(Exception, "thread"),
        ),
        (
            "another interpreter",
            "import _interpreters as i\nreturn i.run_string(i.create(), 'x = 1')",
            Want::OneOf(&[
                Want::Value("null"),
                Want::Fails(Exception, ""),
                Want::Fails(SandboxExit, ""),
            ]),
        ),
        (
            "a debugger",
            "breakpoint()\nreturn 1",
            Want::OneOf(&[Want::Value("1"), Want::Fails(Exception, "")]),
        ),
        (
            "subclasses of object",
            "found = [c for c in object.__subclasses__() if c.__name__ in ('Popen', '_wrap_close')]\nfor c in found:\n  try:\n    c.__init__.__globals__['system']('ls')\n    return 'ran'\n  except (KeyError, AttributeError, OSError, TypeError): pass\nreturn 'refused'",
            Want::Value(r#""refused""#),
        ),
        (
            "the loader of a builtin module",
            "import sys\nfor name in ('os', 'subprocess', 'ctypes', '_ctypes', '_posixsubprocess'):\n  try: m = sys.modules['importlib._bootstrap'].BuiltinImporter.load_module(name)\n  except Exception: continue\n  if hasattr(m, 'fork_exec') or hasattr(m, 'dlopen'): return name\nreturn 'none'",
            Want::Value(r#""none""#),
        ),
        (
            "the user and the machine",
            "import os, platform, getpass\nreturn platform.node()",
            Want::OneOf(&[
                Want::Value(r#""""#),
                Want::Value(r#""(none)""#),
                Want::Fails(Exception, ""),
            ]),
        ),
    ];
    attack_python(&cases, patient_for_python()).await;
}

/// What a program does to the world of its run.
const SPOILS: [(&str, &str); 24] = [
    (
        "builtins",
        "import builtins\nbuiltins.len = builtins.sorted = builtins.print = lambda *a, **k: 'spoiled'\nbuiltins.left = 1",
    ),
    (
        "builtins removed",
        "import builtins\nfor n in list(vars(builtins)):\n  if n[0] != '_': delattr(builtins, n)",
    ),
    (
        "json",
        "import json\njson.dumps = json.loads = lambda *a, **k: 'spoiled'\njson.encoder.c_make_encoder = json.decoder.scanstring = json.encoder.encode_basestring_ascii = None",
    ),
    (
        "asyncio",
        "import asyncio\nasyncio.gather = asyncio.sleep = asyncio.create_task = asyncio.Future = asyncio.Task = lambda *a, **k: 'spoiled'",
    ),
    (
        "futures",
        "import asyncio\nfor f in ('set_result', 'result', 'done'):\n  try: setattr(asyncio.Future, f, lambda *a: 'spoiled')\n  except TypeError: pass",
    ),
    (
        "the loop",
        "import asyncio\nloop = asyncio.get_running_loop()\nloop.__class__.call_soon = loop.__class__.time = lambda *a, **k: 'spoiled'",
    ),
    ("modules removed", "import sys\nsys.modules.clear()"),
    (
        "modules replaced",
        "import sys\nfor n in list(sys.modules):\n  if n not in ('builtins', '__main__'): sys.modules[n] = None",
    ),
    (
        "a module of its own",
        "import sys, types\nsys.modules['left'] = types.ModuleType('left')",
    ),
    (
        "importers",
        "import sys\nsys.meta_path.clear()\nsys.path_hooks.clear()",
    ),
    (
        "__import__",
        "import builtins\nbuiltins.__import__ = lambda *a: 'spoiled'",
    ),
    (
        "globals",
        "globals()['left'] = 1\nimport __main__\n__main__.left = 2",
    ),
    (
        "classes of others",
        "import collections, datetime, decimal\ncollections.Counter.most_common = lambda *a: 'spoiled'\ncollections.left = 1\ndecimal.getcontext().prec = 2",
    ),
    (
        "contexts",
        "import contextvars\nglobal v\nv = contextvars.ContextVar('left')\nv.set(1)",
    ),
    (
        "a limit",
        "import sys\nsys.setrecursionlimit(50)\nsys.set_int_max_str_digits(1000)",
    ),
    (
        "hooks",
        "import sys, gc\nsys.displayhook = sys.excepthook = sys.unraisablehook = lambda *a: print('left')\ngc.callbacks.append(lambda *a: print('left'))\ngc.disable()",
    ),
    (
        "a tracer",
        "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)",
    ),
    (
        "an audit hook",
        "import sys\nsys.addaudithook(lambda *a: None)",
    ),
    ("output", "import sys\nsys.stdout = sys.stderr = None"),
    (
        "output closed",
        "import sys\nsys.stdout.close()\nsys.stderr.close()",
    ),
    (
        "random numbers",
        "import random\nrandom.seed(1)\nrandom.random = lambda: 4",
    ),
    (
        "the environment",
        "import os\nos.environ['left'] = '1'\nos.left = 1",
    ),
    (
        "the end of the process",
        "import atexit\natexit.register(print, 'left')",
    ),
    (
        "the guest's own modules",
        "import sys\nfor n, m in list(sys.modules.items()):\n  if n.startswith(('lockgate_guest', 'wit_world', 'componentize')) and m:\n    for k in list(vars(m)):\n      if not k.startswith('__'): setattr(m, k, None)",
    ),
];

/// Returns what is not as a new run finds it.
const LOOK: &str = "
import asyncio, builtins, collections, decimal, gc, json, os, random, sys, __main__
found = []
def check(what, good):
  if not good: found.append(what)
check('builtins', len([1]) == 1 and sorted([2, 1]) == [1, 2] and not hasattr(builtins, 'left'))
check('json', json.dumps(json.loads('{\"a\": [1]}')) == '{\"a\": [1]}')
check('asyncio', await asyncio.gather(asyncio.sleep(0, 1), tools.echo(a=1)) == [1, {'a': 1}])
check('timers', await asyncio.sleep(0.001, 2) == 2)
check('modules', 'left' not in sys.modules and sys.modules['os'] is os and 'left' not in globals() and not hasattr(__main__, 'left'))
check('classes', collections.Counter('aab').most_common(1) == [('a', 2)] and not hasattr(collections, 'left') and decimal.getcontext().prec == 28)
check('limits', sys.getrecursionlimit() == 1000 and len(str(10**3000)) == 3001 and gc.isenabled())
check('hooks', sys.gettrace() is None and sys.getprofile() is None and not gc.callbacks and sys.excepthook is sys.__excepthook__)
check('environment', not os.environ and not hasattr(os, 'left'))
check('random', 0 <= random.random() < 1)
check('objects', not [o for o in gc.get_objects() if type(o) is str and o == 'left'])
print('seen')
return found";

// SPEC J2, J6
#[tokio::test]
async fn nothing_that_a_run_spoils_is_seen_by_the_next() {
    let Some(sandbox) = python() else { return };
    let mut wrong = Vec::new();
    for (name, spoil) in SPOILS {
        for end in ["return 1", "await tools.hang()"] {
            let limits = CodeLimits {
                wall: std::time::Duration::from_millis(100),
                ..tight_for_python()
            };
            run_in(sandbox, &format!("{spoil}\n{end}"), limits).await;
            let (result, _) = run_in(sandbox, LOOK, CodeLimits::default()).await;
            let logs: Vec<_> = result.logs.iter().map(|line| line.text.as_str()).collect();
            if result.outcome != Ok(Some(json!([]))) || logs != ["seen"] {
                wrong.push(format!("{name}: {:?} {logs:?}", result.outcome));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// SPEC J2: what one run kept in memory is in no object of a later one.
#[tokio::test]
async fn a_secret_of_one_run_is_not_in_the_memory_of_the_next() {
    let Some(sandbox) = python() else { return };
    // The secret is put together in the guest, so that no program text holds it.
    let plant = "keep = ['can' + 'ary' + str(i) for i in range(2000)] + [bytearray(b'\\xca' * 256) for _ in range(500)]\nimport sys\nsys.keep = keep\n";
    let look = "import gc, sys\nmark = 'can' + 'ary'\nfound = [o for o in gc.get_objects() if type(o) in (list, dict) and any(type(x) is str and mark in x and x != mark for x in o)]\nreturn [len(found), hasattr(sys, 'keep'), any(any(bytearray(n)) for n in (256, 4096, 65536))]";
    for end in [
        "return 1",
        "1 / 0",
        "while True: pass",
        "await tools.hang()",
        "import os\nos._exit(1)",
    ] {
        let limits = CodeLimits {
            compute: std::time::Duration::from_millis(300),
            wall: std::time::Duration::from_millis(1500),
            ..CodeLimits::default()
        };
        run_in(sandbox, &format!("{plant}{end}"), limits).await;
        for _ in 0..20 {
            let (result, _) = run_in(sandbox, look, CodeLimits::default()).await;
            assert_eq!(result.outcome, Ok(Some(json!([0, false, false]))), "{end}");
        }
    }
}

// SPEC J2
#[tokio::test]
async fn nothing_that_could_be_guessed_repeats() {
    let Some(sandbox) = python() else { return };
    let source = "import os, random, secrets, uuid\nreturn [str(x) for x in (random.random(), random.getrandbits(64), uuid.uuid4(), secrets.token_hex(16), os.urandom(16).hex())]";
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let (result, _) = run_in(sandbox, source, CodeLimits::default()).await;
        let found = result.outcome.unwrap().unwrap();
        for item in found.as_array().unwrap().iter() {
            let item = item.as_str().unwrap().to_owned();
            assert!(seen.insert(item.clone()), "{item} came twice");
        }
    }
}
