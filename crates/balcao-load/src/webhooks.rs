//! Webhooks by HTTP: signed, verified, stored and durable before they are answered.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use balcao_channel::channels::whatsapp::signature::AppSecrets;
use balcao_web::{Limits, Web, WhatsAppWebhook, router};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::SecretString;
use sha2::Sha256;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    database::{DatabaseKind, ScratchDatabase},
    options::Size,
    report::{Report, Target},
    served_business::{ServedBusiness, message, number},
    turns::per_second,
};

const SECRET: &str = "an app secret";

const BROKEN: &str = "a connection broke";

/// Measures webhooks, by one connection and by 32, each with one message of a customer.
pub(crate) async fn measure(kind: &DatabaseKind, size: Size, report: &mut Report) -> Result<()> {
    for connections in [1_u32, 32] {
        let database = ScratchDatabase::create(kind).await?;
        let business = ServedBusiness::new(&database, Duration::ZERO, 1, None).await?;
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let secrets = AppSecrets::new(SecretString::from(SECRET)).map_err(|error| anyhow!(error.to_string()))?;
        let hook = WhatsAppWebhook { secrets, verify_token: SecretString::from("a verify token") };
        let web = Web::new(business.context.clone(), business.inbox.clone(), Some(hook), stop.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.context(BROKEN)?;
        let address = listener.local_addr().context(BROKEN)?;
        let limits = Limits::default();
        tasks.spawn(balcao_web::serve(listener, router(web, &limits), limits, stop.clone()));
        let next = Arc::new(AtomicU32::new(0));
        let started = Instant::now();
        let mut clients = JoinSet::new();
        for _ in 0..connections {
            let next = Arc::clone(&next);
            clients.spawn(async move {
                let mut stream = TcpStream::connect(address).await.context(BROKEN)?;
                stream.set_nodelay(true).context(BROKEN)?;
                let mut times = Vec::new();
                loop {
                    let request = request(next.fetch_add(1, Ordering::Relaxed));
                    let sent = Instant::now();
                    post(&mut stream, &request).await?;
                    times.push(sent.elapsed());
                    if started.elapsed() >= size.time {
                        return Ok::<_, anyhow::Error>(times);
                    }
                }
            });
        }
        let mut times = Vec::new();
        while let Some(client) = clients.join_next().await {
            times.extend(client??);
        }
        let rate = per_second(times.len(), started.elapsed());
        let by = if connections == 1 { "1 connection".to_owned() } else { format!("{connections} connections") };
        // What a campaign that is answered within a minute needs.
        let target = (connections > 1).then_some(Target::AtLeast(300.0));
        report.add(kind.name(), format!("webhooks accepted and durable, {by}"), rate, "/s", target);
        report.add_times(kind.name(), &format!("webhook, {by}"), times);
        stop.cancel();
        tasks.close();
        tasks.wait().await;
        business.stop().await;
        database.end().await?;
    }
    Ok(())
}

/// A signed request with one message.
fn request(count: u32) -> Vec<u8> {
    let body = message(&number(count % 5_000), &format!("wamid.{count}"), "oi, tudo bem?").to_string();
    let signature: String = match Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()) {
        Ok(mut mac) => {
            mac.update(body.as_bytes());
            mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
        }
        // HMAC takes keys of any length.
        Err(_length) => String::new(),
    };
    format!(
        "POST /webhooks/whatsapp HTTP/1.1\r\nhost: bench\r\ncontent-length: {}\r\nx-hub-signature-256: sha256={signature}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Sends a request and reads its answer, whose body is empty.
async fn post(stream: &mut TcpStream, request: &[u8]) -> Result<()> {
    stream.write_all(request).await.context(BROKEN)?;
    let mut answer = Vec::with_capacity(512);
    while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut answer).await.context(BROKEN)? == 0 {
            return Err(anyhow!("the server closed the connection"));
        }
    }
    if answer.starts_with(b"HTTP/1.1 200 ") {
        return Ok(());
    }
    Err(anyhow!("a webhook was refused: {}", String::from_utf8_lossy(&answer)))
}
