//! The operator's own packs: whether they load, and whether their accounts can be opened.

use balcao_app::AppContext;
use balcao_mcp::{Standing, visible};
use balcao_store::Store;

use super::Finding;
use crate::{
    config::Config,
    output::counted,
    packs::{OwnPacks, accept::Accepted},
    time, wire,
};

/// What there is; `None` if it does not load, which is told.
pub(super) async fn own_packs(config: &Config, findings: &mut Vec<Finding>) -> Option<OwnPacks> {
    if config.packs.folders.is_empty() && config.packs.accounts.is_empty() {
        return Some(OwnPacks::default());
    }
    let config = &match wire::with_loss_of_acceptances(config).await {
        Ok(config) => config,
        // Loading the packs fails with it, too, and says so.
        Err(_) => config.clone(),
    };
    // The contracts need no data: an empty database stands behind the handlers.
    let Ok(store) = Store::open_in_memory() else { return None };
    let app = AppContext::new(store, time::clock());
    let own = match wire::own_packs(config, &app, None).await {
        Ok(own) => own,
        Err(failure) => {
            let mend = "`balcao serve` refuses to start with it; one that runs keeps what it loaded last. Correct what is named";
            findings.push(Finding::wrong("packs", failure.message().to_owned(), mend));
            return None;
        }
    };
    findings.extend(developed_among_customers(config));
    // What cannot be read was a failure above.
    let accepted = Accepted::read(&config.packs).unwrap_or_default();
    for one in &own.all {
        let held_against = accepted.held_against(&config.packs, &one.pack.id, &one.pack.terms);
        let named = config.packs.development || held_against.is_some();
        if !named && one.unconnected.is_none() && !one.starts_a_program() {
            let then = if accepted.waits() {
                "the list of acceptances was lost, so it waits for a person"
            } else {
                "the next `balcao serve` accepts it as it is, unless a list of acceptances was lost"
            };
            let says = format!("{}: nothing of it was accepted; {then}", one.pack.id);
            let mend = "`balcao pack accept --dry-run` shows it, `balcao pack accept` accepts it; a lost `packs.accepted` comes from a backup";
            findings.push(Finding::warning("packs", says, mend));
        }
        findings.push(match &one.unconnected {
            Some(mend) => Finding::warning("packs", format!("{}: has no account", one.pack.id), mend),
            None => {
                let hooks = if one.deliveries.is_some() { "; webhooks are taken" } else { "" };
                Finding::fine(
                    "packs",
                    format!("{} {}, {}{hooks}", one.pack.id, one.pack.version, counted(one.tools.len(), "command")),
                )
            }
        });
        if !one.changed.is_empty() {
            let says =
                format!("{}: changed since it was accepted, and not offered: {}", one.pack.id, one.changed.join(", "));
            findings.push(Finding::warning("packs", says, "read what changed, then `balcao pack accept`"));
        }
        findings.extend(broken_helpers(one).await);
        findings.extend(asked(one).await);
    }
    Some(own)
}

/// Warns if packs run unseen on a machine to which customers write.
fn developed_among_customers(config: &Config) -> Option<Finding> {
    if !config.packs.development {
        return None;
    }
    let doors = [
        ("whatsapp.account", config.whatsapp.account.is_some()),
        ("evolution.instance", config.evolution.instance.is_some()),
        ("chat.enabled", config.chat.enabled),
        ("server.listen", config.server.address().is_ok_and(|address| !address.ip().is_loopback())),
    ];
    let open: Vec<&str> = doors.into_iter().filter_map(|(door, open)| open.then_some(door)).collect();
    (!open.is_empty()).then(|| {
        let says = format!(
            "packs.development is on, so that changed packs and their programs run unseen, and others reach this program by {}",
            open.join(", ")
        );
        Finding::warning("packs", says, "set packs.development = false, then `balcao pack accept`")
    })
}

/// Whether the server answers that the pack's commands are tools of, and which of its tools are out of use. It is started for that, if
/// it is a program.
async fn asked(one: &crate::packs::OwnPack) -> Option<Finding> {
    let (server, id) = (one.server.as_ref()?, &one.pack.id);
    let reviews = match server.review().await {
        Ok(reviews) => reviews,
        Err(error) => {
            let says = format!("{id}: its server does not answer: {}", visible(&error.for_staff()));
            let mend =
                "its commands fail until it does: see `connection` of the pack, its account, and `packs.programs`";
            return Some(Finding::warning("packs", says, mend));
        }
    };
    let mend = "`balcao pack accept --dry-run` shows what the server says, `balcao pack accept` accepts it";
    let accepted = reviews.iter().filter(|review| review.standing == Standing::Accepted).count();
    let out = reviews.iter().filter(|review| !matches!(review.standing, Standing::Accepted | Standing::New(_)));
    let out: Vec<String> =
        out.map(|review| format!("{} ({})", visible(&review.tool), review.standing.for_staff())).collect();
    Some(if accepted == 0 && out.is_empty() {
        let says = format!("{id}: its server answers, and none of its {} tools was accepted", reviews.len());
        Finding::warning("packs", says, mend)
    } else if out.is_empty() {
        Finding::fine("packs", format!("{id}: its server answers; {accepted} of its tools are accepted"))
    } else {
        Finding::warning("packs", format!("{id}: its server answers; out of use are {}", out.join(", ")), mend)
    })
}

async fn broken_helpers(one: &crate::packs::OwnPack) -> Vec<Finding> {
    let Some(sandbox) = &one.pack.sandbox else { return Vec::new() };
    match balcao_pack::check_helpers(sandbox).await {
        Ok(problems) => problems
            .into_iter()
            .map(|problem| Finding::wrong("packs", format!("{}: {problem}", one.pack.id), "correct the named line"))
            .collect(),
        Err(error) => vec![Finding::wrong("packs", format!("{}: {error}", one.pack.id), "see the check `helpers`")],
    }
}
