//! The webhook of a calendar service.

use axum::body::Body;
use axum::http::Request;
use balcao_store::StoreError;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess, StoredChannel};
use balcao_testkit::contract::store::now;

use crate::{Shop, shop, whole};

/// SHA-256 of `secret`.
const HASH: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

async fn post(shop: &Shop, [channel, token, resource]: [&str; 3]) -> (u16, String) {
    let request = Request::post("/hooks/google-calendar")
        .header("x-goog-channel-id", channel)
        .header("x-goog-channel-token", token)
        .header("x-goog-resource-id", resource)
        .header("x-goog-resource-state", "exists");
    whole(shop.ask(request.body(Body::empty()).unwrap()).await).await
}

/// A call that does not fit is answered as an unknown address is, and changes nothing.
#[tokio::test]
async fn a_call_of_a_push_channel_marks_its_calendar_as_due_and_any_other_is_unknown() {
    let shop = shop().await;
    let later = now().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let open = move |tx: &mut balcao_store::Tx<'_>| {
        let (organization, professional) = (1_i64.try_into().unwrap(), 1_i64.try_into().unwrap());
        let link = CalendarLink { professional, calendar: "ana".to_owned(), access: LinkAccess::Read };
        calendar_link::link(tx, organization, &link, later)?;
        let channel = StoredChannel {
            id: "channel".to_owned(),
            hash: HASH.to_owned(),
            resource: "resource".to_owned(),
            ends_at: later,
        };
        calendar_link::replace_channel(tx, organization, "ana", Some(&channel))
    };
    let opened: Result<_, StoreError> = shop.store.write(open).await;
    assert_eq!(opened.unwrap(), None);
    let due = async || {
        let list = shop.store.read(|tx| calendar_link::list_due(tx, 1_i64.try_into().unwrap(), now(), 9)).await;
        let list: Result<Vec<String>, StoreError> = list;
        list.unwrap()
    };
    let (status, unknown) = post(&shop, ["other", "secret", "resource"]).await;
    assert_eq!(status, 404);
    for wrong in [["channel", "wrong", "resource"], ["channel", "secret", "other"], ["", "", ""]] {
        assert_eq!(post(&shop, wrong).await, (404, unknown.clone()), "{wrong:?}");
    }
    assert_eq!(due().await, Vec::<String>::new());
    assert_eq!(post(&shop, ["channel", "secret", "resource"]).await.0, 200);
    assert_eq!(due().await, ["ana"]);
}
