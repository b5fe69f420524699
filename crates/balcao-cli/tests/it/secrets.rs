//! Secrets are opened where they leave the program, and what writes prompts holds none.

use secrecy::SecretString;

use crate::{balcao, out, root};

/// Compiles only as long as a secret can be neither shown nor serialised: with either, it would be ambiguous which is meant.
trait Hidden<Reason> {
    const HIDDEN: bool = true;
}

struct Anything;
struct Shown;
struct Serialised;

impl<T: ?Sized> Hidden<Anything> for T {}
impl<T: ?Sized + std::fmt::Display> Hidden<Shown> for T {}
impl<T: ?Sized + serde::Serialize> Hidden<Serialised> for T {}

#[test]
fn a_111_what_writes_prompts_and_runs_tools_or_helpers_holds_no_secret() {
    let of_a_turn =
        ["agent", "tool", "builtin-tools", "pack", "query", "search", "sandbox", "offline", "language", "domain"];
    for name in of_a_turn {
        let manifest = root().join(format!("crates/balcao-{name}/Cargo.toml"));
        let manifest = std::fs::read_to_string(manifest).unwrap();
        assert!(!manifest.contains("secrecy"), "balcao-{name} could open a secret");
    }
    const { assert!(<SecretString as Hidden<_>>::HIDDEN) };
    assert!(!format!("{:?}", SecretString::from("canary")).contains("canary"));
}

#[cfg(unix)]
#[test]
fn doctor_warns_of_a_configuration_with_secrets_that_others_can_read() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("balcao.toml");
    let warns = |config: &str, mode: u32| {
        fs::write(&file, config).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let said = balcao(folder.path())
            .env("BALCAO__WHATSAPP__APP_SECRET", "a-secret-of-the-environment")
            .arg("doctor")
            .output()
            .unwrap();
        out(&said).contains("other users of this machine can read balcao.toml")
    };
    let written = "[whatsapp]\naccount = \"1\"\ntoken = \"a-token-in-the-file\"\n";
    assert!(warns(written, 0o644));
    assert!(warns(written, 0o640));
    assert!(!warns(written, 0o600));
    assert!(!warns("[whatsapp]\naccount = \"1\"\n", 0o644));
}
