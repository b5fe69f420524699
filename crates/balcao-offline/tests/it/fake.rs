//! A small business behind the tools of part 02, for one contact: shapes as specified, rules only as far as the stories go.

use balcao_language::Locale;
use std::collections::BTreeMap;

use balcao_language::{Candidate, NameMatch, format, match_name, resolve_date, search_tokens};
use jiff::civil::{Date, DateTime, Time};
use serde_json::{Value, json};

pub(crate) struct Fake {
    pub(crate) now: DateTime,
    business: Value,
    pub(crate) contact: String,
    pub(crate) contact_name: Option<String>,
    pub(crate) appointments: Vec<Booked>,
    pub(crate) called: Vec<String>,
    /// Tools that answer with `unavailable`.
    pub(crate) broken: Vec<String>,
    /// Takes the slot of the next booking away.
    pub(crate) rival: bool,
    next_id: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct Booked {
    pub(crate) id: i64,
    pub(crate) phone: String,
    pub(crate) professional: String,
    pub(crate) service: String,
    pub(crate) starts: DateTime,
    pub(crate) minutes: i64,
    pub(crate) status: String,
}

fn digits(phone: &str) -> String {
    phone.chars().filter(char::is_ascii_digit).collect()
}

fn clock(text: &str) -> Time {
    let (hour, minute) = text.split_once(':').unwrap();
    Time::new(hour.parse().unwrap(), minute.parse().unwrap(), 0, 0).unwrap()
}

fn error(code: &str, text: &str, details: Value) -> Value {
    json!({"error": text, "code": code, "retryable": false, "details": details, "_context": ""})
}

impl Fake {
    pub(crate) fn new(business: Value, now: DateTime, phone: &str, name: Option<&str>) -> Self {
        let contact = digits(phone);
        let mut fake = Self {
            now,
            contact: contact.clone(),
            contact_name: name.map(str::to_owned),
            appointments: Vec::new(),
            called: Vec::new(),
            broken: Vec::new(),
            rival: false,
            next_id: 1,
            business,
        };
        let contacts = fake.business["contacts"].as_array().cloned().unwrap_or_default();
        for known in contacts {
            let phone = digits(known["phone"].as_str().unwrap());
            if phone == contact && fake.contact_name.is_none() {
                fake.contact_name = known["name"].as_str().map(str::to_owned);
            }
            for one in known["appointments"].as_array().cloned().unwrap_or_default() {
                let service = one["service"].as_str().unwrap().to_owned();
                let minutes = fake.minutes(&service);
                let booked = Booked {
                    id: fake.next_id,
                    phone: phone.clone(),
                    professional: one["professional"].as_str().unwrap().to_owned(),
                    service,
                    starts: one["starts"].as_str().unwrap().parse().unwrap(),
                    minutes,
                    status: one["status"].as_str().unwrap_or("confirmed").to_owned(),
                };
                fake.next_id += 1;
                fake.appointments.push(booked);
            }
        }
        fake
    }

    pub(crate) fn organization(&self) -> String {
        self.business["organization"]["name"].as_str().unwrap().to_owned()
    }

    pub(crate) fn upcoming(&self) -> Vec<&Booked> {
        let mine = |one: &&Booked| one.phone == self.contact && one.status == "confirmed" && one.starts > self.now;
        let mut found: Vec<&Booked> = self.appointments.iter().filter(mine).collect();
        found.sort_by_key(|one| one.starts);
        found
    }

    pub(crate) fn others(&self) -> Vec<String> {
        self.appointments.iter().filter(|one| one.phone != self.contact).map(|one| format!("{one:?}")).collect()
    }

    fn minutes(&self, service: &str) -> i64 {
        let all = self.business["services"].as_array().unwrap();
        all.iter().find(|one| one["name"] == service).and_then(|one| one["duration_minutes"].as_i64()).unwrap_or(30)
    }

