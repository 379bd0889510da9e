//! Servers that people use, as they come from npm and PyPI.

use std::{sync::Arc, time::Duration};

use lockgate::{CallRequest, Json, Mode, Registry, json, sandbox::Sandbox};
use lockgate_gateway::{OutputTyping, ServerState};

use crate::{
    servers::{npm_server, pypi_server},
    support::Rig,
};

async fn code_registry() -> Registry {
    let sandbox = Sandbox::builder().build().await.unwrap();
    Registry::builder()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox))
        .build()
        .unwrap()
}

async fn run(rig: &Rig, code: &str) -> Json {
    let program = json!({"code": code, "description": "a test"});
    let result = rig
        .registry
        .execute(CallRequest::new("run", "run_code", program))
        .await;
    match result.value() {
        Some(value) => value["result"].clone(),
        None => panic!("{}", result.text()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filesystem_and_memory_in_one_program() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let Some(filesystem) = npm_server("filesystem", &[root]) else {
        return;
    };
    let Some(mut memory) = npm_server("memory", &[]) else {
        return;
    };
    let file = dir.path().join("memory.json");
    memory = json!({"command": (memory["command"].clone()), "args": (memory["args"].clone()), "env": {"MEMORY_FILE_PATH": (file.to_str().unwrap())}});
    let rig = Rig::over(
        code_registry().await,
        &json!({"fs": (filesystem), "memory": (memory)}),
    )
    .await;
    let value = run(
        &rig,
        &r#"
        const root = ROOT;
        await Promise.all(["a", "b", "c"].map((name) => tools.write_file({ path: `${root}/${name}.txt`, content: name.repeat(3) })));
        const listed = await tools.list_directory({ path: root });
        const text = await tools.read_text_file({ path: `${root}/b.txt` });
        await tools.create_entities({ entities: [{ name: "b", entityType: "file", observations: [text.content] }] });
        const graph = await tools.read_graph({});
        let refused;
        try { await tools.read_text_file({ path: "/etc/passwd" }) } catch (error) { refused = [error.name, error.toolName, error.message] }
        return { listed, text, graph, refused };
        "#
        .replace("ROOT", &Json::from(root).to_string()),
    )
    .await;
    assert_eq!(value["text"], json!({"content": "bbb"}));
    assert!(
        value["listed"]["content"]
            .as_str()
            .unwrap()
            .contains("[FILE] a.txt"),
        "{value}"
    );
    assert_eq!(
        value["graph"]["entities"][0]["observations"],
        json!(["bbb"])
    );
    assert_eq!(value["refused"][0], json!("ToolCallError"));
    assert!(
        value["refused"][2]
            .as_str()
            .unwrap()
            .contains("Access denied"),
        "{value}"
    );
    for server in ["fs", "memory"] {
        let status = rig.status(server);
        assert_eq!(status.state, ServerState::Ready);
        assert_eq!(status.problems, [""; 0], "{server}");
        assert!(
            status
                .tools
                .iter()
                .any(|tool| tool.output == OutputTyping::Declared),
            "{server}"
        );
    }
    let sdk = rig
        .registry
        .sdk_text(lockgate::code_runtime::CodeLanguage::TypeScript);
    assert!(sdk.contains("read_text_file: { content: string }"), "{sdk}");
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_over_stdio() {
    let Some(everything) = npm_server("everything", &["stdio"]) else {
        return;
    };
    let everything = json!({
        "command": (everything["command"].clone()), "args": (everything["args"].clone()), "env": {"API_KEY": "k-123456-abcdef"},
    });
    let rig = Rig::over(code_registry().await, &json!({"everything": (everything)})).await;
    check_everything(&rig).await;
    let environment = rig_value(&rig, "get-env", json!({})).await;
    let text = environment.as_str().unwrap();
    assert!(
        text.contains("[redacted API_KEY]") && !text.contains("k-123456"),
        "{text}"
    );
    rig.upstream.shutdown().await;
}

async fn rig_value(rig: &Rig, tool: &str, arguments: Json) -> Json {
    run(
        rig,
        &format!("return await tools[{}]({arguments});", Json::from(tool)),
    )
    .await
}

async fn check_everything(rig: &Rig) {
    assert_eq!(
        rig.status("everything").state,
        ServerState::Ready,
        "{:?}",
        rig.status("everything")
    );
    assert_eq!(
        rig_value(rig, "echo", json!({"message": "hi"})).await,
        json!("Echo: hi")
    );
    assert_eq!(
        rig_value(rig, "get-sum", json!({"a": 2, "b": 3})).await,
        json!("The sum of 2 and 3 is 5.")
    );
    let weather = rig_value(
        rig,
        "get-structured-content",
        json!({"location": "Chicago"}),
    )
    .await;
    assert!(
        weather["temperature"].as_number().is_some() && weather["conditions"].as_str().is_some(),
        "{weather}"
    );
    let program =
        json!({"code": "return await tools['get-tiny-image']({});", "description": "a picture"});
    let result = rig
        .registry
        .execute(CallRequest::new("run", "run_code", program))
        .await;
    let blocks = &result.value().unwrap()["result"];
    let image = blocks
        .as_array()
        .unwrap()
        .iter()
        .find(|block| block["type"] == json!("image"))
        .unwrap();
    assert_eq!(
        (&image["mimeType"], &image["attached"]),
        (&json!("image/png"), &json!(true))
    );
    let attached = result
        .additional_contexts()
        .iter()
        .flat_map(|context| &context.content);
    assert_eq!(attached.filter(|content| content.is_image()).count(), 1);
    // Bad arguments are for the server to refuse: its schemas are shown, not enforced (SPEC B6).
    let refused = rig.registry.execute(CallRequest::new("run", "run_code", json!({
        "code": "try { await tools['get-sum']({ a: 'x' }); } catch (error) { return error.message }", "description": "bad",
    })));
    let message = refused.await.value().unwrap()["result"].clone();
    assert!(message.as_str().unwrap().contains("Invalid"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_over_streamable_http() {
    let Some(everything) = npm_server("everything", &["streamableHttp"]) else {
        return;
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let script = everything["args"][0].as_str().unwrap();
    let start = || {
        tokio::process::Command::new("node")
            .args([script, "streamableHttp"])
            .env("PORT", port.to_string())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    };
    let mut process = start();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let server = json!({"url": url, "headers": {"Authorization": "Bearer abcdefgh"}, "lockgate": {"callTimeoutMs": 5000, "startTimeoutMs": 10000}});
    wait_for_port(port).await;
    let rig = Rig::over(code_registry().await, &json!({"everything": (server)})).await;
    check_everything(&rig).await;

    // Killed, it fails the calls; back again, it serves them.
    process.kill().await.unwrap();
    let gone = run(
        &rig,
        "try { await tools.echo({ message: 'x' }); } catch (error) { return error.message }",
    )
    .await;
    assert!(
        gone.as_str()
            .unwrap()
            .contains("the MCP server \"everything\""),
        "{gone}"
    );
    let _process = start();
    wait_for_port(port).await;
    let mut answer = Json::Null;
    for _ in 0..100 {
        answer = run(&rig, "try { return await tools.echo({ message: 'x' }); } catch (error) { return error.message }").await;
        if answer == json!("Echo: x") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(answer, json!("Echo: x"));
    rig.upstream.shutdown().await;
}

async fn wait_for_port(port: u16) {
    for _ in 0..600 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_ok()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody listens on port {port}");
}

#[tokio::test(flavor = "multi_thread")]
async fn time_from_pypi() {
    let Some(time) = pypi_server("mcp-server-time", &["--local-timezone", "Europe/Berlin"]) else {
        return;
    };
    let rig = Rig::over(code_registry().await, &json!({"time": (time)})).await;
    assert_eq!(
        rig.status("time").state,
        ServerState::Ready,
        "{:?}",
        rig.status("time")
    );
    let value = run(
        &rig,
        "const answer = await tools.convert_time({ source_timezone: 'Europe/Berlin', time: '12:30', target_timezone: 'Asia/Tokyo' });
         return typeof answer === 'string' ? JSON.parse(answer) : answer;",
    )
    .await;
    assert_eq!(
        value["source"]["timezone"],
        json!("Europe/Berlin"),
        "{value}"
    );
    rig.upstream.shutdown().await;
}
