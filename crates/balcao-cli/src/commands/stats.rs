//! `balcao stats`: the figures that the assistant tells, as a table.

use std::process::ExitCode;

use balcao_app::admin::staff_access::StaffPermissions;
use balcao_app::messaging::outbound::costs::Costs;
use balcao_app::reports::analytics::{Analytics, Figures, MAX_MONTHS, NoShowRanking};
use jiff::civil::DateTime;
use serde_json::json;

use crate::{
    commands::chat::local_time,
    config::Config,
    output::{Failure, error_chain, one_line, print_line},
    wire,
};

/// Characters of the longest bar.
const BAR: u32 = 20;

/// Options of `balcao stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: balcao stats --months 12")]
pub(crate) struct Args {
    /// Calendar months, the current one included.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_MONTHS)))]
    months: u32,
    /// The number of customers in the ranking of no-shows.
    #[arg(long, default_value_t = 5)]
    no_shows: u32,
    /// Counts the months back from this local time, for example 2026-11-24T10:00; visits and marks count as they are now.
    #[arg(long, value_name = "TIME", value_parser = local_time)]
    now: Option<DateTime>,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, args.now).await?;
    let (analytics, costs) = (Analytics::new(app.clone()), Costs::new(app));
    let stats = analytics.stats(organization, StaffPermissions::ALL, args.months).await;
    let stats = stats.map_err(|error| Failure::operation(error_chain(&error)))?;
    let missed = analytics.no_show_clients(organization, StaffPermissions::ALL, args.months, args.no_shows).await;
    let missed = missed.map_err(|error| Failure::operation(error_chain(&error)))?;
    let costs = costs.of_this_month(organization).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    if args.json {
        let NoShowRanking { from, to, clients } = missed;
        let no_shows = json!({ "from": from, "to": to });
        let all = json!({ "stats": stats, "no_shows": no_shows, "no_show_clients": clients, "messages": costs });
        print_line(&all.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let most = stats.months.iter().map(|one| one.figures.total).max().unwrap_or(0);
    print_line(&format!("{} to {}\n", stats.from, stats.to));
    print_line("month     total   done  missed  cancelled  no mark   rate         revenue");
    for month in &stats.months {
        print_line(format!("{}  {}", line(&month.month, &month.figures), bar(month.figures.total, most)).trim_end());
    }
    print_line(&line("all", &stats.summary));
    if !missed.clients.is_empty() {
        print_line(&format!("\nmissed most, {} to {}", missed.from, missed.to));
    }
    for one in &missed.clients {
        let (name, rate) = (one_line(one.name.as_deref().unwrap_or("-")), one.no_show_rate * 100.0);
        print_line(&format!("{:>4} of {:<4} {rate:>5.1}%  {name}", one.no_shows, one.total_sessions));
    }
    if costs.messages > 0 {
        print_line(&format!("\nmessages with a price, {}", costs.month));
    }
    for one in &costs.categories {
        print_line(&format!("{:<16}{:>7}{:>16}", one_line(&one.category), one.messages, one.price.to_string()));
    }
    if costs.categories.len() > 1 {
        print_line(&format!("{:<16}{:>7}{:>16}", "all", costs.messages, costs.price.to_string()));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(month: &str, of: &Figures) -> String {
    let Figures { total, completed, no_shows, cancelled, unmarked, .. } = of;
    let rate = of.no_show_rate * 100.0;
    let revenue = of.revenue.map(|money| money.to_string()).unwrap_or_default();
    format!("{month:<8}{total:>7}{completed:>7}{no_shows:>8}{cancelled:>11}{unmarked:>9}{rate:>6.1}%{revenue:>16}")
}

/// A bar as long as the figure, beside the longest.
fn bar(figure: u32, most: u32) -> String {
    let length = u64::from(figure) * u64::from(BAR) / u64::from(most.max(1));
    "█".repeat(usize::try_from(length).unwrap_or(0))
}
