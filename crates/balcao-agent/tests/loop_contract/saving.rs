//! Saving after every step, and going on from any save.

use std::{sync::Mutex, time::Duration};

use balcao_agent::{Ending, NextStep, Turn, TurnState, driver};
use balcao_llm::{
    FinishReason,
    providers::scripted::{Line, Scripted, never_answers, says},
};
use balcao_tool::ErrorCode;
use serde_json::{Value, json};

use crate::{
    row::rows,
    tools::{Act, QUESTION},
    world::{Saves, World, in_virtual_time, interrupted},
};

type Script = fn(&World) -> Vec<Line>;

/// However often a turn dies after a save, it goes on to the same end by the same calls with the same keys.
fn same_wherever_it_dies(world: &dyn Fn() -> World, inbound: &str, script: Script) {
    let w = world();
    let whole = w.run(inbound, script(&w));
    assert!(!whole.saves.is_empty(), "the scenario has no save to die after");
    for cut in 0..whole.saves.len() {
        let w = world();
        let ran = interrupted(&w, inbound, script(&w), cut);
        ran.holds();
        assert_eq!(ran.ending, whole.ending, "after save {cut}");
        assert_eq!(ran.executions, whole.executions, "after save {cut}");
        assert_eq!(ran.requests, whole.requests, "after save {cut}");
        assert_eq!(ran.state, whole.state, "after save {cut}");
    }
}

/// The world after `cancel` was asked about.
fn asked(w: World) -> World {
    let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says(QUESTION)]);
    w.after(&ran)
}

