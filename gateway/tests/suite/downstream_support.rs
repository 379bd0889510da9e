//! A gateway over local tools, and clients that keep what they were told.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use lockgate::{
    Content, Json, Mode, Registry, RegistryBuilder, Tool,
    code_runtime::{CodeLanguage, CodeRuntime},
    events::InvariantChecker,
    json,
    sandbox::{CachePolicy, Sandbox},
};
use lockgate_gateway::{Gateway, GatewayOptions, Hub, Policy};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig,
        ElicitRequestParams, ElicitResult, ElicitationAction, Implementation,
        ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, RequestContext, RunningService},
};
use tokio::sync::Notify;

/// Long enough for a busy machine; nothing waits so long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What the tools saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) calls: Mutex<Vec<String>>,
    pub(crate) cancelled: AtomicUsize,
    pub(crate) waiting: AtomicUsize,
    pub(crate) go_on: Notify,
}

impl Seen {
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

pub(crate) struct Rig {
    pub(crate) gateway: Gateway,
    pub(crate) seen: Arc<Seen>,
    checker: Arc<InvariantChecker>,
}

impl Drop for Rig {
    /// SPEC M1
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.checker.violations(), [""; 0]);
        }
    }
}

pub(crate) fn options() -> GatewayOptions {
    GatewayOptions::default()
}

impl Rig {
    pub(crate) async fn new(mode: Mode) -> Self {
        Self::build(mode, None, options(), |builder| builder).await
    }

    pub(crate) async fn with_policy(policy: &str) -> Self {
        Self::build(Mode::Code, Some(policy), options(), |builder| builder).await
    }

    pub(crate) async fn build(
        mode: Mode,
        policy: Option<&str>,
        options: GatewayOptions,
        change: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
    ) -> Self {
        let sandbox = Sandbox::builder()
            .language(CodeLanguage::TypeScript)
            .cache(CachePolicy::Directory(
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-guests"),
            ))
            .build()
            .await
            .unwrap();
        let runtime: Arc<dyn CodeRuntime> = Arc::new(sandbox);
        let checker = Arc::new(InvariantChecker::new());
        let hub = Hub::with_sink(checker.clone());
        let builder = hub.attach(Registry::builder());
        let builder = builder
            .mode(mode)
            .code_runtime(runtime)
            .sdk_budget_tokens(4_000);
        let registry = change(builder).build().unwrap();
        if let Some(policy) = policy {
            let policy = Policy::parse(policy).unwrap();
            policy.install(&registry, Arc::new(|_| None)).unwrap();
        }
        let seen = Arc::<Seen>::default();
        register(&registry, &seen);
        let gateway = Gateway::new(registry, hub, options);
        Self {
            gateway,
            seen,
            checker,
        }
    }

    /// A client over a pair of streams.
    pub(crate) async fn connect(&self, person: Person) -> Client {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let gateway = self.gateway.clone();
        tokio::spawn(async move {
            let (input, output) = tokio::io::split(far);
            gateway.serve_stream(input, output).await.unwrap();
        });
        tokio::time::timeout(PATIENCE, person.serve(near))
            .await
            .unwrap()
            .unwrap()
    }
}

fn register(registry: &Registry, seen: &Arc<Seen>) {
    let object = |properties: Json| json!({"type": "object", "properties": (properties)});
    let add = Tool::builder("add", "Adds two numbers.")
        .parameters(&json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"]}))
        .output(&json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"],
            "additionalProperties": false}))
        .concurrency_safe(true)
        .execute({
            let seen = seen.clone();
            move |args, _| {
                let sum = args["a"].as_i64().unwrap_or(0) + args["b"].as_i64().unwrap_or(0);
                seen.note(format!("add {sum}"));
                async move { Ok(json!({"sum": sum})) }
            }
        });
    let delete = Tool::builder("delete", "Deletes a file.")
        .parameters(&object(
            json!({"path": {"type": "string"}, "force": {"type": "boolean"}}),
        ))
        .output(&json!({"type": "string"}))
        .execute({
            let seen = seen.clone();
            move |args, _| {
                let path = args["path"].as_str().unwrap_or("?").to_owned();
                seen.note(format!("delete {path}"));
                async move { Ok(Json::from(format!("deleted {path}"))) }
            }
        });
    let picture = Tool::builder("picture", "Draws a picture.")
        .parameters(&object(json!({})))
        .output(&json!({"type": "string"}))
        .render(|_, _| {
            Ok(vec![
                Content::text("a picture"),
                Content::image("aGk=", "image/png"),
            ])
        })
        .concurrency_safe(true)
        .execute(|_, _| async { Ok(json!("drawn")) });
    let hang = Tool::builder("hang", "Waits until it is cancelled or told to go on.")
        .parameters(&object(json!({})))
        .output(&json!({}))
        .concurrency_safe(true)
        .execute({
            let seen = seen.clone();
            move |_, context| {
                let seen = seen.clone();
                async move {
                    seen.waiting.fetch_add(1, Ordering::SeqCst);
                    tokio::select! {
                        () = context.signal().cancelled() => {
                            seen.cancelled.fetch_add(1, Ordering::SeqCst);
                        }
                        () = seen.go_on.notified() => {}
                    }
                    Ok(Json::Null)
                }
            }
        });
    let nest = Tool::builder("nest", "A list in a list in a list…")
        .parameters(&object(json!({"levels": {"type": "integer"}})))
        .output(&json!({"type": "object", "properties": {"nested": {}}}))
        .concurrency_safe(true)
        .execute(|args, _| async move {
            let mut value = Json::Null;
            for _ in 0..args["levels"].as_i64().unwrap_or(0) {
                let mut list = lockgate::json::Array::new();
                list.push(value);
                value = Json::Array(list);
            }
            Ok(json!({"nested": value}))
        });
    for tool in [add, delete, picture, hang, nest] {
        registry.register(tool.build().unwrap()).unwrap().keep();
    }
}

