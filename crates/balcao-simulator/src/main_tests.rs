use super::*;
use crate::plan::Faults;

#[test]
fn some_seeds_of_every_kind_find_nothing() {
    let mut fired = 0;
    for seed in 1..=12 {
        let outcome = run(seed, Plan::draw(seed), false).unwrap();
        assert!(outcome.findings.is_empty(), "seed {seed}: {:?}", outcome.findings);
        assert!(outcome.turns > 0, "seed {seed} answered nobody");
        fired += outcome.fired;
    }
    assert!(fired > 0, "nobody was reminded of anything");
}

#[test]
fn o_14_a_run_is_a_function_of_its_seed() {
    // A seed with several processes, deaths and partitions.
    let lively = (1..500).find(|seed| {
        let plan = Plan::draw(*seed);
        plan.replicas > 1 && plan.faults.kill > 0.0 && plan.faults.partition > 0.0 && plan.faults.model > 0.0
    });
    let seed = lively.unwrap();
    let runs = [(); 2].map(|()| run(seed, Plan::draw(seed), true).unwrap());
    assert_eq!(runs[0].lines, runs[1].lines);
    assert_eq!(runs[0].hash, runs[1].hash);
}

/// A run of one shop with these faults alone.
fn with(faults: Faults, seed: u64) -> Outcome {
    let plan = Plan {
        replicas: 1,
        tenants: 1,
        contacts: 4,
        messages: 12,
        span: Duration::from_secs(60),
        deaths: None,
        faults,
    };
    run(seed, plan, false).unwrap()
}

#[test]
fn f_15_a_server_that_dies_in_its_recovery_again_and_again_does_what_one_recovery_does() {
    let mut again = 0;
    for seed in 1..=12 {
        let outcome = with(Faults { kill: 0.05, relapse: 0.8, ..Faults::default() }, seed);
        assert!(outcome.findings.is_empty(), "seed {seed}: {:?}", outcome.findings);
        assert!(outcome.given_up <= 1, "seed {seed}: only one sits in the suspects' lane each time");
        again += outcome.struck.get("deaths in a recovery").copied().unwrap_or(0);
    }
    assert!(again >= 10, "only {again} recoveries were cut short");
}

#[test]
fn f_15_two_deaths_of_a_server_are_nobodys_fault() {
    for seed in 1..=12 {
        let faults = Faults { kill: 0.2, relapse: 1.0, ..Faults::default() };
        let plan = Plan { deaths: Some(2), ..Plan::draw(seed) };
        let outcome = run(seed, Plan { faults, ..plan }, false).unwrap();
        assert!(outcome.findings.is_empty(), "seed {seed}: {:?}", outcome.findings);
        assert_eq!((outcome.deaths, outcome.given_up), (2, 0), "seed {seed}");
    }
}

#[test]
fn f_85_a_database_that_takes_seconds_for_everything_costs_time_and_nothing_else() {
    for seed in 1..=8 {
        let outcome = with(Faults { slow: 1.0, outside: 0.2, ..Faults::default() }, seed);
        assert!(outcome.findings.is_empty(), "seed {seed}: {:?}", outcome.findings);
        assert!(outcome.turns > 0, "seed {seed} answered nobody");
    }
}

#[test]
fn every_fault_that_a_plan_may_have_happens_and_is_counted() {
    let faults = Faults {
        cut_short: 0.02,
        relapse: 0.5,
        undelivered: 0.3,
        file: 0.5,
        renamed: 0.5,
        send: 0.3,
        ..Faults::default()
    };
    let mut struck = BTreeMap::new();
    for seed in 1..=8 {
        let outcome = with(faults.clone(), seed);
        assert!(outcome.findings.is_empty(), "seed {seed}: {:?}", outcome.findings);
        outcome.struck.into_iter().for_each(|(what, times)| *struck.entry(what).or_insert(0) += times);
    }
    let names: Vec<&str> = struck.into_keys().collect();
    let all = [
        "commits cut short by a death",
        "customers renamed",
        "days closed with bookings",
        "deaths in a recovery",
        "files",
        "files that could not be fetched",
        "lists of conflicts compared",
        "messages that did not arrive",
        "messages that were too fast",
        "moves by a button",
        "payments taken back",
        "plans whose base had moved",
        "ways out tried",
    ];
    assert_eq!(names, all);
}
