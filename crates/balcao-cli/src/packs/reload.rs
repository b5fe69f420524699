//! Packs that change while the server runs.
//!
//! A changed pack is loaded and its examples are run; only if all holds it is in force, from the next turn on. Otherwise the last good
//! ones stay, and log and metric say so. A command whose contract changed is not offered until the operator accepts it.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use balcao_agent::Profile;
use balcao_app::{AppContext, context::metrics, turns::TurnRunner};
use balcao_pack::Handlers;
use balcao_yaml::Document;
use tokio_util::sync::CancellationToken;

use super::{Connected, Current, OwnPacks, accept, loader, tools};
use crate::{config::PacksConfig, output::Failure, profiles};

/// Files of one pack that are looked at: no pack has so many.
const MOST_FILES: usize = 10_000;

/// Whoever keeps the packs of a server fresh.
pub(crate) struct Reload {
    pub(crate) config: PacksConfig,
    /// The organization's short name.
    pub(crate) organization: String,
    pub(crate) app: AppContext,
    /// The profile that answers, and where it is written.
    pub(crate) profile: (Profile, Document),
    pub(crate) front: Arc<TurnRunner>,
    pub(crate) current: Current,
    /// What the files looked like before they were loaded: what changed meanwhile is seen.
    pub(crate) seen: Looks,
}

/// What the files of each pack look like, and the file of accepted contracts.
pub(crate) type Looks = BTreeMap<PathBuf, u64>;

impl Reload {
    /// Looks again and again until it is told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        if self.config.reload_ms == 0 || self.config.folders.is_empty() {
            return stop.cancelled().await;
        }
        let this = Arc::new(self);
        let mut loaded = this.seen.clone();
        let mut settling = Settling::of(loaded.clone());
        let every = Duration::from_millis(this.config.reload_ms);
        while stop.run_until_cancelled(tokio::time::sleep(every)).await.is_some() {
            let now = this.looks().await;
            if !settling.rests(&now) || now == loaded {
                continue;
            }
            let outcome = match this.load(&loaded, &now).await {
                Ok(()) => {
                    tracing::warn!("changed packs are in force from the next turn on");
                    "loaded"
                }
                Err(failure) => {
                    let reason = failure.message();
                    tracing::error!(reason, "changed packs are not used; the last good ones stay in force");
                    "refused"
                }
            };
            metrics::pack_reload(outcome);
            loaded = now;
        }
    }

    async fn looks(self: &Arc<Self>) -> Looks {
        let this = Arc::clone(self);
        tokio::task::spawn_blocking(move || looks(&this.config)).await.unwrap_or_default()
    }

    /// Loads what is there, and puts it in force.
    async fn load(self: &Arc<Self>, before: &Looks, now: &Looks) -> Result<(), Failure> {
        let this = Arc::clone(self);
        let loading = move || {
            let handlers = handlers(&this.app);
            let taken = balcao_builtin_tools::pack_ids();
            OwnPacks::load(&this.config, Some(&this.organization), &handlers, &taken, &this.current.get())
        };
        let own = tokio::task::spawn_blocking(loading).await.map_err(Failure::operation)??;
        for folder in own.all.iter().map(|one| &one.folder).filter(|folder| before.get(*folder) != now.get(*folder)) {
            self.examples_hold(folder).await?;
        }
        // A pack that was not there at the start is as chosen as one that was.
        accept::remember(&self.config, &own.all)?;
        for one in own.all.iter().filter(|one| !one.changed.is_empty()) {
            let (pack, commands) = (&one.pack.id, one.changed.join(", "));
            tracing::warn!(pack, commands, "contracts changed and are not offered; `balcao pack accept` accepts them");
        }
        let (profile, document) = &self.profile;
        let held = self.front.agent(&profile.id).map_err(Failure::operation)?;
        let agent = tools::agent(&self.app, profile, document, &own, held.model)?;
        self.front.replace(agent);
        self.current.set(Arc::new(own));
        Ok(())
    }

    /// Runs the examples of a pack, against recorded answers.
    async fn examples_hold(&self, folder: &Path) -> Result<(), Failure> {
        let pack = loader(handlers(&self.app), &Connected::default(), self.config.workers)
            .load_folder(folder)
            .map_err(|problems| Failure::problems(&problems))?;
        let report = pack.test().await;
        if report.passed() { Ok(()) } else { Err(Failure::operation(report.text())) }
    }
}

fn handlers(app: &AppContext) -> Handlers {
    balcao_builtin_tools::tools::handlers(app, &profiles::usual_settings())
}

/// Whether files rest: what is still being written is not read before one look was like the last one.
pub(crate) struct Settling<T> {
    last: T,
}

impl<T: Clone + PartialEq> Settling<T> {
    /// Files that looked like this the last time.
    pub(crate) const fn of(last: T) -> Self {
        Self { last }
    }

    /// Whether they look now as they did the last time.
    pub(crate) fn rests(&mut self, now: &T) -> bool {
        let rests = self.last == *now;
        self.last.clone_from(now);
        rests
    }
}

/// What the files look like now: their names, sizes and times.
pub(crate) fn looks(config: &PacksConfig) -> Looks {
    let mut looks: Looks = super::folders(config).into_iter().map(|folder| (folder.clone(), look(&folder))).collect();
    let beside = config.accounts.iter().filter_map(|account| account.over.as_ref()).chain([&config.accepted]);
    looks.extend(beside.map(|file| (file.clone(), look(file))));
    looks
}

/// What the files of a folder look like now: names, sizes and times.
pub(crate) fn look(root: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let (mut open, mut left) = (vec![root.to_owned()], MOST_FILES);
    while let Some(path) = open.pop() {
        let Ok(met) = std::fs::symlink_metadata(&path) else { continue };
        if met.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok);
            let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).take(left).collect();
            inside.sort();
            left -= inside.len();
            open.extend(inside);
        } else {
            (path, met.len(), met.modified().ok()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_being_written_rest_once_a_look_is_like_the_last_one() {
        let mut settling = Settling::of(1);
        // Cut to nothing, half written, written.
        let told: Vec<bool> = [1, 2, 3, 4, 4, 4].iter().map(|look| settling.rests(look)).collect();
        assert_eq!(told, [true, false, false, false, true, true]);
    }

    #[test]
    fn change_behind_10_000_files_of_a_folder_is_not_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
        for name in ["a", "z"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        write("a/tool.yaml", "1");
        // Both folders count, and `z` is looked at before `a`.
        for number in 0..MOST_FILES - 2 {
            write(&format!("z/{number}"), "");
        }
        let before = look(folder.path());
        write("a/tool.yaml", "12");
        assert_eq!(look(folder.path()), before);
        std::fs::remove_file(folder.path().join("z/0")).unwrap();
        let before = look(folder.path());
        write("a/tool.yaml", "123");
        assert_ne!(look(folder.path()), before, "there is room for it");
    }
}
