//! The tool contract: what a model may ask for, how a call is checked, what comes back.
//!
//! Usable alone: nothing here knows a store, a channel or an agent. A [`Registry`] holds [`Tool`]s (a [`CommandSpec`] with
//! its compiled schemas and its handler); [`validate_call::validate_call`] judges a model's call without running anything;
//! [`Tool::execute`] runs a planned call within its limits and turns whatever happens into one [`CallResult`].
//!
//! Invariants: a handler never sees arguments that break the input schema; a model never sees [`Internal`] text; every call
//! has exactly one result.

mod call;
pub mod canonical;
pub mod check;
mod class;
pub mod context;
mod cost;
pub mod effect;
pub mod error;
mod execute;
pub mod handler;
pub mod limits;
mod names;
pub mod offer;
pub mod outcome;
pub mod receipt;
pub mod registry;
pub mod renamed;
pub mod repair;
pub mod spec;
pub mod text;
pub mod validate;
pub mod validate_call;

pub use balcao_domain::Locale;
pub use call::RunMode;
pub use check::{ArgumentCheck, Checked};
pub use class::ResultClass;
pub use context::{Agreed, EffectKey, Principal, ToldPrices, ToolContext};
pub use effect::{Behaviour, Confirm, Effect, EffectClass};
pub use error::{ErrorCode, FieldProblem, Internal, ToolError, ToolResult};
pub use handler::{Found, NativeTool, Preview, ToolHandler, erase};
pub use names::nearest;
pub use offer::Offer;
pub use outcome::{CallResult, ToolOutput};
pub use receipt::{Receipt, ReceiptKind};
pub use registry::{LOAD_TOOL, Registry, Tool, Toolbox};
pub use renamed::ExposedNames;
pub use spec::{Act, CommandSpec, SaidAs, With};
pub use text::{Localised, ModelText};
pub use validate_call::{CallDecision, PlannedCall};
