use axum::body::Body;
use axum::http::StatusCode;
use tokio::time::Instant;

use super::*;
use crate::limits::body_budget::BodyBudget;
use crate::limits::caller::ClientKey;
use crate::limits::fair_quota::FairQuota;

async fn held(bytes: usize) -> BufferedBody {
    let room = BodyBudget::new(FairQuota::with_total(1 << 20), ClientKey::default(), Duration::from_mins(1));
    room.read_body(Body::from(vec![b' '; bytes]), 1 << 20).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn two_large_bodies_are_read_at_once_a_third_waits_and_small_ones_do_not() {
    let both = READERS.acquire_many(2).await.unwrap();
    let began = Instant::now();
    let refused = aside(held(SMALL + 1).await, |_| ()).await.err().unwrap();
    assert_eq!((refused.status(), began.elapsed()), (StatusCode::SERVICE_UNAVAILABLE, READ_TIME));
    let began = Instant::now();
    assert_eq!(aside(held(SMALL).await, <[u8]>::len).await.unwrap().0, SMALL);
    assert_eq!(began.elapsed(), Duration::ZERO);
    drop(both);
    assert_eq!(aside(held(SMALL + 1).await, <[u8]>::len).await.unwrap().0, SMALL + 1);
}
