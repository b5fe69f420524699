//! What the services behind packs answer.

use balcao_testkit::fakes::model::{FakeModel, calls, says};
use balcao_testkit::wait::until;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{has_stayed_small, shop_with, while_health_answers};
use crate::attack::packs::{TOKEN, Upstream, command, pack};
use crate::ops::model_config;
use crate::web_chat::{Running, read, token, write};
use crate::{balcao, code, err};

/// An answer of a service with this body.
pub(super) fn answer(body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// A pack of one command, and what its model writes into the call.
pub(super) struct Trap {
    pub(super) id: &'static str,
    pub(super) pack: String,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// Whether its outcome is unknown afterwards, so that the turn ends without another question to the model.
    pub(super) ends_turn: bool,
}

/// A shop whose agent has these packs, and a model that calls each of them as often as the attacks are repeated.
pub(super) fn shop_of(traps: &[Trap], permitted: &str) -> (TempDir, FakeModel) {
    let sorry = || says("Não consegui ver isso agora.");
    let turns = traps.iter().flat_map(|trap| vec![trap; super::repeats()]);
    let turn = |trap: &Trap| {
        let called = calls(trap.tool, trap.arguments.clone());
        if trap.ends_turn { vec![called] } else { vec![called, sorry()] }
    };
    let model = FakeModel::start(turns.flat_map(turn)).unwrap();
    let accounts: String = traps
        .iter()
        .map(|trap| format!("[[packs.accounts]]\npack = \"{}\"\nsettings = {{ token = \"${{UP_TOKEN}}\" }}\n", trap.id))
        .collect();
    let shop = shop_with(&format!(
        "[agents]\nprofile = \"casa\"\n[packs]\nfolders = [\"packs\"]\nallow_networks = [\"127.0.0.0/8\"]\nplain_http = true\n{permitted}{accounts}{}",
        model_config(&model)
    ));
    for trap in traps {
        let folder = shop.path().join("packs").join(trap.id);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("tool.yaml"), trap.pack.replace("id: up\n", &format!("id: {}\n", trap.id))).unwrap();
    }
    std::fs::create_dir(shop.path().join("agents")).unwrap();
    let ids: Vec<&str> = traps.iter().map(|trap| trap.id).collect();
    let profile = format!("profile: {{id: casa, name: Casa, packs: [crm, {}], protocol: native}}\n", ids.join(", "));
    std::fs::write(shop.path().join("agents/casa.yaml"), profile).unwrap();
    (shop, model)
}

/// Customers ask for what each trap does; whatever comes of it, they get a reply without the token in it.
pub(super) fn spring(server: &Running, traps: &[Trap]) {
    let address = server.address();
    for trap in traps {
        let visitor = token(address);
        while_health_answers(address, |number| {
            let said = write(address, &visitor, &format!("message-{number}"), "o que tem?");
            assert!(said.starts_with("HTTP/1.1 202"), "{said}");
            // Each message and each reply is an event of the page.
            let seen = read(address, &visitor, &format!("id: {}\n", 2 * number + 2));
            assert!(seen.contains("\"author\":\"agent\"") && !seen.contains(TOKEN), "{}: {seen}", trap.id);
        });
    }
}

/// The results of the calls of a tool, as the model reads them.
pub(super) fn told_of(model: &FakeModel, tool: &str) -> Vec<String> {
    let requests = model.asked();
    let messages: Vec<&Value> = requests.iter().filter_map(|body| body["messages"].as_array()).flatten().collect();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let ids: Vec<&Value> = calls.filter(|call| call["function"]["name"] == tool).map(|call| &call["id"]).collect();
    let results = messages.iter().filter(|message| ids.contains(&&message["tool_call_id"]));
    results.map(|message| message["content"].to_string()).collect()
}

/// A command that gets something.
pub(super) fn get_it(id: &str) -> String {
    command(id, "read", "method: GET, path: /x")
}

