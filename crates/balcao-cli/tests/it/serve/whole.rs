//! The data of whoever copies one file, kills a server, or brings a database up to date.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use balcao_store::{OpenOptions, Store, StoreError, Tx};
use balcao_testkit::postgres::OwnServer;
use tempfile::tempdir;

use super::{SECRET, Shop, post, shop, silent_model, text, told};
use crate::postgres::with;
use crate::{code, err, out, root, run};

/// Rows of a table in a copy of the one file, as somebody has them who copied nothing else.
fn rows_in_a_copy(path: &Path, table: &str) -> i64 {
    let folder = tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    std::fs::copy(path, &copy).unwrap();
    let sql = format!("SELECT COUNT(*) FROM {table}");
    in_file(&copy, move |tx| tx.query_one(&sql, &[], |row| row.get(0)))
}

/// What a transaction on a file gives.
fn in_file<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
) -> T {
    let store = Store::open(path, OpenOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.write(work)).unwrap()
}

#[test]
fn after_every_command_and_a_clean_stop_the_file_is_whole_by_itself() {
    let shop = shop();
    let path = shop.folder.path().join("balcao.db");
    let is_whole = |what: &str| {
        let log = std::fs::metadata(shop.folder.path().join("balcao.db-wal")).map(|found| found.len());
        assert_eq!(log.unwrap_or(0), 0, "{what}");
    };
    is_whole("migrate and seed");
    assert_eq!(rows_in_a_copy(&path, "service"), 7);
    std::fs::copy(root().join("samples/barbearia-figueira.yaml"), shop.folder.path().join("FILE")).unwrap();
    let mut ran = 0;
    for usage in usages(&shop, &[]) {
        let arguments = arguments(&usage);
        // It runs until it is stopped.
        if arguments == ["serve"] {
            continue;
        }
        let output = shop.command().args(&arguments).stdin(Stdio::null()).output().unwrap();
        assert!(!err(&output).contains("Usage: balcao"), "{arguments:?}: {}", err(&output));
        is_whole(&arguments.join(" "));
        // Once more, with an output that its reader has closed.
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let mut unread = shop.command();
        let unread =
            unread.args(&arguments).stdin(Stdio::null()).stdout(closed).stderr(Stdio::null()).status().unwrap();
        is_whole(&format!("{} with a closed output: {unread}", arguments.join(" ")));
        ran += 1;
    }
    assert!(ran > 80, "{ran} commands");
    assert_eq!(rows_in_a_copy(&path, "api_key"), 2, "`key create` made one each time");
    let server = shop.start();
    assert_eq!(post(&server.address, &text("wamid.1", 1, "quais os serviços?"), SECRET), Some(200));
    shop.quiet();
    assert!(server.stop().success());
    is_whole("serve");
    assert_eq!((rows_in_a_copy(&path, "inbox WHERE kind = 'message'"), rows_in_a_copy(&path, "turn")), (1, 1));
}

#[test]
fn a_command_that_ends_beside_another_reader_says_that_the_log_is_needed_too() {
    let shop = shop();
    let path = shop.folder.path().join("balcao.db");
    let ((begins, begun), (ends, ended)) = (mpsc::channel(), mpsc::channel::<()>());
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    let reader = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let read = store.read(move |tx| {
            let services: i64 = tx.query_one("SELECT COUNT(*) FROM service", &[], |row| row.get(0))?;
            begins.send(services).unwrap();
            assert!(ended.recv().is_err(), "the other end is dropped");
            Ok::<_, StoreError>(())
        });
        runtime.block_on(read).unwrap();
    });
    assert_eq!(begun.recv().unwrap(), 7);
    let create =
        || shop.command().args(["key", "create", "--name", "painel", "--scope", "read", "-v"]).output().unwrap();
    let beside = create();
    drop(ends);
    reader.join().unwrap();
    let alone = create();
    assert_eq!((code(&beside), code(&alone)), (0, 0), "{}", err(&beside));
    assert!(err(&beside).contains("the newest changes stay in its -wal file"), "{}", err(&beside));
    assert!(!err(&alone).contains("-wal"), "{}", err(&alone));
}

/// How each command is written that has no commands of its own, as the program's help says it.
fn usages(shop: &Shop, of: &[&str]) -> Vec<String> {
    let output = shop.command().args(of).arg("--help").output().unwrap();
    assert_eq!(code(&output), 0, "{of:?}: {}", err(&output));
    let help = out(&output);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a line goes on with is written further in.
    let names = listed.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let names: Vec<&str> =
        names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    if names.is_empty() {
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: balcao ")).unwrap();
        return vec![usage.to_owned()];
    }
    names.into_iter().flat_map(|name| usages(shop, &[of, &[name]].concat())).collect()
}

