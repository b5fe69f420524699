//! What figures over a million appointments cost, on SQLite in a file.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::admin::staff_access::StaffPermissions;
use balcao_app::reports::analytics::Analytics;
use balcao_app::reports::questions::Questions;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_store::{OpenOptions, Store, StoreError, Tx, Value};

const APPOINTMENTS: i64 = 1_000_000;
/// How many people these are of.
const CONTACTS: i64 = 300;

const PEOPLE: &str = "
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
    INSERT INTO contact (organization_id, name, created_at) SELECT ?1, 'Cliente ' || n, ?3 FROM number";

/// One every minute, for some two years back from now, of every status, many contacts and several professionals.
const FILL: &str = "
    WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ?2)
    INSERT INTO appointment (organization_id, contact_id, professional_id, service_name, starts_at, ends_at, occupied_from,
                             occupied_to, status, price_cents, source, created_at)
    SELECT ?1, (SELECT MAX(id) FROM contact) - n * 7 % ?4, (SELECT MIN(id) FROM professional) + n % 2, 'Corte',
           ?3 - n * 60000, ?3 - n * 60000 + 60000, ?3 - n * 60000, ?3 - n * 60000 + 60000,
           CASE n / 7 % 10 WHEN 0 THEN 'no_show' WHEN 1 THEN 'cancelled' ELSE 'completed' END, 4500, 'bench', ?3
    FROM number";

struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    app: AppContext,
    organization: OrganizationId,
}

fn world() -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
    let now: jiff::Timestamp = "2026-11-23T12:00:00Z".parse().expect("an instant");
    let text = include_str!("../../../samples/barbearia-figueira.yaml");
    let file = BusinessFile::read("figueira", text).expect("a good file");
    let organization = runtime.block_on(async {
        store.migrate().await.expect("a schema");
        let organization = file.import(&store, now).await.expect("a business").organization;
        let fill = move |tx: &mut Tx<'_>| {
            let values = |rows| {
                [Value::Organization(organization.into()), Value::Integer(rows), Value::Integer(now.as_millisecond())]
            };
            tx.execute(PEOPLE, &values(CONTACTS))?;
            let [of, rows, until] = values(APPOINTMENTS);
            tx.execute(FILL, &[of, rows, until, Value::Integer(CONTACTS)])?;
            Ok::<_, StoreError>(())
        };
        store.write(fill).await.expect("appointments");
        organization
    });
    World { _folder: folder, runtime, app: AppContext::new(store, Arc::new(ManualClock::at(now))), organization }
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn figures_of_two_years(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let analytics = Analytics::new(world.app.clone());
    bencher.bench_local(|| {
        let stats =
            world.runtime.block_on(analytics.stats(world.organization, StaffPermissions::ALL, 36)).expect("figures");
        assert!(i64::from(stats.summary.total) >= APPOINTMENTS);
        stats
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn no_shows_of_two_years(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let analytics = Analytics::new(world.app.clone());
    bencher.bench_local(|| {
        world
            .runtime
            .block_on(analytics.no_show_clients(world.organization, StaffPermissions::ALL, 36, 10))
            .expect("a ranking")
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_question_that_reads_everything(bencher: divan::Bencher<'_, '_>) {
    let world = world();
    let questions = Questions::new(world.app.clone());
    let question = r#"appointments | where status == "completed" | summarize count(), sum(price) by professional"#;
    bencher.bench_local(|| {
        let answer = world.runtime.block_on(questions.ask(world.organization, StaffPermissions::ALL, question));
        answer.expect("a database").expect("an answer")
    });
}

fn main() {
    divan::main();
}
