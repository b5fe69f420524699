//! Scratch worlds for the examples of native commands: a database in memory with the business that the pack arranges.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_builtin_tools::tools;
use balcao_domain::{ManualClock, OrganizationId, Phone};
use balcao_pack::LoadedPack;
use balcao_pack::manifest::Arrange;
use balcao_pack::testing::{Scratch, ScratchCall};
use balcao_store::{Store, StoreError, crm::contact, messaging::conversation, scheduling::catalog};
use balcao_tool::{Agreed, CallResult, EffectKey, Locale, Principal, ResultClass, RunMode, ToolContext, canonical};
use balcao_yaml::Problem;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::WORKERS;
use crate::output::error_chain;
use crate::packs::{self, Connected};
use crate::profiles;

/// Makes worlds for the pack of one folder.
pub(super) struct Worlds {
    pub(super) folder: PathBuf,
}

/// A world: the pack over the database, and the writer.
struct World {
    pack: LoadedPack,
    principal: Principal,
    zone: TimeZone,
}

#[async_trait]
impl Scratch for Worlds {
    async fn run(&self, arrange: &Arrange, now: Timestamp, calls: Vec<ScratchCall>) -> Result<Vec<CallResult>, String> {
        let world = self.world(arrange, now).await?;
        let mut results = Vec::new();
        for (place, call) in calls.into_iter().enumerate() {
            let result = world.call(u32::try_from(place).unwrap_or(u32::MAX), call, now).await?;
            let has_failed = !matches!(result.class, ResultClass::Success | ResultClass::Refusal);
            results.push(result);
            if has_failed {
                break;
            }
        }
        Ok(results)
    }
}

impl Worlds {
    async fn world(&self, arrange: &Arrange, now: Timestamp) -> Result<World, String> {
        // JSON is YAML, too: the one reader of business files checks the business.
        let file = BusinessFile::read("examples.arrange.business", &arrange.business.to_string());
        let file = file.map_err(|found| in_words(&found))?;
        let zone = TimeZone::get(file.timezone()).map_err(|error| error.to_string())?;
        let store = Store::open_in_memory().map_err(|error| error_chain(&error))?;
        store.migrate().await.map_err(|error| error_chain(&error))?;
        let organization = file.import(&store, now).await.map_err(|error| error_chain(&error))?.organization;
        let app = AppContext::new(store, Arc::new(ManualClock::at(now)));
        let principal = principal(&app, organization, arrange, now).await?;
        let handlers = tools::handlers(&app, &profiles::usual_settings());
        let loader = packs::loader(handlers, &Connected::default(), WORKERS);
        let pack = loader.load_folder(&self.folder).map_err(|found| in_words(&found))?;
        Ok(World { pack, principal, zone })
    }
}

/// The contact who writes: a customer by their number, or a member of staff by their address.
async fn principal(
    app: &AppContext,
    organization: OrganizationId,
    arrange: &Arrange,
    now: Timestamp,
) -> Result<Principal, String> {
    let writer = arrange.writer.as_str();
    let unknown =
        || format!("invalid `writer` {writer}; expected the number of a contact or the address of one of staff");
    let staff = if writer.contains('@') {
        let found = StaffAccess::new(app.clone()).contact_of(organization, writer.to_owned()).await;
        Some(found.map_err(|error| error_chain(&error))?.ok().ok_or_else(unknown)?)
    } else {
        None
    };
    let phone = Phone::parse(writer).ok();
    let with = arrange.professional.clone();
    let begun = app.store.write(move |tx| {
        let customer = match &phone {
            Some(phone) => contact::find_by_phone(tx, organization, phone)?.map(|known| known.id),
            None => None,
        };
        let Some(contact) = staff.or(customer) else { return Ok(None) };
        let conversation = conversation::find_or_begin(tx, organization, contact, "terminal", now)?.id;
        if let Some(name) = with {
            let names = catalog::professional_names(tx, organization)?;
            let whom = names.into_iter().find(|(_, known)| *known == name).map(|(id, _)| id);
            conversation::set_professional(tx, organization, conversation, whom)?;
        }
        Ok::<_, StoreError>(Some((contact, conversation)))
    });
    let (contact, conversation) = begun.await.map_err(|error| error_chain(&error))?.ok_or_else(unknown)?;
    Ok(Principal {
        organization: organization.into(),
        contact: contact.into(),
        conversation: conversation.into(),
        turn: 1,
        staff_facing: staff.is_some(),
        locale: Locale::PtBr,
    })
}

impl World {
    /// Runs a call as after the customer's yes to its question.
    async fn call(&self, place: u32, call: ScratchCall, now: Timestamp) -> Result<CallResult, String> {
        let tool = self.pack.tools.iter().find(|tool| tool.spec.name == call.tool);
        let tool = tool.ok_or_else(|| format!("unknown command `{}`", call.tool))?;
        let args = tool.check_arguments(call.input).map_err(|found| format!("invalid input: {found:?}"))?.args;
        let args_hash = canonical::hash(&args);
        let cx = ToolContext {
            principal: self.principal,
            key: EffectKey::derive(1, 1, place, &call.tool, &args_hash),
            args_hash,
            now: now.to_zoned(self.zone.clone()),
            agreed: Some(Agreed { question: String::new(), asked_at: now }),
            told_prices: Vec::new(),
        };
        Ok(tool.execute(&cx, args, RunMode::Execute).await)
    }
}

fn in_words(found: &[Problem]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