/// Answers a form.
pub(crate) type Answers = Arc<dyn Fn(&Form) -> ElicitResult + Send + Sync>;

/// A form that a client was shown.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) message: String,
    pub(crate) schema: serde_json::Value,
}

impl Form {
    pub(crate) fn fields(&self) -> Vec<String> {
        let fields = self.schema["properties"].as_object().unwrap();
        fields.keys().cloned().collect()
    }
}

/// What a client was told.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) progress: Mutex<Vec<(f64, String)>>,
    pub(crate) logs: Mutex<Vec<String>>,
    pub(crate) tools_changed: AtomicUsize,
    pub(crate) resources_changed: AtomicUsize,
    pub(crate) forms: Mutex<Vec<Form>>,
    pub(crate) forms_withdrawn: AtomicUsize,
}

impl Told {
    pub(crate) fn forms(&self) -> Vec<Form> {
        self.forms.lock().unwrap().clone()
    }
}

/// A client with a person behind it.
#[derive(Clone)]
pub(crate) struct Person {
    name: String,
    elicitation: bool,
    answers: Option<Answers>,
    delay: Duration,
    pub(crate) told: Arc<Told>,
}

pub(crate) type Client = RunningService<RoleClient, Person>;

impl Person {
    /// One who can't be asked.
    pub(crate) fn silent() -> Self {
        Self {
            name: "test".to_owned(),
            elicitation: false,
            answers: None,
            delay: Duration::ZERO,
            told: Arc::default(),
        }
    }

    /// One whose client calls itself so.
    pub(crate) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::silent()
        }
    }

    /// One who looks at forms and never answers.
    pub(crate) fn pondering() -> Self {
        Self {
            elicitation: true,
            ..Self::silent()
        }
    }

    pub(crate) fn answering(
        answers: impl Fn(&Form) -> ElicitResult + Send + Sync + 'static,
    ) -> Self {
        Self {
            answers: Some(Arc::new(answers)),
            ..Self::pondering()
        }
    }
}

impl Person {
    /// The same, who takes this long over each answer.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

/// Accepts a form with this content.
pub(crate) fn accept(content: serde_json::Value) -> ElicitResult {
    ElicitResult::new(ElicitationAction::Accept).with_content(content)
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.elicitation {
            capabilities.elicitation = Some(Default::default());
        }
        ClientConfig::new(capabilities, Implementation::new(&*self.name, "1"))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = request
        else {
            panic!("no form");
        };
        let form = Form {
            message,
            schema: serde_json::to_value(requested_schema).unwrap(),
        };
        self.told.forms.lock().unwrap().push(form.clone());
        match &self.answers {
            Some(answers) => {
                tokio::time::sleep(self.delay).await;
                Ok(answers(&form))
            }
            None => {
                context.ct.cancelled().await;
                self.told.forms_withdrawn.fetch_add(1, Ordering::SeqCst);
                Ok(ElicitResult::new(ElicitationAction::Cancel))
            }
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let told = (params.progress, params.message.unwrap_or_default());
        self.told.progress.lock().unwrap().push(told);
    }

    #[expect(
        deprecated,
        reason = "the protocol version that is spoken has log messages"
    )]
    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let line = params.data.as_str().unwrap().to_owned();
        self.told.logs.lock().unwrap().push(line);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.told.tools_changed.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.told.resources_changed.fetch_add(1, Ordering::SeqCst);
    }
}

/// The request for a program.
pub(crate) fn program(code: &str) -> CallToolRequestParams {
    call("run_code", json!({"code": code, "description": "a test"}))
}

pub(crate) fn call(name: &str, arguments: Json) -> CallToolRequestParams {
    let serde_json::Value::Object(arguments) = serde_json::to_value(&arguments).unwrap() else {
        panic!("no object");
    };
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

pub(crate) async fn run(client: &Client, params: CallToolRequestParams) -> CallToolResult {
    tokio::time::timeout(PATIENCE, client.peer().call_tool(params))
        .await
        .unwrap()
        .unwrap()
}

/// All text of a result.
pub(crate) fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter();
    let texts = blocks.filter_map(|block| block.as_text().map(|text| text.text.to_string()));
    texts.collect::<Vec<_>>().join("\n")
}

/// Waits for something to become true.
pub(crate) async fn until(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
