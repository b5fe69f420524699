//! The business: as a document, what a document or an edit would change, and making exactly that.

use balcao_app::admin::business::{
    Action, Business, BusinessPlan, BusinessRefusal, Change, Edit, FieldEdit, Hit, KnowledgeFormat, Section,
    TextMistake, read_knowledge,
};
use balcao_app::admin::keys::Scope;
use balcao_app::admin::seed::BusinessFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::endpoint::{Call, Done, Endpoint, Nothing, Route};
use super::method::Method;
use super::refusals::{self, EditedFields};
use crate::problem::Problem;

/// The business in the form of a business file.
#[derive(Debug, Serialize, JsonSchema)]
struct BusinessDocument {
    /// Sections as in a business file, without contacts.
    document: Map<String, Value>,
}

/// A business as it is wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WantedBusiness {
    /// Sections as in a business file; contacts are left out of account.
    document: Map<String, Value>,
}

/// A business as it is wanted, and the plan that is agreed to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgreedBusiness {
    /// Sections as in a business file; contacts are left out of account.
    document: Map<String, Value>,
    /// The `hash` of the plan that was shown for this document.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[0-9a-f]*$"), example = &"18d3487439c5f9ea4ca9b02c5463aa72f5149ef0")]
    plan: String,
}

/// A section of a business file.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "services"))]
enum EditedSection {
    /// Name, zone, hours, exceptions, rules.
    Organization,
    /// What can be booked.
    Services,
    /// Who can be booked.
    Professionals,
    /// What customers subscribe to.
    Plans,
    /// Where contacts stand.
    Pipelines,
    /// What contacts are tagged with.
    Tags,
    /// Who answers.
    Staff,
    /// What the agent may tell.
    Knowledge,
    /// Messages outside of the window.
    Templates,
    /// Pictures and files.
    Media,
}

/// What happens to the entry.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "change"))]
enum EditAction {
    /// It is new, with the fields of `set`.
    Add,
    /// Its fields change.
    Change,
    /// It is archived, or removed where nothing can refer to it.
    Remove,
}

/// One edit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BusinessEdit {
    /// Where.
    section: EditedSection,
    /// The name of the entry: e-mail address of staff, title of knowledge, key of media; none of the organization or a new entry.
    #[schemars(length(max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Corte")]
    name: Option<String>,
    /// What happens.
    action: EditAction,
    /// Fields with their new values; `null` takes a field away. A dot leads into a mapping, as in `scheduling.pending_minutes`.
    #[serde(default)]
    set: Map<String, Value>,
    /// Fields whose list gets one more item.
    #[serde(default)]
    add: Map<String, Value>,
    /// Fields whose list loses the items that have all these fields.
    #[serde(default)]
    take: Map<String, Value>,
    /// The `hash` of the plan that was shown for this edit; without it the plan is shown, and nothing is changed.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[0-9a-f]*$"), example = &"18d3487439c5f9ea4ca9b02c5463aa72f5149ef0")]
    plan: Option<String>,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "markdown"))]
enum TextFormat {
    /// Each heading with text below it is an entry; the heading above it, of a higher level, is its category.
    Markdown,
    /// A table with the columns title, content and, if wanted, category.
    Csv,
}

/// Entries of the knowledge as a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KnowledgeText {
    /// How it is written.
    format: TextFormat,
    /// The text.
    #[schemars(length(min = 1, max = 1_048_576), regex(pattern = r"^[^\u0000]*$"), example = &"# Casa\n## Pets\nPode, na coleira.")]
    text: String,
    /// The category of all entries, whatever the text says.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Casa")]
    category: Option<String>,
    /// Whether entries that the text does not have are removed.
    #[serde(default)]
    replace: bool,
    /// The `hash` of the plan that was shown for this text; without it the plan is shown, and nothing is changed.
    #[schemars(length(min = 1, max = 64), regex(pattern = r"^[0-9a-f]*$"), example = &"18d3487439c5f9ea4ca9b02c5463aa72f5149ef0")]
    plan: Option<String>,
}

/// A field that differs.
#[derive(Debug, Serialize, JsonSchema)]
struct FieldDifference {
    /// Its key.
    field: String,
    /// The stored value.
    before: Value,
    /// The wanted value.
    after: Value,
}

