//! Runs a guest's `init` once and keeps the memory it leaves: a run starts with a warm engine. Then makes a component.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::{Config, Engine, Instance, Linker, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};
use wit_component::ComponentEncoder;

/// Deep recursion in `init` (a warm-up may parse nested code) needs more than the default.
const WASM_STACK_BYTES: usize = 16 << 20;

/// The component that is `module` after its `init`.
pub(super) fn snapshot(module: &[u8]) -> Result<Vec<u8>, String> {
    let snapshotted = block_on(snapshot_module(module))
        .map_err(|error| format!("the snapshot failed: {error:?}"))?;
    ComponentEncoder::default()
        .validate(true)
        .module(&snapshotted)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| format!("the guest does not make a component: {error:?}"))
}

async fn snapshot_module(module: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func("init");
    let (context, instrumented) = wizer.instrument(module)?;
    let mut config = Config::new();
    config
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(WASM_STACK_BYTES + (2 << 20));
    let engine = Engine::new(&config)?;
    let module = Module::new(&engine, &instrumented)?;
    let mut linker = Linker::new(&engine);
    // A snapshot must not depend on the machine that takes it, so `init` may not ask the host for anything.
    linker.define_unknown_imports_as_traps(&module)?;
    let mut store = Store::new(&engine, ());
    let instance = linker.instantiate(&mut store, &module)?;
    if let Ok(initialize) = instance.get_typed_func::<(), ()>(&mut store, "_initialize") {
        initialize.call(&mut store, ())?;
    }
    instance
        .get_typed_func::<(), ()>(&mut store, "init")?
        .call(&mut store, ())?;
    wizer
        .snapshot(&context, &mut State { store, instance })
        .await
}

/// An instance whose state wizer reads. Its own implementation would pull in features of wasmtime that nothing else
/// here uses, and so a second build of it.
struct State {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for State {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self
            .instance
            .get_global(&mut self.store, name)
            .expect("wizer names a global that it exported");
        match global.get(&mut self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(value) => SnapshotVal::F32(value),
            Val::F64(value) => SnapshotVal::F64(value),
            Val::V128(value) => SnapshotVal::V128(value.as_u128()),
            other => panic!("wizer checked that globals are numbers, not {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self
            .instance
            .get_memory(&mut self.store, name)
            .expect("wizer names a memory that it exported");
        contents(memory.data(&self.store));
    }
}

/// Polls a future that never waits.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            return value;
        }
    }
}