    fn named(&self, kind: &str, said: &str) -> Result<String, Value> {
        let all = self.business[kind].as_array().unwrap();
        let candidates: Vec<Candidate<'_>> = all
            .iter()
            .map(|one| {
                let mut names = vec![one["name"].as_str().unwrap()];
                names.extend(one["aliases"].as_array().into_iter().flatten().filter_map(Value::as_str));
                Candidate { names }
            })
            .collect();
        let name = |index: usize| candidates[index].names[0].to_owned();
        let field = if kind == "services" { "service_name" } else { "barber_name" };
        match match_name(said, &candidates) {
            NameMatch::One { index, .. } => Ok(name(index)),
            NameMatch::Several(found) => {
                let list: Vec<String> = found.into_iter().map(name).collect();
                Err(error(
                    "ambiguous",
                    &format!("`{field}` {said}: several"),
                    json!({"field": field, "candidates": list}),
                ))
            }
            NameMatch::None { nearest } => {
                let nearest: Vec<String> = nearest.into_iter().map(name).collect();
                Err(error(
                    "not_found",
                    &format!("`{field}` {said} does not exist"),
                    json!({"field": field, "nearest": nearest}),
                ))
            }
        }
    }

    fn periods(&self, hours: &Value, date: Date) -> Vec<(Time, Time)> {
        let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let key = names[usize::try_from(date.weekday().to_monday_zero_offset()).unwrap()];
        let list = hours[key].as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|period| {
                let (from, to) = period.as_str().unwrap().split_once('-').unwrap();
                (clock(from), clock(to))
            })
            .collect()
    }

    fn open(&self, date: Date) -> (Vec<(Time, Time)>, Option<String>) {
        let exceptions = self.business["organization"]["exceptions"].as_array().cloned().unwrap_or_default();
        for one in &exceptions {
            if one["date"].as_str() == Some(&date.to_string()) {
                let list = one["periods"].as_array().unwrap();
                let read = |period: &Value| {
                    let (from, to) = period.as_str().unwrap().split_once('-').unwrap();
                    (clock(from), clock(to))
                };
                return (list.iter().map(read).collect(), one["note"].as_str().map(str::to_owned));
            }
        }
        (self.periods(&self.business["organization"]["hours"], date), None)
    }

    fn slots(&self, professional: &Value, date: Date, minutes: i64) -> Vec<Time> {
        let (open, _) = self.open(date);
        let name = professional["name"].as_str().unwrap();
        let mut out = Vec::new();
        for (from, to) in self.periods(&professional["hours"], date) {
            let mut start = date.to_datetime(from);
            let end = date.to_datetime(to);
            while start.checked_add(jiff::Span::new().minutes(minutes)).unwrap() <= end {
                let stop = start.checked_add(jiff::Span::new().minutes(minutes)).unwrap();
                let inside = open.iter().any(|(a, b)| date.to_datetime(*a) <= start && stop <= date.to_datetime(*b));
                let soon = start < self.now.checked_add(jiff::Span::new().minutes(60)).unwrap();
                let busy = self.appointments.iter().any(|one| {
                    let other = one.starts.checked_add(jiff::Span::new().minutes(one.minutes)).unwrap();
                    one.professional == name && one.status == "confirmed" && one.starts < stop && start < other
                });
                if inside && !soon && !busy {
                    out.push(start.time());
                }
                start = start.checked_add(jiff::Span::new().minutes(15)).unwrap();
            }
        }
        out
    }

    /// Runs a call. `confirmed` is set for a held call that the customer agreed to.
    pub(crate) fn run(&mut self, name: &str, arguments: &Value, confirmed: bool) -> Value {
        self.called.push(name.to_owned());
        if self.broken.iter().any(|broken| broken == name) {
            return error("unavailable", "the calendar did not answer", Value::Null);
        }
        self.answer(name, arguments, confirmed).unwrap_or_else(|error| error)
    }

