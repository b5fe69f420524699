//! Migrations: forward only, recorded with their checksum, applied all or none.
//!
//! Each is written for SQLite and for PostgreSQL, with the same meaning. One that was applied is never edited: add other
//! files, and a line below. Each must work with the program before it and after it (expand, then contract).

use sha2::{Digest, Sha256};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

struct Migration {
    /// The time it was written, `YYYYMMDDNN`; they are applied in this order.
    version: i64,
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

impl Migration {
    const fn sql(&self, tx: &Tx<'_>) -> &'static str {
        if tx.is_postgres() { self.postgres } else { self.sqlite }
    }
}

/// What all migrations together make of an empty SQLite file. A test compares the two.
const SQLITE_SCHEMA: &str = include_str!("../../schema/sqlite.sql");

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 2_026_112_101,
        name: "2026112101_business",
        sqlite: include_str!("../../migrations/sqlite/2026112101_business.sql"),
        postgres: include_str!("../../migrations/postgres/2026112101_business.sql"),
    },
    Migration {
        version: 2_026_112_102,
        name: "2026112102_conversation",
        sqlite: include_str!("../../migrations/sqlite/2026112102_conversation.sql"),
        postgres: include_str!("../../migrations/postgres/2026112102_conversation.sql"),
    },
    Migration {
        version: 2_026_112_201,
        name: "2026112201_inbox_outbox",
        sqlite: include_str!("../../migrations/sqlite/2026112201_inbox_outbox.sql"),
        postgres: include_str!("../../migrations/postgres/2026112201_inbox_outbox.sql"),
    },
    Migration {
        version: 2_026_112_215,
        name: "2026112215_chat",
        sqlite: include_str!("../../migrations/sqlite/2026112215_chat.sql"),
        postgres: include_str!("../../migrations/postgres/2026112215_chat.sql"),
    },
    Migration {
        version: 2_026_112_230,
        name: "2026112230_api",
        sqlite: include_str!("../../migrations/sqlite/2026112230_api.sql"),
        postgres: include_str!("../../migrations/postgres/2026112230_api.sql"),
    },
    Migration {
        version: 2_026_112_240,
        name: "2026112240_tenant_walls",
        sqlite: include_str!("../../migrations/sqlite/2026112240_tenant_walls.sql"),
        postgres: include_str!("../../migrations/postgres/2026112240_tenant_walls.sql"),
    },
    Migration {
        version: 2_026_112_250,
        name: "2026112250_pace",
        sqlite: include_str!("../../migrations/sqlite/2026112250_pace.sql"),
        postgres: include_str!("../../migrations/postgres/2026112250_pace.sql"),
    },
    Migration {
        version: 2_026_112_251,
        name: "2026112251_watch",
        sqlite: include_str!("../../migrations/sqlite/2026112251_watch.sql"),
        postgres: include_str!("../../migrations/postgres/2026112251_watch.sql"),
    },
    Migration {
        version: 2_026_112_260,
        name: "2026112260_attachment",
        sqlite: include_str!("../../migrations/sqlite/2026112260_attachment.sql"),
        postgres: include_str!("../../migrations/postgres/2026112260_attachment.sql"),
    },
    Migration {
        version: 2_026_112_261,
        name: "2026112261_choice_price",
        sqlite: include_str!("../../migrations/sqlite/2026112261_choice_price.sql"),
        postgres: include_str!("../../migrations/postgres/2026112261_choice_price.sql"),
    },
    Migration {
        version: 2_026_112_280,
        name: "2026112280_reports",
        sqlite: include_str!("../../migrations/sqlite/2026112280_reports.sql"),
        postgres: include_str!("../../migrations/postgres/2026112280_reports.sql"),
    },
    Migration {
        version: 2_026_112_290,
        name: "2026112290_files",
        sqlite: include_str!("../../migrations/sqlite/2026112290_files.sql"),
        postgres: include_str!("../../migrations/postgres/2026112290_files.sql"),
    },
    Migration {
        version: 2_026_112_293,
        name: "2026112293_feeds",
        sqlite: include_str!("../../migrations/sqlite/2026112293_feeds.sql"),
        postgres: include_str!("../../migrations/postgres/2026112293_feeds.sql"),
    },
    Migration {
        version: 2_026_112_294,
        name: "2026112294_notices",
        sqlite: include_str!("../../migrations/sqlite/2026112294_notices.sql"),
        postgres: include_str!("../../migrations/postgres/2026112294_notices.sql"),
    },
    Migration {
        version: 2_026_112_295,
        name: "2026112295_intake",
        sqlite: include_str!("../../migrations/sqlite/2026112295_intake.sql"),
        postgres: include_str!("../../migrations/postgres/2026112295_intake.sql"),
    },
    Migration {
        version: 2_026_112_296,
        name: "2026112296_entitlement",
        sqlite: include_str!("../../migrations/sqlite/2026112296_entitlement.sql"),
        postgres: include_str!("../../migrations/postgres/2026112296_entitlement.sql"),
    },
    Migration {
        version: 2_026_112_297,
        name: "2026112297_taken_in_hand",
        sqlite: include_str!("../../migrations/sqlite/2026112297_taken_in_hand.sql"),
        postgres: include_str!("../../migrations/postgres/2026112297_taken_in_hand.sql"),
    },
    Migration {
        version: 2_026_112_298,
        name: "2026112298_outbox_tries",
        sqlite: include_str!("../../migrations/sqlite/2026112298_outbox_tries.sql"),
        postgres: include_str!("../../migrations/postgres/2026112298_outbox_tries.sql"),
    },
    Migration {
        version: 2_026_112_299,
        name: "2026112299_pause",
        sqlite: include_str!("../../migrations/sqlite/2026112299_pause.sql"),
        postgres: include_str!("../../migrations/postgres/2026112299_pause.sql"),
    },
    Migration {
        version: 2_026_112_310,
        name: "2026112310_pack_delivery",
        sqlite: include_str!("../../migrations/sqlite/2026112310_pack_delivery.sql"),
        postgres: include_str!("../../migrations/postgres/2026112310_pack_delivery.sql"),
    },
    Migration {
        version: 2_026_112_350,
        name: "2026112350_service_mark",
        sqlite: include_str!("../../migrations/sqlite/2026112350_service_mark.sql"),
        postgres: include_str!("../../migrations/postgres/2026112350_service_mark.sql"),
    },
    Migration {
        version: 2_026_112_361,
        name: "2026112361_throttle",
        sqlite: include_str!("../../migrations/sqlite/2026112361_throttle.sql"),
        postgres: include_str!("../../migrations/postgres/2026112361_throttle.sql"),
    },
    Migration {
        version: 2_026_112_370,
        name: "2026112370_staff_professional",
        sqlite: include_str!("../../migrations/sqlite/2026112370_staff_professional.sql"),
        postgres: include_str!("../../migrations/postgres/2026112370_staff_professional.sql"),
    },
    Migration {
        version: 2_026_112_371,
        name: "2026112371_one_handoff",
        sqlite: include_str!("../../migrations/sqlite/2026112371_one_handoff.sql"),
        postgres: include_str!("../../migrations/postgres/2026112371_one_handoff.sql"),
    },
    Migration {
        version: 2_026_112_380,
        name: "2026112380_knowledge_vector",
        sqlite: include_str!("../../migrations/sqlite/2026112380_knowledge_vector.sql"),
        postgres: include_str!("../../migrations/postgres/2026112380_knowledge_vector.sql"),
    },
    Migration {
        version: 2_026_112_385,
        name: "2026112385_ranking",
        sqlite: include_str!("../../migrations/sqlite/2026112385_ranking.sql"),
        postgres: include_str!("../../migrations/postgres/2026112385_ranking.sql"),
    },
    Migration {
        version: 2_026_112_401,
        name: "2026112401_message_of_outbox",
        sqlite: include_str!("../../migrations/sqlite/2026112401_message_of_outbox.sql"),
        postgres: include_str!("../../migrations/postgres/2026112401_message_of_outbox.sql"),
    },
    Migration {
        version: 2_026_112_501,
        name: "2026112501_inbox_referred",
        sqlite: include_str!("../../migrations/sqlite/2026112501_inbox_referred.sql"),
        postgres: include_str!("../../migrations/postgres/2026112501_inbox_referred.sql"),
    },
    Migration {
        version: 2_026_112_520,
        name: "2026112520_day_budget",
        sqlite: include_str!("../../migrations/sqlite/2026112520_day_budget.sql"),
        postgres: include_str!("../../migrations/postgres/2026112520_day_budget.sql"),
    },
    Migration {
        version: 2_026_112_530,
        name: "2026112530_pack_delivery_deaths",
        sqlite: include_str!("../../migrations/sqlite/2026112530_pack_delivery_deaths.sql"),
        postgres: include_str!("../../migrations/postgres/2026112530_pack_delivery_deaths.sql"),
    },
    Migration {
        version: 2_026_112_601,
        name: "2026112601_visit_mark",
        sqlite: include_str!("../../migrations/sqlite/2026112601_visit_mark.sql"),
        postgres: include_str!("../../migrations/postgres/2026112601_visit_mark.sql"),
    },
    Migration {
        version: 2_026_112_602,
        name: "2026112602_version",
        sqlite: include_str!("../../migrations/sqlite/2026112602_version.sql"),
        postgres: include_str!("../../migrations/postgres/2026112602_version.sql"),
    },
    Migration {
        version: 2_026_112_610,
        name: "2026112610_automatic_reminder",
        sqlite: include_str!("../../migrations/sqlite/2026112610_automatic_reminder.sql"),
        postgres: include_str!("../../migrations/postgres/2026112610_automatic_reminder.sql"),
    },
    Migration {
        version: 2_026_112_611,
        name: "2026112611_kept_appointment",
        sqlite: include_str!("../../migrations/sqlite/2026112611_kept_appointment.sql"),
        postgres: include_str!("../../migrations/postgres/2026112611_kept_appointment.sql"),
    },
    Migration {
        version: 2_026_112_620,
        name: "2026112620_subscription",
        sqlite: include_str!("../../migrations/sqlite/2026112620_subscription.sql"),
        postgres: include_str!("../../migrations/postgres/2026112620_subscription.sql"),
    },
    Migration {
        version: 2_026_112_621,
        name: "2026112621_moved_to",
        sqlite: include_str!("../../migrations/sqlite/2026112621_moved_to.sql"),
        postgres: include_str!("../../migrations/postgres/2026112621_moved_to.sql"),
    },
    Migration {
        version: 2_026_112_630,
        name: "2026112630_pack_delivery_command",
        sqlite: include_str!("../../migrations/sqlite/2026112630_pack_delivery_command.sql"),
        postgres: include_str!("../../migrations/postgres/2026112630_pack_delivery_command.sql"),
    },
    Migration {
        version: 2_026_112_640,
        name: "2026112640_payment_taken_back",
        sqlite: include_str!("../../migrations/sqlite/2026112640_payment_taken_back.sql"),
        postgres: include_str!("../../migrations/postgres/2026112640_payment_taken_back.sql"),
    },
    Migration {
        version: 2_026_112_650,
        name: "2026112650_remote_calendar",
        sqlite: include_str!("../../migrations/sqlite/2026112650_remote_calendar.sql"),
        postgres: include_str!("../../migrations/postgres/2026112650_remote_calendar.sql"),
    },
    Migration {
        version: 2_026_112_660,
        name: "2026112660_calendar_crashes",
        sqlite: include_str!("../../migrations/sqlite/2026112660_calendar_crashes.sql"),
        postgres: include_str!("../../migrations/postgres/2026112660_calendar_crashes.sql"),
    },
    Migration {
        version: 2_026_112_670,
        name: "2026112670_moved_outside",
        sqlite: include_str!("../../migrations/sqlite/2026112670_moved_outside.sql"),
        postgres: include_str!("../../migrations/postgres/2026112670_moved_outside.sql"),
    },
    Migration {
        version: 2_026_112_730,
        name: "2026112730_set_aside",
        sqlite: include_str!("../../migrations/sqlite/2026112730_set_aside.sql"),
        postgres: include_str!("../../migrations/postgres/2026112730_set_aside.sql"),
    },
    Migration {
        version: 2_026_112_733,
        name: "2026112733_conflict_instances",
        sqlite: include_str!("../../migrations/sqlite/2026112733_conflict_instances.sql"),
        postgres: include_str!("../../migrations/postgres/2026112733_conflict_instances.sql"),
    },
    Migration {
        version: 2_026_112_750,
        name: "2026112750_stated",
        sqlite: include_str!("../../migrations/sqlite/2026112750_stated.sql"),
        postgres: include_str!("../../migrations/postgres/2026112750_stated.sql"),
    },
    Migration {
        version: 2_026_112_760,
        name: "2026112760_installation",
        sqlite: include_str!("../../migrations/sqlite/2026112760_installation.sql"),
        postgres: include_str!("../../migrations/postgres/2026112760_installation.sql"),
    },
    Migration {
        version: 2_026_112_780,
        name: "2026112780_code_of_active",
        sqlite: include_str!("../../migrations/sqlite/2026112780_code_of_active.sql"),
        postgres: include_str!("../../migrations/postgres/2026112780_code_of_active.sql"),
    },
    Migration {
        version: 2_026_112_791,
        name: "2026112791_given_up",
        sqlite: include_str!("../../migrations/sqlite/2026112791_given_up.sql"),
        postgres: include_str!("../../migrations/postgres/2026112791_given_up.sql"),
    },
    Migration {
        version: 2_026_112_792,
        name: "2026112792_move_claim",
        sqlite: include_str!("../../migrations/sqlite/2026112792_move_claim.sql"),
        postgres: include_str!("../../migrations/postgres/2026112792_move_claim.sql"),
    },
    Migration {
        version: 2_026_112_793,
        name: "2026112793_difference_found_at",
        sqlite: include_str!("../../migrations/sqlite/2026112793_difference_found_at.sql"),
        postgres: include_str!("../../migrations/postgres/2026112793_difference_found_at.sql"),
    },
    Migration {
        version: 2_026_112_794,
        name: "2026112794_conflict_of_visit",
        sqlite: include_str!("../../migrations/sqlite/2026112794_conflict_of_visit.sql"),
        postgres: include_str!("../../migrations/postgres/2026112794_conflict_of_visit.sql"),
    },
    Migration {
        version: 2_026_112_795,
        name: "2026112795_sent_to",
        sqlite: include_str!("../../migrations/sqlite/2026112795_sent_to.sql"),
        postgres: include_str!("../../migrations/postgres/2026112795_sent_to.sql"),
    },
    Migration {
        version: 2_026_112_799,
        name: "2026112799_nightly_crashes",
        sqlite: include_str!("../../migrations/sqlite/2026112799_nightly_crashes.sql"),
        postgres: include_str!("../../migrations/postgres/2026112799_nightly_crashes.sql"),
    },
    Migration {
        version: 2_026_112_800,
        name: "2026112800_archived_staff",
        sqlite: include_str!("../../migrations/sqlite/2026112800_archived_staff.sql"),
        postgres: include_str!("../../migrations/postgres/2026112800_archived_staff.sql"),
    },
    Migration {
        version: 2_026_112_810,
        name: "2026112810_moved_appointments",
        sqlite: include_str!("../../migrations/sqlite/2026112810_moved_appointments.sql"),
        postgres: include_str!("../../migrations/postgres/2026112810_moved_appointments.sql"),
    },
    Migration {
        version: 2_026_112_811,
        name: "2026112811_kept_conflicts",
        sqlite: include_str!("../../migrations/sqlite/2026112811_kept_conflicts.sql"),
        postgres: include_str!("../../migrations/postgres/2026112811_kept_conflicts.sql"),
    },
];