/// A command line of a usage: a value for each place, and one of several ways.
fn arguments(usage: &str) -> Vec<String> {
    let mut usage = usage.replace("<FILE|--in-place>", "<FILE>").replace("[OPTIONS]", "").replace(['[', ']'], " ");
    // Of several ways, the first one without a value: "<--move-to <TIME>|--cancel>" becomes "--cancel".
    while let Some((before, rest)) = usage.split_once("<--") {
        let (group, after) = rest.split_once("> <").map_or((rest, ""), |(group, after)| (group, after));
        let ways = format!("--{}", group.trim_end_matches('>'));
        let way = ways.split('|').find(|way| !way.contains('<')).unwrap();
        usage = format!("{before}{way} <{after}");
    }
    let value = |place: &str| {
        match place.trim_matches(['<', '>', '.']) {
            "ID" | "CONTACT" => "1",
            "EMAIL" => "davi@figueira.example",
            "SCOPE" => "read",
            "SECTION" => "services",
            "DATE" => "2026-11-27",
            "END" => "completed",
            "NAME|FIELD=VALUE" | "FIELD=VALUE" => "name=x",
            other => other,
        }
        .to_owned()
    };
    usage.split_whitespace().map(value).filter(|word| !word.is_empty()).collect()
}

/// Sends a signal to a program.
fn signal(name: &str, child: &Child) {
    let sent = Command::new("kill").arg(name).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
}

/// The command with the signals as they are by default: a child inherits those that are ignored where the tests run (`nohup`).
fn with_default_signals(inner: &Command) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,TERM", "--"]).arg(inner.get_program()).args(inner.get_args());
    command.current_dir(inner.get_current_dir().unwrap()).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn after_every_signal_that_ends_the_program_the_file_is_whole_by_itself() {
    let shop = shop();
    let path = shop.folder.path().join("balcao.db");
    let log = || std::fs::metadata(shop.folder.path().join("balcao.db-wal")).map_or(0, |found| found.len());
    for (number, name) in [(2, "-INT"), (15, "-TERM"), (1, "-HUP")] {
        let mut server = shop.start_by(with_default_signals(&shop.command()), &["serve", "--model", "offline"]);
        signal(name, &server.child);
        assert!(server.child.wait().unwrap().success(), "serve {name}");
        assert_eq!(log(), 0, "serve {name}");
        // A script without end, in the middle of which the signal comes.
        std::fs::write(shop.folder.path().join("words"), "quais os serviços?\n".repeat(10_000)).unwrap();
        let mut chat = with_default_signals(&shop.command());
        chat.args(["chat", "--script", "words", "--model", "offline"]);
        let mut chat = chat.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(chat.stdout.take().unwrap());
        said.read_line(&mut String::new()).unwrap();
        signal(name, &chat);
        assert_eq!(chat.wait().unwrap().code(), Some(128 + number), "chat {name}");
        assert_eq!(log(), 0, "chat {name}");
        assert!(rows_in_a_copy(&path, "turn") > 0);
        // It waits for words that do not come.
        let mut waiting = with_default_signals(&shop.command());
        let mut waiting = waiting.arg("chat").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It stays open: the code that waits for a child closes the child's input.
        let _typing = waiting.stdin.take();
        let mut told = BufReader::new(waiting.stderr.take().unwrap());
        told.read_line(&mut String::new()).unwrap();
        signal(name, &waiting);
        assert_eq!(waiting.wait().unwrap().code(), Some(128 + number), "chat that waits {name}");
        assert_eq!(log(), 0, "chat that waits {name}");
    }
}

#[test]
fn a_start_takes_over_at_once_what_a_server_that_was_killed_had_in_hand() {
    // With leases of ten minutes: whoever waits for one waits longer than this test may last.
    let shop = shop();
    let (model, asked) = silent_model();
    let file = shop.folder.path().join("balcao.toml");
    let config = std::fs::read_to_string(&file).unwrap().replace("[server]", "[server]\nlease_s = 600");
    let slow =
        format!("[[model.providers]]\nname = \"slow\"\nkind = \"compatible\"\nbase_url = \"{model}\"\nmodel = \"x\"\n");
    std::fs::write(&file, format!("{config}{slow}")).unwrap();
    let server = shop.start_with(&["serve"]);
    assert_eq!(post(&server.address, &text("wamid.1", 1, "quais os serviços?"), SECRET), Some(200));
    told("the model is asked", &asked);
    server.kill();
    let _server = shop.start();
    shop.quiet();
    assert_eq!(shop.accepted().len(), 1, "{:?}", shop.accepted());
}