    fn answer(&mut self, name: &str, arguments: &Value, confirmed: bool) -> Result<Value, Value> {
        let text = |key: &str| arguments[key].as_str();
        let date = |key: &str| -> Result<Option<Date>, Value> {
            text(key)
                .map(|text| resolve_date(text, self.now.date()).map(|found| found.date))
                .transpose()
                .map_err(|problem| error("invalid_arguments", &problem.to_string(), Value::Null))
        };
        match name {
            "get_services" => {
                let services: Vec<Value> = self.business["services"].as_array().unwrap().iter().enumerate().map(|(id, one)| {
                    json!({"id": id + 1, "name": one["name"], "price": format!("R$ {}", one["price"].as_str().unwrap().replace('.', ",")),
                        "duration_minutes": one["duration_minutes"], "duration_display": format!("{} min", one["duration_minutes"])})
                }).collect();
                let barbers: Vec<Value> = self.business["professionals"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| json!({"name": one["name"], "restrictions": one["restrictions"]}))
                    .collect();
                Ok(
                    json!({"services": services, "barbers": barbers, "total_services": services.len(), "total_barbers": barbers.len()}),
                )
            }
            "get_barbers" => {
                let day = date("date")?.unwrap_or(self.now.date());
                let barbers: Vec<Value> = self.business["professionals"].as_array().unwrap().iter()
                    .filter(|one| !self.periods(&one["hours"], day).is_empty() && !self.open(day).0.is_empty())
                    .map(|one| {
                        let works: Vec<Value> = self.periods(&one["hours"], day).iter()
                            .map(|(a, b)| json!({"opens": a.strftime("%H:%M").to_string(), "closes": b.strftime("%H:%M").to_string()})).collect();
                        json!({"name": one["name"], "services": one["services"], "works": works})
                    }).collect();
                Ok(json!({"date": day.to_string(), "total": barbers.len(), "barbers": barbers}))
            }
            "check_availability" => self.availability(date("date")?, text("barber_name"), text("service_name")),
            "get_appointment_history" => {
                let row = |one: &Booked| {
                    json!({"appointment_id": one.id, "date": one.starts.date().to_string(),
                    "start_hour": one.starts.strftime("%H:%M").to_string(), "service": one.service, "barber": one.professional})
                };
                let upcoming: Vec<Value> = self.upcoming().into_iter().map(row).collect();
                let past: Vec<Value> = self
                    .appointments
                    .iter()
                    .filter(|one| one.phone == self.contact && one.starts <= self.now)
                    .map(row)
                    .collect();
                Ok(
                    json!({"found": true, "client_name": self.contact_name, "total_visits": past.len(), "upcoming_count": upcoming.len(),
                    "upcoming": upcoming, "preferred_barber": null, "last_5": past, "message": ""}),
                )
            }
            "create_appointment" => self.create(date("date")?.unwrap(), arguments),
            "cancel_appointment" => self.cancel(arguments, confirmed),
            "reschedule_appointment" => self.reschedule(date("new_date")?.unwrap(), arguments, confirmed),
            "get_business_hours" => {
                let first = date("date")?;
                let start = first.unwrap_or(self.now.date());
                let days: Vec<Value> = (0..if first.is_some() { 1 } else { 7 }).map(|ahead| {
                    let day = start.checked_add(jiff::Span::new().days(ahead)).unwrap();
                    let (open, note) = self.open(day);
                    let periods: Vec<Value> = open.iter().map(|(a, b)| json!({"opens": a.strftime("%H:%M").to_string(), "closes": b.strftime("%H:%M").to_string()})).collect();
                    json!({"date": day.to_string(), "weekday": format::weekday(day.weekday(), Locale::PtBr), "periods": periods, "note": note})
                }).collect();
                Ok(json!({"timezone": "America/Sao_Paulo", "open_now": true, "next_opening": null, "days": days}))
            }
            "search_knowledge_base" => {
                let wanted = search_tokens(text("query").unwrap());
                let mut found: Vec<(usize, &Value)> = self.business["knowledge"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| {
                        let words = search_tokens(&format!("{} {} {}", one["title"], one["content"], one["category"]));
                        (wanted.iter().filter(|word| words.contains(word)).count(), one)
                    })
                    .filter(|(score, _)| *score > 0)
                    .collect();
                found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
                let results: Vec<&Value> = found.into_iter().take(3).map(|(_, one)| one).collect();
                Ok(json!({"count": results.len(), "results": results}))
            }
            "get_subscriber_status" => {
                let contacts = self.business["contacts"].as_array().cloned().unwrap_or_default();
                let me = contacts.iter().find(|one| digits(one["phone"].as_str().unwrap()) == self.contact);
                let subscription = me.map(|one| one["subscription"].clone()).unwrap_or_default();
                let active = subscription["status"] == "active";
                let plans: Vec<Value> = if active { vec![json!({"name": subscription["plan"]})] } else { vec![] };
                Ok(
                    json!({"found": me.is_some(), "client_name": self.contact_name, "phone": null, "is_subscriber": active,
                    "active_plans": plans, "due_date": subscription["due"], "message": if active { "Plano ativo." } else { "Sem plano ativo." }}),
                )
            }
            "get_subscription_plans" => {
                let plans = self.business["plans"].as_array().cloned().unwrap_or_default();
                let plans: Vec<Value> = plans.iter().enumerate().map(|(id, one)| json!({"id": id + 1, "name": one["name"],
                    "price": format!("R$ {}", one["price"].as_str().unwrap().replace('.', ",")), "benefits": one["benefits"], "services": one["covers"]})).collect();
                Ok(json!({"plans": plans}))
            }
            "transfer_to_human" => {
                Ok(json!({"success": true, "assigned_to": null, "reason": arguments["reason"], "message": ""}))
            }
            "update_contact" => {
                self.contact_name = text("name").map(str::to_owned);
                Ok(json!({"success": true, "message": "", "updated": ["name"]}))
            }
            "join_waitlist" => Ok(json!({"success": true, "position": 1, "message": ""})),
            "schedule_appointment_reminder" if self.upcoming().is_empty() => {
                Err(error("not_found", "no appointment", Value::Null))
            }
            "schedule_appointment_reminder" => {
                Ok(json!({"success": true, "remind_at": "2026-11-27T14:00", "message": ""}))
            }
            "schedule_followup" => Ok(json!({"success": true, "followup_id": 1, "send_at": "", "message": ""})),
            other => panic!("no such tool: {other}"),
        }
    }

