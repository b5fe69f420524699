//! Owners who edit the same entries of knowledge, tags and staff, while staff give a tag to contacts.

use balcao_app::admin::business::{Edit, FieldEdit, Section};
use balcao_app::crm::contacts::Contacts;
use balcao_domain::ContactId;
use balcao_store::StoreError;
use serde_json::{Value, json};

use crate::businesses::{ATTENDANT, ENTRY, Tenant};
use crate::owners::{Wish, change};
use crate::workload::Crowd;

/// What comes and goes: an entry of the knowledge, a tag, and a person of staff.
const NOTICE: &str = "Aviso";
const TAG: &str = "Novidade";
const NEW_ATTENDANT: &str = "sara@figueira.example";

impl Crowd {
    /// Mostly an owner edits one kind of entries. Owners of one business may edit the same ones at about the same time.
    pub(crate) async fn edit_entries(&self, tenant: &Tenant, place: usize, owner: usize) {
        let name = format!("entries/{place}/{owner}");
        match self.world.draw(|rng| rng.u8(..5)) {
            0 => {}
            1 => self.edit_knowledge(tenant, name).await,
            2 => self.edit_staff(tenant, name).await,
            _ => self.edit_tags(tenant, owner, name).await,
        }
    }

    /// A text that another owner may want, too.
    pub(crate) fn draw_content(&self) -> String {
        format!("Vale por {} meses.", self.world.draw(|rng| rng.u8(6..=8)))
    }

    async fn edit_knowledge(&self, tenant: &Tenant, name: String) {
        let content = json!(self.draw_content());
        let edit = change(Section::Knowledge, ENTRY, ("content", FieldEdit::Set(content)));
        self.make(tenant, Wish::Edit(edit), format!("{name}/change")).await;
        let new = json!({ "title": NOTICE, "content": self.draw_content() });
        self.add_and_remove(tenant, (Section::Knowledge, NOTICE, new), name).await;
    }

    /// An owner adds a tag, staff give it to a contact, and the owner removes it, which is refused while a contact has it.
    async fn edit_tags(&self, tenant: &Tenant, owner: usize, name: String) {
        let new = json!({ "name": TAG });
        let edit = add(Section::Tags, &new);
        self.make(tenant, Wish::Edit(edit), format!("{name}/add")).await;
        let Ok(Some(contact)) = self.contact_named(tenant, &format!("Cliente {owner}")) else { return };
        self.give_tag(tenant, contact, format!("{name}/give")).await;
        self.make(tenant, Wish::Edit(remove(Section::Tags, TAG)), format!("{name}/remove")).await;
        if self.world.draw(|rng| rng.bool()) {
            self.take_tag(tenant, contact, format!("{name}/take")).await;
            self.make(tenant, Wish::Edit(remove(Section::Tags, TAG)), format!("{name}/remove/again")).await;
        }
    }

    async fn edit_staff(&self, tenant: &Tenant, name: String) {
        let on_duty = json!(self.world.draw(|rng| rng.bool()));
        let edit = change(Section::Staff, ATTENDANT, ("on_duty", FieldEdit::Set(on_duty)));
        self.make(tenant, Wish::Edit(edit), format!("{name}/change")).await;
        let new = json!({ "name": "Sara Nunes", "email": NEW_ATTENDANT, "role": "attendant" });
        self.add_and_remove(tenant, (Section::Staff, NEW_ATTENDANT, new), name).await;
    }

    /// An entry comes, and mostly goes again.
    async fn add_and_remove(&self, tenant: &Tenant, (section, entry, new): (Section, &str, Value), name: String) {
        self.make(tenant, Wish::Edit(add(section, &new)), format!("{name}/add")).await;
        if self.world.draw(|rng| rng.u8(..3)) > 0 {
            self.world.linger(500, 10_000).await;
            self.make(tenant, Wish::Edit(remove(section, entry)), format!("{name}/remove")).await;
        }
    }

    async fn give_tag(&self, tenant: &Tenant, contact: ContactId, name: String) {
        let organization = tenant.organization;
        let given = self.once(name, move |app, key| async move {
            let add = Contacts::new(app).add_tag(organization, contact, key, TAG.to_owned(), false).await?;
            Ok(add.value.is_ok_and(|tagged| tagged.tag == TAG))
        });
        if given.await == Some(true) {
            self.world.note(|| format!("staff give {contact} {TAG}"));
            self.world.outside().tagged.insert((organization, contact.into(), TAG.to_owned()));
        }
    }

    async fn take_tag(&self, tenant: &Tenant, contact: ContactId, name: String) {
        let organization = tenant.organization;
        self.world.outside().tagged.remove(&(organization, contact.into(), TAG.to_owned()));
        let taken = self.once(name, move |app, key| async move {
            Ok(Contacts::new(app).remove_tag(organization, contact, key, TAG.to_owned()).await?.value.is_ok())
        });
        let taken = taken.await;
        self.world.note(|| format!("staff take {TAG} from {contact}: {taken:?}"));
    }

    fn contact_named(&self, tenant: &Tenant, name: &str) -> Result<Option<ContactId>, StoreError> {
        self.database.look(|tx| {
            tx.query_optional(
                "SELECT id FROM contact WHERE organization_id = ?1 AND name = ?2",
                &[i64::from(tenant.organization).into(), name.into()],
                |row| row.get(0),
            )
        })
    }
}

fn add(section: Section, new: &Value) -> Edit {
    Edit::Add { section, fields: new.as_object().cloned().unwrap_or_default() }
}

fn remove(section: Section, name: &str) -> Edit {
    Edit::Remove { section, name: name.to_owned() }
}
