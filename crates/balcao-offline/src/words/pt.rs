//! Brazilian Portuguese.

use balcao_language::{
    Locale, Period,
    format::{self, list, time},
};
use jiff::civil::{Date, Time};

use super::{Line, Waited};
use crate::{
    results::Appointment,
    state::{GUEST_NAME, OWN_NAME},
};

const PT: Locale = Locale::PtBr;

fn day(date: Date, today: Date) -> String {
    format::day_from(date, today, PT)
}

fn times(times: &[Time]) -> String {
    let said: Vec<String> = times.iter().map(|at| time(*at, PT)).collect();
    list(&said, "e")
}

fn when(what: &Appointment, today: Date) -> String {
    let date = what.date.map(|date| day(date, today));
    let clock = what.time.map(|at| time(at, PT));
    match (date, clock) {
        (Some(date), Some(clock)) => format!("{date} às {clock}"),
        (Some(date), None) => date,
        (None, Some(clock)) => format!("às {clock}"),
        (None, None) => String::new(),
    }
}

/// "Corte com João Batista, sexta, 27/11 às 15h".
fn full(what: &Appointment, today: Date) -> String {
    let with = what.professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
    match &what.service {
        Some(service) => format!("{service}{with}, {}", when(what, today)),
        // A calendar tells when its events are, and not what they are.
        None => format!("horário{with} {}", when(what, today)),
    }
}

fn full_list(all: &[Appointment], today: Date) -> String {
    all.iter().map(|one| format!("- {}", full(one, today))).collect::<Vec<_>>().join("\n")
}

fn periods(periods: &[(Time, Time)]) -> String {
    let said: Vec<String> =
        periods.iter().map(|(opens, closes)| format!("das {} às {}", time(*opens, PT), time(*closes, PT))).collect();
    list(&said, "e")
}

fn hello(name: Option<&str>, organization: &str, alone: bool, moves: bool) -> String {
    let greeting = name.map_or_else(|| "Oi!".to_owned(), |name| format!("Oi, {name}!"));
    if alone {
        let change = if moves { "remarcar" } else { "cancelar" };
        format!(
            "{greeting} Sou o atendente automático da {organization}. Posso marcar, {change} ou tirar uma dúvida. Como posso te ajudar?"
        )
    } else {
        greeting
    }
}

