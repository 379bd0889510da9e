//! The wasm face of the guest: the world `typescript-guest` and the warm-up before the snapshot.
//!
//! This file has `unsafe` code: the exported names that the component model and the snapshot tool ask for, and what
//! wit-bindgen writes for the world.

#![expect(
    unsafe_code,
    reason = "a wasm export is an unsafe attribute; the code of the world is generated"
)]

use std::cell::RefCell;

use crate::{Place, Stripper};

/// A program that is blanked, and what makes it one that is compiled.
const WARM_UP: [&str; 2] = [
    include_str!("warm_up.ts"),
    concat!(
        include_str!("warm_up.ts"),
        "\nenum Level { Low, High = 6 }\nclass P { constructor(private x: Level) {} }"
    ),
];

thread_local! {
    static STRIPPER: RefCell<Stripper> = RefCell::default();
}

mod world {
    wit_bindgen::generate!({ path: "../wit/typescript.wit", world: "typescript-guest" });
}

struct Guest;

impl world::Guest for Guest {
    fn strip(source: String) -> Result<world::Stripped, Vec<world::Diagnostic>> {
        let outcome = STRIPPER.with_borrow_mut(|stripper| stripper.strip(&source));
        match outcome {
            Ok(stripped) => Ok(world::Stripped {
                source: stripped.source,
                mappings: stripped
                    .mappings
                    .iter()
                    .map(|mapping| world::Mapping {
                        generated: place(mapping.generated),
                        original: place(mapping.original),
                    })
                    .collect(),
            }),
            Err(diagnostics) => Err(diagnostics
                .into_iter()
                .map(|diagnostic| world::Diagnostic {
                    message: diagnostic.message,
                    place: place(diagnostic.place),
                    help: diagnostic.help,
                })
                .collect()),
        }
    }
}

fn place(place: Place) -> world::Place {
    world::Place {
        line: place.line,
        column: place.column,
    }
}

world::export!(Guest with_types_in world);

/// Runs once before the snapshot: what it allocates and initialises is there in every fresh instance.
#[unsafe(no_mangle)]
extern "C" fn init() {
    STRIPPER.with_borrow_mut(|stripper| {
        for program in WARM_UP.into_iter().chain(WARM_UP) {
            // The outcome does not matter, the touched memory does.
            let _ = stripper.strip(program);
        }
    });
}
