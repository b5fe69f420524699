//! Events that change what is already there. Each gives in words what was done with it, for the inbox.

use balcao_channel::inbound::{Content, Person, Preference, Renamed, SystemChange, SystemNotice};
use balcao_channel::{ProviderMessageId, UserId};
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::{
    Tx, crm::contact, crm::organization, messaging::attachment, messaging::conversation, turns::lease, turns::turn,
};

use super::{EventHandler, message_text, retract, sender_identity};
use crate::context::app_context::UseCaseError;

const NOBODY: &str = "nobody here is known by that id";

impl EventHandler<'_> {
    /// A customer edited a message: what still waits is read as it is now.
    pub(super) fn edited(
        &self,
        tx: &mut Tx<'_>,
        sender: &Person,
        earlier: &ProviderMessageId,
        content: &Content,
    ) -> Result<&'static str, UseCaseError> {
        let Some(row) = self.earlier(tx, sender, earlier)? else {
            return Ok("an edit of a message that is not known here, or is another contact's");
        };
        let locale = organization::get(tx, self.organization())?.locale;
        let text = message_text::reworded(&row.text, self.words(tx, content)?, &locale);
        let reworded = inbox::reword(tx, self.organization(), row.id, &text)?;
        Ok(if reworded { "the earlier message was reworded" } else { "an edit of a message that was read already" })
    }

    /// A customer took a message back: what still waits is not read, and what was read is forgotten.
    pub(super) fn deleted(
        &self,
        tx: &mut Tx<'_>,
        sender: &Person,
        earlier: &ProviderMessageId,
    ) -> Result<&'static str, UseCaseError> {
        let Some(row) = self.earlier(tx, sender, earlier)? else {
            return Ok("a deletion of a message that is not known here, or is another contact's");
        };
        if !inbox::withdraw(tx, self.organization(), row.id, "the customer took it back")? {
            retract::retract(tx, self.organization(), &row)?;
            return Ok("a message that was read already was taken back: its words are gone");
        }
        attachment::forget(tx, self.organization(), row.id)?;
        if let Some(conversation) = row.conversation {
            // A conversation with an open turn of a crashed process is due even without a waiting message.
            if inbox::burst(tx, self.organization(), conversation)?.is_none()
                && turn::find_open(tx, self.organization(), conversation)?.is_none()
            {
                lease::set_due(tx, self.organization(), conversation, None)?;
            }
            super::schedule_turn(tx, self.organization(), conversation, self.burst)?;
        }
        Ok("the earlier message was taken back")
    }

    /// Finds the earlier message that an event of `sender` names. Others may know the name of a message, so only its writer changes
    /// it; an event without a sender is the channel's own word.
    fn earlier(
        &self,
        tx: &mut Tx<'_>,
        sender: &Person,
        id: &ProviderMessageId,
    ) -> Result<Option<InboxRow>, UseCaseError> {
        let (organization, channel, account) = (self.organization(), &self.account.channel, &self.account.account);
        let Some(row) = inbox::find_message(tx, organization, channel, account, id.as_str())? else { return Ok(None) };
        let Some(conversation) = row.conversation else { return Ok(Some(row)) };
        let contact = conversation::get(tx, organization, conversation)?.contact;
        let Some(writer) = contact::find(tx, organization, contact)? else { return Ok(Some(row)) };
        Ok(sender_identity::may_be(tx, organization, &writer, sender)?.then_some(row))
    }

    /// Handles a system message in which the provider reports new ids of a contact.
    pub(super) fn system(
        &self,
        tx: &mut Tx<'_>,
        sender: &Person,
        notice: &SystemNotice,
    ) -> Result<&'static str, UseCaseError> {
        match notice.change {
            SystemChange::Number | SystemChange::User => {}
            SystemChange::Identity => return Ok("the customer installed the app anew"),
            SystemChange::Other(_) => return Ok("the provider's own note"),
        }
        let number = notice.number.clone();
        // Written as `<country code><number>`; what cannot be read stays as it was.
        let phone = number.as_ref().and_then(|number| {
            balcao_domain::Phone::parse(&format!("+{}", number.as_str().trim_start_matches('+'))).ok()
        });
        let current = Person { user: notice.user.clone(), number, phone, ..Person::default() };
        self.rekey(tx, sender, &current)
    }

    /// A customer is known by another id from now on.
    pub(super) fn renamed(&self, tx: &mut Tx<'_>, renamed: &Renamed) -> Result<&'static str, UseCaseError> {
        let before = Person { user: Some(renamed.previous.clone()), ..Person::default() };
        self.rekey(tx, &before, &renamed.current)
    }

    /// Gives a contact the keys that the provider reports as current. Messages that still wait go to the new key in every case, because
    /// the old number may belong to another person now. A number that another contact has stays with them, unless the provider's
    /// ids say that they lost it.
    fn rekey(&self, tx: &mut Tx<'_>, before: &Person, current: &Person) -> Result<&'static str, UseCaseError> {
        let (organization, channel) = (self.organization(), self.account.channel.as_str());
        let Some(mut known) = sender_identity::find(tx, organization, before)? else { return Ok(NOBODY) };
        if let Some(to) = current.recipient() {
            sender_identity::readdress(tx, organization, known.id, channel, &to, |_| true)?;
        }
        let mut taken = false;
        if let Some(user) = current.user.as_ref().map(UserId::as_str) {
            match contact::find_by_channel_user(tx, organization, user)? {
                Some(other) if other.id != known.id => taken = true,
                Some(_) | None => known.channel_user = Some(user.to_owned()),
            }
        }
        if let Some(phone) = &current.phone {
            let holder = contact::find_by_phone(tx, organization, phone)?.filter(|holder| holder.id != known.id);
            known.phone = match holder {
                Some(holder) if !taken && sender_identity::is_somebody_else(&holder, current) => {
                    sender_identity::release(tx, organization, holder, channel)?;
                    Some(phone.clone())
                }
                Some(_) => None,
                None => Some(phone.clone()),
            };
            taken |= known.phone.is_none();
        }
        contact::update(tx, organization, &known)?;
        Ok(if taken {
            "another contact has the new keys; the old ones are forgotten"
        } else {
            "the contact has its new keys"
        })
    }

    /// A customer allowed or refused messages that they did not ask for.
    pub(super) fn preference(&self, tx: &mut Tx<'_>, wish: &Preference) -> Result<&'static str, UseCaseError> {
        let organization = self.organization();
        let Some(known) = sender_identity::find(tx, organization, &wish.person)? else { return Ok(NOBODY) };
        let mut found = conversation::find_or_begin(tx, organization, known.id, &self.account.channel, self.now)?;
        let at = wish.at.unwrap_or(self.now).min(self.now);
        // Webhooks come in any order: an older wish to hear from us undoes no later one to hear nothing.
        if wish.wanted && found.opted_out_at.is_some_and(|since| at < since) {
            return Ok("the customer wished otherwise later");
        }
        found.opted_out_at = (!wish.wanted).then_some(at);
        conversation::update(tx, organization, &found)?;
        Ok("the customer's wish was recorded")
    }
}
