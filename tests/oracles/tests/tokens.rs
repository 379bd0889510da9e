//! How many tokens a model reads the fixed prose and the SDK text as (`o200k_base`).

#[path = "../../suite/odd_schemas.rs"]
mod odd_schemas;

use lockgate::code_runtime::CodeLanguage;
use lockgate::sdk::{estimate_tokens, prose, render};

use odd_schemas::{OwnedTool, odd_tools, real_tools};

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

#[test]
fn fixed_prose_is_short() {
    for language in CodeLanguage::ALL {
        let prose = prose(language);
        let parts = [
            prose.run_code_description,
            prose.code_parameter,
            prose.description_parameter,
            prose.code_only_rule,
            prose.sdk,
        ];
        let total: usize = parts.iter().map(|text| tokens(text)).sum();
        println!("{language}: {total} tokens of fixed prose");
        assert!(total < 600, "{language}: {total}");
    }
}

#[test]
fn estimates_are_near() {
    let real = real_tools();
    let odd = odd_tools(7, 300);
    for (tools, least, most) in [(&real, 0.85, 1.2), (&odd, 0.5, 2.0)] {
        if tools.is_empty() {
            continue;
        }
        let declarations: Vec<_> = tools.iter().map(OwnedTool::declaration).collect();
        for language in CodeLanguage::ALL {
            let text = render(language, &declarations);
            let (real, estimated) = (tokens(&text), estimate_tokens(&text));
            let ratio = estimated as f64 / real as f64;
            println!(
                "{language}: {} tools, {} bytes, {real} tokens, estimated {estimated}",
                tools.len(),
                text.len()
            );
            assert!(
                (least..most).contains(&ratio),
                "{language}: {estimated} for {real}"
            );
        }
    }
}