    fn availability(&self, date: Option<Date>, barber: Option<&str>, service: Option<&str>) -> Result<Value, Value> {
        let date = date.unwrap();
        let service = service.map(|said| self.named("services", said)).transpose()?;
        let barber = barber.map(|said| self.named("professionals", said)).transpose()?;
        let minutes = service.as_ref().map_or(30, |service| self.minutes(service));
        let on = |date: Date| -> BTreeMap<usize, (String, Vec<Time>)> {
            let all = self.business["professionals"].as_array().unwrap();
            all.iter()
                .enumerate()
                .filter(|(_, one)| barber.as_ref().is_none_or(|name| one["name"] == **name))
                .filter(|(_, one)| {
                    service
                        .as_ref()
                        .is_none_or(|name| one["services"].as_array().unwrap().iter().any(|has| has == name))
                })
                .map(|(index, one)| (index, (one["name"].as_str().unwrap().to_owned(), self.slots(one, date, minutes))))
                .filter(|(_, (_, slots))| !slots.is_empty())
                .collect()
        };
        let free = on(date);
        let text = |time: &Time| time.strftime("%H:%M").to_string();
        let results: Vec<Value> = free
            .values()
            .map(|(name, slots)| json!({"barber": name, "available_slots": slots.iter().map(text).collect::<Vec<_>>()}))
            .collect();
        let total: usize = free.values().map(|(_, slots)| slots.len()).sum();
        let mut answer = json!({"date": date.to_string(), "duration_minutes": minutes, "available": total > 0,
            "total_free_slots": total, "results": results});
        if total == 0 {
            for ahead in 1..30 {
                let day = date.checked_add(jiff::Span::new().days(ahead)).unwrap();
                if let Some((name, slots)) = on(day).values().next() {
                    answer["next_available"] =
                        json!({"date": day.to_string(), "start_hour": text(&slots[0]), "barber": name});
                    break;
                }
            }
        }
        Ok(answer)
    }

    fn free_at(&self, date: Date, name: &str, minutes: i64) -> Vec<Time> {
        let all = self.business["professionals"].as_array().unwrap();
        self.slots(all.iter().find(|one| one["name"] == name).unwrap(), date, minutes)
    }

    fn create(&mut self, date: Date, arguments: &Value) -> Result<Value, Value> {
        let professional = self.named("professionals", arguments["barber_name"].as_str().unwrap())?;
        let service = self.named("services", arguments["service_name"].as_str().unwrap_or("Corte"))?;
        let time = clock(arguments["start_hour"].as_str().unwrap());
        let minutes = self.minutes(&service);
        if self.rival {
            self.rival = false;
            self.book("rival", &professional, &service, date.to_datetime(time));
        }
        let free = self.free_at(date, &professional, minutes);
        if !free.contains(&time) {
            let others: Vec<Value> = free.iter().filter(|other| **other > time).take(3)
                .map(|other| json!({"date": date.to_string(), "start_hour": other.strftime("%H:%M").to_string(), "barber": professional})).collect();
            return Ok(json!({"success": false, "reason": "SLOT_TAKEN", "alternatives": others, "message": "taken"}));
        }
        let me = self.contact.clone();
        let id = self.book(&me, &professional, &service, date.to_datetime(time));
        Ok(
            json!({"success": true, "appointment_id": id, "barber": professional, "date": date.to_string(), "start_hour": arguments["start_hour"],
            "service": service, "type": "avulso", "is_subscriber": false, "plan_name": null, "message": "ok"}),
        )
    }

