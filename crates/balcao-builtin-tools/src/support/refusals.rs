//! A booking that was refused, in the shape that the model reads.

use balcao_app::scheduling::appointments::AppointmentView;
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::intake::IntakeRefusal;
use balcao_tool::{ErrorCode, Receipt, ReceiptKind, ToolContext, ToolError, ToolOutput, ToolResult};
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{appointment, day, in_locale, name_error, periods, receipt, slots};

/// A correct "no" becomes `success: false` with its reason; a name or id that does not exist becomes an error.
///
/// # Errors
/// `not_found` and `ambiguous`, with what would be right.
pub(crate) fn booking_refusal(cx: &ToolContext, refusal: BookingRefusal, id_given: bool) -> ToolResult<ToolOutput> {
    // What the contact has already may be said to them: it is proven.
    let own = if let BookingRefusal::TooManyOpen { upcoming, .. } = &refusal {
        upcoming.as_slice()
    } else if let BookingRefusal::OtherAtThatTime { existing } = &refusal {
        std::slice::from_ref(existing.as_ref())
    } else {
        &[]
    };
    let receipts: Vec<Receipt> = own.iter().map(|one| receipt(ReceiptKind::Existing, one)).collect();
    let (reason, message, facts) = match refusal {
        BookingRefusal::SlotTaken { alternatives } => (
            "SLOT_TAKEN",
            in_locale(cx, "Esse horário está ocupado.", "That time is taken."),
            json!({"alternatives": slots(cx, &alternatives), "available_slots": slots(cx, &alternatives)}),
        ),
        BookingRefusal::OutsideHours { works, note, absent, alternatives } => {
            let message = match absent {
                Some(name) => does_not_work(cx, &name),
                None => outside_hours(cx, works.is_empty(), note.as_deref()),
            };
            let facts = json!({"works": periods(&works), "note": note, "alternatives": slots(cx, &alternatives)});
            return Ok(refusal_of("OUTSIDE_HOURS", &message, facts));
        }
        BookingRefusal::TooSoon { notice_min, alternatives } => (
            "TOO_SOON",
            in_locale(cx, "É em cima da hora para marcar.", "That is too soon to be booked."),
            json!({"notice_minutes": notice_min, "alternatives": slots(cx, &alternatives)}),
        ),
        BookingRefusal::TooFar { last_date } => {
            let message = open_until(cx, last_date);
            let value =
                json!({"success": false, "reason": "TOO_FAR", "last_date": last_date.to_string(), "message": message});
            return Ok(ToolOutput::refusal(value));
        }
        BookingRefusal::PastDate { today, time } => (
            "PAST_DATE",
            in_locale(cx, "Esse horário já passou.", "That time is over."),
            json!({"today": today.to_string(), "time_now": time}),
        ),
        BookingRefusal::NoSuchTime => (
            "NO_SUCH_TIME",
            in_locale(cx, "Essa hora não existe nesse dia.", "That time does not exist on that day."),
            json!({}),
        ),
        BookingRefusal::OffGrid { alternatives } => (
            "OFF_GRID",
            in_locale(cx, "Não começamos nesse minuto.", "We do not start at that minute."),
            json!({"alternatives": slots(cx, &alternatives)}),
        ),
        BookingRefusal::NotOffered { service, professional, offered_by } => (
            "NOT_OFFERED",
            in_locale(cx, "Esse profissional não faz esse serviço.", "This professional does not offer this service."),
            json!({"service": service, "barber": professional, "offered_by": offered_by}),
        ),
        BookingRefusal::TooManyOpen { limit, upcoming } => (
            "TOO_MANY_OPEN",
            in_locale(cx, "Você já tem o máximo de horários marcados.", "You have as many appointments as allowed."),
            json!({"limit": limit, "upcoming": views(cx, &upcoming)}),
        ),
        BookingRefusal::OtherAtThatTime { existing } => (
            "ALREADY_BOOKED_THEN",
            in_locale(cx, "Você já tem outro horário nessa hora.", "You have another appointment at that time."),
            json!({"existing": appointment(cx, &existing)}),
        ),
        BookingRefusal::AlreadyStarted => (
            "PAST_DATE",
            in_locale(cx, "Esse horário já começou ou passou.", "That appointment has begun or is over."),
            json!({}),
        ),
        BookingRefusal::AlreadyCancelled => (
            "ALREADY_CANCELLED",
            in_locale(cx, "Esse horário já estava cancelado.", "That appointment was cancelled already."),
            json!({}),
        ),
        BookingRefusal::Moved { to } => (
            "MOVED",
            in_locale(
                cx,
                "Esse horário já foi remarcado; vale o novo.",
                "That appointment was moved; the new one counts.",
            ),
            json!({"moved_to": i64::from(to)}),
        ),
        BookingRefusal::PriceNotAgreed => (
            "PRICE_NOT_AGREED",
            in_locale(cx, "O cliente ainda não aceitou o preço.", "The customer has not agreed to the price yet."),
            json!({}),
        ),
        BookingRefusal::CancellationNotice { notice_min } => (
            "CANCELLATION_NOTICE",
            in_locale(
                cx,
                "O prazo para mudar esse horário já passou; só a equipe pode.",
                "The deadline for changes has passed; only staff can.",
            ),
            json!({"notice_minutes": notice_min}),
        ),
        BookingRefusal::NotFound { upcoming } if !id_given && upcoming.is_empty() => (
            "NO_UPCOMING",
            in_locale(cx, "Você não tem horário marcado.", "You have no upcoming appointment."),
            json!({}),
        ),
        BookingRefusal::NotFound { upcoming } => return Err(history_error(cx, ErrorCode::NotFound, &upcoming)),
        BookingRefusal::Ambiguous { candidates } => return Err(history_error(cx, ErrorCode::Ambiguous, &candidates)),
        BookingRefusal::Professional(refusal) => return Err(name_error(refusal, "barber_name")),
        BookingRefusal::Service(refusal) => return Err(name_error(refusal, "service_name")),
        BookingRefusal::NoSuchService { known } => {
            let error = ToolError::new(ErrorCode::NotFound, "there is no service with this id")
                .detail("available", json!(known));
            return Err(error.detail("argument", "service_id").into());
        }
    };
    Ok(receipts.into_iter().fold(refusal_of(reason, message, facts), ToolOutput::receipt))
}

