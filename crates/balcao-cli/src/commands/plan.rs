//! `balcao plan`: what the business may use, and until when it may try.

use std::process::ExitCode;

use balcao_app::admin::plans::{PlanChange, Plans};
use balcao_domain::entitlement::{Feature, Tier};
use jiff::civil::Date;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    wire,
};

/// Options of `balcao plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao plan                                     shows the features that may be used now\n  \
    balcao plan --set basic --trial-until 2099-12-31  all features until the end of that day\n  \
    balcao plan --grant assistant                   adds one feature")]
pub(crate) struct Args {
    /// The new plan: `basic` or `complete`.
    #[arg(long, value_name = "PLAN", value_parser = tier)]
    set: Option<Tier>,
    /// The last day with all features.
    #[arg(long, value_name = "DATE", conflicts_with = "end_trial")]
    trial_until: Option<Date>,
    /// Ends the trial.
    #[arg(long)]
    end_trial: bool,
    /// Adds a feature: `assistant`, `free_questions`. May be repeated.
    #[arg(long, value_name = "FEATURE", value_parser = feature)]
    grant: Vec<Feature>,
    /// Withdraws an added feature. May be repeated.
    #[arg(long, value_name = "FEATURE", value_parser = feature)]
    withdraw: Vec<Feature>,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

fn tier(text: &str) -> Result<Tier, String> {
    let known = Tier::ALL.map(Tier::as_str).join(", ");
    Tier::from_word(text).ok_or_else(|| format!("unknown plan `{text}`; expected one of: {known}"))
}

fn feature(text: &str) -> Result<Feature, String> {
    let known = Feature::ALL.map(Feature::as_str).join(", ");
    Feature::from_word(text).ok_or_else(|| format!("unknown feature `{text}`; expected one of: {known}"))
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    let plans = Plans::new(app);
    let change = PlanChange {
        tier: args.set,
        trial_until: if args.end_trial { Some(None) } else { args.trial_until.map(Some) },
        grant: args.grant.into_iter().collect(),
        withdraw: args.withdraw.into_iter().collect(),
    };
    let failed = |error| Failure::operation(error_chain(&error));
    if change != PlanChange::default() {
        let changed = plans.change(organization, change).await.map_err(failed)?;
        changed.map_err(|refusal| Failure::usage(format!("--trial-until: {refusal} (--end-trial)")))?;
    }
    let shown = plans.show(organization).await.map_err(failed)?;
    let (found, open) = (shown.entitlement, shown.open);
    let names = |features: &std::collections::BTreeSet<Feature>| -> Vec<&'static str> {
        features.iter().map(|one| one.as_str()).collect()
    };
    if args.json {
        let trial = found.trial_ends_at.map(|end| end.to_string());
        let shown = json!({
            "plan": found.tier.as_str(), "trial_ends_at": trial, "beside": names(&found.extra), "open": names(&open),
        });
        print_line(&shown.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let listed = |names: Vec<&str>| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
    print_line(&format!("plan         {}", found.tier));
    // The instant is the first that is no longer in it: the day before is the last.
    let trial = shown.trial_ends_at.map(|end| {
        let last = end.date().yesterday().unwrap_or_else(|_| end.date());
        format!("{last}, the whole day ({})", end.time_zone().iana_name().unwrap_or("UTC"))
    });
    print_line(&format!("trial until  {}", trial.unwrap_or_else(|| "-".to_owned())));
    print_line(&format!("beside it    {}", listed(names(&found.extra))));
    print_line(&format!("open now     {}", listed(names(&open))));
    Ok(ExitCode::SUCCESS)
}
