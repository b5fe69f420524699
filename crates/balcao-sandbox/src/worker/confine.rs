//! What keeps a worker in: it gives up, before it reads anybody's code, everything that computing does not need.
//!
//! Three walls on Linux, each of which would do alone: Landlock (no file can be opened, no TCP port reached), seccomp (a list of
//! the system calls that computing and answering need; any other kills the process), and resource limits. The engine's own limits stand
//! before them. Elsewhere there are fewer walls, and [`Confinement`] says so; the environment is empty everywhere, which is the launcher's doing.

use crate::confinement::Confinement;
#[cfg(target_os = "linux")]
use crate::confinement::Wall;

/// Gives up for good whatever this process can do beyond computing and its open files. To be called by its only thread.
#[must_use]
pub fn confine() -> Confinement {
    #[cfg(target_os = "linux")]
    {
        linux::confine()
    }
    #[cfg(not(target_os = "linux"))]
    {
        Confinement::default()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetError, RulesetStatus, Scope};
    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch,
    };

    use super::{Confinement, Wall};

    /// Address space beyond what is mapped at the start: the largest heap that a call may ask for, and room for text on its way.
    const ADDRESS_SPACE_BYTES: u64 = 384 << 20;

    /// Processor seconds of a whole life. The server replaces a worker long before.
    const PROCESSOR_SECONDS: u64 = 300;

    pub(super) fn confine() -> Confinement {
        // In this order: each wall forbids what those before it need.
        let mapped = mapped_bytes();
        let _ = rustix::thread::set_no_new_privs(true);
        let files = files().unwrap_or_default();
        let resource_limits = mapped.and_then(resources).is_some();
        let system_calls = if system_calls().is_some() { Wall::Full } else { Wall::None };
        Confinement { resource_limits, files, system_calls }
    }

    /// What the process has mapped already: allocators reserve far more than they use.
    fn mapped_bytes() -> Option<u64> {
        let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split_whitespace().next()?.parse().ok()?;
        pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)
    }

    fn files() -> Result<Wall, RulesetError> {
        let abi = ABI::V6;
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .scope(Scope::from_all(abi))?
            .create()?
            .restrict_self()?;
        Ok(match status.ruleset {
            RulesetStatus::FullyEnforced => Wall::Full,
            RulesetStatus::PartiallyEnforced => Wall::Partial,
            RulesetStatus::NotEnforced => Wall::None,
        })
    }

    fn resources(mapped: u64) -> Option<()> {
        // The stack limit stays: the engine measures its own, well inside of the usual 8 MiB.
        for (resource, limit) in [
            (Resource::As, mapped.saturating_add(ADDRESS_SPACE_BYTES)),
            (Resource::Cpu, PROCESSOR_SECONDS),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
            (Resource::Nproc, 0),
            (Resource::Nofile, 0),
        ] {
            setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) }).ok()?;
        }
        Some(())
    }

    /// What an engine needs that computes and answers. Nothing here opens, connects, starts or signals anything.
    const PLAIN: &[libc::c_long] = &[
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clock_gettime,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        // Whether there is something to read; of nothing that is not open already.
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
        libc::SYS_ppoll,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    fn system_calls() -> Option<()> {
        let target = TargetArch::try_from(std::env::consts::ARCH).ok()?;
        let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
            PLAIN.iter().map(|call| (*call, Vec::new())).collect();
        // Requests come on 0, answers leave on 1. Whatever else was open when the server was started may be open here too.
        rules.insert(libc::SYS_read, vec![only(&[equals(0, 0)?])?]);
        rules.insert(libc::SYS_write, vec![only(&[equals(0, 1)?])?, only(&[equals(0, 2)?])?]);
        // Memory is never a file, and never machine code: argument 2 is the protection, argument 4 the file.
        let executable = u64::try_from(libc::PROT_EXEC).ok()?;
        let data = SeccompCondition::new(2, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(executable), 0).ok()?;
        rules.insert(libc::SYS_mmap, vec![only(&[data.clone(), equals(4, u32::MAX.into())?])?]);
        rules.insert(libc::SYS_mprotect, vec![only(&[data])?]);
        // Some allocators name their memory.
        rules.insert(libc::SYS_prctl, vec![only(&[equals(0, u64::try_from(libc::PR_SET_VMA).ok()?)?])?]);
        let filter = SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, target).ok()?;
        let program = BpfProgram::try_from(filter).ok()?;
        seccompiler::apply_filter(&program).ok()
    }

    /// That argument, as the 32 bits it is.
    fn equals(argument: u8, value: u64) -> Option<SeccompCondition> {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value).ok()
    }

    /// All of these at once.
    fn only(conditions: &[SeccompCondition]) -> Option<SeccompRule> {
        SeccompRule::new(conditions.to_vec()).ok()
    }
}
