//! Refresh tokens that people granted, in a file that its owner alone can read. Programs that share the file share the tokens.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use balcao_domain::OrganizationId;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::private;

/// One writer at a time within this program.
static WRITING: Mutex<()> = Mutex::new(());

/// The file.
#[derive(Debug, Clone)]
pub(crate) struct TokenFile(PathBuf);

/// What a business was granted.
#[derive(Debug, Clone)]
pub(crate) struct StoredGrant {
    pub(crate) client_id: String,
    pub(crate) refresh_token: SecretString,
    pub(crate) granted_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    client_id: String,
    refresh_token: String,
    granted_at: Timestamp,
}

type Entries = BTreeMap<String, Entry>;

impl TokenFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The grant of a business; `None` if the business is not connected.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub(crate) fn find(&self, organization: OrganizationId) -> Result<Option<StoredGrant>, String> {
        let found = self.read()?.remove(&organization.to_string());
        Ok(found.map(|entry| StoredGrant {
            client_id: entry.client_id,
            refresh_token: SecretString::from(entry.refresh_token),
            granted_at: entry.granted_at,
        }))
    }

    /// Stores the grant of a business in the place of the one before.
    ///
    /// # Errors
    /// The file cannot be read or written; it is as it was.
    pub(crate) fn store(&self, organization: OrganizationId, grant: &StoredGrant) -> Result<(), String> {
        let entry = Entry {
            client_id: grant.client_id.clone(),
            refresh_token: grant.refresh_token.expose_secret().to_owned(),
            granted_at: grant.granted_at,
        };
        self.change(|entries| drop(entries.insert(organization.to_string(), entry)))
    }

    /// Forgets the grant of a business.
    ///
    /// # Errors
    /// The file cannot be read or written; it is as it was.
    pub(crate) fn remove(&self, organization: OrganizationId) -> Result<(), String> {
        self.change(|entries| drop(entries.remove(&organization.to_string())))
    }

    /// Checks that a grant could be stored, before a person gives one.
    ///
    /// # Errors
    /// The file cannot be read, or its folder cannot be written to.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.read().map(drop)?;
        private::check_replace(&self.0).map_err(|error| self.name(&error.to_string()))
    }

    fn change(&self, change: impl FnOnce(&mut Entries)) -> Result<(), String> {
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let _alone = private::lock_folder(&self.0).map_err(|error| self.name(&error.to_string()))?;
        let mut entries = self.read()?;
        change(&mut entries);
        let text = serde_json::to_string_pretty(&entries).map_err(|error| self.name(&error.to_string()))?;
        private::replace(&self.0, text.as_bytes()).map_err(|error| self.name(&error.to_string()))
    }

    fn read(&self) -> Result<Entries, String> {
        match balcao_pack::read_named(&self.0, private::MOST_BYTES) {
            Ok(bytes) => private::read_json(&bytes, "file of tokens").map_err(|error| self.name(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Entries::new()),
            Err(error) => Err(self.name(&crate::files::reason(&error))),
        }
    }

    fn name(&self, what: &str) -> String {
        format!("google.tokens {}: {what}", self.0.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(token: &str) -> StoredGrant {
        let granted_at = "2026-11-26T12:00:00Z".parse().unwrap();
        StoredGrant { client_id: "client".to_owned(), refresh_token: SecretString::from(token), granted_at }
    }

    fn organization(number: i64) -> OrganizationId {
        OrganizationId::try_from(number).unwrap()
    }

    fn token(file: &TokenFile, number: i64) -> Option<String> {
        file.find(organization(number)).unwrap().map(|one| one.refresh_token.expose_secret().to_owned())
    }

    #[test]
    fn grants_of_two_businesses_lie_in_one_file_that_its_owner_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("google.tokens.json");
        let file = TokenFile::new(&path);
        file.check().unwrap();
        assert_eq!(token(&file, 1), None);
        file.store(organization(1), &grant("first")).unwrap();
        file.store(organization(2), &grant("second")).unwrap();
        file.store(organization(1), &grant("third")).unwrap();
        file.remove(organization(2)).unwrap();
        assert_eq!((token(&file, 1).as_deref(), token(&file, 2)), (Some("third"), None));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[cfg(unix)]
    #[test]
    fn another_program_waits_while_the_file_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::new(&folder.path().join("google.tokens.json"));
        let is_free = || std::fs::File::open(folder.path()).unwrap().try_lock().is_ok();
        assert!(is_free());
        file.change(|_entries| assert!(!is_free())).unwrap();
        assert!(is_free());
    }

    #[test]
    fn file_that_cannot_be_read_is_named_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("google.tokens.json");
        std::fs::write(&path, "{\"org_1\": {\"refresh_token\": \"SECRET\"}}").unwrap();
        let file = TokenFile::new(&path);
        for error in [file.check().unwrap_err(), file.store(organization(1), &grant("x")).unwrap_err()] {
            assert!(error.contains("google.tokens.json: invalid file of tokens (line 1") && !error.contains("SECRET"));
        }
        assert!(std::fs::read_to_string(&path).unwrap().contains("SECRET"));
    }
}
