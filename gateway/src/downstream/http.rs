//! Many clients over streamable HTTP: who may connect, and how much they may send.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::{net::TcpListener, task::JoinHandle};

use super::{Gateway, session::Session, sessions::Sessions};

/// Sessions that there may be at one time, unless told otherwise.
pub const MAX_SESSIONS: usize = 256;
/// Bytes of one request's body, unless told otherwise.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Where the MCP endpoint is.
const PATH: &str = "/mcp";

/// How to serve over HTTP.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Where to listen. Port 0 takes a free one.
    pub address: SocketAddr,
    /// The bearer token that clients must send. Needed for every address but those of this machine alone.
    pub token: Option<String>,
    /// Names besides those of the address itself that clients may have in `Host`, such as `gateway.example`.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may connect, such as `https://app.example:443`. Requests of other pages are refused;
    /// those without `Origin`, which no browser sends, are not concerned.
    pub allowed_origins: Vec<String>,
    /// Default [`MAX_SESSIONS`].
    pub max_sessions: usize,
    /// Default [`MAX_BODY_BYTES`].
    pub max_body_bytes: usize,
    /// How long a session may lie idle. A call that runs and tells nothing counts as idle. Default 2 h.
    pub idle: Duration,
    /// How long a client that broke off during a call may take to come back; then its session is closed and its calls are
    /// cancelled. Default 10 s.
    pub reconnect_grace: Duration,
}

impl HttpOptions {
    /// The defaults, at an address.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_sessions: MAX_SESSIONS,
            max_body_bytes: MAX_BODY_BYTES,
            idle: Duration::from_secs(2 * 60 * 60),
            reconnect_grace: Duration::from_secs(10),
        }
    }
}

impl std::fmt::Debug for HttpOptions {
    /// Without the token.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("address", &self.address)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
    }
}

/// Why the gateway does not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Others could connect, and nothing would ask who they are.
    #[error(
        "{address} can be reached from other machines, so a token is needed; give one, or listen on 127.0.0.1"
    )]
    TokenNeeded {
        /// The address.
        address: SocketAddr,
    },
    /// The token is empty or can't stand in a header.
    #[error(
        "the token can't be used: it must have 16 characters or more, all of them visible ASCII; `openssl rand -hex 32` makes a good one"
    )]
    BadToken,
    /// The system refuses the address.
    #[error("can't listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A gateway that listens.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    task: JoinHandle<std::io::Result<()>>,
}

impl HttpServer {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What clients connect to.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits until it has stopped: after [`Gateway::shutdown`], or because it failed.
    ///
    /// # Errors
    /// What the system says.
    pub async fn stopped(self) -> std::io::Result<()> {
        self.task
            .await
            .unwrap_or_else(|error| Err(std::io::Error::other(error)))
    }
}

impl Gateway {
    /// Listens, and serves clients until the gateway shuts down.
    ///
    /// # Errors
    /// An address that needs a token without one, a token that can't be used, an address that the system refuses.
    pub async fn serve_http(&self, options: HttpOptions) -> Result<HttpServer, HttpError> {
        let address = options.address;
        if let Some(token) = &options.token
            && (token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(HttpError::BadToken);
        }
        if options.token.is_none() && !address.ip().is_loopback() {
            return Err(HttpError::TokenNeeded { address });
        }
        let listen = |error| HttpError::Listen { address, error };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let shutdown = self.0.shutdown.clone();
        let router = self.router(&options, address);
        let task = tokio::spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(async move { shutdown.cancelled().await })
                .await
        });
        Ok(HttpServer { address, task })
    }

    fn router(&self, options: &HttpOptions, address: SocketAddr) -> Router {
        let shutdown = &self.0.shutdown;
        let sessions = Sessions::new(
            options.max_sessions,
            options.idle,
            options.reconnect_grace,
            shutdown.clone(),
        );
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(allowed_hosts(options, address.ip()))
            .with_allowed_origins(options.allowed_origins.clone())
            .enforce_origin_validation()
            .with_max_request_body_bytes(options.max_body_bytes)
            .with_cancellation_token(shutdown.child_token());
        if options.allowed_hosts.is_empty() && address.ip().is_unspecified() {
            // Nobody can say under which names this machine is reached. The token, which no web page has, guards it.
            config = config.disable_allowed_hosts();
        }
        let gateway = self.clone();
        let service = StreamableHttpService::new(
            move || Ok(Session::new(&gateway)),
            Arc::new(sessions.clone()),
            config,
        );
        let door = Door {
            token: options.token.as_deref().map(digest),
            sessions,
        };
        Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(door, admit))
    }
}

fn allowed_hosts(options: &HttpOptions, ip: IpAddr) -> Vec<String> {
    let mut hosts = options.allowed_hosts.clone();
    hosts.push(ip.to_string());
    if ip.is_loopback() {
        hosts.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
    }
    hosts
}

#[derive(Clone)]
struct Door {
    token: Option<[u8; 32]>,
    sessions: Sessions,
}

/// Lets a request in, or says why not.
async fn admit(State(door): State<Door>, request: Request, next: Next) -> Response {
    if let Some(token) = &door.token
        && !bears(request.headers(), token)
    {
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        let why = "a bearer token is needed: send `Authorization: Bearer <token>`";
        return (StatusCode::UNAUTHORIZED, challenge, why).into_response();
    }
    let opens =
        request.method() == Method::POST && !request.headers().contains_key("mcp-session-id");
    if opens && door.sessions.is_full().await {
        let why = "there are too many sessions (limit max_sessions); try again later";
        return (StatusCode::SERVICE_UNAVAILABLE, why).into_response();
    }
    next.run(request).await
}

/// Compares digests in constant time, so that neither time nor length tell anything of the token.
fn bears(headers: &HeaderMap, token: &[u8; 32]) -> bool {
    let given = headers.get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()?.split_once(' '));
    let Some((_, given)) = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) else {
        return false;
    };
    digest(given.trim()).ct_eq(token).into()
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
