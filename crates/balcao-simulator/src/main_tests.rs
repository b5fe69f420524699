use super::*;

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
