//! The prompt of each shipped profile names its tools and says when to use them.
//!
//! Commands of packs outside of the program come with the request: it names each of them, and their descriptions say what they are for
//! (`tool_selection.rs` of `balcao-app`). The prompt of such a profile says that the descriptions decide.

use std::path::Path;
use std::sync::Arc;

use balcao_agent::prompt::{self, AgentFacts, PromptData};
use balcao_agent::{Profile, ProfileFile};
use balcao_app::turns::Agent;
use balcao_builtin_tools::{Settings, pack_ids, registry};
use balcao_llm::providers::scripted::Scripted;
use balcao_tool::Locale;
use balcao_yaml::Document;

use crate::world::figueira;

fn shipped() -> Vec<Profile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agents");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        Document::read("agent.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile
    };
    files.iter().map(read).collect()
}

/// The words of the sentence that names a tool, names of tools left out.
fn words_beside<'a>(prompt: &'a str, tool: &str) -> Vec<&'a str> {
    let name = format!("`{tool}`");
    let sentences = prompt.lines().flat_map(|line| line.split(". "));
    let naming = sentences.filter(|sentence| sentence.contains(&name));
    let words = |sentence: &'a str| {
        sentence.split_whitespace().filter(|word| word.contains(char::is_alphabetic) && !word.contains('`'))
    };
    naming.map(|sentence| words(sentence).collect::<Vec<_>>()).max_by_key(Vec::len).unwrap_or_default()
}

#[tokio::test]
async fn prompt_of_each_shipped_profile_names_its_tools_with_when_to_use_them() {
    let world = figueira().await;
    let mut checked = 0;
    for profile in shipped() {
        let own_packs = profile.packs.iter().all(|pack| pack_ids().contains(&pack.as_str()));
        let settings = Settings {
            professional: None,
            allow_new_tags: profile.allow_new_tags,
            reminder_minutes: profile.reminder_minutes,
            followup_delays: profile.followup_delays.clone(),
        };
        let registry = registry(&world.app, &settings).unwrap();
        let known: Vec<String> = registry.iter().map(|tool| tool.spec.name.clone()).collect();
        let (id, modules) = (profile.id.clone(), profile.prompt.clone());
        let agent = AgentFacts { instructions: profile.instructions.clone(), ..AgentFacts::default() };
        let bound = Agent::new(profile, &registry, Arc::new(Scripted::new([])));
        let offered: Vec<String> =
            bound.toolbox.iter().filter(|tool| !tool.spec.internal).map(|tool| tool.spec.name.clone()).collect();
        for locale in [Locale::PtBr, Locale::En] {
            let tools = offered.iter().map(|name| (name.clone(), name.clone())).collect();
            let data = PromptData { agent: agent.clone(), tools, ..PromptData::default() };
            let prompt = prompt::system(&modules, &data, locale).unwrap();
            for tool in &offered {
                let words = words_beside(&prompt, tool);
                assert!(words.len() >= 3, "{id} in {locale:?}: `{tool}` is named without when to use it: {words:?}");
                checked += 1;
            }
            for tool in known.iter().filter(|tool| !offered.contains(tool)) {
                assert!(!prompt.contains(&format!("`{tool}`")), "{id} in {locale:?} names `{tool}`, which it has not");
            }
            if !own_packs {
                let told = ["pela descrição", "by its description"];
                assert!(told.iter().any(|words| prompt.contains(words)), "{id} in {locale:?}");
            }
        }
    }
    assert!(checked > 80, "only {checked} tools were looked at");
}
