use super::*;

fn helper(id: &str, dependencies: &[&str]) -> Helper {
    Helper::javascript(id, "x.js", "() => 1").with_dependencies(dependencies)
}

#[test]
fn dependencies_come_transitively_before_who_needs_them_and_once() {
    let bundle =
        Bundle::new(vec![helper("a", &["b", "c"]), helper("b", &["d"]), helper("c", &["d"]), helper("d", &[])])
            .unwrap();
    assert_eq!(bundle.order(0), [3, 1, 2, 0]);
    assert_eq!(bundle.order(3), [3]);
}

#[test]
fn every_problem_is_told_of_at_once() {
    let python = Helper { language: Language::Python, ..helper("snake", &[]) };
    let problems = Bundle::new(vec![
        helper("a", &["b"]),
        helper("b", &["a"]),
        helper("a", &["gone"]),
        helper("me", &["me"]),
        python,
    ])
    .unwrap_err();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "two helpers have the id `a`",
            "unsupported_language: helper `snake` is written in Python; helpers are written in JavaScript",
            "helper `a` depends on `gone`, which is not there",
            "helper `me` needs itself: me → me",
        ]
    );
}

#[test]
fn a_cycle_is_told_of_once_with_its_way() {
    let problems =
        Bundle::new(vec![helper("a", &["b"]), helper("b", &["c"]), helper("c", &["a"]), helper("d", &["a"])])
            .unwrap_err();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["helper `a` needs itself: a → b → c → a"]);
}

#[test]
fn a_deep_chain_of_dependencies_is_no_trouble() {
    let mut helpers = vec![helper("h0", &[])];
    for n in 1..300 {
        helpers.push(helper(&format!("h{n}"), &[&format!("h{}", n - 1)]));
    }
    assert_eq!(Bundle::new(helpers).unwrap().order(299).len(), 300);
}

#[test]
fn more_than_1000_helpers_or_2_mib_of_code_are_refused() {
    let many = |count: usize| Bundle::new((0..count).map(|number| helper(&format!("h{number}"), &[])).collect());
    assert!(many(MAX_HELPERS).is_ok());
    assert_eq!(many(MAX_HELPERS + 1).unwrap_err(), [BundleError::TooMany { count: 1_001, most: 1_000 }]);
    let long = |bytes: usize| Bundle::new(vec![Helper::javascript("a", "x.js", &"x".repeat(bytes))]);
    assert!(long(MAX_SOURCE_BYTES).is_ok());
    assert_eq!(long(MAX_SOURCE_BYTES + 1).unwrap_err(), [BundleError::TooLong { bytes: (2 << 20) + 1, most: 2 << 20 }]);
}