#[test]
fn u08_under_what_services_answer_health_answers_and_memory_stays() {
    let many = format!("[{}0]", "{\"\":0},".repeat(120_000));
    let page = format!(r#"{{"items":["{}"],"last":false}}"#, "x".repeat(900_000));
    let words: Vec<String> = (0..5_000).map(|one| format!("other{one}")).collect();
    let words = json!({ "words": words }).to_string();
    let (values, pages, odd) =
        (Upstream::start(answer(&many)), Upstream::start(answer(&page)), Upstream::start(answer(&words)));
    let echo = Upstream::start(answer(&json!({ "seen": format!("Bearer {TOKEN}") }).to_string()));
    let year =
        Upstream::start("HTTP/1.1 429 Told\r\nretry-after: 31536000\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    let paged = "method: GET, path: /pages, pagination: {style: page, items: /items, param: p, last: /last, max_pages: 100, max_items: 100000}";
    let known: Vec<String> = (0..400).map(|one| format!("word{one}")).collect();
    let strict = format!(
        "output_schema: {{type: object, properties: {{words: {{type: array, items: {{enum: [{}]}}}}}}}}",
        known.join(", ")
    );
    // Five hundred entries, each of which is answered with as many values as one call may have.
    let each = "method: GET, path: \"/x/{item}\", for_each: {argument: all, at_most: 500, parallel: 8}";
    let all = "input_schema: {type: object, additionalProperties: false, required: [all], properties: {all: {type: array, items: {type: integer}}}}";
    let each = command("get_each", "read", each)
        .replace("input_schema: {type: object, additionalProperties: false, properties: {}}", all);
    let trap = |id, upstream: &Upstream, tool, commands: String, arguments| Trap {
        id,
        pack: pack("http", &upstream.connection(), &commands),
        tool,
        arguments,
        ends_turn: false,
    };
    let traps = [
        trap("echo", &echo, "get_echo", get_it("get_echo"), json!({})),
        trap("values", &values, "get_values", get_it("get_values"), json!({})),
        trap("pages", &pages, "get_pages", command("get_pages", "read", paged), json!({})),
        trap(
            "odd",
            &odd,
            "get_words",
            get_it("get_words").replace("output_schema: {type: object}", &strict),
            json!({}),
        ),
        trap("each", &values, "get_each", each, json!({ "all": (0..500).collect::<Vec<_>>() })),
        trap("year", &year, "get_year", get_it("get_year"), json!({})),
    ];
    let (shop, model) = shop_of(&traps, "");
    let server = Running::start_in(&[("UP_TOKEN", TOKEN)], shop.path(), &["serve"]);
    spring(&server, &traps);
    for upstream in [&echo, &values, &pages, &odd, &year] {
        until("the service is asked", || (!upstream.asked().is_empty()).then_some(()));
    }
    assert!(values.asked().iter().any(|line| line.starts_with("GET /x/")), "{:?}", values.asked());
    has_stayed_small(server.id());
    // What the service repeated of its token went neither to the model nor into the record.
    let asked = json!(model.asked()).to_string();
    assert!(asked.contains("seen") && !asked.contains(TOKEN), "{asked}");
    drop(server);
    for file in ["balcao.db", "balcao.db-wal"] {
        let kept = std::fs::read(shop.path().join(file)).unwrap_or_default();
        assert!(!kept.windows(TOKEN.len()).any(|piece| piece == TOKEN.as_bytes()), "{file}");
    }
}

#[test]
fn u08_under_answers_just_below_their_bounds_health_answers_and_memory_stays() {
    let answers = [
        ("bytes", "get_bytes", json!({ "found": "x".repeat((16 << 20) - 64) }).to_string()),
        ("values", "get_values", format!("{{\"found\":[{}0]}}", "0,".repeat(199_900))),
        ("levels", "get_levels", format!("{}{{\"found\":0}}{}", "{\"a\":".repeat(62), "}".repeat(62))),
    ];
    let upstreams = answers.each_ref().map(|(.., body)| Upstream::start(answer(body)));
    let most = 16 << 20;
    let traps: Vec<Trap> = answers
        .iter()
        .zip(&upstreams)
        .map(|((id, tool, _), upstream)| {
            let connection = format!("{}, max_response_bytes: {most}", upstream.connection());
            Trap { id, pack: pack("http", &connection, &get_it(tool)), tool, arguments: json!({}), ends_turn: false }
        })
        .collect();
    let (shop, model) = shop_of(&traps, "");
    let server = Running::start_in(&[("UP_TOKEN", TOKEN)], shop.path(), &["serve"]);
    spring(&server, &traps);
    has_stayed_small(server.id());
    for trap in &traps {
        let told = told_of(&model, trap.tool);
        assert!(!told.is_empty() && told.iter().all(|one| !one.contains("error")), "{}: {told:?}", trap.id);
    }
}

/// A server of tools over standard input and output that answers a call with `called`.
fn server_script(called: &str) -> String {
    format!(
        r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
  *'"method":"server/discover"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"Method not found"}}}}\n' "$id" ;;
  *'"method":"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"trap","version":"1"}}}}}}\n' "$id" ;;
  *'"method":"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"get","description":"Gets.","inputSchema":{{"type":"object"}}}}]}}}}\n' "$id" ;;
  *'"method":"tools/call"'*) {called} ;;
  esac
done
"#
    )
}

#[test]
fn u10_under_what_servers_of_tools_answer_health_answers_and_memory_stays() {
    let folder = tempfile::tempdir().unwrap();
    let children = folder.path().join("children");
    let forks = format!(
        r#"for one in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 86400 & echo $! >>"{}"; done; exit"#,
        children.display()
    );
    let servers = [
        // Asks without end, and reads nothing.
        ("asks", r#"while :; do printf '{"jsonrpc":"2.0","id":"p","method":"ping"}\n' || exit; done"#),
        // One line without an end.
        (
            "long",
            r#"while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' || exit; done"#,
        ),
        // More values than a message may have.
        (
            "values",
            r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"all":[' "$id"; yes '[],' | head -n 300000 | tr -d '\n'; printf '0]}}}\n'"#,
        ),
        // Nearly as many as it may have.
        (
            "full",
            r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"all":[' "$id"; yes '0,' | head -n 199000 | tr -d '\n'; printf '0]}}}\n'"#,
        ),
        // Starts children, and ends without an answer.
        ("forks", forks.as_str()),
        // Takes all the memory that it may have.
        ("eats", "ulimit -v 200000; x=x; while :; do x=$x$x; done"),
    ];
    let mut permitted = String::new();
    let traps = servers.map(|(id, called)| {
        let script = folder.path().join(format!("{id}.sh"));
        std::fs::write(&script, server_script(called)).unwrap();
        let script = script.display();
        permitted
            .push_str(&format!("[[packs.programs]]\npack = \"{id}\"\ncommand = \"/bin/sh\"\nargs = [\"{script}\"]\n"));
        let connection = format!("command: /bin/sh, args: [\"{script}\"]");
        let tool = match id {
            "asks" => "get_asks",
            "long" => "get_long",
            "full" => "get_full",
            "forks" => "get_forks",
            "eats" => "get_eats",
            _ => "get_values",
        };
        // The answer that may be read arrives also while the machine is busy; the others end by their time.
        let timeout_ms = if id == "full" { 20_000 } else { 2_000 };
        let limit = format!("      timeout_ms: {timeout_ms}\n      handler");
        let called = command(tool, "read", "tool: get").replace("      handler", &limit);
        Trap { id, pack: pack("mcp", &connection, &called), tool, arguments: json!({}), ends_turn: false }
    });
    let (shop, model) = shop_of(&traps, &permitted);
    let accepted = balcao(shop.path()).env("UP_TOKEN", TOKEN).args(["pack", "accept"]).output().unwrap();
    assert_eq!(code(&accepted), 0, "{}", err(&accepted));
    let server = Running::start_in(&[("UP_TOKEN", TOKEN)], shop.path(), &["serve"]);
    spring(&server, &traps);
    has_stayed_small(server.id());
    // Each was called, and failed but for the one whose answer may be read.
    for trap in &traps {
        let told = told_of(&model, trap.tool);
        let failed = trap.id != "full";
        assert!(!told.is_empty() && told.iter().all(|one| one.contains("error") == failed), "{}: {told:?}", trap.id);
    }
    server.stop();
    let children = std::fs::read_to_string(&children).unwrap();
    for child in children.lines() {
        until("what a server started ends with it", || has_ended(child).then_some(()));
    }
}

/// Whether a process has ended. It stays as a zombie until its parent waits for it.
fn has_ended(process: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat")).map_or(true, |stat| stat.contains(") Z "))
}
