use super::pieces;
use crate::Prose;

#[test]
fn prose_is_cut_at_its_headings_and_code_is_no_heading() {
    let text = "Intro.\n\n## Fields\nVotes.\n```sh\n# no heading\n```\n\n## Empty\n\n## Limits\nOne.".to_owned();
    let prose = Prose { title: "All".to_owned(), file: "knowledge/x.md".to_owned(), text };
    let titles: Vec<String> = pieces(&prose).into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["All", "Fields", "Limits"]);
}

#[test]
fn long_prose_is_several_pieces_and_nothing_is_lost() {
    let line = "palavra ".repeat(20);
    let text = vec![line.as_str(); 100].join("\n");
    let prose = Prose { title: "All".to_owned(), file: "knowledge/x.md".to_owned(), text: text.clone() };
    let pieces = pieces(&prose);
    assert!(pieces.len() > 5 && pieces.iter().all(|(_, text)| text.len() <= super::MAX_PIECE));
    let words = pieces.iter().map(|(_, text)| text.split_whitespace().count()).sum::<usize>();
    assert_eq!(words, text.split_whitespace().count());
}
