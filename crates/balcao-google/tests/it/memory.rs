//! What a reading of many changes takes: the client in a process of its own, and the fake in this one.
#![expect(clippy::print_stdout, reason = "the figures go to the process that started this one")]

use std::process::{Command, Stdio};
use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::remote_calendar::reading::Reading;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_google::{Addresses, GoogleCalendar};
use balcao_store::{OpenOptions, Store};
use balcao_testkit::contract::calendar::NOW;

use crate::desk::{Act, DATABASE, Desk, Founded};
use crate::programs::put_many;
use crate::world::{Known, RAFA, SCOPES, grant, instant, limits};

/// What tells this test that it is the client: the service, a refresh token, the folder of the database, and the business.
const CLIENT: &str = "BALCAO_TEST_READER";

/// Reads what changed of a calendar, and prints how many events that were and the most memory that it took, in KiB.
fn read(told: &str) {
    let [url, token, folder, organization] = told.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let organization = OrganizationId::try_from(organization.parse::<i64>().unwrap()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&std::path::Path::new(folder).join(DATABASE), OpenOptions::default()).unwrap();
        let (clock, known) = (Arc::new(ManualClock::at(instant(NOW))), Arc::new(Known::default()));
        *known.credential.lock().unwrap() = Some(grant(token.to_owned()));
        let addresses = Addresses::under(url).unwrap();
        let service = GoogleCalendar::new(addresses, limits(), known, Arc::<ManualClock>::clone(&clock)).unwrap();
        let app = AppContext::new(store, clock).with_remote_calendar(Some(Arc::new(service)));
        let read = CalendarWork::new(app).read(organization, RAFA.to_owned(), false).await.unwrap();
        let Reading::Read { events } = read else { panic!("{read:?}") };
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        println!("read {events} {}", peak.unwrap_or("0").trim());
    });
}

/// Reads the changes in a process of its own; gives how many there were, and its most memory in KiB.
fn read_apart(desk: &Desk) -> (usize, u64) {
    let folder = desk.folder.path().display();
    let token = desk.google.grant(&SCOPES);
    let told = format!("{} {token} {folder} {}", desk.google.url(), i64::from(desk.organization));
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "memory::a_reading_takes_the_same_memory_however_much_changed", "--nocapture"]);
    let output = program.env(CLIENT, told).stderr(Stdio::inherit()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find_map(|line| line.split("read ").nth(1)).unwrap_or_else(|| panic!("{said}"));
    let (events, peak) = line.split_once(' ').unwrap();
    (events.parse().unwrap(), peak.parse().unwrap())
}

#[tokio::test]
async fn a_reading_takes_the_same_memory_however_much_changed() {
    if let Some(told) = std::env::var_os(CLIENT) {
        return std::thread::spawn(move || read(told.to_str().unwrap())).join().unwrap();
    }
    let desk = Desk::prepare(&Founded::new().await, Act::Book).await;
    desk.start(None).read_all().await;
    let mut peaks = Vec::new();
    for (from, count) in [(0, 1_000), (1_000, 20_000)] {
        put_many(&desk, from, count);
        let (events, peak) = read_apart(&desk);
        assert_eq!(events, count);
        eprintln!("{events} events, at most {peak} KiB");
        peaks.push(peak);
    }
    if peaks[0] == 0 {
        return balcao_testkit::skip("this system does not say how much memory a program uses");
    }
    // A page has 250 events. What the database keeps in memory grows to its limit, by 2 or 3 MiB. A reading that keeps a copy of every event
    // grows by more than 7 MiB.
    assert!(peaks[1] < peaks[0] + (5 << 10), "{peaks:?} KiB");
}
