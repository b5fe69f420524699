//! A service in the customer's own words, where the catalog knows none of that name: an alias that the tool may know.

use crate::{catalog::Named, state::Dialogue};

/// The words behind "quero", "marcar um", "horário para" that are neither date, time, name nor everyday word.
pub(super) fn spoken_service(text: &str, dialogue: &Dialogue, whole: bool) -> Option<String> {
    const OPENS: &[&str] = &[
        "marcar", "marca", "marque", "agendar", "agenda", "agende", "fazer", "quero", "queria", "reservar", "pra",
        "para", "preciso", "de", "book", "want", "an", "a", "o", "for", "um", "uma",
    ];
    const EVERYDAY: &[&str] = &[
        "trocar",
        "outro",
        "outra",
        "passar",
        "alterar",
        "troca",
        "muda",
        "passa",
        "coisa",
        "algo",
        "alguma",
        "data",
        "dar",
        "vou",
        "um",
        "uma",
        "o",
        "a",
        "os",
        "as",
        "de",
        "do",
        "da",
        "pra",
        "para",
        "por",
        "com",
        "no",
        "na",
        "em",
        "e",
        "ou",
        "hoje",
        "amanha",
        "depois",
        "horario",
        "hora",
        "horarios",
        "horas",
        "vaga",
        "mim",
        "meu",
        "minha",
        "eu",
        "vc",
        "voce",
        "dia",
        "semana",
        "manha",
        "tarde",
        "noite",
        "marcar",
        "agendar",
        "fazer",
        "ser",
        "pode",
        "quero",
        "queria",
        "saber",
        "me",
        "favor",
        "sim",
        "nao",
        "oi",
        "ola",
        "bom",
        "boa",
        "appointment",
        "don",
        "not",
        "want",
        "anything",
        "yet",
        "actually",
        "can",
        "see",
        "please",
        "yes",
        "need",
        "would",
        "like",
        "you",
        "doctor",
        "tomorrow",
        "today",
        "the",
        "with",
        "at",
        "on",
        "for",
        "an",
        "meio",
        "proxima",
        "proximo",
        "que",
        "vem",
        "feira",
        "ir",
        "ai",
        "la",
        "ver",
        "gostaria",
        "atendimento",
        "servico",
        "consegue",
        "consigo",
        "tem",
        "mais",
        "cedo",
        "tudo",
        "bem",
        "esse",
        "essa",
        "book",
        "to",
        "i",
        "my",
        "some",
        "one",
        "falar",
        "remarcar",
        "mudar",
        "cancelar",
        "confirmar",
        "qualquer",
        "preciso",
        "obrigado",
        "obrigada",
        "entao",
        "melhor",
        "ele",
        "ela",
        "informacao",
        "informacoes",
        "duvida",
        "ajuda",
        "pergunta",
        "primeiro",
        "primeira",
        "segundo",
        "terceiro",
        "ultimo",
        "ultima",
        "melhor",
        "barbeiro",
        "profissional",
    ];
    let all = balcao_language::tokens(text);
    let dates = balcao_language::find_dates(text, dialogue.today());
    let times = balcao_language::find_times(text);
    let covered = |start: usize| {
        dates.iter().any(|found| found.start <= start && start < found.end)
            || times.iter().any(|found| found.start <= start && start < found.end)
    };
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    let significant = |index: usize| {
        all.get(index).is_some_and(|token| {
            token.text.chars().all(char::is_alphabetic)
                && token.text.len() > 2
                && !EVERYDAY.contains(&token.text.as_str())
                && balcao_language::weekday_named(&token.text).is_none()
                && !balcao_language::is_relative(&token.text)
                && !covered(token.start)
                && matches!(dialogue.catalog.professional_in(&token.text), Named::Nothing)
        })
    };
    (0..all.len()).find_map(|index| {
        let opened = whole || index > 0 && OPENS.contains(&word(index.saturating_sub(1)));
        let after_with = index > 0 && ["com", "with"].contains(&word(index.saturating_sub(1)));
        if !opened || after_with || !significant(index) {
            return None;
        }
        let mut end = index;
        while significant(end.saturating_add(1)) && end < index.saturating_add(2)
            || ["de", "da", "do"].contains(&word(end.saturating_add(1))) && significant(end.saturating_add(2))
        {
            end = end.saturating_add(1);
        }
        let (from, to) = (all.get(index)?.start, all.get(end)?.end);
        text.get(from..to).map(str::to_owned)
    })
}

/// What a question about a service names: the words behind "quanto custa a", "o preço da", "vocês fazem", without article
/// and mark.
pub(super) fn spoken_topic(text: &str) -> Option<String> {
    const OPENS: &[&str] = &[
        "custa", "custam", "valor", "valores", "preco", "precos", "fica", "sai", "cobra", "cobram", "quanto", "price",
        "much", "cost", "costs", "qto", "qnt", "faz", "fazem", "oferecem",
    ];
    const LINKS: &[&str] = &[
        "o", "a", "os", "as", "um", "uma", "de", "do", "da", "dos", "das", "pra", "para", "por", "pelo", "pela",
        "fazer", "e", "eh", "ta", "que", "is", "are", "the", "for", "of", "does", "custa", "fica", "sai", "cobra",
        "cobram", "voces", "vcs", "vc", "voce",
    ];
    const ENDS: &[&str] =
        &["ai", "hoje", "amanha", "por", "favor", "please", "com", "no", "na", "mesmo", "e", "tem", "cost", "costs"];
    const EMPTY: &[&str] = &[
        "servico",
        "servicos",
        "isso",
        "tudo",
        "atendimento",
        "horario",
        "coisas",
        "cada",
        "it",
        "services",
        "voces",
        "tempo",
        "total",
    ];
    let all = balcao_language::tokens(text);
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    let open = (0..all.len()).rev().find(|index| OPENS.contains(&word(*index)))?;
    let start = (open.saturating_add(1)..all.len()).find(|index| !LINKS.contains(&word(*index)))?;
    let named = |index: &usize| {
        let word = word(*index);
        word.chars().all(char::is_alphabetic) && !word.is_empty() && !ENDS.contains(&word) && !EMPTY.contains(&word)
    };
    let end = (start..all.len()).take(5).take_while(|index| named(index)).last()?;
    let (from, to) = (all.get(start)?.start, all.get(end)?.end);
    text.get(from..to).map(str::to_owned)
}
