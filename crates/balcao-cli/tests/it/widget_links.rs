//! what the chat's widget makes of addresses in texts, by the widget's own code in the program's sandbox.

use balcao_sandbox::{Bundle, Call, Helper, Launcher, Sandbox};
use serde_json::{Value, json};

use crate::root;

/// The widget's own function, with nodes as data.
fn as_nodes() -> String {
    let widget = std::fs::read_to_string(root().join("crates/balcao-web/assets/widget.js")).unwrap();
    let (_, rest) = widget.split_once("const asNodes = ").unwrap();
    let (own, _) = rest.split_once("\n  };\n").unwrap();
    format!(
        "(text) => {{ const el = (name, attributes, words) => ({{ name, attributes, words }});\nconst asNodes = {own}\n}};\nreturn asNodes(text); }}"
    )
}

#[test]
fn a_96_only_addresses_of_the_web_become_links_and_each_shows_where_it_leads() {
    let bundle = Bundle::new(vec![Helper::javascript("nodes", "widget.js", &as_nodes())]).unwrap();
    let binary = std::env::var_os("BALCAO_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_balcao").into());
    let sandbox = Sandbox::new(bundle, Launcher::new(binary, &[balcao_sandbox::worker::SUBCOMMAND]), 1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let nodes = |text: &str| -> Vec<Value> {
        let answer = runtime.block_on(sandbox.call(&Call::new("nodes", &[json!(text)]))).unwrap();
        answer.as_array().unwrap().clone()
    };
    for (text, links) in [
        ("veja https://shop.example/a?b=1, por favor", vec!["https://shop.example/a?b=1"]),
        ("http://a.example e *http://b.example*", vec!["http://a.example"]),
        ("https://xn--pple-43d.example/ é outro", vec!["https://xn--pple-43d.example/"]),
        ("https://banco.example@evil.example/x", vec!["https://banco.example@evil.example/x"]),
        ("javascript:alert(1)", vec![]),
        ("JaVaScRiPt:alert(1) java\nscript:alert(1) \tjavascript://x", vec![]),
        ("data:text/html,<script>alert(1)</script>", vec![]),
        ("vbscript:x file:///etc/passwd blob:x about:blank tel:1 mailto:a@b.c //evil.example", vec![]),
        ("[entre](javascript:alert(1)) <a href='javascript:x'>", vec![]),
        ("https://\"onmouseover=alert(1)", vec![]),
    ] {
        let nodes = nodes(text);
        let found: Vec<&Value> = nodes.iter().filter(|node| node["name"] == "a").collect();
        let leads: Vec<&str> = found.iter().map(|node| node["attributes"]["href"].as_str().unwrap()).collect();
        assert_eq!(leads, links, "{text}");
        for link in found {
            assert_eq!(link["words"], link["attributes"]["href"], "what is shown is where it leads");
            let attributes = &link["attributes"];
            assert_eq!(
                (&attributes["target"], &attributes["rel"]),
                (&json!("_blank"), &json!("noopener noreferrer nofollow"))
            );
        }
        let shown: String = nodes.iter().map(|node| node.as_str().or(node["words"].as_str()).unwrap()).collect();
        assert_eq!(shown.replace('*', ""), text.replace('*', ""), "nothing is lost or added");
        assert!(nodes.iter().all(|node| node.is_string() || node["name"] == "a" || node["name"] == "strong"));
    }
}