rows! {
    lc_310 both "The program dies after any step of a plain booking" => "The turn goes on from its save to the same end, with the same calls", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "quero marcar", |w| vec![
            w.calls("find_slots", json!({"date": "2026-11-26"})),
            w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"})),
            w.says("Tudo certo por aqui."),
        ]);
    };
    lc_311 both "… of a turn with failures, a withdrawn tool and a handoff" => "The same", |w| {
        let protocol = w.protocol;
        let world = move || World::new(protocol).tool("look", [Act::Fails(ErrorCode::Internal)]);
        same_wherever_it_dies(&world, "quero marcar", |w| vec![
            w.calls("broken", json!({})), w.calls("broken", json!({"period": "morning"})),
            w.calls("broken", json!({"period": "afternoon"})), w.calls("look", json!({})),
        ]);
    };
    lc_312 both "… of a turn that asks the customer" => "The same; the call is held once", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "cancela", |w| vec![
            w.calls("look", json!({})), w.calls("cancel", json!({"appointment_id": 7})), w.says(QUESTION),
        ]);
    };
    lc_313 both "… of a turn that runs a held call on a plain yes" => "The same; the held call runs once", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| asked(World::new(protocol)), "sim", |w| vec![
            w.calls("look", json!({})), w.says("Tudo certo por aqui."),
        ]);
    };
    lc_314 both "… of a turn whose message answers a question unclearly" => "The same; the question is put again once", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| asked(World::new(protocol)), "deve ser o de quinta mesmo", |w| vec![w.calls("look", json!({})), w.says("Entendi, Ana.")]);
    };
    lc_315 both "… of a turn with a cut result that is read on" => "The same; the handle is still good", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "quem?", |w| vec![
            w.calls("big", json!({})), w.calls("read_result", json!({"handle": "r1", "offset": 490})), w.says("Achei na lista."),
        ]);
    };
    lc_316 both "… of a turn with corrections, repeated calls and a refusal" => "The same; no count is lost", |w| {
        let protocol = w.protocol;
        let world = move || World::new(protocol).tool("glance", [Act::Refuses(json!({"available": false}))]);
        same_wherever_it_dies(&world, "oi", |w| vec![
            w.calls("look", json!({"appointment_id": 0})), w.calls("nope", json!({})), w.calls("glance", json!({})),
            w.calls("glance", json!({})), w.calls("look", json!({"appointment_id": 0})), w.says("Qual é o número?"),
        ]);
    };
    lc_317 both "… of a turn with an empty answer, a cut one and a leak" => "The same; no second chance is given twice", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "oi", |w| vec![
            w.nothing(), w.says("Temos corte e").finishing(FinishReason::Length),
            w.says("<tool_call>{\"name\": \"look\", \"arguments\": {}}</tool_call>"), w.says("Olá, em que posso ajudar?"),
        ]);
    };
    lc_318 native "… of a turn with reads and writes in one step" => "The same; what ran before the save does not run again", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "oi", |w| vec![
            balcao_llm::providers::scripted::calls_all(&[
                ("look", json!({})), ("glance", json!({})), ("note_it", json!({})), ("suggest", json!({})), ("find_slots", json!({})),
            ]),
            w.says("Tudo certo por aqui."),
        ]);
    };
    lc_319 structured "… of a turn with an answer that is no object" => "The same", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "oi", |w| vec![says("não é objeto"), w.calls("look", json!({})), w.says("Achei!")]);
    };
    lc_320 both "… of a turn that uses its five rounds up" => "The same", |w| {
        let protocol = w.protocol;
        same_wherever_it_dies(&|| World::new(protocol), "oi", |w| {
            (1..=5).map(|n| w.calls("look", json!({"appointment_id": n}))).chain([w.says("É isso que achei.")]).collect()
        });
    };
    lc_321 both "The program dies between a tool's effect and the save" => "The call runs again under the same key, which its ledger knows", |w| {
        let script = || vec![w.calls("note_it", json!({})), w.says("Entendi, obrigada.")];
        let model = Scripted::new(script());
        let mut turn = w.begin("oi");
        let journal = Saves::failing_after(0);
        assert!(in_virtual_time(driver::drive(&mut turn, &model, &journal, None)).is_err());
        let saved: TurnState = serde_json::from_str(&journal.taken()[0]).unwrap();
        for _ in 0..2 {
            let mut again = Turn::resume(w.setup(), saved.clone()).unwrap();
            let NextStep::CallTools(batch) = again.next_step() else { panic!("no tools to call") };
            let tool = w.setup().toolbox.get("note_it").cloned().unwrap();
            let call = batch[0].clone();
            let cx = balcao_tool::ToolContext {
                principal: saved.principal, key: call.key, args_hash: call.planned.args_hash, now: saved.now.clone(),
                agreed: None, told_prices: Vec::new() };
            let result = in_virtual_time(tool.execute(&cx, call.planned.args, call.mode));
            again.on_tools(vec![result]);
        }
        let keys: Vec<String> = w.stage.lock().unwrap().executions.iter().map(|one| one.key.clone()).collect();
        assert!(keys.len() == 2 && keys[0] == keys[1]);
        let rest = Scripted::new(script().into_iter().skip(1));
        let mut turn = Turn::resume(w.setup(), saved).unwrap();
        let ending = in_virtual_time(driver::drive(&mut turn, &rest, &Saves::default(), None)).unwrap();
        assert_eq!(ending.outcome(), "reply");
        drop(model.finish());
    };
    lc_322 both "Two calls that differ in step, place, tool, arguments or turn" => "Their keys differ", |w| {
        let first = w.run("oi", [w.calls("look", json!({})), w.calls("look", json!({"appointment_id": 1})), w.calls("note_it", json!({})), w.says("Achei!")]);
        let mut w = w.after(&first);
        w.turn = 42;
        let second = w.run("oi", [w.calls("look", json!({})), w.says("Achei!")]);
        let mut keys: Vec<&str> = first.executions.iter().chain(&second.executions).map(|one| one.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4);
    };
    lc_323 both "A state that a newer program saved" => "It is refused, with both versions", |w| {
        let mut state = serde_json::to_value(w.begin("oi").state()).unwrap();
        state["version"] = json!(999);
        let refused = Turn::resume(w.setup(), serde_json::from_value(state).unwrap()).unwrap_err();
        assert!(refused.contains("999") && refused.contains('1'));
    };
    lc_324 both "The journal cannot be written" => "The turn stops: nothing may happen that is not on record", |w| {
        let model = Scripted::new([w.calls("note_it", json!({}))]);
        let journal = Saves::failing_after(0);
        let mut turn = w.begin("oi");
        let stopped = in_virtual_time(driver::drive(&mut turn, &model, &journal, None)).unwrap_err();
        assert!(stopped.to_string().contains("the disk is full"));
        assert!(w.stage.lock().unwrap().executions.is_empty(), "a tool ran that no save knows of");
    };
    lc_325 both "A turn with a model call, a tool that can run again and a text" => "The answer is saved before it is acted on; the last step closes with the reply", |w| {
        let ran = w.run("oi", [w.calls("look", json!({})), w.says("Achei!")]);
        assert_eq!(ran.saves.len(), 1);
        assert!(ran.saves[0].contains("acting"));
    };
    lc_331 both "A tool whose effect must not run again" => "Its result is saved before anything else happens", |w| {
        let ran = w.run("oi", [w.calls("blind", json!({})), w.says("Não consegui agora.")]);
        assert_eq!(ran.saves.len(), 2);
        assert!(ran.saves[1].contains("thinking") && ran.saves[1].contains("timeout"));
    };
    lc_326 both "The driver is dropped while the model is asked" => "The saved state goes on to the end; what has to run again runs under its key", |w| {
        let ending = dropped_then_resumed(&w, vec![w.calls("note_it", json!({})), never_answers()], vec![w.says("Entendi, obrigada.")]);
        let stage = w.stage.lock().unwrap();
        assert_eq!(ending.outcome(), "reply");
        assert!(stage.executions.iter().all(|one| one.key == stage.executions[0].key));
    };
    lc_327 both "The driver is dropped while a tool runs" => "Its work stops; the saved state runs it again under the same key", |w| {
        let w = w.tool("note_it", [Act::Never]);
        let ending = dropped_then_resumed(&w, vec![w.calls("note_it", json!({}))], vec![w.says("Entendi, obrigada.")]);
        let stage = w.stage.lock().unwrap();
        assert_eq!((ending.outcome(), stage.events.as_slice()), ("reply", ["note_it+", "note_it+", "note_it-"].map(str::to_owned).as_slice()));
        assert_eq!(stage.executions[0].key, stage.executions[1].key);
    };
    lc_354 both "A tool is about to run whose effect leaves our own tables" => "That it may have begun is saved before it runs", |w| {
        let ran = w.run("oi", [w.calls("blind", json!({})), w.says("Não consegui agora.")]);
        assert!(ran.saves[0].contains("\"intended\":true"));
        let ran = w.run("oi", [w.calls("note_it", json!({})), w.says("Entendi, obrigada.")]);
        assert!(!ran.saves[0].contains("intended"));
    };
    lc_355 both "The program dies while a blind tool runs" => "It is not entered again; a person is told that it may have happened", |w| {
        let w = w.tool("blind", [Act::Never]);
        let ending = dropped_then_resumed(&w, vec![w.calls("blind", json!({}))], Vec::new());
        let Ending::Handoff { reason, reply, note } = ending else { panic!("no handoff") };
        assert_eq!(w.stage.lock().unwrap().events, ["blind+"]);
        assert_eq!(reason.code(), "uncertain");
        assert!(note.contains("blind") && note.contains("it may have happened or not"), "{note}");
        assert!(reply.as_str().starts_with("Estou confirmando com a equipe"));
    };
    lc_356 both "A blind tool does not answer in its time" => "It is not tried again; a person is told that it may have happened", |w| {
        let w = w.tool("blind", [Act::Never]);
        let ran = w.run("oi", [w.calls("blind", json!({}))]);
        assert_eq!(ran.events, ["blind+"]);
        let Ending::Handoff { reason, .. } = ran.ending else { panic!("no handoff") };
        assert_eq!(reason.code(), "uncertain");
    };
    lc_357 both "A call that failed is made once more" => "It runs under the key that it had: what did happen is not done twice", |w| {
        let ran = w.run("oi", [w.calls("broken_too", json!({})), w.calls("broken_too", json!({})), w.says("Não consegui agora.")]);
        assert_eq!(ran.executions.len(), 2);
        assert_eq!(ran.executions[0].key, ran.executions[1].key);
    };
    lc_358 both "The program dies before a call that changes something, and the call fails when the turn goes on" => "Whether it had run before nobody knows: a person is told, under one key", |w| {
        let ran = interrupted(&w, "quero marcar", vec![w.calls("broken_too", json!({}))], 0);
        assert_eq!(ran.handed_off(), "uncertain");
        assert!(ran.executions.len() > 1 && ran.executions.iter().all(|one| one.key == ran.executions[0].key));
    };
    lc_328 both "A saved state is written and read" => "It is the same state", |w| {
        let w = w.tool("look", [Act::Fails(ErrorCode::NotFound)]);
        let ran = w.run("cancela", [w.calls("look", json!({})), w.calls("big", json!({})), w.calls("cancel", json!({})), w.says(QUESTION)]);
        for save in &ran.saves {
            let state: TurnState = serde_json::from_str(save).unwrap();
            assert_eq!(serde_json::from_str::<Value>(save).unwrap(), serde_json::to_value(&state).unwrap());
        }
        // A finished turn is a record: nothing goes on from it, and no reply can be made by reading one.
        assert!(serde_json::from_value::<TurnState>(serde_json::to_value(&ran.state).unwrap()).is_err());
    };
    lc_329 both "An answer comes when none was asked for" => "It changes nothing that happens", |w| {
        let mut turn = w.begin("PARAR");
        let before = turn.next_step();
        turn.on_tools(Vec::new());
        turn.on_deadline();
        assert!(turn.is_over() && turn.next_step() == before);
    };
    lc_330 both "A tool gives no result" => "A fault stands for it: every call has one", |w| {
        let model = Scripted::new([w.calls("look", json!({}))]);
        let mut turn = w.begin("oi");
        let NextStep::CallModel(request) = turn.next_step() else { panic!("the model was not asked") };
        let answer = in_virtual_time(balcao_llm::ChatProvider::complete(&model, &request, &mut |_| {}));
        turn.on_model(answer);
        turn.on_tools(Vec::new());
        let calls = &turn.state().calls;
        assert_eq!((calls.len(), calls[0].result.code), (1, Some(ErrorCode::Internal)));
    };
}

/// Drives until nothing moves any more, drops the driver, and goes on from the last save with another script.
fn dropped_then_resumed(w: &World, script: Vec<Line>, rest: Vec<Line>) -> Ending {
    let model = Scripted::new(script);
    let journal = Saves::default();
    let last = Mutex::new(None);
    in_virtual_time(async {
        let mut turn = w.begin("oi");
        let driving = driver::drive(&mut turn, &model, &journal, None);
        assert!(tokio::time::timeout(Duration::from_secs(3), driving).await.is_err(), "it ended by itself");
        *last.lock().unwrap() = journal.taken().pop();
    });
    model.finish().unwrap();
    let saved = last.into_inner().unwrap().unwrap();
    let model = Scripted::new(rest);
    let mut turn = Turn::resume(w.setup(), serde_json::from_str(&saved).unwrap()).unwrap();
    let ending = in_virtual_time(driver::drive(&mut turn, &model, &Saves::default(), None)).unwrap();
    model.finish().unwrap();
    ending
}
