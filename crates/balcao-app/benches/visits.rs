//! What it costs to complete ten thousand unmarked visits, each with its event and its row of the audit log.
#![expect(clippy::expect_used, reason = "a benchmark")]

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::visits::Visits;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_store::{OpenOptions, Store, StoreError, Tx, Value};
use balcao_testkit::postgres::Database;

const VISITS: i64 = 10_000;

/// One every half an hour, for some two hundred days back from now, all of one professional and on one seat, as they were booked.
const FILL: &str = "
    WITH RECURSIVE number (n) AS (
        SELECT CAST(5 AS BIGINT) UNION ALL SELECT n + 1 FROM number WHERE n + 1 < CAST(?2 AS BIGINT) + 5),
    place (start) AS (SELECT CAST(?3 AS BIGINT) - n * 1800000 FROM number)
    INSERT INTO appointment (organization_id, contact_id, professional_id, service_name, starts_at, ends_at, occupied_from,
                             occupied_to, seat, status, price_cents, source, created_at)
    SELECT CAST(?1 AS BIGINT), (SELECT MIN(id) FROM contact), (SELECT MIN(id) FROM professional), 'Corte',
           start, start + 1800000, start, start + 1800000, 1, 'confirmed', 4500, 'bench', start
    FROM place";

/// A business that lets the server complete its visits.
struct World {
    app: AppContext,
    organization: OrganizationId,
    _kept: (Option<tempfile::TempDir>, Option<Database>),
}

async fn world(store: Store, kept: (Option<tempfile::TempDir>, Option<Database>)) -> World {
    let now: jiff::Timestamp = "2026-11-23T12:00:00Z".parse().expect("an instant");
    let text = include_str!("../../../samples/barbearia-figueira.yaml");
    let text = text.replace("unmarked_visits: ask", "unmarked_visits: complete");
    let file = BusinessFile::read("figueira", &text).expect("a good file");
    store.migrate().await.expect("a schema");
    let organization = file.import(&store, now).await.expect("a business").organization;
    let fill = move |tx: &mut Tx<'_>| {
        let [of, rows, until] =
            [Value::Organization(organization.into()), Value::Integer(VISITS), Value::Integer(now.as_millisecond())];
        // The contacts' and professionals' own appointments of the sample are not in the way.
        tx.execute("DELETE FROM appointment WHERE organization_id = ?1", std::slice::from_ref(&of))?;
        tx.execute(FILL, &[of, rows, until])?;
        Ok::<_, StoreError>(())
    };
    store.write(fill).await.expect("visits");
    World { app: AppContext::new(store, Arc::new(ManualClock::at(now))), organization, _kept: kept }
}

fn bench(
    bencher: divan::Bencher<'_, '_>,
    make: impl Fn() -> Option<(Store, (Option<tempfile::TempDir>, Option<Database>))>,
) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    if make().is_none() {
        return;
    }
    let fresh = || {
        let (store, kept) = make().expect("a database");
        runtime.block_on(world(store, kept))
    };
    bencher.with_inputs(fresh).bench_local_values(|world| {
        let marked = runtime.block_on(Visits::new(world.app.clone()).review_unmarked(world.organization));
        assert_eq!(i64::try_from(marked.expect("a database")), Ok(VISITS));
        world
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn ten_thousand_visits_on_sqlite(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, || {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).expect("a database");
        Some((store, (Some(folder), None)))
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn ten_thousand_visits_on_postgresql(bencher: divan::Bencher<'_, '_>) {
    bench(bencher, || {
        let database = Database::migrated()?;
        let store = Store::connect(&database.url, OpenOptions::default()).expect("a database");
        Some((store, (None, Some(database))))
    });
}

fn main() {
    divan::main();
}
