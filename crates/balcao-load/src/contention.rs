//! Many bookings of one slot: one gets it, the others are told that it is gone.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use balcao_app::{
    crm::contacts::{Arrival, Contacts},
    scheduling::booking::{BookRequest, Booking, BookingRefusal, ServiceChoice},
};
use balcao_domain::{ContactId, Phone};
use balcao_store::turns::ledger::EffectKey;
use tokio::task::JoinSet;

use crate::{
    database::{DatabaseKind, ScratchDatabase},
    options::Size,
    report::{Report, Target},
    served_business::{ServedBusiness, TransactionRecorder, fill, number},
    stand_ins,
    turns::per_second,
};

const CLIENTS: u32 = 64;

/// Rounds of a tape.
const TAPED: u32 = 10;

/// Measures bookings of one slot by 64 at once, and holds them against the same transactions in a bare loop.
pub(crate) async fn measure(kind: &DatabaseKind, size: Size, report: &mut Report) -> Result<()> {
    let database = ScratchDatabase::create(kind).await?;
    let (rate, _) = book_rounds(&database, Until::After(size.time), None).await?;
    database.end().await?;
    let tape = Arc::new(TransactionRecorder::default());
    let database = ScratchDatabase::create(kind).await?;
    let (_, bookings) = book_rounds(&database, Until::Rounds(TAPED), Some(Arc::clone(&tape))).await?;
    database.end().await?;
    let database = ScratchDatabase::create(kind).await?;
    drop(fill(&database).await?);
    let took = database.replay(tape.take()).await?;
    database.end().await?;
    let bare = per_second(bookings, took);
    let name = kind.name();
    report.add(name, format!("bookings of one slot by {CLIENTS} at once"), rate, "/s", None);
    report.add(name, "the same transactions in a bare loop", bare, "/s", None);
    let share = rate / bare * 100.0;
    report.add(name, "bookings against the bare loop", share, "%", Some(Target::AtLeast(50.0)));
    Ok(())
}

#[derive(Clone, Copy)]
enum Until {
    Rounds(u32),
    After(Duration),
}

/// Rounds of all against all; gives bookings a second, and how many they were.
async fn book_rounds(
    database: &ScratchDatabase,
    until: Until,
    tape: Option<Arc<TransactionRecorder>>,
) -> Result<(f64, usize)> {
    let business = ServedBusiness::new(database, Duration::ZERO, 1, tape).await?;
    let contacts = Contacts::new(business.context.clone());
    let mut fighters = Vec::new();
    for customer in 0..CLIENTS {
        let phone = Phone::parse(&format!("+{}", number(customer))).ok();
        let arrived = contacts.arrive(business.organization, Arrival { phone, channel_user: None, name: None }).await;
        fighters.push(arrived?);
    }
    let booking = Booking::new(business.context.clone());
    let (mut round, mut bookings) = (0, 0);
    let started = Instant::now();
    loop {
        let over = match until {
            Until::Rounds(rounds) => round >= rounds,
            Until::After(time) => started.elapsed() >= time,
        };
        if over {
            break;
        }
        let mut fight = JoinSet::new();
        for contact in &fighters {
            fight.spawn(book(booking.clone(), &business, *contact, round));
        }
        let mut winners = 0;
        while let Some(fought) = fight.join_next().await {
            winners += usize::from(fought??);
            bookings += 1;
        }
        if winners != 1 {
            return Err(anyhow!("{winners} of {CLIENTS} got the slot"));
        }
        round += 1;
    }
    let rate = per_second(bookings, started.elapsed());
    business.stop().await;
    Ok((rate, bookings))
}

/// Whether the contact got the slot of this round. Whoever did not must have been told so.
fn book(
    booking: Booking,
    business: &ServedBusiness,
    contact: ContactId,
    round: u32,
) -> impl Future<Output = Result<bool>> + use<> {
    let organization = business.organization;
    let (date, start_min) = stand_ins::slot(round);
    let wish = BookRequest {
        professional: Some("Ana".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date,
        start_min,
        attendee: None,
        pending: false,
        source: "bench".to_owned(),
        price_agreed: true,
    };
    let key =
        EffectKey { key: format!("{round}/{contact}"), args_hash: String::new(), turn: None, tool: "bench".to_owned() };
    async move {
        match booking.book(organization, contact, key, wish).await {
            Ok(answer) => match answer.value {
                Ok(_booked) => Ok(true),
                Err(BookingRefusal::SlotTaken { .. }) => Ok(false),
                Err(other) => Err(anyhow!("a booking was refused: {other:?}")),
            },
            Err(error) => Err(error.into()),
        }
    }
}