pub(super) fn render_line(line: &Line, today: Date) -> String {
    match line {
        Line::Hello { name, organization, alone, moves } => hello(name.as_deref(), organization, *alone, *moves),
        Line::Welcome => "Por nada! Se precisar de mais alguma coisa, é só chamar.".to_owned(),
        Line::Goodbye => "Até mais! 👋".to_owned(),
        Line::Sorry => {
            "Sinto muito por isso, entendo a sua chateação. Quer que eu chame alguém da equipe pra resolver com você?"
                .to_owned()
        }
        Line::Identity { organization } => format!(
            "Sou o atendente automático da {organization}: um programa, não uma pessoa. Posso ver horários, marcar e tirar dúvidas, e se preferir chamo alguém da equipe."
        ),
        Line::NotThat => {
            "Com isso eu não consigo ajudar. Posso ver horários e preços, marcar ou tirar dúvidas sobre o atendimento. O que você precisa?".to_owned()
        }
        Line::WhatElse => {
            "Não entendi muito bem. Você quer marcar um horário, mudar um que já tem ou tirar uma dúvida?".to_owned()
        }
        Line::NoHurry => "Claro, sem pressa! Quando quiser, é só me chamar.".to_owned(),
        Line::LeftAsIs => "Tudo bem, deixei tudo como estava. 👍".to_owned(),
        Line::NoProblem => "Sem problema! Se quiser outro dia ou horário, é só me dizer.".to_owned(),
        Line::Services { list } => format!("Nossos serviços:\n{}", bullets(list)),
        Line::Price { service, with, price, length } => {
            let with = with.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
            let price = price.as_ref().map(|price| format!(" custa {price}")).unwrap_or_default();
            let length = length.as_ref().map(|length| format!(" e leva {length}")).unwrap_or_default();
            format!("{service}{with}{price}{length}.")
        }
        Line::Team { date, list } if list.is_empty() => match date {
            Some(date) => format!("Não encontrei ninguém atendendo {}.", on(*date, today)),
            None => "Não encontrei a lista da equipe agora.".to_owned(),
        },
        Line::Team { date, list } => match date {
            Some(date) => format!("{} atendem:\n{}", sentence(&on(*date, today)), bullets(list)),
            None => format!("Nossa equipe:\n{}", bullets(list)),
        },
        Line::Works { name, date, hours: Some(hours) } => format!("Sim, {name} atende {} {hours}.", on(*date, today)),
        Line::Works { name, date, hours: None } => format!("{name} não atende {}.", on(*date, today)),
        Line::Does { name, services } => format!("Sim, {name} faz {}.", commas(services, "e")),
        Line::DoesNotDo { name, service } => format!("{name} não faz {service}."),
        Line::Performers { service, list } => format!("{service} é com {}.", commas(list, "ou")),
        Line::Away { name, date } => {
            format!("{} não tenho horário: {name} não atende nesse dia.", sentence(&on(*date, today)))
        }
        Line::InsteadThatDay { list } => format!("Quem atende é {}.", commas(list, "ou")),
        Line::Restriction { name, text } => format!("{name}: {text}."),
        Line::HoursOf { date, periods: open, note } => {
            let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            if open.is_empty() {
                format!("{} estamos fechados{note}.", sentence(&on(*date, today)))
            } else {
                format!("{} abrimos {}{note}.", sentence(&on(*date, today)), periods(open))
            }
        }
        Line::OpensNext { date, periods: open } => format!("Abrimos de novo {} {}.", on(*date, today), periods(open)),
        Line::ClosedNow => "Agora estamos fechados.".to_owned(),
        Line::WhichHoliday => "Depende do feriado. De que dia você fala?".to_owned(),
        Line::Yes => "Sim!".to_owned(),
        Line::NotYet => "Não, ainda não marquei.".to_owned(),
        Line::HoursList { days } => {
            let row = |(date, open): &(Date, Vec<(Time, Time)>)| {
                let name = format::weekday(date.weekday(), PT);
                if open.is_empty() { format!("{name}: fechado") } else { format!("{name}: {}", periods(open)) }
            };
            format!("Nosso horário:\n{}", bullets(&days.iter().map(row).collect::<Vec<_>>()))
        }
        Line::Knowledge { content } => content.clone(),
        Line::NotKnown => {
            "Isso eu não tenho aqui comigo, desculpa. Quer que eu chame alguém da equipe pra te responder?".to_owned()
        }
        Line::AskService { list } if list.is_empty() => "Qual serviço você gostaria?".to_owned(),
        Line::AskService { list } => format!("Qual serviço você gostaria? Temos {}.", commas(list, "e")),
        Line::WhichService { list } => format!("Qual serviço: {}?", commas(list, "ou")),
        Line::AskDay => "Para qual dia você gostaria?".to_owned(),
        Line::AskProfessional { date, time: at, list } => format!(
            "{} às {} dá certo com {}. Com quem você prefere?",
            sentence(&day(*date, today)),
            time(*at, PT),
            commas(list, "ou")
        ),
        Line::FreeThen { date, time: at, list } => format!(
            "Tem sim: {} às {}, com {}. Se quiser marcar, é só me dizer.",
            day(*date, today),
            time(*at, PT),
            commas(list, "ou")
        ),
        Line::WhichProfessional { list } if list.len() == 1 => format!("Seria com {}?", commas(list, "ou")),
        Line::WhichProfessional { list } => format!("Com quem: {}?", commas(list, "ou")),
        Line::NoSuchProfessional { said, list } if list.is_empty() => {
            format!("Não encontrei {said} na equipe. Com quem você prefere?")
        }
        Line::NoSuchProfessional { said, list } if list.len() == 1 => {
            format!("Não encontrei {said} na equipe. Seria com {}?", commas(list, "ou"))
        }
        Line::NoSuchProfessional { said, list } => {
            format!("Não encontrei {said} na equipe. Com quem você prefere: {}?", commas(list, "ou"))
        }
        Line::Offer { date, free, service } => {
            let service = service.as_ref().map(|name| format!(" para {name}")).unwrap_or_default();
            let when = sentence(&on(*date, today));
            match free.as_slice() {
                [(name, at)] => format!("{when} tenho{service} com {name}: {}. Qual horário prefere?", times(at)),
                several => {
                    let rows: Vec<String> = several.iter().map(|(name, at)| format!("{name}: {}", times(at))).collect();
                    format!("{when} tenho{service}:\n{}\nQual horário prefere?", bullets(&rows))
                }
            }
        }
        Line::OfferDays { days, until } => {
            let until = until.map(|last| format!(" até {}", day(last, today))).unwrap_or_default();
            let rows: Vec<String> = days.iter().map(|(date, at)| format!("{}: {}", day(*date, today), times(at))).collect();
            format!("Tenho livre{until}:\n{}\nQual dia e qual horário prefere?", bullets(&rows))
        }
        Line::NoneFree { date, professional, part } => {
            let with = professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
            let part = part.map(|part| part_of_day(part.period)).unwrap_or_default();
            format!("{} não tenho horário livre{with}{part}.", sentence(&on(*date, today)))
        }
        Line::NoneInDays { first, last } => {
            format!("Não tenho horário livre de {} a {}.", day(*first, today), day(*last, today))
        }
        Line::NextFree { next } => format!("O próximo livre é {}. Serve, ou prefere outro dia?", free_place(next, today)),
        Line::NotFree { date, time: at, professional } => {
            let with = professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
            format!("{} às {}{with} não está livre.", sentence(&day(*date, today)), time(*at, PT))
        }
        Line::Nearby { list } => {
            let rows: Vec<String> = list
                .iter()
                .map(|(name, at)| match name {
                    Some(name) => format!("{name}: {}", times(at)),
                    None => times(at),
                })
                .collect();
            match rows.as_slice() {
                [only] => format!("Os mais próximos: {only}. Qual horário prefere?"),
                _ => format!("Os mais próximos:\n{}\nQual horário prefere?", bullets(&rows)),
            }
        }
        Line::NearbyDays { list } => {
            let row = |(date, name, at): &(Date, Option<String>, Vec<Time>)| {
                let with = name.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
                format!("{}{with}: {}", day(*date, today), times(at))
            };
            let rows: Vec<String> = list.iter().map(row).collect();
            format!("Os mais próximos:\n{}\nQual dia e qual horário prefere?", bullets(&rows))
        }
        Line::AnotherDay => "Quer tentar outro dia?".to_owned(),
        Line::Propose { what } => {
            let with = what.professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
            let service = what.service.as_ref().map(|name| format!(" para {name}")).unwrap_or_default();
            format!("Tenho {}{with}{service}. Posso marcar?", when(what, today))
        }
        Line::Booked { what } => format!("Prontinho, marcado! {}. Te esperamos!", sentence(&full(what, today))),
        Line::PlanNotice { text } => text.clone(),
        Line::SessionBooked { what, price, plan } => {
            let plan = plan.as_ref().map(|plan| format!(" pelo plano {plan}"));
            let price = price.as_ref().map(|price| format!(" por {price}")).or(plan).unwrap_or_default();
            let service = what.service.as_ref().map(|name| format!(": {name}{price}")).unwrap_or_default();
            let with = what.professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
            format!("Marcado{service}{with}, {}.", when(what, today))
        }
        Line::AnotherIsPossible => "Se for outro serviço, é só dizer qual.".to_owned(),
        Line::OneMore { what } => format!("Você já tem {}; este seria mais um.", full(what, today)),
        Line::TeamChanges { what } => format!(
            "Você já tem {}, e continua marcado. Mudar ou cancelar é com a equipe. Quer que eu chame alguém da equipe?",
            full(what, today)
        ),
        Line::Moved { what } => format!("Prontinho, remarcado: {}.", full(what, today)),
        Line::Cancelled { what } if what.date.is_none() && what.time.is_none() => {
            "Pronto, seu horário foi cancelado. Quando quiser marcar de novo, é só chamar.".to_owned()
        }
        Line::Cancelled { what } => {
            format!("Pronto, cancelado: {}. Quando quiser marcar de novo, é só chamar.", full(what, today))
        }
        Line::OneByOne => "Certo, um de cada vez.".to_owned(),
        Line::Confirm { summary } => summary.clone(),
        Line::NoAppointments => {
            "Não encontrei nenhum horário seu na agenda daqui pra frente. Quer marcar um?".to_owned()
        }
        Line::NotThatDay { date, list } => {
            format!("{} não encontrei horário seu. O que tenho é:\n{}\n{}", sentence(&on(*date, today)), full_list(list, today), if list.len() == 1 { "Seria esse?" } else { "Qual deles?" })
        }
        Line::Appointments { list } => match list.as_slice() {
            [only] => format!("Você tem {}.", full(only, today)),
            several => format!("Você tem:\n{}", full_list(several, today)),
        },
        Line::OnlyOwn { asks } => {
            let asks = if *asks { " Se for um dos seus, qual deles?" } else { "" };
            format!("Só vejo e mudo horários que você mesmo marcou; sobre os de outra pessoa não posso dizer nada.{asks}")
        }
        Line::NoHours { name } => format!(
            "{name} ainda não tem horários de atendimento definidos, então não consigo marcar por aqui. Quer que eu chame alguém da equipe?"
        ),
        Line::Which { list } => format!("Você tem mais de um horário:\n{}\nQual deles?", full_list(list, today)),
        Line::LastVisit { what } => format!("Sua última visita: {}.", full(what, today)),
        Line::AskNewTime { what } => format!("Seu horário é {}. Para qual dia e horário você quer mudar?", full(what, today)),
        Line::Refused { message: Some(message) } => message.clone(),
        Line::Refused { message: None } => {
            "Não consegui fazer isso por aqui. Quer que eu chame alguém da equipe?".to_owned()
        }
        Line::WeekdayMismatch { date, said } => format!(
            "Só pra eu não errar: {} é {}, não {}. Qual dia você quer?",
            format::short_date(*date, PT),
            format::weekday(date.weekday(), PT),
            format::weekday(*said, PT)
        ),
        Line::WhichDay { days, time: at } => {
            let mut of: Vec<String> = days.iter().map(|day| format::dated(*day, today, PT)).collect();
            of.extend(at.map(|at| format!("o horário das {}", time(at, PT))));
            format!("Só pra eu não errar, qual dia você quer: {}?", format::list(&of, "ou"))
        }
        Line::DatePassed { date } => {
            format!("{} já passou. Qual dia você quer?", format::short_date_from(*date, today, PT))
        }
        Line::ImpossibleDate { written } => format!("Não achei a data {written} no calendário. Qual dia você quer?"),
        Line::ImpossibleTime { written } => format!("O horário {written} não existe no relógio. Que horas você quer?"),
        Line::WhichTime { times } if times.is_empty() => "Qual dia e qual horário prefere?".to_owned(),
        Line::WhichTime { times: at } => {
            let at: Vec<String> = at.iter().map(|at| time(*at, PT)).collect();
            format!("Qual horário: {}?", commas(&at, "ou"))
        }
        Line::HaveAlready { what } => format!("Esse você já tem: {}.", full(what, today)),
        Line::Subscribed { plans, due } => {
            let due = due.map(|due| format!(" e vence em {:02}/{:02}", due.day(), due.month())).unwrap_or_default();
            match plans.as_slice() {
                [] => format!("Sua assinatura está ativa{due}."),
                names => format!("Seu plano {} está ativo{due}.", commas(names, "e")),
            }
        }
        Line::NotSubscribed { message: Some(message) } => message.clone(),
        Line::NotSubscribed { message: None } => "Não encontrei assinatura ativa no seu contato.".to_owned(),
        Line::Plans { list } => format!("Nossos planos:\n{}", bullets(list)),
        Line::NoPlans => "No momento não temos planos de assinatura.".to_owned(),
        Line::Address { address } => format!("Ficamos em: {address}."),
        Line::For { name } => format!("Certo, para {name}."),
        Line::OnlyDoes { name, list } => format!("Com {name} posso marcar {}. Qual serviço você quer?", commas(list, "ou")),
        Line::OnlyWith { said, list } => format!("Com {said} não consigo marcar por aqui: só com {}.", commas(list, "ou")),
        Line::CannotChoose { name } => format!(
            "Por aqui eu não consigo garantir que seja com {name}. Se tanto faz, diga \"com qualquer um\". Quer que eu chame alguém da equipe?"
        ),
        Line::AskName { guest } => (if *guest { GUEST_NAME } else { OWN_NAME })[0].to_owned(),
        Line::Transferred => "Já chamei alguém da equipe. Em instantes te respondem por aqui.".to_owned(),
        Line::Waitlisted { wanted } => {
            format!("Pronto, você está na lista de espera{}. Se abrir uma vaga, te avisamos por aqui.", waited(wanted, today))
        }
        Line::ReminderSet { minutes: Some(minutes) } => format!("Combinado, te lembro {} antes.", length(*minutes)),
        Line::ReminderSet { minutes: None } => "Combinado, te mando um lembrete antes do horário.".to_owned(),
        Line::ReminderLater => "O lembrete eu só consigo agendar com o horário marcado: me peça de novo depois.".to_owned(),
        Line::NoReminder => "Tudo bem, sem lembrete então.".to_owned(),
        Line::ReminderStays => {
            "Esse lembrete eu não consigo tirar por aqui. Quer que eu chame alguém da equipe?".to_owned()
        }
        Line::FollowUpSet => "Combinado, te chamo por aqui.".to_owned(),
        Line::NameKept { name } => format!("Prazer, {name}!"),
        Line::CannotNow => {
            "Não estou conseguindo ver isso agora, desculpa. Quer que eu chame alguém da equipe?".to_owned()
        }
        Line::OneAtATime { first, rest } => {
            format!("Vamos por partes: primeiro {first}, depois vejo {}.", commas(rest, "e"))
        }
        Line::NextOf { wish, settled: true } => format!("Agora, {wish}: qual horário prefere?"),
        Line::NextOf { wish, settled: false } => format!("Agora, {wish}: qual serviço, e a que horas?"),
        Line::With { name } => format!("Certo, com {name}."),
        Line::NotOffered { said } => format!("Não temos {said} na nossa lista de serviços."),
        Line::EmailKept { email } => format!("Anotado: {email}."),
        Line::Noted => "Anotado! Deixei registrado para a equipe.".to_owned(),
        Line::OnFile { list } if list.is_empty() => "Ainda não tenho dados seus no cadastro.".to_owned(),
        Line::OnFile { list } => format!("No seu cadastro tenho: {}.", commas(list, "e")),
        Line::NoFollowUp => "Tudo bem, não vou chamar. Quando quiser, é só escrever.".to_owned(),
        Line::MayCancel { what } => format!("Posso cancelar {}?", full(what, today)),
        Line::MayMove { what, to } => format!("Posso remarcar {} para {}?", full(what, today), free_place(to, today)),
        Line::MoreHelp => "Posso te ajudar com mais alguma coisa?".to_owned(),
    }
}

