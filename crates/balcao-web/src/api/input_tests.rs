use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use balcao_tool::validate::Schema;
use serde_json::json;

use super::{acceptable, body};

/// a client that sends a body bit by bit is not waited for.
#[tokio::test(start_paused = true)]
async fn a_51_a_body_that_does_not_end_is_not_waited_for() {
    let schema = Schema::compile(&json!({ "type": "object" })).unwrap();
    let stream = futures::stream::pending::<Result<Vec<u8>, std::io::Error>>();
    let request = Request::post("/").header(header::CONTENT_TYPE, "application/json");
    let request = request.body(Body::from_stream(stream)).unwrap();
    let started = tokio::time::Instant::now();
    let problem = body(&schema, request).await.unwrap_err();
    assert_eq!((problem.status(), started.elapsed().as_secs()), (StatusCode::REQUEST_TIMEOUT, 10));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_refused() {
    let schema = Schema::compile(&json!({ "type": "object" })).unwrap();
    let broken = futures::stream::iter([Ok(b"{".to_vec()), Err(std::io::Error::other("gone"))]);
    let request = Request::post("/").header(header::CONTENT_TYPE, "Application/JSON;charset=utf-8");
    let problem = body(&schema, request.body(Body::from_stream(broken)).unwrap()).await.unwrap_err();
    assert_eq!(problem.status(), StatusCode::BAD_REQUEST);
}

#[test]
fn json_is_acceptable_unless_the_caller_says_no() {
    for (ranges, fine) in [
        (vec![], true),
        (vec!["*/*"], true),
        (vec!["text/html", "application/json"], true),
        (vec!["text/html, application/*;q=0.1"], true),
        (vec!["APPLICATION/JSON"], true),
        (vec!["text/html"], false),
        (vec!["application/json; q=0"], false),
        (vec!["application/json;q=0.000, text/*"], false),
    ] {
        let mut headers = HeaderMap::new();
        for range in &ranges {
            headers.append(header::ACCEPT, HeaderValue::from_str(range).unwrap());
        }
        assert_eq!(acceptable(&headers).is_ok(), fine, "{ranges:?}");
    }
}
