//! Asking again, asking another.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use balcao_llm::{
    ChatProvider, ModelError, ModelErrorKind, Usage,
    detect::{ProviderConfig, ProviderKind},
    fallback::Fallback,
    providers::scripted::{Line, Scripted, fails, fails_with, says},
    retry::{RetryPolicy, Retrying, Sleeper},
};
use secrecy::SecretString;
use serde_json::json;

use crate::{
    server::{Reply, serve},
    support::{ask, question},
};

/// Time that passes only by sleeping.
#[derive(Debug, Clone, Default)]
struct Night(Arc<Mutex<Vec<Duration>>>);

impl Night {
    fn waits(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl Sleeper for Night {
    fn elapsed(&self) -> Duration {
        self.waits().iter().sum()
    }

    async fn sleep(&self, wait: Duration) {
        self.0.lock().unwrap().push(wait);
    }
}

fn retrying(
    lines: impl IntoIterator<Item = Line>,
    policy: RetryPolicy,
) -> (Retrying<Scripted, Night>, Scripted, Night) {
    let (model, night) = (Scripted::new(lines), Night::default());
    (Retrying::with_sleeper(model.clone(), policy, 7, night.clone()), model, night)
}

fn limited(wait: u64) -> Line {
    fails_with(ModelError {
        kind: ModelErrorKind::RateLimited,
        provider: "scripted".to_owned(),
        message: "slow down".to_owned(),
        retry_after: Some(Duration::from_secs(wait)),
        usage: balcao_llm::Usage::default(),
    })
}

#[tokio::test]
async fn a_passing_fault_costs_one_more_attempt() {
    let (provider, _model, night) = retrying([fails(ModelErrorKind::Upstream), says("oi")], RetryPolicy::default());
    let (result, seen) = ask(&provider, &question()).await;
    assert_eq!(result.unwrap().text, "oi");
    assert_eq!(seen.restarts, 0, "nothing was seen, so nothing is void");
    let wait = night.waits()[0];
    assert!(wait >= Duration::from_millis(250) && wait <= Duration::from_millis(500), "{wait:?}");
}

#[tokio::test]
async fn h08_what_failed_attempts_took_is_counted_with_what_follows_them() {
    let took = |tokens: u64| Usage { input_tokens: tokens, cost_micro_usd: Some(tokens), ..Usage::default() };
    let fault = || {
        let (provider, message) = ("scripted".to_owned(), "it broke off".to_owned());
        let error = ModelError { kind: ModelErrorKind::Network, provider, message, retry_after: None, usage: took(5) };
        fails_with(error)
    };
    let (provider, _model, _) = retrying([fault(), says("oi").using(took(7))], RetryPolicy::default());
    assert_eq!(ask(&provider, &question()).await.0.unwrap().usage, took(12));
    let (provider, _model, _) = retrying([fault(), fault()], RetryPolicy::default());
    assert_eq!(ask(&provider, &question()).await.0.unwrap_err().usage, took(10));
    for (second, answered) in [(says("oi").using(took(7)), true), (fault(), false)] {
        let (first, second) = (Scripted::new([fault()]), Scripted::new([second]));
        let result = ask(&Fallback::new(Arc::new(first), vec![Arc::new(second)]), &question()).await.0;
        let usage = result.map_or_else(|error| error.usage, |response| response.usage);
        assert_eq!(usage, if answered { took(12) } else { took(10) });
    }
}

#[tokio::test]
async fn after_the_last_attempt_the_error_is_told() {
    let (provider, model, _) =
        retrying([fails(ModelErrorKind::Upstream), fails(ModelErrorKind::Timeout)], RetryPolicy::default());
    assert_eq!(ask(&provider, &question()).await.0.unwrap_err().kind, ModelErrorKind::Timeout);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn what_cannot_help_is_not_tried() {
    for kind in [ModelErrorKind::Denied, ModelErrorKind::Rejected, ModelErrorKind::TooLarge] {
        let (provider, _model, night) = retrying([fails(kind)], RetryPolicy::default());
        assert_eq!(ask(&provider, &question()).await.0.unwrap_err().kind, kind);
        assert_eq!(night.waits(), []);
    }
}

#[tokio::test]
async fn the_vendors_wait_is_kept_unless_it_passes_the_deadline() {
    let (provider, _model, night) = retrying([limited(7), says("oi")], RetryPolicy::default());
    assert!(ask(&provider, &question()).await.0.is_ok());
    assert!(night.waits()[0] >= Duration::from_secs(7) && night.waits()[0] < Duration::from_secs(8));

    let (provider, _model, night) = retrying([limited(46)], RetryPolicy::default());
    assert_eq!(ask(&provider, &question()).await.0.unwrap_err().kind, ModelErrorKind::RateLimited);
    assert_eq!(night.waits(), []);
}

#[tokio::test]
async fn backoff_doubles_up_to_its_bound_and_equal_seeds_wait_equally() {
    let policy = RetryPolicy {
        attempts: 6,
        deadline: Duration::from_secs(3600),
        max_backoff: Duration::from_secs(2),
        ..RetryPolicy::default()
    };
    let mut all = Vec::new();
    for _ in 0..2 {
        let (provider, _model, night) = retrying((0..6).map(|_| fails(ModelErrorKind::Network)), policy);
        assert!(ask(&provider, &question()).await.0.is_err());
        all.push(night.waits());
    }
    assert_eq!(all[0], all[1]);
    for (wait, longest) in all[0].iter().zip([500, 1_000, 2_000, 2_000, 2_000]) {
        let longest = Duration::from_millis(longest);
        assert!(*wait >= longest / 2 && *wait <= longest, "{wait:?}, {longest:?}");
    }
    assert_eq!(all[0].len(), 5);
}

#[tokio::test]
async fn text_of_a_failed_attempt_is_declared_void() {
    let (provider, _model, _) =
        retrying([fails(ModelErrorKind::Network).in_pieces(&["Olá, te"]), says("Olá!")], RetryPolicy::default());
    let (result, seen) = ask(&provider, &question()).await;
    assert_eq!(result.unwrap().text, "Olá!");
    assert_eq!((seen.text.as_str(), seen.restarts), ("Olá!", 1));
}

#[tokio::test]
async fn a_server_error_then_an_answer_over_a_connection() {
    let message = json!({ "role": "assistant", "content": "oi" });
    let good =
        json!({ "model": "m", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] }).to_string();
    let server = serve(vec![Reply::new(500, "oops"), Reply::new(200, good)]);
    let mut config = ProviderConfig::new(ProviderKind::Compatible);
    config.base_url = Some(server.url.clone());
    config.model = Some("m".to_owned());
    config.key = Some(SecretString::from("k"));
    let night = Night::default();
    let provider = Retrying::with_sleeper(config.build().unwrap(), RetryPolicy::default(), 1, night.clone());
    assert_eq!(ask(&provider, &question()).await.0.unwrap().text, "oi");
    assert_eq!(night.waits().len(), 1);
}

#[tokio::test]
async fn the_next_provider_answers_when_the_first_has_failed_for_good() {
    let first = Scripted::named("first", [fails(ModelErrorKind::Denied).in_pieces(&["Ol"])]);
    let second = Scripted::named("second", [fails(ModelErrorKind::Upstream)]);
    let third = Scripted::named("third", [says("oi")]);
    let others: Vec<Arc<dyn ChatProvider>> = vec![Arc::new(second), Arc::new(third)];
    let provider = Fallback::new(Arc::new(first), others);
    assert_eq!(provider.name(), "first");
    let (result, seen) = ask(&provider, &question()).await;
    assert_eq!(result.unwrap().text, "oi");
    assert_eq!(seen.asked, ["first", "second", "third"]);
    assert_eq!((seen.text.as_str(), seen.restarts), ("oi", 1));
}

#[tokio::test]
async fn if_all_fail_the_last_error_is_told() {
    let first = Scripted::named("first", [fails(ModelErrorKind::Denied)]);
    let second = Scripted::named("second", [fails(ModelErrorKind::Upstream)]);
    let provider = Fallback::new(Arc::new(first), vec![Arc::new(second)]);
    assert_eq!(ask(&provider, &question()).await.0.unwrap_err().kind, ModelErrorKind::Upstream);
}