/// A migration that the database has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedMigration {
    /// Its version.
    pub version: i64,
    /// Its name.
    pub name: String,
    /// The SHA-256 of its text, in hexadecimal.
    pub checksum: String,
}

/// Which migrations a database has, and which it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaStatus {
    /// Applied, in order.
    pub applied: Vec<AppliedMigration>,
    /// Names of the missing ones, in order.
    pub missing: Vec<&'static str>,
}

/// Applies what is missing. The caller's write transaction is the lock, also against other processes, and makes it all or
/// none.
pub(crate) fn migrate(tx: &mut Tx<'_>) -> Result<SchemaStatus, StoreError> {
    // A large table takes its time.
    tx.disable_timeout()?;
    tx.execute(
        "CREATE TABLE IF NOT EXISTS schema_migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)",
        &[],
    )?;
    let before = status(tx)?;
    if before.applied.is_empty() && !tx.is_postgres() {
        create(tx).map_err(|source| StoreError::Migration { name: "the whole schema", source: Box::new(source) })?;
    } else {
        apply(tx, &before.missing)?;
    }
    status(tx)
}

/// Gives an empty file the schema in one step: it is the same schema, and takes a tenth of the time.
fn create(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute_script(SQLITE_SCHEMA)?;
    // The schema holds no rows, and this one differs in each file.
    tx.execute_script("INSERT INTO installation (id, random_id) VALUES (1, lower(hex(randomblob(8))));")?;
    MIGRATIONS.iter().try_for_each(|migration| record(tx, migration))
}

