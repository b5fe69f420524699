use super::*;

fn told(format: KnowledgeFormat, text: &str) -> Result<Vec<[String; 3]>, Vec<String>> {
    let text_of = |entry: &Map<String, Value>, field: &str| {
        entry.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    read_knowledge(format, text, None)
        .map(|all| all.iter().map(|one| ["category", "title", "content"].map(|field| text_of(one, field))).collect())
        .map_err(|all| all.iter().map(ToString::to_string).collect())
}

#[test]
fn each_heading_with_text_is_an_entry_in_the_category_of_the_heading_above_it() {
    let text = "# Casa\n\n## Estacionamento\nNa rua.\n\n- grátis\n\n## `Wi-Fi` *livre*\nSim.\n\nPagamento\n=========\nPix ou cartão.\n";
    let expected = [
        ["Casa", "Estacionamento", "Na rua.\n\n- grátis"],
        ["Casa", "Wi-Fi livre", "Sim."],
        ["", "Pagamento", "Pix ou cartão."],
    ];
    assert_eq!(told(KnowledgeFormat::Markdown, text).unwrap(), expected.map(|one| one.map(str::to_owned)));
}

#[test]
fn what_looks_like_a_heading_within_code_is_text() {
    let text = "## Rede\n```\n# senha\n```\n";
    assert_eq!(told(KnowledgeFormat::Markdown, text).unwrap(), [["", "Rede", "```\n# senha\n```"].map(str::to_owned)]);
}

#[test]
fn a_table_is_read_with_any_of_three_delimiters_and_either_language() {
    let expected = [["Casa", "Pets", "Pode, na coleira"].map(str::to_owned), ["", "Wi-Fi", "Sim"].map(str::to_owned)];
    for text in [
        "title,content,category\nPets,\"Pode, na coleira\",Casa\nWi-Fi,Sim,\n",
        "\u{feff}Categoria;Título;Conteúdo\r\nCasa;Pets;Pode, na coleira\r\n;Wi-Fi;Sim\r\n",
        "title\tcategory\tcontent\nPets\tCasa\tPode, na coleira\nWi-Fi\t\tSim\n",
    ] {
        assert_eq!(told(KnowledgeFormat::Csv, text).unwrap(), expected, "{text}");
    }
}

#[test]
fn each_mistake_names_its_line_and_what_would_be_right() {
    for (format, text, wanted) in [
        (KnowledgeFormat::Markdown, "oi\n\n# A\nb", &["line 1: text before the first heading"][..]),
        (
            KnowledgeFormat::Markdown,
            "# A\nb\n\n## C\n\n## D\n",
            &["line 4: no text below `C`", "line 6: no text below `D`"],
        ),
        (KnowledgeFormat::Markdown, "# A\nb\n#\nc\n", &["line 3: a heading without words"]),
        (KnowledgeFormat::Markdown, "", &["line 1: no entry"]),
        (KnowledgeFormat::Csv, "title,content\nA,\"b\nC,d\n", &["line 2: a quote that is not closed"]),
        (KnowledgeFormat::Csv, "title,content\n", &["line 1: no entry"]),
        (KnowledgeFormat::Csv, "name,text\na,b\n", &["line 1: invalid header `name,text`; expected the columns title"]),
        (KnowledgeFormat::Csv, "title,content,colour\na,b,c\n", &["line 1: unknown column `colour`"]),
        (
            KnowledgeFormat::Csv,
            "title,content\na,b\nc\n,d\n",
            &["line 3: 1 fields; expected 2", "line 4: an empty `title`"],
        ),
    ] {
        let mistakes = told(format, text).unwrap_err();
        assert_eq!(mistakes.len(), wanted.len(), "{text:?}: {mistakes:?}");
        for (mistake, wanted) in mistakes.iter().zip(wanted) {
            assert!(mistake.starts_with(wanted), "{text:?}: {mistake}");
        }
    }
}

#[test]
fn budgets_of_bytes_and_entries_hold() {
    let long = "x".repeat(MOST_BYTES);
    assert!(
        told(KnowledgeFormat::Markdown, &format!("# A\n{long}")).unwrap_err()[0].contains("expected at most 1048576")
    );
    let many = "# A\nb\n".repeat(MOST_ENTRIES + 1);
    assert!(told(KnowledgeFormat::Markdown, &many).unwrap_err()[0].contains("2001 entries; expected at most 2000"));
}

#[test]
fn a_category_that_is_given_is_that_of_all() {
    let all = read_knowledge(KnowledgeFormat::Markdown, "# A\n## B\nc", Some("Loja")).unwrap();
    assert_eq!(all[0]["category"], "Loja");
}
