//! Checks the Markdown files: every relative link and anchor has a target, and the table of contents lists every page of `docs/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::{fs, path::Path};

/// The table of contents of the book.
const CONTENTS: &str = "docs/README.md";
/// The folder whose pages the table of contents must list.
const BOOK: &str = "docs/";

/// What a Markdown file offers and what it refers to.
#[derive(Debug, Default)]
struct Page {
    /// Anchors of the headings.
    anchors: BTreeSet<String>,
    /// Targets of the links, each with the number of its line.
    links: Vec<(usize, String)>,
}

/// Fails for a relative link or an anchor without a target, and for a page that the table of contents does not list.
pub(crate) fn check() -> Result<String, String> {
    let mut pages = BTreeMap::new();
    for file in crate::files(&["*.md"])? {
        let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        pages.insert(file, Page::read(&text));
    }
    let mut problems = broken(&pages, &|path| Path::new(path).exists());
    problems.extend(unlisted(&pages));
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    Ok(format!("{links} links in {} pages have a target", pages.len()))
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut fence = None;
        for (number, line) in (1..).zip(text.lines()) {
            let start = line.trim_start();
            if let Some(open) = fence {
                fence = (!start.starts_with(open)).then_some(open);
                continue;
            }
            fence = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
            if fence.is_some() {
                continue;
            }
            if let Some(title) = heading(line) {
                let slug = slug(title);
                let count = seen.entry(slug.clone()).or_default();
                page.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
            page.links.extend(links(line).into_iter().map(|target| (number, target)));
        }
        page
    }
}

/// The title of a heading such as `## Words`.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level).then_some(title)?.strip_prefix(' ').map(str::trim)
}

/// The anchor that GitHub gives a heading: letters, digits, hyphens and underscores; a hyphen for each space.
fn slug(title: &str) -> String {
    let mut words = String::new();
    let mut rest = title;
    // A link in a heading counts with its text alone.
    while let Some((before, after)) = rest.split_once("](") {
        words.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    let kept = words.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

/// Targets of the links and pictures in a line, without those in code.
fn links(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect();
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let defined = prose.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
    inline.chain(defined).map(|target| target.trim_matches(['<', '>']).to_owned()).collect()
}

/// Links of pages to files that do not exist, or to anchors that no heading has.
fn broken(pages: &BTreeMap<String, Page>, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    for (file, page) in pages {
        for (line, target) in page.links.iter().filter(|(_, target)| !leads_outside(target)) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            match resolve(file, path).filter(|place| exists(place)) {
                None => problems.push(format!("{file}:{line}: broken link `{target}`; expected a path from this page")),
                Some(place) => {
                    let known = pages.get(&place).is_none_or(|page| page.anchors.contains(anchor));
                    if !anchor.is_empty() && !known {
                        problems
                            .push(format!("{file}:{line}: broken anchor `#{anchor}`; expected a heading of {place}"));
                    }
                }
            }
        }
    }
    problems
}

fn leads_outside(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The path from the root of the repository; `None` if it leaves the repository.
fn resolve(file: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(file.to_owned());
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// Pages of the book that the table of contents does not link to.
fn unlisted(pages: &BTreeMap<String, Page>) -> Vec<String> {
    let Some(contents) = pages.get(CONTENTS) else {
        return vec![format!("{CONTENTS}: the table of contents is missing")];
    };
    let paths = contents.links.iter().map(|(_, target)| target.split('#').next().unwrap_or_default());
    let listed: BTreeSet<String> = paths.filter_map(|path| resolve(CONTENTS, path)).collect();
    let of_book = pages.keys().filter(|file| file.starts_with(BOOK) && *file != CONTENTS);
    of_book
        .filter(|file| !listed.contains(*file))
        .map(|file| format!("{file}: {CONTENTS} does not list this page"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(texts: &[(&str, &str)]) -> BTreeMap<String, Page> {
        texts.iter().map(|(file, text)| ((*file).to_owned(), Page::read(text))).collect()
    }

    fn broken_in(text: &str) -> Vec<String> {
        let pages = pages(&[("docs/a.md", text), ("docs/b.md", "# B\n## What it does\n## What it does\n")]);
        broken(&pages, &|path| ["docs/a.md", "docs/b.md", "docs/images/x.png", "README.md"].contains(&path))
    }

    #[test]
    fn links_with_a_target_pass() {
        let text = "# A `b` (c)\n[b](b.md), [d](b.md#what-it-does-1), [a](#a-b-c), ![x](images/x.png)\n[r](../README.md) [w](https://x.y/#z)\n[q]: b.md#b\n";
        assert_eq!(broken_in(text), Vec::<String>::new());
    }

    #[test]
    fn links_and_anchors_without_a_target_fail_with_their_line() {
        let broken = broken_in("# A\n[c](c.md) and [b](b.md#c)\n[x](../../README.md)\n[y](#b)\n");
        let places: Vec<&str> = broken.iter().filter_map(|problem| problem.split('`').next()).collect();
        let link = |line: u8| format!("docs/a.md:{line}: broken link ");
        let anchor = |line: u8| format!("docs/a.md:{line}: broken anchor ");
        assert_eq!(places, [link(2), anchor(2), link(3), anchor(4)]);
    }

    #[test]
    fn code_holds_no_links_and_no_headings() {
        assert_eq!(broken_in("```sh\n# no heading\n[c](c.md)\n```\n`[c](c.md)`\n"), Vec::<String>::new());
        assert_eq!(broken_in("```sh\n# no heading\n```\n[c](#no-heading)\n").len(), 1);
    }

    #[test]
    fn page_that_the_contents_do_not_list_fails() {
        let listed =
            pages(&[(CONTENTS, "[a](a.md#x) [d](decisions/1.md)"), ("docs/a.md", ""), ("docs/decisions/1.md", "")]);
        assert_eq!(unlisted(&listed), Vec::<String>::new());
        let missing = pages(&[(CONTENTS, "[d](decisions/1.md)"), ("docs/a.md", ""), ("docs/decisions/1.md", "")]);
        assert_eq!(unlisted(&missing), ["docs/a.md: docs/README.md does not list this page"]);
        assert_eq!(unlisted(&pages(&[("docs/a.md", "")])).len(), 1);
    }

    #[test]
    fn headings_become_the_anchors_of_github() {
        assert_eq!(slug("11. HTTP"), "11-http");
        assert_eq!(slug("Ação – e [mais](b.md) `x_y`"), "ação--e-mais-x_y");
    }
}