/// Applies the migrations with these names.
fn apply(tx: &mut Tx<'_>, missing: &[&'static str]) -> Result<(), StoreError> {
    for migration in MIGRATIONS.iter().filter(|migration| missing.contains(&migration.name)) {
        tx.execute_script(migration.sql(tx))
            .and_then(|()| record(tx, migration))
            .map_err(|source| StoreError::Migration { name: migration.name, source: Box::new(source) })?;
    }
    Ok(())
}

fn record(tx: &mut Tx<'_>, migration: &Migration) -> Result<(), StoreError> {
    let sql = migration.sql(tx);
    tx.execute(
        "INSERT INTO schema_migration (version, name, checksum) VALUES (?1, ?2, ?3)",
        values![migration.version, migration.name, checksum(sql)],
    )?;
    Ok(())
}

/// Compares the database with the program.
pub(crate) fn status(tx: &mut Tx<'_>) -> Result<SchemaStatus, StoreError> {
    let applied = applied(tx)?;
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    for row in &applied {
        match MIGRATIONS.iter().find(|migration| migration.version == row.version) {
            None => return Err(StoreError::Newer { found: row.version, known }),
            Some(migration) if checksum(migration.sql(tx)) != row.checksum => {
                return Err(StoreError::MigrationChanged { name: row.name.clone() });
            }
            Some(_) => {}
        }
    }
    let is_missing = |migration: &&Migration| applied.iter().all(|row| row.version != migration.version);
    let missing = MIGRATIONS.iter().filter(is_missing).map(|migration| migration.name).collect();
    Ok(SchemaStatus { applied, missing })
}

fn applied(tx: &mut Tx<'_>) -> Result<Vec<AppliedMigration>, StoreError> {
    let read = |row: &crate::database::value::Row<'_>| {
        Ok(AppliedMigration { version: row.get(0)?, name: row.get(1)?, checksum: row.get(2)? })
    };
    match tx.query_all("SELECT version, name, checksum FROM schema_migration ORDER BY version", &[], read) {
        Err(StoreError::NotMigrated { .. }) => Ok(Vec::new()),
        other => other,
    }
}

fn checksum(sql: &str) -> String {
    Sha256::digest(sql.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
