//! Commands that deliveries of packs start: once, with the effect rules of every call, and over crashes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use balcao_app::admin::delivery_commands::PackCommands;
use balcao_app::admin::pack_deliveries::{Arrived, CommandCall, PackDeliveries, Prepared, Reader, Started};
use balcao_domain::burst::BurstRules;
use balcao_store::ops::pack_delivery_command;
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, Found, Localised, Preview, Tool, ToolContext,
    ToolError, ToolHandler, ToolOutput, ToolResult,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::world::{World, figueira};

/// What the service does with the next calls; then it takes each.
#[derive(Clone, Copy)]
enum Next {
    /// It cannot be reached, so nothing was done.
    Unreachable,
    /// It took the call and never answered.
    Lost,
    /// It says no.
    Refuses,
    /// The program ends while the call runs.
    Crash,
}

/// A service that notes the key and the arguments of each call.
#[derive(Default)]
struct Service {
    next: Mutex<Vec<Next>>,
    calls: Mutex<Vec<(String, Value)>>,
    crashing: Notify,
}

struct Noting(Arc<Service>);

#[async_trait]
impl ToolHandler for Noting {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let unavailable = || ToolError::new(ErrorCode::Unavailable, "the service does not answer");
        let next = self.0.next.lock().unwrap().pop();
        if !matches!(next, Some(Next::Unreachable)) {
            self.0.calls.lock().unwrap().push((cx.key.as_str().to_owned(), args));
        }
        match next {
            None => Ok(ToolOutput::success(json!({}))),
            Some(Next::Unreachable) => Err(unavailable().into()),
            Some(Next::Lost) => Err(unavailable().uncertain().into()),
            Some(Next::Refuses) => Ok(ToolOutput::refusal(json!({ "success": false }))),
            Some(Next::Crash) => {
                self.0.crashing.notify_one();
                std::future::pending().await
            }
        }
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Ok(Preview::Ask("Shall it be done?".to_owned()))
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        Ok(Found::Absent)
    }

    fn confirmable(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        json!({})
    }

    fn repeats(&self) -> bool {
        true
    }
}

fn spec(class: EffectClass) -> CommandSpec {
    let text = |text: &str| Localised { pt_br: text.to_owned(), en: text.to_owned() };
    CommandSpec {
        name: "note".to_owned(),
        pack: "orders".to_owned(),
        description: text("Notes."),
        input_schema: json!({ "type": "object", "additionalProperties": false, "properties": { "id": { "type": "string" } } }),
        output_schema: json!({ "type": "object" }),
        behaviour: Behaviour { effect: Effect::Write, class, ..Behaviour::default() },
        confirm: Confirm::None,
        timeout: Duration::from_secs(3_600),
        settle: Duration::ZERO,
        on_error: BTreeMap::new(),
        internal: false,
        said: BTreeMap::new(),
        with: None,
        act: None,
    }
}

/// The pack, as long as its contract is accepted.
struct Pack {
    tool: Arc<Tool>,
    is_accepted: bool,
}

impl PackCommands for Pack {
    fn find(&self, pack: &str, command: &str) -> Result<Arc<Tool>, String> {
        assert_eq!((pack, command), ("orders", "note"));
        if self.is_accepted { Ok(Arc::clone(&self.tool)) } else { Err("not accepted".to_owned()) }
    }
}

/// Has each delivery start the command.
struct Reads;

#[async_trait]
impl Reader for Reads {
    async fn read(&self, _pack: &str, body: Value, _now: Timestamp) -> Result<Prepared, String> {
        let command = CommandCall { command: "note".to_owned(), arguments: json!({ "id": body["id"] }) };
        Ok(Prepared { said: body, starts: Some(Started::Command(command)) })
    }
}

struct Shop {
    world: World,
    service: Arc<Service>,
    pack: Pack,
}

impl Shop {
    async fn new(class: EffectClass, next: &[Next]) -> Self {
        let service = Arc::new(Service::default());
        service.next.lock().unwrap().extend(next.iter().rev());
        let tool = Arc::new(Tool::new(spec(class), Arc::new(Noting(Arc::clone(&service)))).unwrap());
        let shop = Self { world: figueira().await, service, pack: Pack { tool, is_accepted: true } };
        shop.deliver("o-1").await;
        shop
    }

    async fn deliver(&self, id: &str) {
        let deliveries = self.deliveries();
        let arrived = Arrived { once: id.to_owned(), named: true, change: None, body: json!({ "id": id }) };
        deliveries.accept("orders", arrived).await.unwrap();
        deliveries.work_off(&Reads).await.unwrap();
    }

