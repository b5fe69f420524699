//! `balcao chat`: a conversation in the terminal.

use std::{
    collections::BTreeMap,
    io::{IsTerminal, Read},
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, MutexGuard, PoisonError},
};

use balcao_agent::{Ending, driver::Observer, profile::Audience, streaming::ReplySink};
use balcao_app::admin::staff_access::{StaffAccess, StaffAccessRefusal};
use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::Conversations;
use balcao_app::turns::{ContactRef, TurnOutcome, TurnRequest, TurnRunner};
use balcao_domain::Phone;
use jiff::{SignedDuration, civil::DateTime};

use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_error, print_line, say_piece},
    packs, profiles,
    signals::in_own_thread,
    trace::Trace,
    turn_json::turn_json,
    wire::{self, World},
};

/// Options of `balcao chat`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The agent profile; default: the configured one.
    #[arg(long, value_name = "ID")]
    pub(crate) profile: Option<String>,
    /// Serves a fresh in-memory database seeded from this file, instead of the configured one.
    #[arg(long, value_name = "FILE")]
    pub(crate) business: Option<PathBuf>,
    /// The customer's phone number.
    #[arg(long = "as", value_name = "PHONE", default_value = "+55 11 90000-0000")]
    pub(crate) phone: String,
    /// The e-mail address of the staff member who writes, for a profile of staff.
    #[arg(long, value_name = "EMAIL", conflicts_with = "phone")]
    pub(crate) as_staff: Option<String>,
    /// Sets the local time of the business, for example 2026-11-24T10:00.
    #[arg(long, value_name = "TIME", value_parser = local_time)]
    pub(crate) now: Option<DateTime>,
    /// Reads the customer's messages from a file (`-`: standard input), one turn per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<String>,
    /// Shows steps, tool calls, results and timings on standard error.
    #[arg(long)]
    pub(crate) trace: bool,
    /// One JSON object per turn instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// A configured provider by name, or `offline`.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(
    args: Args,
    config: &Config,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    let business = args.business.as_deref().map(wire::read_business).transpose()?;
    let (app, organization, clock) = match business {
        Some(business) => wire::fresh(business, args.now).await?,
        None => wire::configured(config, args.now).await?,
    };
    let (world, profile) = serve(&args, config, environment, app, organization, clock).await?;
    converse(&args, &world, &profile).await
}

/// A world with the profile that the options name. Says on standard error which model answers, and why.
pub(crate) async fn serve(
    args: &Args,
    config: &Config,
    environment: &BTreeMap<String, String>,
    app: balcao_app::AppContext,
    organization: balcao_domain::OrganizationId,
    clock: wire::DeskClock,
) -> Result<(World, String), Failure> {
    let all = profiles::load(&config.agents.dir)?;
    let id = args.profile.clone().unwrap_or_else(|| config.agents.profile.clone());
    let (profile, document) = wire::profile(&all, &id)?;
    let chosen = wire::choose_model(&config.model, profile, environment, args.model.as_deref())?;
    print_error(&format!("model: {}", chosen.why));
    match (profile.audience, &args.as_staff) {
        (Audience::Staff, None) => {
            return Err(Failure::usage(format!("profile `{id}` talks with staff: say who, with --as-staff EMAIL")));
        }
        (Audience::Customer, Some(_)) => {
            let problem = format!("profile `{id}` talks with customers; --as-staff goes with one for staff, such as");
            return Err(Failure::usage(format!("{problem} --profile odys-assistant")));
        }
        (Audience::Staff, Some(_)) | (Audience::Customer, None) => {}
    }
    let app = wire::meaning(app, config)?;
    let own = wire::own_packs_of(config, &app, organization).await?;
    let agent = packs::tools::agent(&app, profile, document, &own, chosen.provider)?;
    let staff = Conversations::new(app.clone());
    let questions_per_hour = config.agents.questions_per_hour;
    Ok((World { front: TurnRunner::new(app, [agent]), staff, organization, clock, questions_per_hour }, id))
}

