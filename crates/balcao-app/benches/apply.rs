//! What it costs to plan and apply a business file of 200 services and 50 professionals: the first time, and with every price changed.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::fmt::Write as _;
use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::business::Business;
use balcao_app::admin::seed::BusinessFile;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_store::{OpenOptions, Store};
use balcao_testkit::postgres::Database;

const SERVICES: usize = 200;
const PROFESSIONALS: usize = 50;
/// Services of each professional.
const OFFERED: usize = 20;

/// A business file in which every price has these cents.
fn file(cents: u32) -> BusinessFile {
    let mut text = "organization:\n  name: Salão Grande\n  slug: grande\n  timezone: America/Sao_Paulo\n  locale: pt-BR\n  currency: BRL\n  \
                    hours: {tue: [\"09:00-20:00\"], wed: [\"09:00-20:00\"], fri: [\"09:00-20:00\"], sat: [\"09:00-18:00\"]}\nservices:\n"
        .to_owned();
    for number in 0..SERVICES {
        let line = format!(
            "  - {{name: Serviço {number}, aliases: [atalho {number}], description: O serviço de número {number} da casa, \
             price: \"{}.{cents:02}\", duration_minutes: 30}}",
            30 + number
        );
        writeln!(text, "{line}").expect("a text grows");
    }
    text.push_str("professionals:\n");
    for number in 0..PROFESSIONALS {
        let offered: Vec<String> =
            (0..OFFERED).map(|one| format!("Serviço {}", (number * 7 + one) % SERVICES)).collect();
        let line = format!(
            "  - {{name: Pessoa {number}, aliases: [apelido {number}], services: [{}], \
             hours: {{tue: [\"09:00-12:00\", \"13:00-20:00\"], wed: [\"09:00-20:00\"], sat: [\"09:00-18:00\"]}}}}",
            offered.join(", ")
        );
        writeln!(text, "{line}").expect("a text grows");
    }
    BusinessFile::read("grande.yaml", &text).expect("a good file")
}

type Kept = (Option<tempfile::TempDir>, Option<Database>);

/// A business before the file is applied.
struct World {
    business: Business,
    organization: OrganizationId,
    _kept: Kept,
}

async fn world(store: Store, kept: Kept, is_loaded: bool) -> World {
    let now: jiff::Timestamp = "2026-11-23T12:00:00Z".parse().expect("an instant");
    store.migrate().await.expect("a schema");
    let small = "organization: {name: Salão Grande, slug: grande, timezone: America/Sao_Paulo, locale: pt-BR, currency: BRL, \
                 hours: {tue: [\"09:00-20:00\"]}}\nservices: []\nprofessionals: []\n";
    let small = BusinessFile::read("grande.yaml", small).expect("a good file");
    let before = if is_loaded { file(0) } else { small };
    let organization = before.import(&store, now).await.expect("a business").organization;
    let business = Business::new(AppContext::new(store, Arc::new(ManualClock::at(now))));
    World { business, organization, _kept: kept }
}

async fn apply(world: &World) {
    let (business, organization) = (&world.business, world.organization);
    let plan = business.plan(organization, file(50)).await.expect("a database").expect("a plan");
    assert!(plan.changes.len() >= SERVICES, "{} changes", plan.changes.len());
    let made = business.apply(organization, file(50), plan.hash, "operator".to_owned()).await;
    made.expect("a database").expect("it is applied");
}

fn bench(bencher: divan::Bencher<'_, '_>, is_loaded: bool, make: impl Fn() -> Option<(Store, Kept)>) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    if make().is_none() {
        return;
    }
    let fresh = || {
        let (store, kept) = make().expect("a database");
        runtime.block_on(world(store, kept, is_loaded))
    };
    bencher.with_inputs(fresh).bench_local_values(|world| {
        runtime.block_on(apply(&world));
        world
    });
}

fn sqlite() -> Option<(Store, Kept)> {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
    Some((store, (Some(folder), None)))
}

fn postgresql() -> Option<(Store, Kept)> {
    let database = Database::migrated()?;
    let store = Store::connect(&database.url, OpenOptions::default()).expect("a database");
    Some((store, (None, Some(database))))
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn everything_new_on_sqlite(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, false, sqlite);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn everything_new_on_postgresql(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, false, postgresql);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn every_price_changed_on_sqlite(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, true, sqlite);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn every_price_changed_on_postgresql(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, true, postgresql);
}

fn main() {
    divan::main();
}