/// A booking that a change hits; it stays as it is.
#[derive(Debug, Serialize, JsonSchema)]
struct HitBooking {
    /// The appointment.
    appointment_id: String,
    /// When it starts, local to the business.
    starts: String,
    /// The professional.
    professional: String,
    /// The service.
    service: String,
    /// What the change means for it.
    why: String,
}

/// A subscription that a change of its plan hits; it stays as it is.
#[derive(Debug, Serialize, JsonSchema)]
struct HitSubscription {
    /// The subscription.
    subscription_id: String,
    /// Who subscribes.
    contact_id: String,
    /// What the change means for it.
    why: String,
}

/// A conversation with staff whose person leaves; it is assigned to no person then.
#[derive(Debug, Serialize, JsonSchema)]
struct HitConversation {
    /// The conversation.
    conversation_id: String,
    /// Who writes.
    contact_id: String,
    /// What the change means for it.
    why: String,
}

/// A booking, a subscription or a conversation that a change hits.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum HitEntry {
    Booking(HitBooking),
    Subscription(HitSubscription),
    Conversation(HitConversation),
}

/// One change of one entry.
#[derive(Debug, Serialize, JsonSchema)]
struct PlannedChange {
    /// The section of the business file.
    section: String,
    /// The entry.
    name: String,
    /// `added`, `changed`, `archived` or `removed`.
    action: String,
    /// What differs.
    fields: Vec<FieldDifference>,
    /// Bookings and subscriptions that it hits.
    hits: Vec<HitEntry>,
    /// Why it cannot be made, with a way out.
    impossible: Option<String>,
}

/// What would change, or was changed.
#[derive(Debug, Serialize, JsonSchema)]
struct PlanOfChanges {
    /// Names exactly this plan.
    hash: String,
    /// Whether it was made.
    applied: bool,
    /// The changes, in the order in which they are made.
    changes: Vec<PlannedChange>,
    /// What is valid and probably unintended in the business as the plan leaves it, such as a service that no customer can book.
    warnings: Vec<String>,
}

const MOVED: (u16, &str) = (
    409,
    "`plan_moved`: the business or its bookings changed since the plan was shown; `facts` has the plan as it is now: `plan` with its hash, \
     `changes` as a plan lists them, and `changes_left_out` with the number of those that are too many to list; `impossible`: a change cannot be made as things stand; \
     `other_business`: the document describes another business.",
);

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let document = json!({ "organization": { "name": "Figueira", "slug": "figueira", "timezone": "America/Sao_Paulo",
                                             "hours": { "mon": ["09:00-18:00"] } } });
    let plan = |applied: bool| {
        json!({ "hash": "18d3487439c5f9ea4ca9b02c5463aa72f5149ef0", "applied": applied, "changes": [{
            "section": "services", "name": "Corte", "action": "changed",
            "fields": [{ "field": "price", "before": "50.00", "after": "55.00" }], "hits": [], "impossible": null }],
            "warnings": [] })
    };
    let read = Route {
        method: Method::Get,
        path: "/v1/business",
        scope: Scope::Business,
        name: "get_business",
        group: "Business",
        summary: "The business as a document",
        description: "In the form of a business file. Sent back, it changes nothing.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "document": document }),
    };
    let shown = Route {
        method: Method::Post,
        path: "/v1/business/plan",
        name: "plan_business",
        summary: "Show what a document would change",
        description: "Nothing is changed. The plan lists the bookings to come and the subscriptions that a change hits.",
        refusals: &[MOVED],
        body: Some(json!({ "document": document })),
        answer: plan(false),
        ..read.clone()
    };
    let made = Route {
        path: "/v1/business/apply",
        name: "apply_business",
        summary: "Make the plan of a document",
        description: "Makes exactly the plan of this hash, in one transaction, each change with a row of the audit log. \
                      A document that changes nothing any more is answered with an empty plan.",
        body: Some(json!({ "document": document, "plan": "18d3487439c5f9ea4ca9b02c5463aa72f5149ef0" })),
        answer: plan(true),
        ..shown.clone()
    };
    let edit = Route {
        path: "/v1/business/edit",
        name: "edit_business",
        summary: "Show or make one edit",
        description: "Without `plan` shows what the edit would change; with it makes exactly that plan.",
        body: Some(json!({ "section": "services", "name": "Corte", "action": "change", "set": { "price": "55.00" } })),
        answer: plan(false),
        ..shown.clone()
    };
    let knowledge = Route {
        path: "/v1/business/knowledge",
        name: "import_knowledge",
        summary: "Show or add entries of the knowledge from a text",
        description: "Markdown, or a table as CSV. An entry of the same category and title is replaced. Without `plan` shows what the text \
                      would change; with it makes exactly that plan.",
        body: Some(json!({ "format": "markdown", "text": "# Casa\n## Pets\nPode, na coleira." })),
        answer: plan(false),
        ..shown.clone()
    };
    Ok(vec![
        Endpoint::new(knowledge, import_knowledge)?,
        Endpoint::new(read, get_business)?,
        Endpoint::new(shown, plan_business)?,
        Endpoint::new(made, apply_business)?,
        Endpoint::new(edit, edit_business)?,
    ])
}