/// " para Barba desenhada com Otávio Prado, sábado, 28/11 no período da manhã".
fn waited(wanted: &Waited, today: Date) -> String {
    let service = wanted.service.as_ref().map(|name| format!(" para {name}")).unwrap_or_default();
    let with = wanted.professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
    let period = match wanted.period {
        Some(Period::Morning) => " no período da manhã",
        Some(Period::Afternoon) => " no período da tarde",
        Some(Period::Evening | Period::Night) => " no período da noite",
        None => "",
    };
    format!("{service}{with}, {}{period}", day(wanted.date, today))
}

/// " de manhã", behind what is or is not free.
fn part_of_day(period: Option<Period>) -> &'static str {
    match period {
        Some(Period::Morning) => " de manhã",
        Some(Period::Afternoon) => " à tarde",
        Some(Period::Evening) => " à noite",
        Some(Period::Night) => " de madrugada",
        None => " nesse período",
    }
}

fn on(date: Date, today: Date) -> String {
    if date == today || today.tomorrow().ok() == Some(date) {
        return day(date, today);
    }
    let article = if matches!(date.weekday(), jiff::civil::Weekday::Saturday | jiff::civil::Weekday::Sunday) {
        "no"
    } else {
        "na"
    };
    format!("{article} {}", day(date, today))
}

fn free_place(next: &Appointment, today: Date) -> String {
    let with = next.professional.as_ref().map(|name| format!(" com {name}")).unwrap_or_default();
    format!("{}{with}", when(next, today))
}

fn length(minutes: u32) -> String {
    match minutes {
        1440 => "1 dia".to_owned(),
        60 => "1 hora".to_owned(),
        whole if whole >= 1440 && whole.is_multiple_of(1440) => format!("{} dias", whole / 1440),
        whole if whole >= 60 && whole.is_multiple_of(60) => format!("{} horas", whole / 60),
        other => format!("{other} minutos"),
    }
}

fn bullets(rows: &[String]) -> String {
    rows.iter().map(|row| format!("- {row}")).collect::<Vec<_>>().join("\n")
}

fn commas(items: &[String], last: &str) -> String {
    list(items, last)
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