    fn deliveries(&self) -> PackDeliveries {
        PackDeliveries::new(self.world.app.clone(), self.world.organization, BurstRules::default())
    }

    /// Runs what is due after so many seconds; gives how many commands took effect.
    async fn done_after(&self, seconds: i64) -> usize {
        self.world.clock.advance(SignedDuration::from_secs(seconds));
        self.deliveries().commands().work_off(&self.pack).await.unwrap()
    }

    /// The program ends while a command runs; gives when another program may claim it.
    async fn crash(&self) {
        let commands = self.deliveries().commands();
        tokio::select! {
            done = commands.work_off(&self.pack) => panic!("{done:?}"),
            () = self.service.crashing.notified() => {}
        }
        assert_eq!(self.done_after(599).await, 0, "somebody has it in hand");
    }

    fn calls(&self) -> Vec<(String, Value)> {
        self.service.calls.lock().unwrap().clone()
    }

    async fn set_aside(&self) -> i64 {
        let organization = self.world.organization;
        let count = self.world.app.store.read(move |tx| pack_delivery_command::failed(tx, organization)).await;
        count.map_err(|error: balcao_store::StoreError| error).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_delivery_runs_its_command_once_however_often_it_comes() {
    let shop = Shop::new(EffectClass::Blind, &[]).await;
    assert_eq!(shop.done_after(0).await, 1);
    shop.deliver("o-1").await;
    assert_eq!(shop.done_after(9_000).await, 0);
    shop.deliver("o-2").await;
    assert_eq!(shop.done_after(0).await, 1);
    let (keys, arguments): (Vec<String>, Vec<Value>) = shop.calls().into_iter().unzip();
    assert_eq!(arguments, [json!({ "id": "o-1" }), json!({ "id": "o-2" })]);
    assert_ne!(keys[0], keys[1]);
    assert_eq!(shop.set_aside().await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_certainly_was_not_done_is_tried_five_times_with_pauses() {
    let shop = Shop::new(EffectClass::Blind, &[Next::Unreachable; 2]).await;
    let mut done = Vec::new();
    for seconds in [0, 4, 1, 59, 1] {
        done.push(shop.done_after(seconds).await);
    }
    assert_eq!((done, shop.calls().len()), (vec![0, 0, 0, 0, 1], 1));
    let down = Shop::new(EffectClass::Blind, &[Next::Unreachable; 9]).await;
    for _ in 0..9 {
        assert_eq!(down.done_after(3_600).await, 0);
    }
    assert_eq!((down.set_aside().await, down.service.next.lock().unwrap().len()), (1, 4), "five attempts");
}

#[tokio::test(start_paused = true)]
async fn a_blind_command_with_an_unknown_end_is_never_repeated() {
    let lost = Shop::new(EffectClass::Blind, &[Next::Lost]).await;
    let crashed = Shop::new(EffectClass::Blind, &[Next::Crash]).await;
    let mut withheld = Shop::new(EffectClass::Blind, &[Next::Crash]).await;
    crashed.crash().await;
    withheld.crash().await;
    // Whether it ran is not forgotten while its contract waits for acceptance.
    withheld.pack.is_accepted = false;
    assert_eq!(withheld.done_after(1).await, 0);
    withheld.pack.is_accepted = true;
    for shop in [lost, crashed, withheld] {
        for _ in 0..6 {
            assert_eq!(shop.done_after(3_600).await, 0);
        }
        assert_eq!((shop.calls().len(), shop.set_aside().await), (1, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyed_command_with_an_unknown_end_is_sent_again_under_its_key() {
    for cut in [Next::Lost, Next::Crash] {
        let shop = Shop::new(EffectClass::Keyed, &[cut]).await;
        match cut {
            Next::Crash => shop.crash().await,
            Next::Unreachable | Next::Lost | Next::Refuses => assert_eq!(shop.done_after(0).await, 0),
        }
        assert_eq!(shop.done_after(5).await, 1);
        let calls = shop.calls();
        assert_eq!((calls.len(), &calls[0]), (2, &calls[1]));
        assert_eq!(shop.set_aside().await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_command_and_one_that_ended_three_programs_are_set_aside() {
    let refused = Shop::new(EffectClass::Keyed, &[Next::Refuses]).await;
    assert_eq!((refused.done_after(0).await, refused.set_aside().await), (0, 1));
    let deadly = Shop::new(EffectClass::Keyed, &[Next::Crash; 3]).await;
    for _ in 0..3 {
        deadly.crash().await;
        deadly.world.clock.advance(SignedDuration::from_secs(1));
    }
    assert_eq!((deadly.done_after(0).await, deadly.set_aside().await), (0, 1));
    assert_eq!(deadly.calls().len(), 3);
}
