//! Whether a channel works is found out by asking, not by nothing having failed.

use balcao_app::messaging::channel_health::{ChannelHealth, Health};
use balcao_channel::channels::whatsapp::webhook;
use balcao_domain::Clock;
use balcao_testkit::fakes::graph::{ACCOUNT, Behaviour, webhooks};

use crate::messaging_harness::{account, start_harness};

#[tokio::test]
async fn a_channel_that_would_send_nothing_is_told_with_the_reason_and_what_came_last_is_known() {
    let harness = start_harness([]).await;
    let health =
        ChannelHealth::new(harness.world.app.clone(), harness.world.organization, vec![account(&harness.graph)]);
    let look = || async { health.look().await.unwrap().remove(0) };
    let fine =
        Health { channel: "whatsapp".to_owned(), account: ACCOUNT.to_owned(), trouble: None, last_inbound: None };
    assert_eq!(look().await, fine);
    let events = webhook::parse(webhooks::text("wamid.1", "oi").to_string().as_bytes()).unwrap();
    harness.inbox.accept("whatsapp", events).await.unwrap();
    assert_eq!(look().await, Health { last_inbound: Some(harness.world.clock.now()), ..fine });
    for status in ["DISCONNECTED", "BANNED"] {
        harness.graph.set_number_status(status);
        assert!(look().await.trouble.unwrap().contains(status), "{status}");
    }
    harness.graph.set_number_status("CONNECTED");
    let details = "Error validating access token".to_owned();
    harness.graph.next(Behaviour::Error { status: 401, code: 190, details });
    let refused = look().await.trouble.unwrap();
    assert!(refused.contains("190") && !refused.contains(balcao_testkit::fakes::graph::TOKEN), "{refused}");
    assert_eq!(look().await.trouble, None);
}
