//! The cryptography of TLS, chosen once per process.

/// Lets HTTPS clients find a provider. A provider that the host installed before stays.
pub(crate) fn install_provider() {
    // An error says that there is one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
