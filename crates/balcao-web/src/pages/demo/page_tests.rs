use super::*;

#[test]
fn a_95_a_name_cannot_become_markup() {
    assert_eq!(
        escaped(r#"<b>"Zé" & 'cia'</b> {{model}}"#),
        "&lt;b&gt;&quot;Zé&quot; &amp; &#39;cia&#39;&lt;/b&gt; &#123;&#123;model}}"
    );
}

#[test]
fn a_95_the_page_holds_nothing_inline_and_nothing_from_elsewhere() {
    for forbidden in ["http://", "https://", " style=", "<style", " onclick", "javascript:"] {
        assert!(!PAGE.contains(forbidden), "{forbidden}");
    }
    let scripts = PAGE.matches("<script").count();
    assert_eq!(scripts, PAGE.matches(" src=\"/").count());
    assert!(scripts >= 2);
    for file in [SCRIPT, TRACE, WORDS, AGENDA, include_str!("../../../assets/widget.js")] {
        for forbidden in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
            assert!(!file.contains(forbidden), "{forbidden}");
        }
    }
}
