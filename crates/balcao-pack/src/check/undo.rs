//! What undoes a command can be called: each argument that must be there comes from somewhere.

use balcao_yaml::{escape, nearest};

use crate::{
    kind::with_receipts::names,
    manifest::{Command, Pack},
    validate::{Compiler, References},
};

pub(super) fn check(compiler: &mut Compiler<'_>, pack: &Pack, command: &Command, at: &str) {
    let Some(undo) = &command.undo else { return };
    let at = format!("{at}/undo");
    if !compiler.refer(References::Command, &undo.command, &format!("{at}/command")) {
        return;
    }
    let Some(by) = pack.commands.iter().find(|known| known.id == undo.command) else { return };
    let (input, takes) = (names(&command.input_schema, "properties"), names(&by.input_schema, "properties"));
    for (name, text) in &undo.arguments {
        let at = format!("{at}/arguments/{}", escape(name));
        if !takes.contains(&name.as_str()) {
            let near = nearest(name, takes.iter().copied()).map(|near| format!("did you mean `{near}`?"));
            compiler.complain(&at, format!("`{}` has no argument `{name}`", by.id), near);
        }
        let Some(expression) = compiler.expression(text, &at) else { continue };
        for (root, field) in expression.roots() {
            let message = match (root, field) {
                ("input", Some(field)) if !input.contains(&field) => {
                    format!("`{}` has no argument `{field}`", command.id)
                }
                ("input" | "result", _) => continue,
                _ => format!("`{root}` is neither `input` nor `result`"),
            };
            let suggestion = "write `input.…` for an argument of the call, `result.…` for what came of it";
            compiler.complain(&at, message, Some(suggestion.to_owned()));
        }
    }
    let output = [names(&command.output_schema, "properties"), names(&command.output_schema, "required")].concat();
    let comes = |name: &&str| {
        let made = name.ends_with("_id") && output.contains(&"id");
        undo.arguments.contains_key(*name) || input.contains(name) || output.contains(name) || made
    };
    for name in names(&by.input_schema, "required").iter().filter(|name| !comes(name)) {
        let message = format!("`{}` undoes it, and its argument `{name}` can come from nowhere", by.id);
        let suggestion = format!("say where it is: `undo: {{command: {}, arguments: {{{name}: result.…}}}}`", by.id);
        compiler.complain(&at, message, Some(suggestion));
    }
}
