//! The walls around a worker, as far as they stand.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a worker achieved. `doctor` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Confinement {
    /// Memory, processor time, files, processes, core dumps.
    pub resource_limits: bool,
    /// Landlock: files and, on newer kernels, TCP, signals and abstract sockets.
    pub files: Wall,
    /// seccomp: system calls that are not on the list kill.
    pub system_calls: Wall,
}

/// How much of a wall stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wall {
    /// The platform or the kernel lacks it.
    #[default]
    None,
    /// The kernel knows a part of it.
    Partial,
    /// All of it.
    Full,
}

impl Confinement {
    /// Whether neither a file nor the network can be reached by code that broke out of the engine.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.system_calls == Wall::Full
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |wall| match wall {
            Wall::None => "missing",
            Wall::Partial => "partial",
            Wall::Full => "on",
        };
        let limits = if self.resource_limits { Wall::Full } else { Wall::None };
        write!(
            f,
            "system call filter {}, file and network rules {}, resource limits {}",
            word(self.system_calls),
            word(self.files),
            word(limits)
        )
    }
}
