//! Formats of leaks times the ways in which they arrive damaged.

use super::{mark_in, sanitiser, sent};

/// Calls as the model families write them; `T` is the tool's name.
const FORMATS: &[&str] = &[
    r#"<tool_call>{"name":"T","arguments":{"dia":"2026-11-27"}}</tool_call>"#,
    r#"<tool_call><function=T><parameter=dia>27/11</parameter></function></tool_call>"#,
    r#"<tool_call>T<arg_key>dia</arg_key><arg_value>27/11</arg_value></tool_call>"#,
    r#"<|python_tag|>{"name":"T","parameters":{"dia":"27/11"}}"#,
    r#"[T(dia="27/11"), T()]"#,
    r#"<|python_start|>[T(dia="27/11")]<|python_end|>"#,
    r#"[TOOL_CALLS] [{"name":"T","arguments":{"dia":"27/11"}}]"#,
    r#"[TOOL_CALLS]T[ARGS]{"dia":"27/11"}"#,
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>T\n```json\n{\"dia\":\"27/11\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    r#"<｜tool▁call▁begin｜>T<｜tool▁sep｜>{"dia":"27/11"}<｜tool▁call▁end｜>"#,
    r#"<｜DSML｜function_calls><｜DSML｜invoke name="T"><｜DSML｜parameter name="dia" string="true">27/11</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>"#,
    r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.T:0<|tool_call_argument_begin|>{"dia":"27/11"}<|tool_call_end|><|tool_calls_section_end|>"#,
    r#"<|open|>tools<|sep|><|open|>call tool="T" index="0"<|sep|><|open|>argument key="dia" type="string"<|sep|>27/11<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"#,
    r#"<tool_calls>[{"name":"T","arguments":{"dia":"27/11"}}]</tool_calls>"#,
    r#"<minimax:tool_call><invoke name="T"><parameter name="dia">27/11</parameter></invoke></minimax:tool_call>"#,
    r#"]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="T">]<]minimax[>[<dia>27/11]<]minimax[>[</dia>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>"#,
    r#"<function_calls><invoke name="T"><parameter name="dia">27/11</parameter></invoke></function_calls>"#,
    r#"<atem:function_calls><atem:invoke name="T"><atem:parameter name="dia">27/11</atem:parameter></atem:invoke></atem:function_calls>"#,
    r#"<|start|>assistant<|channel|>commentary to=functions.T <|constrain|>json<|message|>{"dia":"27/11"}<|call|>"#,
    r#"assistantcommentary to=functions.T json {"dia":"27/11"}"#,
    r#"functions.T({dia: "27/11"})"#,
    r#"multi_tool_use.parallel({"tool_uses":[{"recipient_name":"functions.T","parameters":{"dia":"27/11"}}]})"#,
    "```tool_code\nprint(default_api.T(dia=\"27/11\"))\n```",
    r#"call:default_api:T{dia:27/11}"#,
    r#"<|tool_call>call:T{dia:<|"|>27/11<|"|>}<tool_call|>"#,
    r#"<start_function_call>call:T{dia:<escape>27/11<escape>}<end_function_call>"#,
    r#"<|START_ACTION|>[{"tool_call_id":"0","tool_name":"T","parameters":{"dia":"27/11"}}]<|END_ACTION|>"#,
    r#"<xai:function_call name="T"><parameter name="dia">27/11</xai:function_call>"#,
    r#"<|tool_call|>[{"name":"T","arguments":{"dia":"27/11"}}]"#,
    r#"functools[{"name":"T","arguments":{"dia":"27/11"}}]"#,
    r#"<TOOLCALL>[{"name":"T","arguments":{"dia":"27/11"}}]</TOOLCALL>"#,
    r#"<|action_start|><|plugin|>{"name":"T","parameters":{"dia":"27/11"}}<|action_end|>"#,
    r#"<|tools_prefix|>[{"T":{"dia":"27/11"}}]<|tools_suffix|>"#,
    "function call<|role_sep|>\n{\"name\":\"T\",\"arguments\":{\"dia\":\"27/11\"}}",
    r#"<|tool_call_start|>[T(dia="27/11")]<|tool_call_end|>"#,
    r#"<seed:tool_call><function=T><parameter=dia>27/11</parameter></function></seed:tool_call>"#,
    r#"<longcat_tool_call>{"name":"T","arguments":{"dia":"27/11"}}</longcat_tool_call>"#,
    r#"<steptml:invoke name="T"><steptml:parameter name="dia">27/11</steptml:parameter></steptml:invoke>"#,
    r#"<|message_model|>T<|content_invoke_tool_json|>{"name":"T","args":{"dia":"27/11"}}<|end_message|>"#,
    r#"<function=T>{"dia":"27/11"}</function>"#,
    ">>>T\n{\"dia\":\"27/11\"}",
    r#"[{"name":"T","arguments":{"dia":"27/11"}}]"#,
    "✿FUNCTION✿: T\n✿ARGS✿: {\"dia\":\"27/11\"}",
    "T\n{\"dia\":\"27/11\"}",
    "Thought: preciso ver\nAction: T\nAction Input: {\"dia\":\"27/11\"}",
    r#"{"tool_calls":[{"id":"call_a1b2c3d4","type":"function","function":{"name":"T","arguments":"{\"dia\":\"27/11\"}"}}]}"#,
    r#"{"type":"tool_use","id":"toolu_01AbCd","name":"T","input":{"dia":"27/11"}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"T","arguments":{"dia":"27/11"}}}"#,
    r#"[Tool Call: T (ID: 7)]"#,
    r#"<T><dia>27/11</dia></T>"#,
    "```json\n{\"tool\":\"T\",\"args\":{\"dia\":\"27/11\"}}\n```",
    r#"await tools.T({dia:"27/11"})"#,
    r#"T(dia="27/11")"#,
    r#"/T dia=27/11"#,
    r#"*chama T*"#,
    "tool: T\nargs:\n  dia: 27/11",
];
const TOOLS: &[&str] = &["agendar_horario", "check_availability", "findSlots", "remarcar-horario-cliente"];

/// A small generator, so that a seed gives the same cases everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// The text, damaged in one way.
fn damaged(text: &str, way: usize, dice: &mut Dice) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let any = |dice: &mut Dice| places[dice.below(places.len())];
    match way {
        0 => text.to_owned(),
        1 => text[..any(dice)].to_owned(),
        2 => text.find('>').map_or(text, |at| &text[at + 1..]).to_owned(),
        3 => text.rfind("</").or_else(|| text.rfind("<|")).map_or(text, |at| &text[..at]).to_owned(),
        4 => {
            let at = any(dice);
            let width = text[at..].chars().next().unwrap().len_utf8();
            format!("{}{}", &text[..at], &text[at + width..])
        }
        5 => text.replacen("tool_call", "x:tool_call", 1),
        6 => text.replacen("<|", "< |", 1),
        7 => text.replace('|', "｜").replace('_', "▁"),
        8 => text.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"),
        9 => text.replace('<', "&amp;lt;").replace('>', "&amp;gt;"),
        10 => text.replace('"', "\\\""),
        11 => text.replace("tool_call", "TOOL_CALL").replace("function", "Function"),
        12 => text.replacen("{\"", " 付款 {\"", 1),
        13 => text.replace("tool", "to\u{200B}ol").replace("func", "fu\u{200C}nc"),
        14 => text.replace("tool", "tооl").replace("name", "nаme"),
        15 => text.replace("tool_call", "chamada_ferramenta"),
        16 => text.replace('"', "'"),
        _ => format!("<think>deixa ver</think>{text}"),
    }
}

#[test]
fn no_damaged_leak_shows_a_mark_or_a_tool() {
    let sanitiser = sanitiser();
    let mut dice = Dice(20_261_121);
    let (mut bad, mut all) = (Vec::new(), 0);
    for format in FORMATS {
        for tool in TOOLS {
            for way in 0..18 {
                let leak = damaged(
                    &format
                        .replace('T', tool)
                        .replace(&format!("{tool}OOL"), "TOOL")
                        .replace(&format!("{tool}hought"), "Thought")
                        .replace(&format!("{tool}ool "), "Tool "),
                    way,
                    &mut dice,
                );
                let carried = match dice.below(5) {
                    0 => leak.clone(),
                    1 => format!("{leak}\n\nTemos às 15h, pode ser?"),
                    2 => format!("Temos às 15h com o João.\n{leak}"),
                    3 => format!("Temos às 15h. {leak}\nPosso marcar? 😊"),
                    _ => format!("Temos às 15h:\n- {leak}\n\nE também:\n{leak}\nQual prefere?"),
                };
                all += 1;
                let verdict = sanitiser.clean(&carried).verdict;
                let Some(clean) = sent(&verdict) else { continue };
                let shown = mark_in(clean).or_else(|| clean.contains(tool).then(|| (*tool).to_owned()));
                if let Some(mark) = shown {
                    bad.push(format!("{way} {mark}: {carried:?} -> {clean:?}"));
                }
            }
        }
    }
    assert!(all > 3000, "{all}");
    for line in bad.iter().take(40) {
        eprintln!("{line}");
    }
    assert!(bad.is_empty(), "{} of {all}", bad.len());
}