/// Talks until the script or the person ends.
pub(crate) async fn converse(args: &Args, world: &World, profile: &str) -> Result<ExitCode, Failure> {
    let phone = Phone::parse(&args.phone).map_err(|error| Failure::usage(format!("--as: {}", error_chain(&error))))?;
    let talk = Talk { args, world, profile, phone, people: StaffAccess::new(world.front.app().clone()) };
    // Without a terminal the messages come from standard input, as from every filter.
    let piped = (!std::io::stdin().is_terminal()).then(|| "-".to_owned());
    match args.script.as_ref().or(piped.as_ref()) {
        Some(source) => {
            let source = source.clone();
            for line in
                in_own_thread(move || script(&source)).await??.lines().map(str::trim).filter(|line| !line.is_empty())
            {
                talk.turn(line).await?;
            }
        }
        None => talk.interactive().await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn script(source: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    if source == "-" {
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::operation(format!("standard input: {error}")))?;
    } else {
        bytes = std::fs::read(source)
            .map_err(|error| Failure::usage(format!("{source}: {}", crate::files::reason(&error))))?;
    }
    // Some editors write a mark before the text, which no customer says.
    let bytes = balcao_json::without_mark(&bytes).to_vec();
    String::from_utf8(bytes).map_err(|_not_text| Failure::usage(format!("{source}: the script is not UTF-8 text")))
}

struct Talk<'a> {
    args: &'a Args,
    world: &'a World,
    profile: &'a str,
    phone: Phone,
    people: StaffAccess,
}

