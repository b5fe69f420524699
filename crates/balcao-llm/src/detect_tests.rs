use super::*;

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn the_first_variable_that_is_set_decides() {
    let detected =
        |pairs: &[(&str, &str)]| from_environment(&environment(pairs)).map(|it| (it.config.kind, it.variable));
    assert_eq!(detected(&[]), None);
    assert_eq!(detected(&[("OPENAI_API_KEY", " "), ("HOME", "/")]), None);
    assert_eq!(detected(&[("GROQ_API_KEY", "k"), ("OLLAMA_HOST", "h")]), Some((ProviderKind::Groq, "GROQ_API_KEY")));
    assert_eq!(detected(&[("GOOGLE_API_KEY", "k")]), Some((ProviderKind::Gemini, "GOOGLE_API_KEY")));
    let both = [("GOOGLE_API_KEY", "k"), ("GEMINI_API_KEY", "k"), ("OPENAI_API_KEY", "k")];
    assert_eq!(detected(&both), Some((ProviderKind::OpenAi, "OPENAI_API_KEY")));
}

#[test]
fn every_service_is_built_with_its_defaults() {
    for facts in &SERVICES {
        for variable in facts.variables {
            let detected = from_environment(&environment(&[(variable, "k.example")])).unwrap();
            let provider = detected.config.build().unwrap();
            assert_eq!((provider.name(), provider.model()), (facts.name, facts.model));
            assert_eq!(facts.name.parse::<ProviderKind>().unwrap(), facts.kind);
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let error = |config: ProviderConfig| config.build().unwrap_err().to_string();
    assert_eq!(error(ProviderConfig::new(ProviderKind::Groq)), "groq needs key");
    assert_eq!(error(ProviderConfig::new(ProviderKind::Compatible)), "compatible needs base_url");
    let mut config = ProviderConfig::new(ProviderKind::Compatible);
    config.base_url = Some("http://host:8000/v1".to_owned());
    assert_eq!(error(config.clone()), "compatible needs model");
    config.base_url = Some("host:8000".to_owned());
    assert_eq!(error(config), "invalid base_url \"host:8000\" of compatible; expected an address with http or https");
    assert!("opnai".parse::<ProviderKind>().unwrap_err().to_string().contains("expected one of openai, anthropic"));
}

#[test]
fn keys_are_never_shown() {
    let detected = from_environment(&environment(&[("OPENAI_API_KEY", "very-secret")])).unwrap();
    assert!(!format!("{detected:?}").contains("very-secret"));
    assert!(!format!("{:?}", detected.config.build().unwrap()).contains("very-secret"));
}

#[test]
fn ollamas_host_is_read_as_ollama_reads_it() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:9000", "http://127.0.0.1:9000/v1"),
        ("http://box:11434/", "http://box:11434/v1"),
        ("https://ollama.example", "https://ollama.example/v1"),
    ] {
        assert_eq!(ollama_url(host), url);
    }
}
