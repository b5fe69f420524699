//! Sentences about the machinery: announcing a call, reporting its result, talking about the prompt or the model.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns;
use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, part, sentences},
    rules::Rules,
};

static MACHINERY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?i)\b(?:chamar|chamando|chamei|chamo|executar|executando|executei|acionar|acionando|acionei|invocar|invocando|rodar|rodando|rodei)\s+(?:agora\s+)?(?:(?:a|o|as|os|uma|um|essa|esta|minha|nossa)\s+)?(?:função|funcao|ferramentas?|tools?|api|endpoint|plugin|webhook|function|comando interno)\b",
        r"(?i)\b(?:usar|usando|usei|utilizar|utilizando|utilizei|consultar|consultando|consultei)\s+(?:agora\s+)?(?:a|o|uma|um|essa|esta|minha|nossa)\s+(?:função|funcao|ferramenta|tool|api|endpoint|plugin|webhook|function)\b",
        r"(?i)\b(?:a|o|essa|esta|the)\s+(?:função|ferramenta|tool|api|function|endpoint|chamada)\s+(?:\S+\s+)?(?:retornou|respondeu|devolveu|deu erro|falhou|executou|returned|failed|responded|errored|não (?:retornou|respondeu|funcionou))",
        r"(?i)\b(?:resultado|retorno|resposta|saída|result|output) (?:da|do|of the|from the) (?:função|ferramenta|tool|api|function|endpoint|chamada)\b",
        r"(?i)\b(?:call|calling|use|using|invoke|invoking|execute|executing|run|running|called|used|ran)\s+(?:the|my|this|an|a)\s+(?:\w+\s+)?(?:tool|function|api|endpoint)\b",
        r"(?i)\b(?:llamar|llamando|ejecutar|ejecutando|usar|usando)\s+(?:a\s+)?(?:la|el|una)\s+(?:función|herramienta|api)\b",
        r"(?i)\b(?:minhas instruções|meu prompt|meu system prompt|system prompt|prompt do sistema|no meu prompt|fui (?:configurad|programad|instruíd|treinad)[oa]|minha programação|segundo o system|my instructions|my prompt|i was (?:instructed|programmed|configured|told) to)\b",
        r"(?i)\bchamadas? de (?:função|ferramenta|api)\b|\bparâmetros? (?:da|de) (?:função|ferramenta|api)\b",
        r"(?i)\b(?:the user|the customer|user) (?:wants|is asking|asked|said|needs|would like)\b|\b(?:i|we) (?:should|need to|must|will) (?:call|use the|check the (?:tool|function)|respond with|reply (?:in|with))\b|\bo (?:usuário|user) (?:quer|pediu|está pedindo|perguntou|deseja)\b|\b(?:let me|let's) think\b|\bpreciso (?:chamar|responder ao usuário|usar a ferramenta)\b",
    ])
});
static IDENTITY: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"(?i)\b(?:sou|como|enquanto|por ser|apenas)\s+(?:apenas\s+)?(?:um|uma)\s+(?:modelo de linguagem|modelo de ia|inteligência artificial|ia\b|llm|language model|large language model|assistente de ia)",
        r"(?i)\b(?:i am|i'm|as|being)\s+(?:just\s+)?an?\s+(?:ai\b|large language model|language model|llm|artificial intelligence)",
        r"(?i)\b(?:modelo de linguagem|language model)\b",
        r"(?i)\b(?:treinad[oa]|desenvolvid[oa]|criad[oa]|trained|developed|made|created|powered) (?:pel[ao]|por|by)\s+(?:openai|anthropic|google|meta|mistral|deepseek|alibaba|xai|groq|cohere|microsoft)\b",
        r"(?i)\b(?:chatgpt|gpt-?[345]\S*|openai|anthropic|claude (?:opus|sonnet|haiku|\d)|gemini (?:pro|flash|\d)|llama[- ]?\d|deepseek|qwen)\b",
    ])
});

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let identity: &[Regex] = if rules.config.hide_model_identity { IDENTITY.as_slice() } else { &[] };
    let all = || MACHINERY.iter().chain(identity);
    if !all().any(|regex| regex.is_match(text)) {
        return Vec::new();
    }
    sentences(text)
        .into_iter()
        .filter(|sentence| all().any(|regex| regex.is_match(part(text, sentence.clone()))))
        .map(|mut sentence| {
            if part(text, sentence.clone()).ends_with('\n') {
                sentence.end = sentence.end.saturating_sub(1);
            }
            Edit::new(sentence, Severity::Leak)
        })
        .collect()
}
