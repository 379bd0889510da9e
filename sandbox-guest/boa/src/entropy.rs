//! Random bits for the engine's libraries: from the host, and none while the snapshot is taken.
#![expect(unsafe_code, reason = "exports the symbol that `getrandom` imports")]

use crate::world;

/// What `getrandom` calls, since the build sets its backend to `custom`.
///
/// # Safety
/// `dest` is valid for writes of `len` bytes.
// SAFETY: the name and the type are those that the library declares, and nothing else defines it.
#[unsafe(no_mangle)]
unsafe extern "Rust" fn __getrandom_v03_custom(
    dest: *mut u8,
    len: usize,
) -> Result<(), getrandom::Error> {
    // SAFETY: the caller's promise.
    let bytes = unsafe {
        dest.write_bytes(0, len);
        std::slice::from_raw_parts_mut(dest, len)
    };
    if !world::in_snapshot() {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&world::random().to_le_bytes()[..chunk.len()]);
        }
    }
    Ok(())
}
