use super::bilingual_tokens;

fn meet(a: &str, b: &str) -> bool {
    let others = bilingual_tokens(b);
    bilingual_tokens(a).iter().any(|token| others.contains(token))
}

#[test]
fn forms_of_a_word_meet_in_both_languages() {
    for (a, b) in [
        ("tarefas", "tarefa"),
        ("calculates", "calculating"),
        ("cria", "criar"),
        ("ETIQUETAS", "etiqueta"),
        ("properties", "property"),
        ("avaliações", "avaliacao"),
        ("triangles", "triangle"),
    ] {
        assert!(meet(a, b), "{a} {b}: {:?} {:?}", bilingual_tokens(a), bilingual_tokens(b));
    }
    assert!(!meet("barba", "barbeiro") && !meet("list", "latest"));
}

#[test]
fn names_of_code_are_cut_where_their_parts_meet() {
    for name in ["createTask", "create_task", "create-task", "tasks.create", "CreateTask", "HTTPCreateTask"] {
        assert!(meet(name, "task") && meet(name, "create"), "{name}: {:?}", bilingual_tokens(name));
    }
}

#[test]
fn words_without_content_are_no_tokens() {
    assert!(bilingual_tokens("what is the of by a o que de ?!").is_empty());
}
