//! A backup is made while the server works, and put back after it worked on.

use super::{Shop, no_effect_happened_twice, secrets, shop, wishes};
use crate::observed::text;
use crate::{code, err, out, run};

fn command(shop: &Shop, arguments: &[&str]) -> String {
    let output = run(shop.folder.path(), arguments, "");
    assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
    out(&output)
}

/// Works on until everybody has their answer; then a customer writes, and the program dies before it answers.
fn backed_up(shop: &Shop) {
    let server = shop.start();
    let (asking, _) = wishes(0..10);
    asking.iter().for_each(|message| server.delivers(message));
    shop.quiet();
    let told = command(shop, &["backup", "while-served.db"]);
    assert!(told.contains("while-served.db holds the database") && told.contains("read back whole"), "{told}");
    server.kill();
    // It waits for more from the customer, and is killed meanwhile.
    let mut patient = shop.command();
    patient.env("BALCAO__SERVER__BURST_WINDOW_MS", "10000");
    let server = shop.start_by(patient, &["serve", "--model", "offline"]);
    server.delivers(&text("wamid.unread", 50, "oi"));
    server.kill();
    command(shop, &["backup", "backup.db"]);
}

/// What came after the backup, answered.
fn worked_on(shop: &Shop) {
    let server = shop.start();
    let (_, agreeing) = wishes(0..10);
    agreeing.iter().for_each(|message| server.delivers(message));
    for customer in 20..30 {
        server.delivers(&text(&format!("wamid.late{customer}"), customer, "oi"));
    }
    shop.quiet();
    assert!(server.stop().success());
}

/// Serves, and sees that nothing leaves that nobody asked for now.
fn serves_and_repeats_nothing(shop: &Shop, name: &str) {
    let before = shop.accepted();
    let server = shop.start();
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE state IN ('new', 'assigned')"), 0);
    // Customers write on: those who had been asked before the backup agree.
    for customer in 0..10 {
        server.delivers(&text(&format!("wamid.{name}{customer}"), customer, "sim"));
    }
    shop.quiet();
    assert!(server.stop().success());
    let answered = shop.accepted().len() - before.len();
    assert!((1..=10).contains(&answered), "{answered} messages for ten customers");
    no_effect_happened_twice(shop);
}

#[test]
fn f_82_a_backup_that_is_put_back_sends_nothing_again_and_gives_what_was_open_to_the_team() {
    let shop = shop().with_leases(2);
    backed_up(&shop);
    worked_on(&shop);
    let told = command(&shop, &["restore", "backup.db"]);
    assert!(told.contains("is kept as balcao.db.replaced-"), "{told}");
    assert!(told.contains("1 conversations given to the team") && told.contains("is not in this database"), "{told}");
    let waiting = "SELECT COUNT(*) FROM conversation WHERE state = 'waiting_human'";
    assert_eq!(shop.count(waiting), 1);
    assert_eq!(
        shop.count("SELECT COUNT(*) FROM appointment WHERE source = 'agent'"),
        0,
        "what came later is not in it"
    );
    serves_and_repeats_nothing(&shop, "again");
    assert!(shop.count("SELECT COUNT(*) FROM appointment WHERE source = 'agent'") > 0);
    eprintln!("F-82: a backup put back after 20 turns: 1 open conversation with the team, 0 automatic re-sends");
}

#[test]
fn f_82_a_backup_that_was_copied_over_the_file_by_hand_is_found_out() {
    let shop = shop().with_leases(2);
    backed_up(&shop);
    worked_on(&shop);
    let place = shop.folder.path().join("balcao.db");
    for end in ["-wal", "-shm"] {
        drop(std::fs::remove_file(shop.folder.path().join(format!("balcao.db{end}"))));
    }
    std::fs::copy(shop.folder.path().join("backup.db"), &place).unwrap();
    // The server had worked on long after it.
    let later: jiff::Timestamp = "2100-01-01T00:00:00Z".parse().unwrap();
    let note = format!("1\n{}\n", later.as_microsecond());
    std::fs::write(shop.folder.path().join("balcao.db-serving"), note).unwrap();
    let refused = secrets(&mut shop.command()).args(["serve", "--model", "offline"]).output().unwrap();
    assert_eq!(code(&refused), 1);
    assert!(
        err(&refused).contains("it was restored from a backup") && err(&refused).contains("--in-place"),
        "{}",
        err(&refused)
    );
    // The note is not lost by being refused.
    let refused = secrets(&mut shop.command()).args(["serve", "--model", "offline"]).output().unwrap();
    assert_eq!(code(&refused), 1, "{}", err(&refused));
    std::fs::write(shop.folder.path().join("balcao.db-serving"), "1\n").unwrap();
    command(&shop, &["restore", "--in-place"]);
    serves_and_repeats_nothing(&shop, "byhand");
}

#[test]
fn f_82_what_cannot_be_copied_or_put_back_is_said_and_nothing_is_touched() {
    let shop = shop();
    let folder = shop.folder.path();
    std::fs::write(folder.join("taken.db"), "mine").unwrap();
    std::fs::write(folder.join("letter.txt"), "no database at all, but long enough to be looked at as one".repeat(20))
        .unwrap();
    let held = "SELECT COUNT(*) FROM service";
    let before = shop.count(held);
    std::fs::write(folder.join("empty.db"), "").unwrap();
    for (arguments, exit, told) in [
        (vec!["backup", "taken.db"], 1, "exists already"),
        (vec!["backup", "nowhere/copy.db"], 1, "nowhere"),
        (vec!["restore", "missing.db"], 2, "file missing.db not found"),
        (vec!["backup", "no/such/copy.db"], 1, "no/such"),
        (vec!["restore", "letter.txt"], 1, "letter.txt cannot be restored"),
        (vec!["restore", "empty.db"], 1, "holds no database of Balcão"),
        (vec!["restore", "balcao.db"], 2, "is the database itself"),
        (vec!["restore"], 2, "--in-place"),
        (vec!["restore", "taken.db", "--in-place"], 2, "cannot be used with"),
    ] {
        let output = run(folder, &arguments, "");
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(told), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(std::fs::read_to_string(folder.join("taken.db")).unwrap(), "mine");
    assert_eq!(shop.count(held), before);
    let kept = |name: &str| {
        std::fs::read_dir(folder).unwrap().any(|one| one.unwrap().file_name().to_string_lossy().contains(name))
    };
    assert!(!kept(".replaced-") && !kept(".restoring") && !kept(".restored") && !kept(".part"));
    // What is replaced is kept, however often.
    command(&shop, &["backup", "first.db"]);
    for _ in 0..3 {
        command(&shop, &["restore", "first.db"]);
    }
    let all = std::fs::read_dir(folder).unwrap().map(|one| one.unwrap().file_name().to_string_lossy().into_owned());
    let replaced =
        all.filter(|name| name.contains(".replaced-") && !name.ends_with("-wal") && !name.ends_with("-shm")).count();
    assert_eq!(replaced, 3);
    // Nobody puts a backup under a server that runs.
    command(&shop, &["backup", "good.db"]);
    let server = shop.start();
    let refused = run(folder, &["restore", "good.db"], "");
    assert_eq!(code(&refused), 1);
    assert!(err(&refused).contains("is served by another program"), "{}", err(&refused));
    assert!(server.stop().success());
}
