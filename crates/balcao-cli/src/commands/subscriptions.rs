//! `balcao subscriptions`: who subscribes to which plan, and what staff do to a subscription.

use std::process::ExitCode;

use balcao_app::UseCaseError;
use balcao_app::crm::contacts::Contacts;
use balcao_app::crm::subscriptions::{
    NotedPayment, PaymentRequest, StartRequest, SubscriptionChange, SubscriptionFilter, SubscriptionRecord,
    SubscriptionRefusal, Subscriptions,
};
use balcao_domain::subscription::SubscriberStatus;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::subscription::payment::AmountKind;
use balcao_domain::{ContactId, Currency, Money, SubscriberId};
use jiff::civil::Date;
use serde_json::json;

use super::acting_staff::{ActingStaff, read_id};
use super::business::agreed;
use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_line},
    wire,
};

/// Subscriptions of one look at the database.
const PAGE: u32 = 100;

/// Options of `balcao subscriptions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao subscriptions list --status overdue\n  \
    balcao subscriptions start con_12 Copa --as davi@figueira.example\n  \
    balcao subscriptions pay sub_3 --reference PIX-0042 --as davi@figueira.example\n  \
    balcao subscriptions take-back sub_3 --reference PIX-0042 --as davi@figueira.example\n  \
    balcao subscriptions end sub_3 --on 2026-12-10 --as davi@figueira.example")]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists subscriptions with their status today.
    List {
        /// Only those with this status.
        #[arg(long)]
        status: Option<Status>,
        /// Only those of this contact.
        #[arg(long, value_name = "CONTACT", value_parser = contact)]
        contact: Option<ContactId>,
    },
    /// Shows one subscription with its payments.
    Show {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
    },
    /// Starts a subscription, or restarts an ended one.
    Start {
        /// The contact who subscribes.
        #[arg(value_parser = contact)]
        contact: ContactId,
        /// The plan, by name.
        plan: String,
        /// The start, today or earlier; default: today.
        #[arg(long, value_name = "DATE")]
        from: Option<Date>,
        /// The due date of the first payment; default: the start.
        #[arg(long, value_name = "DATE")]
        due: Option<Date>,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Records a payment of the plan's price and moves the due date by one period; each reference counts once.
    Pay {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        /// The reference of the payment, such as the number of a transfer.
        #[arg(long, value_name = "TEXT")]
        reference: String,
        /// The amount, such as 159,00; default: the price of the plan.
        #[arg(long, value_name = "AMOUNT", value_parser = cents, allow_hyphen_values = true)]
        amount: Option<i64>,
        /// Records less than the price; the due date stays.
        #[arg(long, requires = "amount", conflicts_with = "more")]
        partial: bool,
        /// Records a multiple of the price; the due date moves by as many periods.
        #[arg(long, requires = "amount")]
        more: bool,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Withdraws a payment within 24 hours and restores the due date.
    TakeBack {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        /// The reference of the payment in `show`.
        #[arg(long, value_name = "TEXT")]
        reference: String,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Moves the due date by one period without a payment.
    Renew {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        /// The current due date, so that a repeated command renews once.
        #[arg(long, value_name = "DATE")]
        due: Date,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Pauses a subscription from today on; it pays for no visit until it resumes.
    Pause {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Ends a pause and adds its days to the due date, or withdraws a future end.
    Resume {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Ends a subscription; its appointments stay.
    End {
        /// The subscription, by its id in `list`.
        #[arg(value_parser = subscription)]
        id: SubscriberId,
        /// The first day without the plan; default: today.
        #[arg(long, value_name = "DATE")]
        on: Option<Date>,
        /// Ends it without a question, even if paid days are lost.
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        me: ActingStaff,
    },
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Status {
    /// It runs and is not overdue.
    Active,
    /// A payment is late.
    Overdue,
    /// It rests.
    Paused,
    /// It ended.
    Cancelled,
}

impl From<Status> for SubscriberStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Overdue => Self::Overdue,
            Status::Paused => Self::Paused,
            Status::Cancelled => Self::Cancelled,
        }
    }
}

/// A subscription's id, with its prefix or without.
fn subscription(text: &str) -> Result<SubscriberId, String> {
    read_id("subscription", text, "as in `balcao subscriptions list`: `sub_3`")
}

/// A contact's id, with its prefix or without.
fn contact(text: &str) -> Result<ContactId, String> {
    read_id("contact", text, "as in `balcao contacts find`: `con_12`")
}

/// An amount in cents. A currency has two decimals, whichever it is.
fn cents(text: &str) -> Result<i64, String> {
    let amount = Money::parse(text, Currency::BRL).map_err(|error| error.to_string())?;
    Ok(amount.cents)
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, None).await?;
    let subscriptions = Subscriptions::new(app.clone());
    let json = args.json;
    let (id, act, me) = match args.action {
        Action::List { status, contact } => {
            if let Some(id) = contact {
                let known = Contacts::new(app).find(organization, id).await;
                let known = known.map_err(|error| Failure::operation(error_chain(&error)))?;
                known.ok_or_else(|| Failure::operation(SubscriptionRefusal::NoContact { id }))?;
            }
            let filter = SubscriptionFilter { contact, status: status.map(Into::into) };
            let mut after = None;
            let mut found = Vec::new();
            loop {
                let page = subscriptions.page(organization, filter, after, PAGE).await;
                let page = page.map_err(|error| Failure::operation(error_chain(&error)))?;
                found.extend(page.items);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            list(&found, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::Show { id } => {
            let found = subscriptions.find(organization, id).await;
            let found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
            let (one, payments) = found.ok_or_else(|| Failure::operation(SubscriptionRefusal::NotFound { id }))?;
            show(&one, &payments, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::Start { contact, plan, from, due, me } => {
            let request = StartRequest { contact, plan, started: from, due };
            done(&answered(subscriptions.start(organization, request, me.actor()).await)?, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::Pay { id, reference, amount, partial, more, me } => {
            let kind = match (partial, more) {
                (true, _) => AmountKind::Partial,
                (false, true) => AmountKind::More,
                (false, false) => AmountKind::Price,
            };
            let request = PaymentRequest { reference, amount_cents: amount, kind };
            let noted = subscriptions.note_payment(organization, id, request, me.actor()).await;
            done(&answered(noted)?, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::TakeBack { id, reference, me } => {
            done(&answered(subscriptions.take_back_payment(organization, id, reference, me.actor()).await)?, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::End { id, on, yes, me } => {
            let by = me.actor();
            let end = |gives_up_paid| {
                subscriptions.change(organization, id, SubscriptionAct::End { on, gives_up_paid }, by.clone())
            };
            let mut ended = end(yes).await;
            if let Ok(Err(SubscriptionRefusal::PaidUntil { on, until, days })) = &ended {
                let found = subscriptions.find(organization, id).await;
                let found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
                if !json && let Some((one, _)) = found {
                    print_line(&line(&one));
                    print_line(&format!("  an end on {on} loses {days} days, which are paid until {until}"));
                }
                let expected =
                    format!("`--yes` to lose {days} paid days, or `--on {until}`, when the paid time is over");
                if !agreed("End it all the same?", &expected).await? {
                    return Err(Failure::operation("nothing was changed"));
                }
                ended = end(true).await;
            }
            done(&answered(ended)?, json);
            return Ok(ExitCode::SUCCESS);
        }
        Action::Renew { id, due, me } => (id, SubscriptionAct::Renew { due }, me),
        Action::Pause { id, me } => (id, SubscriptionAct::Pause, me),
        Action::Resume { id, me } => (id, SubscriptionAct::Resume, me),
    };
    done(&answered(subscriptions.change(organization, id, act, me.actor()).await)?, json);
    Ok(ExitCode::SUCCESS)
}

fn answered(
    answer: Result<Result<SubscriptionChange, SubscriptionRefusal>, UseCaseError>,
) -> Result<SubscriptionChange, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}

fn done(change: &SubscriptionChange, json: bool) {
    print_line(&if json {
        serde_json::to_string(change).unwrap_or_default()
    } else if change.periods > 1 {
        format!("{}; {} periods are paid", line(&change.subscription), change.periods)
    } else if change.changed {
        line(&change.subscription)
    } else {
        format!("{}; nothing changed", line(&change.subscription))
    });
}

fn list(all: &[SubscriptionRecord], json: bool) {
    if json {
        print_line(&serde_json::to_string(all).unwrap_or_default());
    } else if all.is_empty() {
        print_line("no subscriptions");
    } else {
        all.iter().for_each(|one| print_line(&line(one)));
    }
}

fn show(one: &SubscriptionRecord, payments: &[NotedPayment], json: bool) {
    if json {
        print_line(&json!({ "subscription": one, "payments": payments }).to_string());
        return;
    }
    print_line(&line(one));
    for paid in payments {
        let (reference, by) = (one_line(&paid.reference), one_line(&paid.noted_by));
        let due = if paid.is_partial { "partial".to_owned() } else { format!("due until {}", paid.due_to) };
        let back =
            paid.taken_back_by.as_deref().map_or_else(String::new, |by| format!(", taken back by {}", one_line(by)));
        print_line(&format!("  {}  {reference}  {due}, noted by {by}{back}", paid.amount));
    }
}

/// "sub_3  Ana Reis  Copa  active  due 2026-12-10  used 1 of 4 this month"
fn line(one: &SubscriptionRecord) -> String {
    let SubscriptionRecord { contact, contact_name, view } = one;
    let who = contact_name.as_deref().map_or_else(|| contact.to_string(), one_line);
    let mut text = format!("{}  {who}  {}  {}", view.id, one_line(&view.plan), view.status.as_str());
    let dates = [("due", view.dates.due), ("paused", view.dates.paused), ("ends", view.dates.ended)];
    for (word, date) in dates {
        if let Some(date) = date {
            text.push_str(&format!("  {word} {date}"));
        }
    }
    if let Some(quota) = view.quota {
        text.push_str(&format!("  used {} of {quota} this {}", view.used, view.period.as_str()));
    }
    text
}
