//! Proves the simulator itself: it must find each seeded bug within a limited number of seeds, by the oracle that stands for the bug (G-03).

use std::process::ExitCode;

use balcao_seeded_bugs::{AVAILABLE, Bug, switch};

use crate::plan::Plan;
use crate::run::run;

/// Looks for the bug of this name, or for each bug if the name is `all`.
#[expect(clippy::print_stdout, reason = "the report")]
pub(crate) fn hunt(name: &str) -> ExitCode {
    if !AVAILABLE {
        println!("this build has no seeded bugs; build it with `--features seeded-bugs`");
        return ExitCode::FAILURE;
    }
    let wanted: Vec<Bug> = Bug::ALL.into_iter().filter(|bug| name == "all" || format!("{bug:?}") == name).collect();
    if wanted.is_empty() {
        println!("unknown bug `{name}`; expected all or one of {:?}", Bug::ALL);
        return ExitCode::FAILURE;
    }
    let mut all = true;
    for bug in wanted {
        switch(Some(bug));
        let found = first_found(bug);
        switch(None);
        all &= found.is_some();
        match found {
            Some((seed, finding)) => println!("{bug:?}: found by seed {seed} of {}: {finding}", bug.max_seeds()),
            None => println!("{bug:?}: NOT found by {} in {} seeds", bug.oracles().join(" or "), bug.max_seeds()),
        }
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn first_found(bug: Bug) -> Option<(u64, String)> {
    let by = |finding: &String| finding.split_once(':').is_some_and(|(oracle, _)| bug.oracles().contains(&oracle));
    (1..=bug.max_seeds()).find_map(|seed| {
        let outcome = run(seed, Plan::draw(seed), false).ok()?;
        outcome.findings.into_iter().find(by).map(|finding| (seed, finding))
    })
}
