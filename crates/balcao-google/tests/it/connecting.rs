//! The consent of a person, from the page to the end of the grant.

use balcao_google::{Addresses, Consent, ConsentError, OAuth, OAuthError, OAuthGrant, missing_scopes, scopes};
use balcao_testkit::fakes::google::{CLIENT_ID, CLIENT_SECRET};
use reqwest::Url;
use reqwest::header::LOCATION;
use secrecy::SecretString;

use crate::world::{World, limits};

const REDIRECT: &str = "http://127.0.0.1:53682/";

fn ask(world: &World) -> Consent {
    let addresses = Addresses::under(&world.google.url()).unwrap();
    Consent::ask(&addresses, CLIENT_ID, &scopes(false), REDIRECT, [7; 64])
}

/// Answers the page as a person does, with these scopes ticked; gives the query of the redirect.
async fn answer(world: &World, address: &Url, button: &str, ticked: &[String]) -> String {
    let client = balcao_http_client();
    let page = client.get(address.clone()).send().await.unwrap().text().await.unwrap();
    let mut form = Vec::new();
    for input in page.split("<input type=\"hidden\" name=\"").skip(1) {
        let (name, rest) = input.split_once("\" value=\"").unwrap();
        form.push((name.to_owned(), rest.split_once('"').unwrap().0.replace("&amp;", "&")));
    }
    form.extend(ticked.iter().map(|scope| ("tick".to_owned(), scope.clone())));
    form.push(("answer".to_owned(), button.to_owned()));
    let consent = format!("{}/o/oauth2/v2/consent", world.google.url());
    let answer = client.post(consent).form(&form).send().await.unwrap();
    let location = answer.headers()[LOCATION].to_str().unwrap().to_owned();
    location.strip_prefix(REDIRECT).unwrap().trim_start_matches('?').to_owned()
}

fn balcao_http_client() -> reqwest::Client {
    let egress = balcao_connector::Egress {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        plain_http: true,
        ..balcao_connector::Egress::default()
    };
    egress.client(std::time::Duration::from_secs(5), true).unwrap()
}

fn oauth(world: &World) -> OAuth {
    OAuth::new(Addresses::under(&world.google.url()).unwrap(), limits()).unwrap()
}

async fn exchange(world: &World, consent: &Consent, query: &str) -> Result<OAuthGrant, OAuthError> {
    let code = consent.read_answer(query).unwrap();
    oauth(world).exchange(CLIENT_ID, &SecretString::from(CLIENT_SECRET), &code).await
}

#[tokio::test]
async fn consent_gives_a_grant_that_can_be_revoked_twice() {
    let world = World::unconnected();
    let consent = ask(&world);
    let query = answer(&world, consent.address(), "allow", &scopes(false)).await;
    let granted = exchange(&world, &consent, &query).await.unwrap();
    assert_eq!(missing_scopes(&scopes(false), &granted.scopes), Vec::<String>::new());
    assert_eq!(world.google.living_grants(), 1);
    for _ in 0..2 {
        oauth(&world).revoke(&granted.refresh_token).await.unwrap();
        assert_eq!(world.google.living_grants(), 0);
    }
}

#[tokio::test]
async fn box_that_was_not_ticked_is_missing_in_the_grant() {
    let world = World::unconnected();
    let consent = ask(&world);
    let query = answer(&world, consent.address(), "allow", &scopes(false)[1..]).await;
    let granted = exchange(&world, &consent, &query).await.unwrap();
    assert_eq!(missing_scopes(&scopes(false), &granted.scopes), scopes(false)[..1]);
}

#[tokio::test]
async fn denial_and_answers_to_another_request_give_no_code() {
    let world = World::unconnected();
    let consent = ask(&world);
    let query = answer(&world, consent.address(), "deny", &[]).await;
    assert_eq!(consent.read_answer(&query).err(), Some(ConsentError::Denied));
    for query in ["", "code=x", "code=x&state=other", "error=access_denied"] {
        assert_eq!(consent.read_answer(query).err(), Some(ConsentError::OtherRequest), "{query}");
    }
    let state = query.split('&').find(|pair| pair.starts_with("state=")).unwrap();
    assert_eq!(consent.read_answer(state).err(), Some(ConsentError::NoCode));
    let failed = consent.read_answer(&format!("{state}&error=server_error")).err();
    assert_eq!(failed, Some(ConsentError::Failed("server_error".to_owned())));
}

#[tokio::test]
async fn code_is_good_once_and_for_its_verifier() {
    let world = World::unconnected();
    let consent = ask(&world);
    let query = answer(&world, consent.address(), "allow", &scopes(false)).await;
    exchange(&world, &consent, &query).await.unwrap();
    let is_dead = |came: Result<OAuthGrant, OAuthError>| matches!(came, Err(OAuthError::Refused { error, .. }) if error == "invalid_grant");
    assert!(is_dead(exchange(&world, &consent, &query).await));

    // Another program saw the code, but has another verifier.
    let query = answer(&world, consent.address(), "allow", &scopes(false)).await;
    let addresses = Addresses::under(&world.google.url()).unwrap();
    let mut random = [7; 64];
    random[40] = 8;
    let thief = Consent::ask(&addresses, CLIENT_ID, &scopes(false), REDIRECT, random);
    assert!(is_dead(exchange(&world, &thief, &query).await));
}

#[test]
fn scopes_are_the_narrowest_that_do() {
    assert!(scopes(false)[0].ends_with("calendar.events.owned"));
    assert!(scopes(true)[0].ends_with("calendar.events"));
    assert_eq!(scopes(false)[1..], scopes(true)[1..]);
}