impl Talk<'_> {
    /// Answers one line of a script. On a clock that was fixed four seconds pass a turn, so that a long script is no flood.
    async fn turn(&self, text: &str) -> Result<(), Failure> {
        let shown = PrintedReply::default();
        let answered = self.answer(text, &shown).await?.map_err(Failure::operation)?;
        if let wire::DeskClock::Manual(clock) = &self.world.clock {
            clock.advance(SignedDuration::from_secs(4));
        }
        if self.args.json {
            print_line(&turn_json(text, &answered).to_string());
        } else {
            match &answered.ending {
                Ending::Reply { reply } => shown.finish(reply.as_str()),
                Ending::Handoff { reply, .. } => {
                    shown.finish(reply.as_str());
                    print_error("(handed to the team)");
                }
                Ending::Silence { reason } => print_error(&format!("(silence: {})", one_line(reason))),
            }
        }
        self.world.front.after_reply(self.profile, &answered, self.world.organization).await;
        Ok(())
    }

    /// Answers one message, unless whoever writes may not ask now.
    async fn answer(
        &self,
        text: &str,
        shown: &PrintedReply,
    ) -> Result<Result<TurnOutcome, StaffAccessRefusal>, Failure> {
        let (from, channel) = match self.writer().await? {
            Ok(writer) => writer,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let inbound = TurnRequest {
            organization: self.world.organization,
            channel: channel.to_owned(),
            from,
            name: None,
            texts: vec![text.to_owned()],
        };
        let observer: Option<&dyn Observer> = if self.args.trace { Some(&Trace) } else { None };
        // Staff see the reply while it is written; customers get one message.
        let live: Option<&dyn ReplySink> =
            if self.args.as_staff.is_some() && !self.args.json { Some(shown) } else { None };
        self.world
            .front
            .answer_live(self.profile, inbound, observer, live)
            .await
            .map(Ok)
            .map_err(|error| Failure::operation(error_chain(&error)))
    }

    /// Who writes, and where; inside, why they may not now. A name that nobody has is a mistake of the command's.
    async fn writer(&self) -> Result<Result<(ContactRef, &'static str), StaffAccessRefusal>, Failure> {
        let Some(email) = &self.args.as_staff else {
            return Ok(Ok((ContactRef::Phone(self.phone.clone()), "terminal")));
        };
        let asked = self.people.asks(self.world.organization, email.clone(), self.world.questions_per_hour).await;
        match asked.map_err(|error| Failure::operation(error_chain(&error)))? {
            Ok(contact) => Ok(Ok((ContactRef::Contact(contact), "assistant"))),
            Err(StaffAccessRefusal::UnknownStaff(unknown)) => Err(Failure::usage(unknown)),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    async fn interactive(&self) -> Result<(), Failure> {
        print_error(match &self.args.as_staff {
            Some(_) => "Ask about the business. Ctrl-D ends.",
            None => "Write as a customer. Ctrl-D ends; /give-back hands the conversation back to the agent.",
        });
        let mut last: Option<TurnOutcome> = None;
        loop {
            match in_own_thread(read_line).await? {
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) if line.trim() == "/give-back" => {
                    let Some(answered) = &last else { continue };
                    let (organization, id) = (self.world.organization, answered.conversation);
                    let given = self.world.staff.give_back(organization, id, Actor::Operator).await;
                    match given.map_err(|error| Failure::operation(error_chain(&error)))? {
                        Ok(0) => print_error("(given back)"),
                        Ok(unanswered) => print_error(&format!("(given back; {unanswered} before have no answer)")),
                        Err(refusal) => print_error(&format!("({refusal})")),
                    }
                }
                Ok(Some(line)) => {
                    let shown = PrintedReply::default();
                    let answered = match self.answer(&line, &shown).await? {
                        Ok(answered) => answered,
                        Err(refusal) => {
                            print_error(&format!("({refusal})"));
                            continue;
                        }
                    };
                    match &answered.ending {
                        Ending::Reply { reply } | Ending::Handoff { reply, .. } => shown.finish(reply.as_str()),
                        Ending::Silence { reason } => print_error(&format!("(silence: {})", one_line(reason))),
                    }
                    self.world.front.after_reply(self.profile, &answered, self.world.organization).await;
                    last = Some(answered);
                }
                Ok(None) => return Ok(()),
                Err(reason) => return Err(Failure::operation(reason)),
            }
        }
    }
}

/// What of a reply stands in the terminal.
#[derive(Default)]
struct PrintedReply(Mutex<String>);

impl PrintedReply {
    fn text(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply's rest; the whole of it on a line of its own, if it does not begin with what was shown.
    fn finish(&self, reply: &str) {
        let shown = std::mem::take(&mut *self.text());
        match reply.strip_prefix(shown.as_str()) {
            Some(rest) => print_line(rest),
            None => print_line(&format!("\n{reply}")),
        }
    }
}

impl ReplySink for PrintedReply {
    fn delta(&self, piece: &str) {
        self.text().push_str(piece);
        say_piece(piece);
    }

    fn retract(&self) {
        self.text().clear();
        print_line("");
    }
}

/// One line from the terminal; `None` at its end.
#[cfg(feature = "line-editing")]
fn read_line() -> Result<Option<String>, String> {
    use reedline::{DefaultPrompt, DefaultPromptSegment, Reedline, Signal};

    let mut editor = Reedline::create();
    let prompt = DefaultPrompt::new(DefaultPromptSegment::Basic("você".to_owned()), DefaultPromptSegment::Empty);
    match editor.read_line(&prompt) {
        Ok(Signal::Success(line)) => Ok(Some(line)),
        Ok(_ended) => Ok(None),
        Err(error) => Err(format!("the terminal: {error}; give the messages with --script FILE instead")),
    }
}

/// One line as the terminal gives it; `None` at its end.
#[cfg(not(feature = "line-editing"))]
fn read_line() -> Result<Option<String>, String> {
    say_piece("você〉");
    let mut line = String::new();
    match std::io::stdin().read_line(&mut line) {
        Ok(0) => Ok(None),
        Ok(_bytes) => Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned())),
        Err(error) => Err(format!("the terminal: {error}; give the messages with --script FILE instead")),
    }
}

/// A local date and time.
pub(crate) fn local_time(text: &str) -> Result<DateTime, String> {
    text.parse().map_err(|_unreadable| "a local date and time is expected, such as 2026-11-24T10:00".to_owned())
}
