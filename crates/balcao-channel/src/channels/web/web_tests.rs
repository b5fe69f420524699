use std::sync::Mutex;

use super::*;
use crate::outbound::CorrelationId;

#[derive(Debug, Default)]
struct Kept(Mutex<Vec<(String, String, String)>>);

#[async_trait]
impl Mailbox for Kept {
    async fn put(&self, visitor: &UserId, name: &str, text: &str, file: Option<AttachmentId>) -> Result<(), String> {
        if text == "full" {
            return Err("the disk is full".to_owned());
        }
        let file = file.map(|file| format!(" + {file}")).unwrap_or_default();
        self.0.lock().unwrap().push((visitor.to_string(), name.to_owned(), format!("{text}{file}")));
        Ok(())
    }
}

fn named(text: &str) -> Outbound {
    Outbound::text(text).unwrap().tracked(CorrelationId::new("org_1:trn_1:1").unwrap())
}

#[tokio::test]
async fn a_text_is_put_into_the_mailbox_under_our_name() {
    let kept = Arc::new(Kept::default());
    let chat = WebChat::new(AccountId::new("web"), Arc::<Kept>::clone(&kept));
    let visitor = Recipient::User(UserId::new("web:1"));
    let receipt = chat.send(&named("oi"), &visitor).await.unwrap();
    assert_eq!(receipt.message.as_str(), "org_1:trn_1:1");
    assert_eq!(*kept.0.lock().unwrap(), [("web:1".to_owned(), "org_1:trn_1:1".to_owned(), "oi".to_owned())]);
    assert!(chat.capabilities().idempotent);
}

#[tokio::test]
async fn a_file_of_ours_is_put_there_by_its_id_and_no_other_is() {
    let kept = Arc::new(Kept::default());
    let chat = WebChat::new(AccountId::new("web"), Arc::<Kept>::clone(&kept));
    let visitor = Recipient::User(UserId::new("web:1"));
    let file = |source| {
        let (caption, filename) = (Some("aqui".to_owned()), Some("tabela.pdf".to_owned()));
        let content = OutboundContent::Media { media: MediaKind::Document, source, caption, filename, voice: false };
        Outbound::new(content).unwrap().tracked(CorrelationId::new("org_1:msg_1:1").unwrap())
    };
    let own = file(MediaSource::Kept(AttachmentId::try_from(9).unwrap()));
    chat.send(&own, &visitor).await.unwrap();
    assert_eq!(kept.0.lock().unwrap().remove(0).2, "aqui + att_9");
    let elsewhere = file(MediaSource::Link("https://shop.example/a.pdf".to_owned()));
    let rejected = SendClass::give_up(GiveUpReason::Rejected);
    assert_eq!(chat.send(&elsewhere, &visitor).await.unwrap_err().class, rejected);
}

#[tokio::test]
async fn what_cannot_be_put_there_is_tried_again_or_given_up() {
    let chat = WebChat::new(AccountId::new("web"), Arc::new(Kept::default()));
    let visitor = Recipient::User(UserId::new("web:1"));
    assert_eq!(chat.send(&named("full"), &visitor).await.unwrap_err().class, SendClass::retry());
    let nameless = Outbound::text("oi").unwrap();
    let rejected = SendClass::give_up(GiveUpReason::Rejected);
    assert_eq!(chat.send(&nameless, &visitor).await.unwrap_err().class, rejected);
    let elsewhere = Recipient::Number(crate::Number::new("5531988880001"));
    let unreachable = SendClass::give_up(GiveUpReason::Unreachable);
    assert_eq!(chat.send(&named("oi"), &elsewhere).await.unwrap_err().class, unreachable);
}
