//! Further pages: asked for one after the other, put together.

use reqwest::Url;
use serde_json::{Value, json};

use super::{Account, CallContext, TOO_MUCH, unreadable, without_credentials};
use crate::{
    error::CallError,
    pagination::{NextPage, Pagination, same_origin},
    request::Request,
    response,
};

impl Account {
    /// All pages, up to the limits, or the one that the caller names; `more` says that there is more.
    pub(super) async fn pages(
        &self,
        going: CallContext<'_>,
        pagination: &Pagination,
        first: &Request,
    ) -> Result<Value, CallError> {
        let mut items = Vec::new();
        let mut request = first.clone();
        let named = asks_for_a_page(pagination, &first.url);
        let most = if named { 1 } else { pagination.max_pages };
        for (name, value) in pagination.first() {
            if !named || pagination.param.as_ref() != Some(&name) {
                set_query(&mut request.url, &name, &value);
            }
        }
        let mut more = false;
        let mut seen = vec![request.url.clone()];
        for page in 0.. {
            let (answer, content) = self.repeat(going, &request).await?;
            let value = content.map_err(|detail| unreadable(&detail))?;
            let found = value.pointer(&pagination.items).and_then(Value::as_array);
            let found =
                found.ok_or_else(|| unreadable(&format!("the answer has no list at `{}`", pagination.items)))?;
            let room = pagination.max_items.saturating_sub(items.len());
            let cut = found.len() > room;
            going.held.give_bytes(answer.taken);
            for item in found.iter().take(room) {
                let item = response::kept(&going.operation.command.response, item);
                if !going.held.keep(&item) {
                    return Err(unreadable(TOO_MUCH));
                }
                items.push(item);
            }
            let next = pagination.after(page, found.len(), &value, answer.links().as_deref());
            let url = match next {
                NextPage::End => {
                    more = cut;
                    break;
                }
                NextPage::Query(name, value) => {
                    let mut url = request.url.clone();
                    set_query(&mut url, &name, &value);
                    url
                }
                NextPage::Address(to) => {
                    let url = same_origin(&request.url, &to).map_err(unreadable)?;
                    if !without_credentials(&url) {
                        return Err(unreadable("the address of the next page has credentials in it"));
                    }
                    url
                }
            };
            // Some services lead from an empty page to itself.
            if found.is_empty() && seen.contains(&url) {
                break;
            }
            if cut || items.len() >= pagination.max_items || page + 1 >= most {
                more = true;
                break;
            }
            if seen.contains(&url) {
                return Err(unreadable("the pages go round in a circle"));
            }
            seen.push(url.clone());
            request.url = url;
        }
        let mut shaped = response::under(&going.operation.command.response, Value::Array(items));
        if let Some(object) = shaped.as_object_mut() {
            object.insert("more".to_owned(), more.into());
        } else {
            shaped = json!({ "items": shaped, "more": more });
        }
        Ok(shaped)
    }
}

/// Whether the caller named a page: then that one is meant, and no other.
fn asks_for_a_page(pagination: &Pagination, url: &Url) -> bool {
    pagination.param.as_ref().is_some_and(|param| url.query_pairs().any(|(name, _)| name == param.as_str()))
}

/// Puts a pair into the query in place of those of the same name.
fn set_query(url: &mut Url, name: &str, value: &str) {
    let others: Vec<(String, String)> =
        url.query_pairs().filter(|(known, _)| known != name).map(|(k, v)| (k.into_owned(), v.into_owned())).collect();
    url.query_pairs_mut().clear().extend_pairs(others).append_pair(name, value);
}
