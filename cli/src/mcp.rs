//! `lockgate mcp`: stands between an agent and its MCP servers.

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use lockgate::{
    Registry,
    code_runtime::CodeRuntime,
    events::{EventSink, FanOut},
    sandbox::Sandbox,
};
use lockgate_gateway::{
    Config, Gateway, GatewayOptions, Hub, Policy, Upstream, downstream::HttpOptions,
    policy::Origins,
};

use crate::{
    args::McpArgs,
    otlp,
    run::{announce, limits, open_trace, python_guest},
    toolset::Failure,
};

/// How long calls that were cancelled may take to end when the gateway stops.
const STOP_PATIENCE: Duration = Duration::from_secs(5);
/// The environment variable that holds the token.
const TOKEN: &str = "LOCKGATE_TOKEN";

pub(crate) fn serve(args: &McpArgs) -> Result<ExitCode, Failure> {
    let config = Config::load(&args.config)?;
    for warning in config.warnings() {
        eprintln!("lockgate: {}: {warning}", args.config.display());
    }
    let policies = policies(args, &config)?;
    let token = token(args.token_file.as_deref())?;
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = tokio.block_on(run(args, config, policies, token));
    // Standard input can't be closed from this side, and a read of it must not keep the process.
    tokio.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// All of them hold.
fn policies(args: &McpArgs, config: &Config) -> Result<Vec<Policy>, Failure> {
    let mut policies = Vec::new();
    if let Some(policy) = config.policy() {
        let policy = Policy::from_json(policy);
        policies.push(policy.map_err(|error| format!("{}: {error}", args.config.display()))?);
    }
    if let Some(file) = &args.policy {
        let name = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("can't read the policy {name}: {error}"))?;
        policies.push(Policy::parse(&text).map_err(|error| format!("{name}: {error}"))?);
    }
    Ok(policies)
}

/// From the file, else from the environment: never from the command line, which every user of the machine can read.
fn token(file: Option<&Path>) -> Result<Option<String>, Failure> {
    match file {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("can't read the token {}: {error}", file.display()))?;
            Ok(Some(text.trim().to_owned()))
        }
        None => match std::env::var(TOKEN) {
            Ok(token) => Ok(Some(token)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(error) => Err(format!("{TOKEN} can't be used: {error}").into()),
        },
    }
}

async fn run(
    args: &McpArgs,
    config: Config,
    policies: Vec<Policy>,
    token: Option<String>,
) -> Result<(), Failure> {
    let mut sandbox = Sandbox::builder()
        .language(args.lang.into())
        .on_progress(announce);
    if let Some(file) = args.python_guest.clone().or_else(python_guest) {
        sandbox = sandbox.python_guest(file);
    }
    let runtime: Arc<dyn CodeRuntime> = Arc::new(sandbox.build().await?);
    let (spans, export) = otlp::start(&args.otlp)?;
    let mut sinks: Vec<Arc<dyn EventSink>> = spans.into_iter().map(|spans| spans as _).collect();
    if let Some(file) = &args.trace {
        sinks.push(open_trace(file)?);
    }
    let hub = Hub::with_sink(Arc::new(FanOut::new(sinks)));
    let registry = hub
        .attach(Registry::builder())
        .mode(args.mode.into())
        .max_parallel(args.max_parallel)
        .code_runtime(runtime.clone())
        .code_limits(limits(&args.limits))
        .sdk_budget_tokens(args.sdk_budget)
        .build()?;
    // Before any tool is there to be called.
    let upstream: Arc<std::sync::OnceLock<std::sync::Weak<Upstream>>> = Arc::default();
    for policy in policies {
        let upstream = upstream.clone();
        let origins: Origins = Arc::new(move |name| upstream.get()?.upgrade()?.origin(name));
        policy.install(&registry, origins)?;
    }
    let names = config.servers().iter().filter(|server| server.is_enabled());
    let names = names.map(|server| server.name().to_owned()).collect();
    let servers = Arc::new(Upstream::start(config, registry.clone()));
    let _ = upstream.set(Arc::downgrade(&servers));

    let mut options = GatewayOptions::default();
    options.approval_timeout = Duration::from_secs(args.approval_timeout);
    options.servers = names;
    let gateway = Gateway::new(registry, hub, options);
    let warming = servers.clone();
    gateway.warm_up(async move { warming.ready().await });

    let served = tokio::select! {
        served = serve_clients(args, &gateway, token) => served,
        () = stop_signal() => Ok(()),
    };
    gateway.shutdown(STOP_PATIENCE).await;
    runtime.dispose().await;
    if let Some(servers) = Arc::into_inner(servers) {
        servers.shutdown().await;
    }
    drop(gateway);
    otlp::finish(export).await;
    served
}

async fn serve_clients(
    args: &McpArgs,
    gateway: &Gateway,
    token: Option<String>,
) -> Result<(), Failure> {
    let Some(address) = args.http else {
        return Ok(gateway.serve_stdio().await?);
    };
    let mut options = HttpOptions::new(address);
    options.token = token;
    options.allowed_hosts.clone_from(&args.allow_host);
    options.allowed_origins.clone_from(&args.allow_origin);
    options.max_sessions = args.max_sessions;
    let server = gateway.serve_http(options).await?;
    eprintln!("lockgate: listening on {}", server.url());
    Ok(server.stopped().await?)
}

/// Waits until somebody asks the process to stop.
async fn stop_signal() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    interrupted.await;
}