    fn book(&mut self, phone: &str, professional: &str, service: &str, starts: DateTime) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        let minutes = self.minutes(service);
        self.appointments.push(Booked {
            id,
            phone: phone.to_owned(),
            professional: professional.to_owned(),
            service: service.to_owned(),
            starts,
            minutes,
            status: "confirmed".to_owned(),
        });
        id
    }

    fn mine(&self, arguments: &Value) -> Result<Booked, Value> {
        let upcoming = self.upcoming();
        let found = match arguments["appointment_id"].as_i64() {
            Some(id) => upcoming.into_iter().find(|one| one.id == id),
            None => upcoming.into_iter().next(),
        };
        found.cloned().ok_or_else(|| error("not_found", "no such appointment", Value::Null))
    }

    fn cancel(&mut self, arguments: &Value, confirmed: bool) -> Result<Value, Value> {
        let one = self.mine(arguments)?;
        if !confirmed {
            let summary = format!(
                "Cancelar {} com {} em {} às {}.",
                one.service,
                one.professional,
                one.starts.strftime("%d/%m"),
                one.starts.strftime("%H:%M")
            );
            return Err(error("confirmation_required", "the customer must agree", json!({"summary": summary})));
        }
        self.appointments.iter_mut().find(|other| other.id == one.id).unwrap().status = "cancelled".to_owned();
        Ok(json!({"success": true, "appointment_id": one.id, "message": "ok"}))
    }

    fn reschedule(&mut self, date: Date, arguments: &Value, confirmed: bool) -> Result<Value, Value> {
        let one = self.mine(arguments)?;
        let time = clock(arguments["new_start_hour"].as_str().unwrap());
        let professional = match arguments["barber_name"].as_str() {
            Some(said) => self.named("professionals", said)?,
            None => one.professional.clone(),
        };
        let index = self.appointments.iter().position(|other| other.id == one.id).unwrap();
        self.appointments[index].status = "moved".to_owned();
        let free = self.free_at(date, &professional, one.minutes);
        self.appointments[index].status = "confirmed".to_owned();
        if !free.contains(&time) {
            let slots: Vec<String> = free.iter().map(|time| time.strftime("%H:%M").to_string()).collect();
            return Ok(json!({"success": false, "reason": "SLOT_TAKEN", "available_slots": slots, "message": "taken"}));
        }
        if !confirmed {
            return Err(error(
                "confirmation_required",
                "the customer must agree",
                json!({"summary": format!("Remarcar para {} às {}.", date.strftime("%d/%m"), time.strftime("%H:%M"))}),
            ));
        }
        self.appointments[index].starts = date.to_datetime(time);
        self.appointments[index].professional = professional;
        Ok(
            json!({"success": true, "old_appointment_cancelled": true, "new_appointment": {"appointment_id": one.id}, "message": "ok"}),
        )
    }
}

/// The tools with the parameters of part 02.
pub(crate) fn tools() -> Vec<balcao_llm::ToolDefinition> {
    let tool = |(name, parameters): (&str, &[&str])| {
        balcao_llm::ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({"type": "object", "additionalProperties": false,
            "properties": parameters.iter().map(|key| ((*key).to_owned(), json!({}))).collect::<serde_json::Map<_, _>>()})
        .into(),
    }
    };
    let all: [(&str, &[&str]); 15] = [
        ("get_services", &[]),
        ("get_barbers", &["date", "service_name"]),
        ("check_availability", &["date", "barber_name", "service_name", "duration_minutes"]),
        ("get_subscriber_status", &["phone"]),
        ("get_subscription_plans", &[]),
        ("get_appointment_history", &[]),
        ("create_appointment", &["barber_name", "date", "start_hour", "service_name", "service_id"]),
        ("cancel_appointment", &["appointment_id"]),
        ("reschedule_appointment", &["new_date", "new_start_hour", "barber_name", "service_id", "appointment_id"]),
        ("schedule_appointment_reminder", &["appointment_id", "minutes_before"]),
        ("join_waitlist", &["date", "barber_name", "service_name", "period"]),
        ("search_knowledge_base", &["query", "category"]),
        ("get_business_hours", &["date"]),
        ("transfer_to_human", &["reason"]),
        ("update_contact", &["name", "email"]),
    ];
    all.into_iter().map(tool).collect()
}
