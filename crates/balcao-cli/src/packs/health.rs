//! Whether the MCP servers of packs are there: each is asked as often as its pack says, and started again if it died.
//!
//! Without this a dead server is found by a customer's turn, and a tool that was changed by nobody at all. What begins to fail is
//! logged once; the metrics say it at any time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use balcao_app::context::metrics;
use balcao_mcp::{Health, Server, visible};
use futures::{StreamExt, stream::FuturesUnordered};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Current;

/// How long at the most until it is looked again which servers are to be asked: packs come and go while the program runs.
const LOOK: Duration = Duration::from_secs(1);

/// Looks after the servers of the packs that are in force.
#[derive(Debug)]
pub(crate) struct ServerHealth {
    packs: Current,
    known: Mutex<BTreeMap<String, Known>>,
}

/// What is known of a pack's server.
#[derive(Debug)]
struct Known {
    /// The one that was asked: a pack that was loaded anew has another.
    server: Weak<Server>,
    asked: Instant,
    /// The tools that are out of use; `None`: it does not answer, for whatever reason it gives this time.
    out_of_use: Option<Vec<String>>,
}

impl ServerHealth {
    pub(crate) fn of(packs: Current) -> Self {
        Self { packs, known: Mutex::default() }
    }

    /// Asks every server whose time has come, again and again, until it is told to stop. One that is slow keeps none waiting.
    pub(crate) async fn run(&self, stop: CancellationToken) {
        let (mut asking, mut asked) = (FuturesUnordered::new(), BTreeSet::new());
        loop {
            for (pack, server) in self.due(Instant::now()) {
                if asked.insert(pack.clone()) {
                    asking.push(async move {
                        let health = server.health().await;
                        self.tell(&pack, &server, &health);
                        pack
                    });
                }
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(pack) = asking.next() => drop(asked.remove(&pack)),
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    fn due(&self, now: Instant) -> Vec<(String, Arc<Server>)> {
        let own = self.packs.get();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|pack, _| own.get(pack).is_some_and(|one| one.server.is_some()));
        let servers = own.all.iter().filter_map(|one| Some((&one.pack.id, one.server.as_ref()?)));
        let is_due = |pack: &String, server: &Arc<Server>| {
            let Some(every) = server.health_check_every() else { return false };
            let last = known.get(pack).filter(|one| std::ptr::eq(one.server.as_ptr(), Arc::as_ptr(server)));
            last.is_none_or(|one| now.duration_since(one.asked) >= every)
        };
        servers
            .filter(|(pack, server)| is_due(pack, server))
            .map(|(pack, server)| (pack.clone(), Arc::clone(server)))
            .collect()
    }

    /// Sets the gauges, and logs what is new.
    fn tell(&self, pack: &str, server: &Arc<Server>, health: &Health) {
        let (out_of_use, why) = match health {
            Health::Up(out) => {
                let each: Vec<String> = out.iter().map(|(tool, why)| format!("{}: {why}", visible(tool))).collect();
                let why = each.join("; ");
                (Some(each), why)
            }
            Health::Down(why) => (None, visible(why)),
        };
        metrics::mcp_server(pack, out_of_use.as_ref().map(Vec::len));
        let now = Known { server: Arc::downgrade(server), asked: Instant::now(), out_of_use: out_of_use.clone() };
        let before = self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(pack.to_owned(), now);
        if before.map_or_else(|| Some(Vec::new()), |one| one.out_of_use) == out_of_use {
            return;
        }
        match out_of_use {
            None => tracing::error!(pack, why, "the server of a pack does not answer"),
            Some(out) if out.is_empty() => tracing::warn!(pack, "the server of a pack is well again"),
            Some(_) => tracing::error!(pack, why, "tools of a pack's server are out of use; see `balcao pack accept`"),
        }
    }
}
