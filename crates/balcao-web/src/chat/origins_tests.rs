use super::*;

#[test]
fn only_whole_origins_are_taken() {
    for wrong in
        ["*", "shop.example", "https://shop.example/", "https://", "https://Shop.example", "https://a b", "null"]
    {
        assert!(Origins::new([wrong.to_owned()]).is_err(), "{wrong}");
    }
    for right in ["https://shop.example", "http://127.0.0.1:8000", "http://[::1]:80", "https://xn--caf-dma.example"] {
        assert!(Origins::new([right.to_owned()]).is_ok(), "{right}");
    }
}

#[test]
fn an_origin_is_known_or_not_and_nothing_in_between() {
    let origins = Origins::new(["https://shop.example".to_owned()]).unwrap();
    let judge = |origin: &'static str| {
        let headers = HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static(origin))]);
        origins.check_origin(&headers).map(|found| found.is_some())
    };
    assert_eq!(judge("https://shop.example"), Ok(true));
    for other in ["https://shop.example.evil.example", "http://shop.example", "https://evil.example", "null", ""] {
        assert_eq!(judge(other), Err(()), "{other}");
    }
    assert_eq!(origins.check_origin(&HeaderMap::new()), Ok(None));
}
