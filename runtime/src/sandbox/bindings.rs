//! The worlds of the guests as Rust types, generated from `sandbox-guest/wit`.

/// The world of a program guest. Its imports are linked by hand in `host.rs`, so that a line is measured before it is copied.
pub(super) mod program {
    wasmtime::component::bindgen!({
        path: "../sandbox-guest/wit",
        world: "program-guest",
        exports: { default: async },
        ownership: Borrowing { duplicate_if_necessary: true },
    });
}

/// The world of the TypeScript stripper.
pub(super) mod typescript {
    wasmtime::component::bindgen!({
        path: "../sandbox-guest/wit",
        world: "typescript-guest",
        exports: { default: async },
    });
}
