use std::convert::Infallible;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::post;
use futures::stream;
use tower::ServiceExt;

use super::*;

/// Sends so many bytes each second, for so many seconds. Gives the status, what is said, and the seconds that it took.
async fn sent(bytes: usize, seconds: u64) -> (u16, String, u64) {
    let pieces = stream::unfold(0, move |number| async move {
        sleep(Duration::from_secs(1)).await;
        (number < seconds).then(|| (Ok::<_, Infallible>(vec![b' '; bytes]), number + 1))
    });
    let whole = post(async |body: Bytes| body.len().to_string());
    let router = Router::new().route("/", whole).layer(DefaultBodyLimit::disable());
    let router = router.layer(from_fn_with_state(Limits::default(), steadily));
    let began = Instant::now();
    let response = router.oneshot(Request::post("/").body(Body::from_stream(pieces)).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let told = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(told.to_vec()).unwrap(), began.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn h11_a_body_may_wait_ten_seconds_and_must_then_come_at_its_least_speed() {
    // Half of the speed earns half a second in each second: the ten seconds last for nearly twenty.
    let (status, told, seconds) = sent(4 * 1024, 60).await;
    assert_eq!(status, 408, "{told}");
    assert!(told.contains("at least 8192 bytes a second"), "{told}");
    assert!((18..=20).contains(&seconds), "{seconds}");
    for (bytes, seconds) in [(8 * 1024, 60), (4 * 1024, 15)] {
        let (status, told, _) = sent(bytes, seconds).await;
        assert_eq!((status, told), (200, (bytes * usize::try_from(seconds).unwrap()).to_string()));
    }
}