fn refusal_of(reason: &str, message: &str, facts: Value) -> ToolOutput {
    let mut value = Map::new();
    value.insert("success".to_owned(), false.into());
    value.insert("reason".to_owned(), reason.into());
    value.insert("message".to_owned(), message.into());
    if let Value::Object(facts) = facts {
        value.extend(facts.into_iter().filter(|(_, fact)| !fact.is_null()));
    }
    ToolOutput::refusal(Value::Object(value))
}

/// A day on which nobody works is told as such, with what the business says of it.
fn outside_hours(cx: &ToolContext, nobody: bool, note: Option<&str>) -> String {
    match (nobody, note) {
        (true, Some(note)) => match in_locale(cx, "pt", "en") {
            "pt" => format!("Nesse dia estamos fechados ({note})."),
            _ => format!("We are closed on that day ({note})."),
        },
        (true, None) => in_locale(cx, "Não há atendimento nesse dia.", "Nobody works on that day.").to_owned(),
        (false, _) => {
            in_locale(cx, "Fora do horário de atendimento nesse dia.", "Outside of working hours on that day.")
                .to_owned()
        }
    }
}

/// The business is open on that day, and its other professionals may work.
fn does_not_work(cx: &ToolContext, professional: &str) -> String {
    match in_locale(cx, "pt", "en") {
        "pt" => format!("{professional} não atende nesse dia."),
        _ => format!("{professional} does not work on that day."),
    }
}

/// As [`booking_refusal`], for sessions with the conversation's professional.
///
/// # Errors
/// `not_found`, with who there is, where nobody knows whom the conversation is about.
pub(crate) fn intake_refusal(cx: &ToolContext, refusal: IntakeRefusal) -> ToolResult<ToolOutput> {
    match refusal {
        IntakeRefusal::Booking(refusal) => booking_refusal(cx, refusal, false),
        IntakeRefusal::OtherNumber => {
            let message = in_locale(
                cx,
                "Esse não é o número de quem escreve. Se a sessão é para outra pessoa, diga o nome dela; se não, use o número da conversa.",
                "That is not the number of whoever writes. If the session is for somebody else, give their name; if not, use the number of the conversation.",
            );
            Ok(ToolOutput::refusal(json!({"success": false, "reason": "OTHER_NUMBER", "message": message})))
        }
        IntakeRefusal::Whom { known } => {
            let error = ToolError::new(ErrorCode::NotFound, "nobody knows yet which professional is meant");
            Err(error.detail("argument", "professional").detail("available", json!(known)).into())
        }
    }
}

/// Until when the calendar is open, in words.
pub(crate) fn open_until(cx: &ToolContext, last_date: Date) -> String {
    let until = day(cx, last_date);
    match in_locale(cx, "pt", "en") {
        "pt" => format!("A agenda ainda não abriu para esse dia; está aberta até {until}."),
        _ => format!("The calendar is not open for that day yet; it is open until {until}."),
    }
}

/// An appointment that could not be told: what this contact has instead.
pub(crate) fn history_error(cx: &ToolContext, code: ErrorCode, views_: &[AppointmentView]) -> Box<ToolError> {
    let (text, fact) = if code == ErrorCode::Ambiguous {
        ("several appointments could be meant", "candidates")
    } else {
        ("this contact has no such appointment", "upcoming")
    };
    ToolError::new(code, text).detail(fact, views(cx, views_)).into()
}

fn views(cx: &ToolContext, views: &[AppointmentView]) -> Value {
    views.iter().map(|view| appointment(cx, view)).collect()
}
