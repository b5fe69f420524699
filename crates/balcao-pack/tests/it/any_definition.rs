//! What must hold of any text as a `tool.yaml`. The fuzz target `loader` drives the same function.

use balcao_pack::{Handlers, Loader};

/// It loads or is refused, and every problem says something and has a place within the text. Whether it was refused.
pub(crate) fn drive(text: &str) -> bool {
    let Err(problems) = Loader::new(Handlers::new()).describing().load("tool.yaml", text) else { return false };
    let lines = text.lines().count() + 1;
    assert!(!problems.is_empty() && problems.iter().all(|problem| problem.line <= lines), "{problems:?}\n{text}");
    assert!(problems.iter().all(|problem| !problem.message.is_empty()), "{text}");
    true
}
