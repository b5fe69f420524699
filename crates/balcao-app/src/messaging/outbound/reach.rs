//! Whether a message could reach a contact now, as what, and at what price. Nothing is written.

use std::collections::BTreeMap;
use std::time::Duration;

use balcao_channel::Recipient;
use balcao_channel::channels::whatsapp;
use balcao_channel::outbound::{OutboundContent, Template};
use balcao_domain::{ContactId, OrganizationId};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::turns::lease::{self, Route};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::context::app_context::UseCaseError;
use crate::messaging::API_CHANNEL;
use crate::messaging::outbound::message_templates::{Purpose, TemplateVariables};
use crate::messaging::outbound::pricing;
use crate::messaging::outbound::send_policy::SendPolicy;

/// The channel with a service window.
pub(crate) const WHATSAPP: &str = "whatsapp";

/// The send policies of the accounts on WhatsApp, by the name of the account.
#[derive(Debug, Clone, Default)]
pub struct AccountPolicies(pub BTreeMap<String, SendPolicy>);

/// How a message would reach a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Reach {
    /// As free text.
    Message {
        /// The price in millionths of the currency of the business: 0 is free, `None` is unknown.
        price_micros: Option<u64>,
    },
    /// As a template, because the service window is closed.
    Template {
        /// The name of the template.
        name: String,
        /// As for a message.
        price_micros: Option<u64>,
    },
    /// Not at all.
    Nothing {
        /// Why.
        reason: Unreachable,
    },
}

/// Why nothing can reach a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreachable {
    /// The contact wants no proactive messages.
    OptedOut,
    /// No channel leads to the contact.
    NoChannel,
    /// The service window is closed, and no template has this purpose.
    NoTemplate,
    /// The price would exceed the monthly limit.
    MonthlyCap,
}

impl Unreachable {
    /// The word that programs receive.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OptedOut => "opted_out",
            Self::NoChannel => "no_channel",
            Self::NoTemplate => "no_template",
            Self::MonthlyCap => "monthly_cap",
        }
    }
}

/// The conversation and the route of a proactive message.
pub(crate) struct Place {
    pub(crate) conversation: Conversation,
    pub(crate) route: Route,
}

/// Finds the latest conversation of a contact that a channel carries.
pub(crate) fn find_place(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Option<Place>, StoreError> {
    let mut all = conversation::of_contact(tx, organization, contact)?;
    all.sort_by_key(|one| std::cmp::Reverse(one.last_message_at));
    for conversation in all {
        if conversation.channel == API_CHANNEL {
            continue;
        }
        if let Some(route) = lease::route(tx, organization, conversation.id)? {
            return Ok(Some(Place { conversation, route }));
        }
    }
    Ok(None)
}

/// Begins the conversation of a contact who never wrote, on an account of the business. Its service window is closed.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    (channel, account): (&str, &str),
    recipient: &Recipient,
    now: Timestamp,
) -> Result<Place, StoreError> {
    let conversation = conversation::find_or_begin(tx, organization, contact, channel, now)?;
    let recipient = serde_json::to_string(recipient).unwrap_or_default();
    let route = Route { account: account.to_owned(), recipient, customer_wrote_at: None };
    lease::set_route(tx, organization, conversation.id, &route)?;
    Ok(Place { conversation, route })
}

/// Whether a service window of this length is open for the contact of a route, a margin at its end kept back.
pub(crate) fn is_window_open(route: &Route, window: Duration, margin: Duration, now: Timestamp) -> bool {
    route.customer_wrote_at.is_some_and(|at| {
        let lasts = SignedDuration::try_from(window.saturating_sub(margin)).unwrap_or(SignedDuration::MAX);
        at.checked_add(lasts).is_ok_and(|end| now < end)
    })
}

/// A message that may be sent, and how it would reach its contact.
pub(crate) struct Prospect {
    pub(crate) reach: Reach,
    /// Where it would go; `None` without a channel.
    pub(crate) place: Option<Place>,
    /// The template for the time when the service window is closed, if there is one.
    pub(crate) template: Option<Template>,
}

impl AccountPolicies {
    /// How a message of this purpose and with these facts would reach a contact now.
    pub(crate) fn look(
        &self,
        tx: &mut Tx<'_>,
        (organization, contact): (OrganizationId, ContactId),
        purpose: Purpose,
        facts: &TemplateVariables,
        now: Timestamp,
    ) -> Result<Prospect, UseCaseError> {
        let place = find_place(tx, organization, contact)?;
        let policy = place.as_ref().and_then(|place| self.0.get(&place.route.account));
        let template = policy.and_then(|policy| policy.template(purpose, facts));
        let reach = if conversation::opted_out(tx, organization, contact)? {
            Reach::Nothing { reason: Unreachable::OptedOut }
        } else if let Some(place) = &place {
            self.by_place(tx, organization, place, (template.as_ref(), facts), now)?
        } else {
            Reach::Nothing { reason: Unreachable::NoChannel }
        };
        Ok(Prospect { reach, place, template })
    }

    fn by_place(
        &self,
        tx: &mut Tx<'_>,
        organization: OrganizationId,
        place: &Place,
        (template, facts): (Option<&Template>, &TemplateVariables),
        now: Timestamp,
    ) -> Result<Reach, UseCaseError> {
        if place.conversation.channel != WHATSAPP {
            return Ok(Reach::Message { price_micros: Some(0) });
        }
        let (route, usual) = (&place.route, SendPolicy::default());
        let policy = self.0.get(&route.account).unwrap_or(&usual);
        let is_open = is_window_open(route, whatsapp::window::SERVICE, whatsapp::window::MARGIN, now);
        let template = template.filter(|_| !is_open);
        let content = match template {
            Some(template) => OutboundContent::Template(template.clone()),
            None if is_open => {
                OutboundContent::Text { body: facts.text.clone().unwrap_or_default(), preview_url: false }
            }
            None => return Ok(Reach::Nothing { reason: Unreachable::NoTemplate }),
        };
        let mut price_micros = None;
        if let Some(rates) = policy.rates {
            let account = (place.conversation.channel.as_str(), route.account.as_str());
            let bill = pricing::month_bill(tx, organization, account, now)?;
            let circumstances = (policy, bill, route.customer_wrote_at);
            let expected = pricing::expect(tx, (organization, place.conversation.id), &content, circumstances, now)?;
            price_micros = expected.map(|expected| rates.micros(&expected));
            if pricing::exceeds_cap(policy, bill, price_micros.unwrap_or(0)) {
                return Ok(Reach::Nothing { reason: Unreachable::MonthlyCap });
            }
        }
        Ok(match template {
            Some(template) => Reach::Template { name: template.name.clone(), price_micros },
            None => Reach::Message { price_micros },
        })
    }
}