#[test]
fn a_file_is_copied_before_its_schema_changes() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["migrate"], "")), 0);
    let copies = || {
        let names =
            std::fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".after-")).count()
    };
    let again = run(folder.path(), &["migrate"], "");
    assert_eq!((code(&again), copies()), (0, 0), "a new file, and one that lacks nothing, need none");
    // A file of a program of last month: the newest migration is not there. What it would do is there, so it may fail.
    let path = folder.path().join("balcao.db");
    let forget = || {
        let newest = "DELETE FROM schema_migration WHERE version = (SELECT MAX(version) FROM schema_migration)";
        assert_eq!(in_file(&path, move |tx| tx.execute(newest, &[])), 1);
    };
    forget();
    let output = run(folder.path(), &["migrate"], "");
    assert!(err(&output).contains("as it was before 1 migrations is in balcao.db.after-"), "{}", err(&output));
    assert_eq!(copies(), 1);
    forget();
    run(folder.path(), &["migrate", "--no-backup"], "");
    assert_eq!(copies(), 1);
    forget();
    run(folder.path(), &["migrate"], "");
    assert_eq!(copies(), 2, "an earlier copy is not written over");
}

/// As `docs/OPERATIONS.md` says it, word for word.
#[test]
fn a_server_is_dumped_by_the_documented_role_and_restored_by_the_programs_own() {
    let Some(server) = OwnServer::start("", &[]) else { return };
    server.run("postgres", "CREATE ROLE balcao LOGIN").unwrap();
    let page = std::fs::read_to_string(root().join("docs/OPERATIONS.md")).unwrap();
    let statement = page.lines().find(|line| line.starts_with("CREATE ROLE shop_backup")).unwrap();
    server.run("postgres", statement).unwrap();
    let documented = |program: &str| page.lines().find_map(|line| line.strip_prefix(program)).unwrap().split(' ');
    let made = |name: &str| {
        let mut command = Command::new("createdb");
        command.envs([("PGHOST", "127.0.0.1"), ("PGUSER", "postgres")]).env("PGPORT", server.port.to_string());
        let arguments = documented("createdb ").map(|word| if word == "shop_restored" { name } else { word });
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", err(&output));
    };
    made("shop");
    let url = |user: &str, name: &str| format!("postgres://{user}@127.0.0.1:{}/{name}", server.port);
    let folder = tempdir().unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml").display().to_string();
    for arguments in [vec!["migrate"], vec!["seed", &sample]] {
        let output = with(folder.path(), &url("balcao", "shop"), &arguments);
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    // The program's own role is held to the walls between organizations, and would dump next to nothing.
    let file = folder.path().join("monday.dump");
    let dump = |user: &str| {
        let mut command = Command::new("pg_dump");
        command.args(["--format=custom", "--file"]).arg(&file).arg(url(user, "shop")).output().unwrap()
    };
    assert!(!dump("balcao").status.success());
    let dumped = dump("shop_backup");
    assert!(dumped.status.success(), "{}", err(&dumped));
    made("copy");
    let restored = Command::new("pg_restore")
        .args(["--no-owner", "--exit-on-error", "--dbname", &url("balcao", "copy")])
        .arg(&file)
        .output()
        .unwrap();
    assert!(restored.status.success(), "{}", err(&restored));
    let in_place = with(folder.path(), &url("balcao", "copy"), &["restore", "--in-place"]);
    assert_eq!(code(&in_place), 0, "{}", err(&in_place));
    std::fs::write(folder.path().join("words"), "quanto custa a sobrancelha?\n").unwrap();
    let asked = with(folder.path(), &url("balcao", "copy"), &["chat", "--script", "words", "--model", "offline"]);
    assert!(out(&asked).contains("R$ 25"), "{}{}", out(&asked), err(&asked));
    // A schema that is in use is not changed before somebody says that there is a copy.
    server
        .run("copy", "DELETE FROM schema_migration WHERE version = (SELECT MAX(version) FROM schema_migration)")
        .unwrap();
    for arguments in [vec!["migrate"], vec!["seed", &sample]] {
        let refused = with(folder.path(), &url("balcao", "copy"), &arguments);
        assert_eq!(code(&refused), 2, "{}", err(&refused));
        assert!(err(&refused).contains("pg_dump") && err(&refused).contains("--no-backup"), "{}", err(&refused));
    }
    let forced = with(folder.path(), &url("balcao", "copy"), &["migrate", "--no-backup"]);
    assert!(!err(&forced).contains("pg_dump"), "{}", err(&forced));
}
