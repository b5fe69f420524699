//! A professional's agenda at an address that nobody can guess.

use balcao_app::scheduling::booking::{BookRequest, Booking};
use balcao_app::scheduling::feeds::{Detail, FeedRefusal, Feeds};
use balcao_store::turns::ledger::EffectKey;
use jiff::civil::date;
use secrecy::ExposeSecret;

use super::world::{Shop, quiet};

async fn calendar() -> Shop {
    quiet([], std::time::Duration::from_secs(1)).await
}

async fn read(shop: &Shop, path: &str) -> (u16, String, String) {
    let client = balcao_http::builder().build().unwrap();
    let answer = client.get(format!("{}{path}", shop.address)).send().await.unwrap();
    let kind = answer.headers()["content-type"].to_str().unwrap().to_owned();
    (answer.status().as_u16(), kind, answer.text().await.unwrap())
}

async fn book(shop: &Shop) {
    let contact = shop.contact("Lívia").await.parse().unwrap();
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: None,
        date: date(2026, 11, 27),
        start_min: 11 * 60,
        attendee: None,
        pending: false,
        source: "agent".to_owned(),
        price_agreed: true,
    };
    let key = EffectKey { key: "k".to_owned(), args_hash: "a".to_owned(), turn: None, tool: "t".to_owned() };
    Booking::new(shop.app.clone()).book(shop.organization, contact, key, request).await.unwrap().value.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_shows_that_time_is_taken_and_of_customers_what_the_owner_chose() {
    let shop = calendar().await;
    book(&shop).await;
    let feeds = Feeds::new(shop.app.clone());
    for (number, detail, title) in
        [(1, Detail::Busy, "SUMMARY:Ocupado\r\n"), (2, Detail::FirstName, "SUMMARY:Ocupado · Lívia\r\n")]
    {
        let made =
            feeds.make(shop.organization, "wesley moura".to_owned(), detail, [number; 32]).await.unwrap().unwrap();
        let (status, kind, text) = read(&shop, made.path.expose_secret()).await;
        assert_eq!((status, kind.as_str()), (200, "text/calendar; charset=utf-8"));
        assert!(text.contains("DTSTART:20261127T140000Z\r\n") && text.contains(title), "{text}");
        assert!(!text.contains("Campos") && !text.contains("98432"), "{text}");
        assert_eq!(text.contains("Lívia"), detail == Detail::FirstName);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_was_renewed_or_revoked_is_as_if_it_never_was() {
    let shop = calendar().await;
    let feeds = Feeds::new(shop.app.clone());
    let made = feeds.make(shop.organization, "Íris".to_owned(), Detail::Busy, [3; 32]).await.unwrap();
    let made = made.unwrap_or_else(|refusal| panic!("{refusal}"));
    let renewed = feeds.renew(shop.organization, made.view.id, [4; 32]).await.unwrap().unwrap();
    let (old, new) = (made.path.expose_secret(), renewed.path.expose_secret());
    assert_eq!(read(&shop, new).await.0, 200);
    let never = read(&shop, "/agenda/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.ics").await;
    assert_eq!(never.0, 404);
    assert_eq!(read(&shop, old).await, never);
    assert_eq!(read(&shop, new.trim_end_matches(".ics")).await, never);
    assert_eq!(read(&shop, "/agenda/..%2f.ics").await, never);
    assert_eq!(read(&shop, "/agenda/%ff").await, never, "a path that is not text is answered as a problem, too");
    // Another business can end nothing of ours.
    let theirs = feeds.revoke(shop.rival, renewed.view.id).await.unwrap();
    assert_eq!(theirs, Err(FeedRefusal::NotFound { id: renewed.view.id }));
    assert_eq!(feeds.revoke(shop.organization, renewed.view.id).await.unwrap(), Ok(()));
    assert_eq!(read(&shop, new).await, never);
    let unknown = feeds.make(shop.organization, "Zulmira".to_owned(), Detail::Busy, [5; 32]).await.unwrap();
    let said = unknown.unwrap_err().to_string();
    assert!(
        said.contains("unknown professional `Zulmira`; expected one of: ") && said.contains("Wesley Moura"),
        "{said}"
    );
}
