//! Runs helpers: small functions of tool packs that compute, and may do nothing else.
//!
//! A helper is JavaScript that an author wrote, or that a stranger wrote and an operator installed. It runs in a worker process: the
//! same executable started again, confined before it reads the first byte of anybody's code (no files, no network, no other programs,
//! no environment), killed from outside when it takes too long, and replaced when anything about it is odd. Whatever a helper does is
//! an error for the caller who called it, and nothing for anybody else.
//!
//! ```no_run
//! use balcao_sandbox::{Bundle, Call, Helper, Launcher, Sandbox};
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let bundle = Bundle::new(vec![Helper::javascript("double", "helpers/double.js", "(x) => 2 * x")]).map_err(|mut problems| problems.remove(0))?;
//! let sandbox = Sandbox::new(bundle, Launcher::this_executable(), 2);
//! let four = sandbox.call(&Call::new("double", &[json!(2)])).await?;
//! # Ok(())
//! # }
//! ```
//!
//! What a helper sees: the ECMAScript of QuickJS with full Unicode; its dependencies as global functions; the call's time as the
//! only time there is (UTC). What it does not see: any host object, the real clock, randomness, `eval`, and whatever an earlier
//! call left behind. Whole numbers beyond 2^53 are refused, going in and coming out: JavaScript would make other numbers of them.
//! [`Helper`] says how a helper is written.
//!
//! This crate depends on none of ours.

mod confinement;
mod digits;
mod error;
mod helper;
mod language;
mod limits;
mod pool;
mod process;
pub mod protocol;
pub mod worker;

pub use confinement::Confinement;
pub use error::{BrokenLimit, BundleError, CompileError, HelperError, LostDigits, Place, StartError};
pub use helper::{Bundle, Helper};
pub use language::Language;
pub use limits::Limits;
pub use pool::{Call, Sandbox};
pub use process::Launcher;
