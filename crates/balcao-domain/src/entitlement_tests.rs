use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn of_whom_nothing_is_known_has_everything() {
    for feature in Feature::ALL {
        assert_eq!(Entitlement::default().allows(feature, at(0)), Ok(()));
        assert_eq!(Feature::from_word(feature.as_str()), Some(feature));
    }
}

#[test]
fn a_trial_opens_everything_until_it_ends() {
    let trial = Entitlement { tier: Tier::Basic, trial_ends_at: Some(at(10)), extra: BTreeSet::new() };
    let ended = UpgradeRequired { feature: Feature::Assistant, tier: Tier::Basic, trial_ended_at: Some(at(10)) };
    assert_eq!(trial.allows(Feature::Assistant, at(9)), Ok(()));
    assert_eq!(trial.allows(Feature::Assistant, at(10)), Err(ended));
}

#[test]
fn a_feature_beside_the_tier_opens_itself_alone() {
    let some = Entitlement { tier: Tier::Basic, trial_ends_at: None, extra: [Feature::Assistant].into() };
    assert_eq!(some.allows(Feature::Assistant, at(0)), Ok(()));
    assert!(some.allows(Feature::FreeQuestions, at(0)).is_err());
}
