use super::*;

fn headers(hosts: &[&str]) -> HeaderMap {
    hosts.iter().map(|host| (header::HOST, host.parse().unwrap())).collect()
}

#[test]
fn h13_a_request_names_its_host_once() {
    for (version, hosts, fits) in [
        (Version::HTTP_11, &["shop.example"][..], true),
        (Version::HTTP_11, &["[::1]:8080"], true),
        (Version::HTTP_11, &[""], true),
        (Version::HTTP_11, &[], false),
        (Version::HTTP_11, &["shop.example", "shop.example"], false),
        (Version::HTTP_11, &["a b"], false),
        (Version::HTTP_11, &["you@shop.example"], false),
        (Version::HTTP_10, &[], true),
        (Version::HTTP_10, &["a", "b"], false),
    ] {
        assert_eq!(names_one_host(version, &headers(hosts)), fits, "{version:?} {hosts:?}");
    }
}
