//! The token endpoint: refresh tokens, codes with PKCE, statements that a service account signed, and the end of a grant.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::accounts::{Access, Code, Grant};
use super::refusal::Refusal;
use super::shape::Query;
use super::state::State;
use crate::fakes::http::Request;

/// The OAuth client that is registered.
pub const CLIENT_ID: &str = "1234-balcao.apps.googleusercontent.example";
/// Its secret.
pub const CLIENT_SECRET: &str = "GOCSPX-fake-secret";
/// The address of the service account.
pub const SERVICE_ACCOUNT: &str = "balcao@project.iam.gserviceaccount.example";
/// The name of its key.
const KEY_ID: &str = "key-1";
/// Made for this fake; it opens nothing.
const PEM: &str = include_str!("service_account.pem");
/// How long an access token is good for, in seconds.
const LIVES_S: i64 = 3_599;
/// How far a statement may begin in the future, in seconds.
const SKEW_S: i64 = 300;

/// An error of the token endpoint (RFC 6749, section 5.2).
pub(super) struct TokenError {
    pub(super) error: String,
    pub(super) description: String,
}

impl TokenError {
    pub(super) fn new(error: &str, description: impl Into<String>) -> Self {
        Self { error: error.to_owned(), description: description.into() }
    }

    pub(super) fn body(&self) -> Vec<u8> {
        json!({ "error": self.error, "error_description": self.description }).to_string().into_bytes()
    }
}

/// The key file of the service account, as the console gives it out.
pub(super) fn key_file(base: &str) -> String {
    let file = json!({ "type": "service_account", "project_id": "project", "private_key_id": KEY_ID, "private_key": PEM,
        "client_email": SERVICE_ACCOUNT, "client_id": "1", "token_uri": format!("{base}/oauth2/token") });
    file.to_string()
}

impl State {
    /// The scopes of the caller, and whether it is a service account. 401 if the token is missing, unknown or over.
    pub(super) fn caller(&self, request: &Request) -> Result<(&BTreeSet<String>, bool), Refusal> {
        let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let Some(token) = bearer else {
            return Err(Refusal::new(401, "required", "Login Required."));
        };
        let now = self.now();
        let known = self.accounts.access.get(token).filter(|access| now < access.until);
        let known = known.ok_or_else(|| Refusal::new(401, "authError", "Invalid Credentials"))?;
        Ok((&known.scopes, known.is_service_account))
    }

    /// What the clock of the service shows.
    fn service_time(&self) -> Timestamp {
        self.now().saturating_add(self.accounts.ahead).unwrap_or(Timestamp::MAX)
    }

    /// The header `Date` of an answer.
    pub(super) fn http_date(&self) -> String {
        self.service_time().strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
    }

    /// A new grant, as consent would give it.
    pub(super) fn grant(&mut self, scopes: BTreeSet<String>) -> String {
        let refresh = self.fresh("1//0refresh");
        self.accounts.grants.insert(refresh.clone(), Grant { scopes, dead: None });
        refresh
    }

    /// Ends every access token; grants live on.
    pub(super) fn end_access(&mut self) {
        self.accounts.access.clear();
    }

    /// Kills every grant, and says why to those who use one.
    pub(super) fn kill_grants(&mut self, description: &str) {
        self.accounts.access.clear();
        for grant in self.accounts.grants.values_mut() {
            grant.dead = Some(description.to_owned());
        }
    }

    pub(super) fn living_grants(&self) -> usize {
        self.accounts.grants.values().filter(|grant| grant.dead.is_none()).count()
    }

    pub(super) fn add_code(&mut self, code: Code) -> String {
        let word = self.fresh("4/0code");
        self.accounts.codes.insert(word.clone(), code);
        word
    }

    /// `POST /oauth2/token`.
    pub(super) fn token(&mut self, request: &Request) -> Result<Value, TokenError> {
        let form = form(request)?;
        match form.get("grant_type") {
            Some("refresh_token") => self.refresh(&form),
            Some("authorization_code") => self.exchange(&form),
            Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => self.signed(&form),
            _ => Err(TokenError::new("unsupported_grant_type", "Invalid grant_type")),
        }
    }

    /// `POST /oauth2/revoke`: a refresh token, or an access token with its grant.
    pub(super) fn revoke(&mut self, request: &Request) -> Result<Value, TokenError> {
        let form = form(request)?;
        known(&form, &["token"])?;
        let token = form.get("token").unwrap_or_default();
        let refresh = self.accounts.access.get(token).and_then(|access| access.refresh.clone());
        let refresh = refresh.unwrap_or_else(|| token.to_owned());
        let grant = self.accounts.grants.get_mut(&refresh).filter(|grant| grant.dead.is_none());
        let grant = grant.ok_or_else(|| TokenError::new("invalid_token", "Token expired or revoked"))?;
        grant.dead = Some("Token has been expired or revoked.".to_owned());
        self.accounts.access.retain(|_, access| access.refresh.as_ref() != Some(&refresh));
        Ok(json!({}))
    }

    fn refresh(&mut self, form: &Query) -> Result<Value, TokenError> {
        known(form, &["grant_type", "refresh_token", "client_id", "client_secret"])?;
        client(form)?;
        let refresh = form.get("refresh_token").unwrap_or_default().to_owned();
        let grant = self.accounts.grants.get(&refresh);
        let grant = grant.ok_or_else(|| TokenError::new("invalid_grant", "Bad Request"))?;
        if let Some(why) = &grant.dead {
            return Err(TokenError::new("invalid_grant", why.clone()));
        }
        let scopes = grant.scopes.clone();
        Ok(self.give(scopes, false, Some(refresh)))
    }

