//! Hearing other programs' hints: a connection of its own that waits for notifications.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;

use crate::database::driver_error::PostgresCause;
use crate::database::job;
use crate::database::session::{Address, CHANNEL};
use crate::database::wakeup::Wakeup;

/// The pause before the next try after a lost connection. Workers that wait for hints poll the database during the pause.
const PAUSE: Duration = Duration::from_secs(1);

/// Hears hints until it is dropped.
#[derive(Debug)]
pub struct Listener {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        job::join(self.thread.take().into_iter());
    }
}

/// Calls `on_hint` with each hint of another process. A hint with the mark `own` is skipped, because this process sent it.
pub(super) fn listen(address: Arc<Address>, own: String, on_hint: impl Fn(Wakeup) + Send + 'static) -> Listener {
    let (stop, mut stopped) = watch::channel(false);
    let thread = job::spawn("store-listen", move || {
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            loop {
                let heard = tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => return,
                    heard = hear(&address, &own, &on_hint) => heard,
                };
                if let Err(error) = heard {
                    tracing::warn!(error = %PostgresCause::from_error(&error), "hints are not heard for a while");
                }
                tokio::select! {
                    _ = stopped.wait_for(|stop| *stop) => return,
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
        });
    });
    Listener { stop, thread }
}

/// Hears until the connection ends. What came before it was made is found by looking.
async fn hear(address: &Address, own: &str, on_hint: &impl Fn(Wakeup)) -> Result<(), tokio_postgres::Error> {
    let (client, mut heard) = address.connect_listening().await?;
    client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
    on_hint(Wakeup::Turn);
    on_hint(Wakeup::Outbox);
    while let Some(message) = heard.recv().await {
        if let AsyncMessage::Notification(notification) = message
            && let Some((word, of)) = notification.payload().split_once(' ')
            && of != own
            && let Some(hint) = Wakeup::from_word(word)
        {
            on_hint(hint);
        }
    }
    Ok(())
}