fn business(call: &Call) -> Business {
    Business::new(call.api.app())
}

fn file(document: Map<String, Value>) -> Result<BusinessFile, Problem> {
    // JSON is YAML, too: documents of the API and files have one reader.
    let read = BusinessFile::read("document", &Value::Object(document).to_string());
    read.map_err(|all| {
        let place = |pointer: &str| format!("/document{pointer}");
        refusals::of_document(all.into_iter().map(|one| (place(&one.pointer), one.message, one.suggestion)))
    })
}

async fn get_business(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<BusinessDocument>, Problem> {
    let document = business(&call).export(call.organization()).await?;
    let document = if let Value::Object(document) = document { document } else { Map::new() };
    Ok(BusinessDocument { document }.into())
}

async fn plan_business(call: Call, _query: Nothing, asked: WantedBusiness) -> Result<Done<PlanOfChanges>, Problem> {
    let plan = business(&call).plan(call.organization(), file(asked.document)?).await?;
    Ok(shown(plan.map_err(|refusal| refused(refusal, &WHOLE))?, false).into())
}

async fn apply_business(call: Call, _query: Nothing, asked: AgreedBusiness) -> Result<Done<PlanOfChanges>, Problem> {
    make(&call, file(asked.document)?, asked.plan, &WHOLE).await
}

async fn edit_business(call: Call, _query: Nothing, asked: BusinessEdit) -> Result<Done<PlanOfChanges>, Problem> {
    let (agreed, fields) = (asked.plan.clone(), given(&asked));
    show_or_make(&call, edit(asked), agreed, &fields).await
}

async fn import_knowledge(call: Call, _query: Nothing, asked: KnowledgeText) -> Result<Done<PlanOfChanges>, Problem> {
    let format = match asked.format {
        TextFormat::Markdown => KnowledgeFormat::Markdown,
        TextFormat::Csv => KnowledgeFormat::Csv,
    };
    let entries = read_knowledge(format, &asked.text, asked.category.as_deref());
    let told = |mistakes: Vec<TextMistake>| {
        refusals::of_document(mistakes.into_iter().map(|one| (TEXT.to_owned(), one.to_string(), None)))
    };
    let entries = entries.map_err(told)?;
    let edit = Edit::Knowledge { entries, replace: asked.replace };
    show_or_make(&call, edit, asked.plan, &EditedFields::In("text")).await
}

/// The pointer of the text of an import.
const TEXT: &str = "/text";
/// The fields of a request with a whole document.
const WHOLE: EditedFields = EditedFields::In("document");

/// The fields that an edit gives.
fn given(asked: &BusinessEdit) -> EditedFields {
    let mappings = [("set", &asked.set), ("add", &asked.add), ("take", &asked.take)];
    let of = |(mapping, fields): (&'static str, &Map<String, Value>)| {
        fields.keys().map(|field| (mapping, field.clone())).collect::<Vec<_>>()
    };
    EditedFields::Named(mappings.into_iter().flat_map(of).collect())
}

async fn show_or_make(
    call: &Call,
    edit: Edit,
    agreed: Option<String>,
    fields: &EditedFields,
) -> Result<Done<PlanOfChanges>, Problem> {
    let planned = business(call).plan_edit(call.organization(), edit).await?;
    let (file, plan) = planned.map_err(|refusal| refused(refusal, fields))?;
    match agreed {
        Some(hash) => make(call, file, hash, fields).await,
        None => Ok(shown(plan, false).into()),
    }
}

async fn make(
    call: &Call,
    file: BusinessFile,
    hash: String,
    fields: &EditedFields,
) -> Result<Done<PlanOfChanges>, Problem> {
    let made = business(call).apply(call.organization(), file, hash, call.caller.actor()).await?;
    Ok(shown(made.map_err(|refusal| refused(refusal, fields))?, true).into())
}

/// Bytes of changes that a refusal lists.
const MOST_LISTED: usize = 65_536;

/// A refusal as a problem. A plan that moved comes with what it would change now.
fn refused(refusal: BusinessRefusal, fields: &EditedFields) -> Problem {
    let BusinessRefusal::Moved { now } = &refusal else { return refusals::of_business(refusal, fields) };
    let mut bytes = 0_usize;
    let all = now.changes.iter().map(|one| json!(change(one.clone())));
    let listed: Vec<Value> = all
        .take_while(|one| {
            bytes = bytes.saturating_add(one.to_string().len());
            bytes <= MOST_LISTED
        })
        .collect();
    let left_out = now.changes.len().saturating_sub(listed.len());
    refusals::of_business(refusal, fields).fact("changes", listed).fact("changes_left_out", left_out)
}

fn edit(asked: BusinessEdit) -> Edit {
    let section = match asked.section {
        EditedSection::Organization => Section::Organization,
        EditedSection::Services => Section::Services,
        EditedSection::Professionals => Section::Professionals,
        EditedSection::Plans => Section::Plans,
        EditedSection::Pipelines => Section::Pipelines,
        EditedSection::Tags => Section::Tags,
        EditedSection::Staff => Section::Staff,
        EditedSection::Knowledge => Section::Knowledge,
        EditedSection::Templates => Section::Templates,
        EditedSection::Media => Section::Media,
    };
    let name = asked.name.unwrap_or_default();
    match asked.action {
        EditAction::Add => Edit::Add { section, fields: asked.set },
        EditAction::Remove => Edit::Remove { section, name },
        EditAction::Change => {
            let set = asked.set.into_iter().map(|(field, value)| (field, FieldEdit::Set(value)));
            let add = asked.add.into_iter().map(|(field, item)| (field, FieldEdit::Add(item)));
            let take = asked.take.into_iter().map(|(field, item)| (field, FieldEdit::Take(item)));
            Edit::Change { section, name, fields: set.chain(add).chain(take).collect() }
        }
    }
}

fn shown(plan: BusinessPlan, applied: bool) -> PlanOfChanges {
    let changes = plan.changes.into_iter().map(change).collect();
    PlanOfChanges { hash: plan.hash, applied, changes, warnings: plan.warnings }
}

fn change(change: Change) -> PlannedChange {
    let action = match change.action {
        Action::Added => "added",
        Action::Changed => "changed",
        Action::Archived => "archived",
        Action::Removed => "removed",
    };
    let field = |field: balcao_app::admin::business::FieldChange| FieldDifference {
        field: field.field,
        before: field.before,
        after: field.after,
    };
    let hit = |hit: Hit| match hit {
        Hit::Booking(hit) => HitEntry::Booking(HitBooking {
            appointment_id: hit.appointment,
            starts: hit.starts,
            professional: hit.professional,
            service: hit.service,
            why: hit.why,
        }),
        Hit::Subscription(hit) => HitEntry::Subscription(HitSubscription {
            subscription_id: hit.subscription,
            contact_id: hit.contact,
            why: hit.why,
        }),
        Hit::Conversation(hit) => HitEntry::Conversation(HitConversation {
            conversation_id: hit.conversation,
            contact_id: hit.contact,
            why: hit.why,
        }),
    };
    PlannedChange {
        section: change.section.to_string(),
        name: change.name,
        action: action.to_owned(),
        fields: change.fields.into_iter().map(field).collect(),
        hits: change.hits.into_iter().map(hit).collect(),
        impossible: change.impossible,
    }
}