    fn exchange(&mut self, form: &Query) -> Result<Value, TokenError> {
        known(form, &["grant_type", "code", "client_id", "client_secret", "redirect_uri", "code_verifier"])?;
        client(form)?;
        let bad = || TokenError::new("invalid_grant", "Malformed auth code.");
        // A code is good once, whatever comes of it.
        let code = self.accounts.codes.remove(form.get("code").unwrap_or_default()).ok_or_else(bad)?;
        if code.until <= self.now() {
            return Err(bad());
        }
        if form.get("redirect_uri") != Some(code.redirect_uri.as_str()) {
            return Err(TokenError::new("redirect_uri_mismatch", "Bad Request"));
        }
        let verifier = form.get("code_verifier").unwrap_or_default();
        if !(43..=128).contains(&verifier.len()) || URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)) != code.challenge {
            return Err(TokenError::new("invalid_grant", "Invalid code verifier."));
        }
        let refresh = self.grant(code.scopes.clone());
        let mut given = self.give(code.scopes, false, Some(refresh.clone()));
        given["refresh_token"] = json!(refresh);
        Ok(given)
    }

    fn signed(&mut self, form: &Query) -> Result<Value, TokenError> {
        known(form, &["grant_type", "assertion"])?;
        let scopes = self.verified(form.get("assertion").unwrap_or_default())?;
        Ok(self.give(scopes, true, None))
    }

    /// The scopes that a statement asks for, if its signature, audience and times hold.
    fn verified(&self, assertion: &str) -> Result<BTreeSet<String>, TokenError> {
        let bad = |words: &str| TokenError::new("invalid_grant", words);
        let malformed = || bad("Invalid JWT: it must have three parts of base64url.");
        let (signed, signature) = assertion.rsplit_once('.').ok_or_else(malformed)?;
        let (header, claims) = signed.split_once('.').ok_or_else(malformed)?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).map_err(|_base64| malformed());
        let json = |part: &str| serde_json::from_slice::<Value>(&decode(part)?).map_err(|_json| malformed());
        let (header, claims, signature) = (json(header)?, json(claims)?, decode(signature)?);
        if header["alg"] != json!("RS256") || header["typ"] != json!("JWT") || header["kid"] != json!(KEY_ID) {
            return Err(bad("Invalid JWT header."));
        }
        let key = public_key().ok_or_else(|| bad("Invalid key of the fake."))?;
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key);
        public.verify(signed.as_bytes(), &signature).map_err(|_ring| bad("Invalid JWT Signature."))?;
        if claims["iss"] != json!(SERVICE_ACCOUNT) {
            return Err(bad("Invalid grant: account not found"));
        }
        if claims["aud"] != json!(format!("{}/oauth2/token", self.base)) {
            return Err(bad("Invalid JWT: Failed audience check."));
        }
        let now = self.service_time().as_second();
        let (iat, exp) = (claims["iat"].as_i64().unwrap_or(0), claims["exp"].as_i64().unwrap_or(0));
        if exp - iat > 3_600 || exp <= now || iat > now + SKEW_S {
            let words = "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. \
                         Check your iat and exp values in the JWT claim.";
            return Err(bad(words));
        }
        let scopes: BTreeSet<String> = claims["scope"]
            .as_str()
            .unwrap_or_default()
            .split(' ')
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect();
        if scopes.is_empty() || scopes.iter().any(|scope| !SCOPES.contains(&scope.as_str())) {
            return Err(TokenError::new("invalid_scope", "Empty or unknown OAuth scope."));
        }
        Ok(scopes)
    }

    fn give(&mut self, scopes: BTreeSet<String>, is_service_account: bool, refresh: Option<String>) -> Value {
        let token = self.fresh("ya29.a");
        let until = self.now().saturating_add(SignedDuration::from_secs(LIVES_S)).unwrap_or(Timestamp::MAX);
        let words: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let given =
            json!({ "access_token": token, "expires_in": LIVES_S, "scope": words.join(" "), "token_type": "Bearer" });
        self.accounts.access.insert(token, Access { scopes, until, is_service_account, refresh });
        given
    }
}

/// Scopes that exist here.
pub(super) const SCOPES: [&str; 8] = [
    "https://www.googleapis.com/auth/calendar",
    "https://www.googleapis.com/auth/calendar.readonly",
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/calendar.events.owned",
    "https://www.googleapis.com/auth/calendar.events.freebusy",
    "https://www.googleapis.com/auth/calendar.freebusy",
    "https://www.googleapis.com/auth/calendar.calendarlist",
    "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
];

fn public_key() -> Option<Vec<u8>> {
    let body: String = PEM.lines().filter(|line| !line.starts_with("-----")).collect();
    let der = base64::engine::general_purpose::STANDARD.decode(body).ok()?;
    Some(RsaKeyPair::from_pkcs8(&der).ok()?.public_key().as_ref().to_vec())
}

fn form(request: &Request) -> Result<Query, TokenError> {
    if request.header("content-type") != Some("application/x-www-form-urlencoded") {
        return Err(TokenError::new("invalid_request", "The body must be application/x-www-form-urlencoded"));
    }
    Ok(Query::read(&String::from_utf8_lossy(&request.body)))
}

fn known(form: &Query, names: &[&str]) -> Result<(), TokenError> {
    form.only(names).map_err(|refusal| TokenError::new("invalid_request", refusal.message))?;
    match names.iter().find(|name| !form.has(name)) {
        Some(name) => Err(TokenError::new("invalid_request", format!("Missing required parameter: {name}"))),
        None => Ok(()),
    }
}

fn client(form: &Query) -> Result<(), TokenError> {
    if form.get("client_id") == Some(CLIENT_ID) && form.get("client_secret") == Some(CLIENT_SECRET) {
        return Ok(());
    }
    Err(TokenError::new("invalid_client", "The OAuth client was not found."))
}
