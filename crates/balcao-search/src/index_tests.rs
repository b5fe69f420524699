use proptest::prelude::*;

use super::*;

fn tokens(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn entry(tool: &str, id: &str, text: &str) -> Entry {
    let labels = Labels {
        tool: tool.to_owned(),
        kind: "command".to_owned(),
        commands: vec![id.to_owned()],
        ..Labels::default()
    };
    Entry { id: id.to_owned(), title: id.replace('_', " "), text: text.to_owned(), details: String::new(), labels }
}

fn index() -> Index {
    let entries = vec![
        entry("tasks", "create_task", "Makes a task in a list, with assignees"),
        entry("tasks", "delete_task", "Deletes a task"),
        entry("tasks", "list_tags", "The tags of a space; a task has tags"),
        entry("mail", "send_letter", "Sends a letter about a task"),
    ];
    Index::new(entries, tokens)
}

fn ids(hits: &[Hit<'_>]) -> Vec<String> {
    hits.iter().map(|hit| hit.entry.id.clone()).collect()
}

#[test]
fn a_word_of_the_name_counts_more_than_one_of_the_text_and_rare_words_more_than_common_ones() {
    let index = index();
    let found = index.search(&Query { words: "delete a task", limit: 9, ..Query::default() });
    assert_eq!(ids(&found)[0], "delete_task");
    assert_eq!(found.len(), 4);
    assert_eq!((found[0].by_keywords, found[0].by_vectors), (Some(1), None));
    let found = index.search(&Query { words: "letter task", limit: 1, ..Query::default() });
    assert_eq!(ids(&found), ["send_letter"]);
    assert!(index.search(&Query { words: "weather", limit: 9, ..Query::default() }).is_empty());
    assert!(index.search(&Query { words: "", limit: 9, ..Query::default() }).is_empty());
}

#[test]
fn what_a_filter_leaves_out_is_not_found() {
    let index = index();
    let filter = Filter { tool: Some("mail"), ..Filter::default() };
    let found = index.search(&Query { words: "create a task", filter, limit: 9, ..Query::default() });
    assert_eq!(ids(&found), ["send_letter"]);
    let filter = Filter { command: Some("list_tags"), kind: Some("command"), ..Filter::default() };
    assert_eq!(ids(&index.search(&Query { words: "task", filter, limit: 9, ..Query::default() })), ["list_tags"]);
    let filter = Filter { category: Some("other"), ..Filter::default() };
    assert!(index.search(&Query { words: "task", filter, limit: 9, ..Query::default() }).is_empty());
}

#[test]
fn vectors_find_what_shares_no_word_and_both_ranks_are_told() {
    let vectors = [vec![1.0, 0.0], vec![0.0, 1.0], vec![-1.0, 0.0], vec![0.6, 0.8]];
    let index = index().with_vectors(&vectors).unwrap();
    let found = index.search(&Query { words: "erase", vector: Some(&[0.0, 2.0]), limit: 2, ..Query::default() });
    assert_eq!(ids(&found), ["delete_task", "send_letter"]);
    assert_eq!((found[0].by_keywords, found[0].by_vectors), (None, Some(1)));
    // Second by words and second by meaning stands before what only one of them puts first.
    let found = index.search(&Query { words: "letter", vector: Some(&[0.0, 1.0]), limit: 1, ..Query::default() });
    assert_eq!(ids(&found), ["send_letter"]);
    assert_eq!((found[0].by_keywords, found[0].by_vectors), (Some(1), Some(2)));
}

#[test]
fn what_a_model_knows_no_word_of_is_near_nothing_and_found_by_its_words() {
    let vectors = [vec![1.0, 0.0], vec![0.0, 0.0], vec![-1.0, 0.0], vec![0.6, 0.8]];
    let index = index().with_vectors(&vectors).unwrap();
    let all = index.search(&Query { vector: Some(&[1.0, 0.0]), limit: 9, ..Query::default() });
    assert_eq!(ids(&all), ["create_task", "send_letter", "list_tags"]);
    let id = index.entries()[1].id.clone();
    let found = index.search(&Query { words: "delete", vector: Some(&[1.0, 0.0]), limit: 9, ..Query::default() });
    assert!(ids(&found).contains(&id), "{found:?}");
}

#[test]
fn vectors_that_do_not_belong_together_are_refused_and_a_query_of_another_model_is_answered_by_words_alone() {
    let number = index().with_vectors(&[vec![1.0]]).unwrap_err();
    assert_eq!(number, VectorError::Number { vectors: 1, entries: 4 });
    let length = index().with_vectors(&[vec![1.0], vec![1.0, 2.0], vec![1.0], vec![1.0]]).unwrap_err();
    assert_eq!(length, VectorError::Length { expected: 1, got: 2 });
    let nan = index().with_vectors(&[vec![f32::NAN], vec![1.0], vec![1.0], vec![1.0]]).unwrap_err();
    assert_eq!(nan, VectorError::NoNumber { place: 0 });
    let index = index().with_vectors(&[vec![1.0], vec![1.0], vec![1.0], vec![1.0]]).unwrap();
    let found = index.search(&Query { words: "letter", vector: Some(&[1.0, 2.0]), limit: 9, ..Query::default() });
    assert_eq!(ids(&found), ["send_letter"]);
}

proptest! {
    #[test]
    fn no_more_than_asked_for_is_found_and_nothing_twice(words in "[a-z ]{0,40}", limit in 0_usize..6) {
        let index = index();
        let query = Query { words: &words, limit, ..Query::default() };
        let mut found = ids(&index.search(&query));
        prop_assert!(found.len() <= limit);
        prop_assert_eq!(&found, &ids(&index.search(&query)));
        found.sort();
        let all = found.len();
        found.dedup();
        prop_assert_eq!(found.len(), all);
    }
}
