//! `balcao init DIR`: something to start from.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::output::{Failure, print_line};
use crate::private;

const FILES: [(&str, &str); 3] = [
    ("balcao.toml", include_str!("../../templates/balcao.toml")),
    ("agents/minha-agente.yaml", include_str!("../../templates/agent.yaml")),
    ("negocio.yaml", include_str!("../../templates/business.yaml")),
];

/// Options of `balcao init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder, created if it is missing; existing files stay as they are.
    dir: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let taken: Vec<String> = FILES
        .iter()
        .map(|(name, _)| args.dir.join(name))
        .filter(|path| path.exists())
        .map(|path| path.display().to_string())
        .collect();
    if !taken.is_empty() {
        return Err(Failure::operation(format!("nothing was written: {} is there already", taken.join(", "))));
    }
    for (name, text) in FILES {
        write(&args.dir.join(name), text)?;
    }
    print_line(&format!("cd {}", args.dir.display()));
    print_line("balcao seed negocio.yaml     # after you have made it yours");
    print_line("balcao doctor");
    print_line("balcao chat");
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::operation(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    private::create(path).and_then(|mut file| file.write_all(text.as_bytes())).map_err(failed)
}
