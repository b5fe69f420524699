//! What a schema costs before it is compiled, and what a value would cost to be checked against it.
//!
//! A schema of 2 KB can ask for 4^20 checks: `$ref` leads to a list of `$ref`s, and so on. The validator has no budget of its own, so
//! such a schema would stop the thread that checks. Both figures are found without checking anything, in time that grows
//! with the text of the schema and the number of values alone.
//!
//! A **visit** is one part of the schema that looks at one value. Parts that look at the same value (`allOf`, `$ref`, …) add up; parts of
//! different keys do not. The model is an upper bound: `anyOf` may stop earlier. A pattern reads a whole text, and one that looks around
//! or back may take [`MAX_PATTERN_STEPS`] for it, so texts and keys are counted by the patterns that look at them.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::limits::{
    MAX_INLINE_VISITS, MAX_MISTAKES_COLLECTED, MAX_PATTERN_STEPS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_OPTIONS,
    MAX_SCHEMA_PARTS, MAX_SCHEMA_PATTERN_BYTES, MAX_SCHEMA_PATTERNS, MAX_VISITS,
};

/// What looks at one value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Look {
    /// Visits of it.
    visits: u64,
    /// Patterns that read it, or its keys.
    patterns: u64,
    /// Those of them that look around or back.
    searching: u64,
    /// Mistakes that they may find: one for each keyword, and one for each required name.
    mistakes: u64,
}

impl Look {
    const fn plus(self, other: Self) -> Self {
        Self {
            visits: self.visits.saturating_add(other.visits),
            patterns: self.patterns.saturating_add(other.patterns),
            searching: self.searching.saturating_add(other.searching),
            mistakes: self.mistakes.saturating_add(other.mistakes),
        }
    }

    const fn times(self, factor: u64) -> Self {
        Self {
            visits: self.visits.saturating_mul(factor),
            patterns: self.patterns.saturating_mul(factor),
            searching: self.searching.saturating_mul(factor),
            mistakes: self.mistakes.saturating_mul(factor),
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            visits: self.visits.max(other.visits),
            patterns: self.patterns.max(other.patterns),
            searching: self.searching.max(other.searching),
            mistakes: self.mistakes.max(other.mistakes),
        }
    }
}

/// Bytes of a text that are read in the time of a visit.
const BYTES: usize = 64;
/// Steps of a pattern that are taken in the time of a visit.
const STEPS: usize = 5;

/// What one value costs at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    look: Look,
    /// By how much they multiply with each level of the value; 1 but for recursive schemas that lead back to themselves more than once by
    /// one key.
    growth: u64,
    /// A value of so many parts fits whatever they are: most are far below, and are counted quickly.
    light: u64,
}

/// Keywords whose subschemas look at the same value.
const SAME_LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SAME_ONE: [&str; 4] = ["not", "if", "then", "else"];
const SAME_MAP: [&str; 2] = ["dependentSchemas", "dependencies"];
/// Keywords whose subschemas look at parts of the value, whatever their keys.
const INSIDE_ONE: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "contains",
    "unevaluatedItems",
    "contentSchema",
];
/// Ways from one location to another that are followed.
const MAX_EDGES: usize = 100_000;
/// A library's own copy of the schema of schemas, which has so many parts.
const META: u64 = 200;

/// Values, and pieces of their texts, that no reader lets in at once: 200,000 values in 16 MiB. A schema that may be checked with so
/// many never finds a value too large, so the value need not be counted.
const MOST_READ: u64 = 500_000;

impl Cost {
    /// The cost of a schema.
    ///
    /// # Errors
    /// Which budget it exceeds, or which reference cannot be followed here.
    pub(crate) fn from_schema(root: &Value) -> Result<Self, String> {
        let mut graph = Graph { root, own: root.get("$id").and_then(Value::as_str), anchors: HashMap::new() };
        let mut totals = Totals::default();
        collect(root, 0, true, &mut graph.anchors, &mut totals)?;
        Self::within(&Reach::from_graph(&graph)?)
    }

    /// From what is reached last to the schema itself.
    fn within(reach: &Reach<'_>) -> Result<Self, String> {
        let mut of = vec![(0_u64, Look::default()); reach.looks.len()];
        let (mut growth, mut root) = (1, Look::default());
        for group in reach.groups() {
            let here = group.iter().map(|one| get(&reach.looks, *one)).fold(Look::default(), Look::max);
            let (mut stands_for, mut most) = (0_u64, here);
            for one in &group {
                // What looks at what is inside by key, and how many of that lead back into the group.
                let mut keys: HashMap<Key<'_>, (Look, u64)> = HashMap::new();
                stands_for = stands_for.saturating_add(get(&reach.looks, *one).visits);
                for (key, to) in reach.from(*one) {
                    let back = group.contains(to);
                    let (parts, look) = if back { (0, here) } else { get(&of, *to) };
                    stands_for = stands_for.saturating_add(parts);
                    let sum = keys.entry(*key).or_default();
                    *sum = (sum.0.plus(look), sum.1 + u64::from(back));
                }
                let always = keys.remove(&Key::Any).unwrap_or_default();
                let (look, back) =
                    keys.values().fold((Look::default(), 0), |sum, one| (sum.0.max(one.0), sum.1.max(one.1)));
                most = most.max(look.plus(always.0));
                growth = growth.max(back + always.1);
            }
            if stands_for > MAX_SCHEMA_PARTS {
                return Err(too_wide());
            }
            for one in &group {
                set(&mut of, *one, (stands_for, most));
            }
            // The schema itself is found last.
            root = most;
        }
        // A part costs no more than this, times one and each 64 bytes of its text.
        let part = root.visits.saturating_add(root.patterns).saturating_add(1);
        let light = if growth == 1 && root.searching == 0 { MAX_VISITS / part } else { 0 };
        Ok(Self { look: root, growth, light })
    }

    /// Whether a value can be checked within the budget; the visits that it takes are counted no further than that.
    pub(crate) fn fits(self, value: &Value) -> bool {
        let mut light = self.light;
        if light >= MOST_READ || is_light(value, &mut light) {
            return true;
        }
        let mut left = MAX_VISITS;
        self.spend(value, self.look, &mut left)
    }

    /// Whether a check of a value takes so little time that others on the thread do not wait.
    pub(crate) fn is_light(self, value: &Value) -> bool {
        let mut left = MAX_INLINE_VISITS;
        self.spend(value, self.look, &mut left)
    }

    /// Whether all mistakes of a value can be collected: the validator puts every one into memory before it gives the first.
    pub(crate) fn lists_mistakes_of(self, value: &Value) -> bool {
        let mut left = MAX_MISTAKES_COLLECTED;
        self.may_list(value, self.look.mistakes, &mut left)
    }

    fn may_list(self, value: &Value, each: u64, left: &mut u64) -> bool {
        let below = each.saturating_mul(self.growth);
        pay(each.max(1), left)
            && match value {
                Value::Array(items) => items.iter().all(|item| self.may_list(item, below, left)),
                Value::Object(map) => map.values().all(|item| self.may_list(item, below, left)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
            }
    }

    fn spend(self, value: &Value, each: Look, left: &mut u64) -> bool {
        if !pay(each.visits, left) {
            return false;
        }
        let below = if self.growth == 1 { each } else { each.times(self.growth) };
        match value {
            Value::String(text) => pay(read(text, each), left),
            Value::Array(items) => items.iter().all(|item| self.spend(item, below, left)),
            // What has no pattern finds a key by its hash.
            Value::Object(map) if each.patterns == 0 => map.values().all(|item| self.spend(item, below, left)),
            Value::Object(map) => {
                map.iter().all(|(key, item)| pay(read(key, each), left) && self.spend(item, below, left))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }
}

/// Whether a value has no more than so many parts, of which a long text is several.
fn is_light(value: &Value, left: &mut u64) -> bool {
    let of_text = |text: &str| u64::try_from(1 + text.len() / BYTES).unwrap_or(u64::MAX);
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => pay(1, left),
        Value::String(text) => pay(of_text(text), left),
        Value::Array(items) => pay(1, left) && items.iter().all(|item| is_light(item, left)),
        Value::Object(map) => {
            pay(1, left) && map.iter().all(|(key, item)| pay(of_text(key), left) && is_light(item, left))
        }
    }
}

fn pay(cost: u64, left: &mut u64) -> bool {
    let rest = left.checked_sub(cost);
    *left = rest.unwrap_or_default();
    rest.is_some()
}

/// What reading a text costs: once by itself, and once more for each pattern.
fn read(text: &str, each: Look) -> u64 {
    let once = u64::try_from(text.len() / BYTES).unwrap_or(u64::MAX);
    let searched = u64::try_from(MAX_PATTERN_STEPS / STEPS).unwrap_or(u64::MAX);
    let patterns = each.patterns.saturating_add(1);
    once.saturating_mul(patterns).saturating_add(each.patterns).saturating_add(each.searching.saturating_mul(searched))
}

/// What a schema has of everything that is dear to compile.
#[derive(Default)]
struct Totals {
    parts: u64,
    patterns: usize,
    options: usize,
}

/// Looks at the schema as it is written: its anchors, and what is dear in it.
fn collect<'a>(
    part: &'a Value,
    depth: usize,
    top: bool,
    anchors: &mut HashMap<&'a str, &'a Value>,
    totals: &mut Totals,
) -> Result<(), String> {
    if depth > MAX_SCHEMA_DEPTH {
        return Err(format!("invalid schema: nested deeper than {MAX_SCHEMA_DEPTH} levels"));
    }
    totals.parts += 1;
    if totals.parts > MAX_SCHEMA_PARTS {
        return Err(format!("invalid schema: more than {MAX_SCHEMA_PARTS} values; expected a smaller one"));
    }
    match part {
        Value::Object(map) => {
            for name in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = map.get(name).and_then(Value::as_str) {
                    anchors.insert(anchor, part);
                }
            }
            if !top && map.get("$id").is_some_and(Value::is_string) && map.keys().any(|key| is_keyword(key)) {
                return Err("invalid `$id` inside of a schema; expected it at the top alone".to_owned());
            }
            let patterns = map.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            let written = map.get("pattern").and_then(Value::as_str);
            for pattern in patterns.map(String::as_str).chain(written) {
                totals.patterns += 1;
                if pattern.len() > MAX_SCHEMA_PATTERN_BYTES {
                    return Err(format!("invalid pattern; expected at most {MAX_SCHEMA_PATTERN_BYTES} bytes"));
                }
            }
            totals.options += map.get("enum").and_then(Value::as_array).map_or(0, Vec::len);
            if totals.patterns > MAX_SCHEMA_PATTERNS {
                return Err(format!("invalid schema: more than {MAX_SCHEMA_PATTERNS} patterns"));
            }
            if totals.options > MAX_SCHEMA_OPTIONS {
                return Err(format!("invalid schema: more than {MAX_SCHEMA_OPTIONS} values under `enum`"));
            }
            map.iter()
                .filter(|(key, _)| !matches!(key.as_str(), "enum" | "const" | "examples" | "default"))
                .try_for_each(|(_, inside)| collect(inside, depth + 1, false, anchors, totals))
        }
        Value::Array(items) => items.iter().try_for_each(|item| collect(item, depth + 1, false, anchors, totals)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Whether a key says something of values, so that what has it is a schema and no map of properties.
fn is_keyword(key: &str) -> bool {
    SAME_LIST.contains(&key)
        || SAME_ONE.contains(&key)
        || INSIDE_ONE.contains(&key)
        || matches!(key, "type" | "$ref" | "properties" | "$defs" | "enum" | "const" | "pattern")
}

/// The schema as a graph: references lead to its own parts.
struct Graph<'a> {
    root: &'a Value,
    own: Option<&'a str>,
    anchors: HashMap<&'a str, &'a Value>,
}

/// Where a reference leads.
enum Target<'a> {
    Part(&'a Value),
    Meta,
}

impl<'a> Graph<'a> {
    fn target(&self, reference: &str) -> Result<Target<'a>, String> {
        let own = self.own.map(|own| own.trim_end_matches('#')).unwrap_or_default();
        let local = reference.strip_prefix(own).filter(|rest| rest.is_empty() || rest.starts_with('#'));
        let Some(local) = local.or_else(|| Some(reference).filter(|text| text.starts_with('#'))) else {
            if reference.starts_with("https://json-schema.org/") || reference.starts_with("http://json-schema.org/") {
                return Ok(Target::Meta);
            }
            return Err(unfollowed(reference));
        };
        let fragment = local.trim_start_matches('#');
        let found = if fragment.is_empty() {
            Some(self.root)
        } else if fragment.starts_with('/') {
            self.root.pointer(&decoded(fragment))
        } else {
            self.anchors.get(fragment).copied()
        };
        found.map(Target::Part).ok_or_else(|| unfollowed(reference))
    }
}

fn unfollowed(reference: &str) -> String {
    let shown: String = reference.chars().take(100).collect();
    format!("invalid reference `{shown}`; expected `#`, `#/…` or `#anchor` of this schema")
}

/// `%25` and the like of a pointer in a reference; text that is not an escape stays.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(byte);
            rest = tail.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Under which keys or places of a value a part of the schema looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Name(&'a str),
    Place(usize),
    /// Whatever the key.
    Any,
}

/// The parts that look at one value together, found from the part where they begin: a **location**.
struct Locations<'g, 'a> {
    graph: &'g Graph<'a>,
    /// What looks at one value: a part and those beside it, by the part's address.
    same: HashMap<*const Value, Look>,
    /// The parts whose visits are being counted, from the outermost on.
    path: Vec<*const Value>,
}

impl<'a> Locations<'_, 'a> {
    /// The parts that look at the same value: those written here, and where references lead.
    fn beside(&self, part: &'a Value) -> Result<(Vec<&'a Value>, u64), String> {
        let Some(map) = part.as_object() else { return Ok((Vec::new(), 0)) };
        let mut beside = Vec::new();
        let mut meta = 0;
        for reference in ["$ref", "$dynamicRef"].iter().filter_map(|name| map.get(*name)?.as_str()) {
            match self.graph.target(reference)? {
                Target::Part(target) => beside.push(target),
                Target::Meta => meta += META,
            }
        }
        beside.extend(SAME_LIST.iter().filter_map(|name| map.get(*name)?.as_array()).flatten());
        beside.extend(SAME_ONE.iter().filter_map(|name| map.get(*name)));
        beside.extend(SAME_MAP.iter().filter_map(|name| map.get(*name)?.as_object()).flat_map(Map::values));
        Ok((beside, meta))
    }

    /// What looks at one value: this part and those beside it.
    fn same(&mut self, part: &'a Value) -> Result<Look, String> {
        let address = std::ptr::from_ref(part);
        if let Some(known) = self.same.get(&address) {
            return Ok(*known);
        }
        if self.path.contains(&address) {
            return Err("invalid reference: it leads back to itself without looking inside of the value".to_owned());
        }
        if self.path.len() > MAX_SCHEMA_DEPTH {
            return Err(format!("invalid schema: references lead deeper than {MAX_SCHEMA_DEPTH} levels"));
        }
        self.path.push(address);
        let (beside, meta) = self.beside(part)?;
        let mut sum = own(part).plus(Look { visits: meta, mistakes: meta, ..Look::default() });
        for one in beside {
            sum = sum.plus(self.same(one)?);
        }
        self.path.pop();
        if part.get("unevaluatedProperties").is_some() || part.get("unevaluatedItems").is_some() {
            // What was evaluated is found by looking again.
            sum = sum.times(3);
        }
        if sum.visits > MAX_SCHEMA_PARTS {
            return Err(too_wide());
        }
        self.same.insert(address, sum);
        Ok(sum)
    }

    /// What looks inside of the value, by a part and those beside it: each as often as it looks. The visits of the part are known, so these
    /// are not too many.
    fn inside(&self, part: &'a Value, into: &mut Vec<(Key<'a>, &'a Value)>) -> Result<(), String> {
        if let Some(map) = part.as_object() {
            let named = map.get("properties").and_then(Value::as_object).into_iter().flatten();
            into.extend(named.map(|(key, value)| (Key::Name(key.as_str()), value)));
            let placed = map.get("prefixItems").and_then(Value::as_array).into_iter().flatten();
            into.extend(placed.enumerate().map(|(place, value)| (Key::Place(place), value)));
            into.extend(INSIDE_ONE.iter().filter_map(|name| Some((Key::Any, map.get(*name)?))));
            let patterns = map.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values);
            into.extend(patterns.map(|value| (Key::Any, value)));
        }
        if into.len() > MAX_EDGES {
            return Err(too_wide());
        }
        self.beside(part)?.0.into_iter().try_for_each(|one| self.inside(one, into))
    }
}

/// Which locations lead to which.
struct Reach<'a> {
    looks: Vec<Look>,
    edges: Vec<Vec<(Key<'a>, usize)>>,
}

impl<'a> Reach<'a> {
    /// Everything that a schema reaches.
    fn from_graph(graph: &Graph<'a>) -> Result<Self, String> {
        let mut locations = Locations { graph, same: HashMap::new(), path: Vec::new() };
        let mut found: Vec<&'a Value> = vec![graph.root];
        let mut numbers: HashMap<*const Value, usize> = HashMap::from([(std::ptr::from_ref(graph.root), 0)]);
        let mut map = Self { looks: Vec::new(), edges: Vec::new() };
        let mut total = 0;
        while let Some(part) = found.get(map.looks.len()).copied() {
            map.looks.push(locations.same(part)?);
            let mut inside = Vec::new();
            locations.inside(part, &mut inside)?;
            total += inside.len();
            if total > MAX_EDGES {
                return Err(too_wide());
            }
            let number = |(key, one): (Key<'a>, &'a Value)| {
                let number = *numbers.entry(std::ptr::from_ref(one)).or_insert_with(|| {
                    found.push(one);
                    found.len() - 1
                });
                (key, number)
            };
            map.edges.push(inside.into_iter().map(number).collect());
        }
        Ok(map)
    }

    fn from(&self, location: usize) -> &[(Key<'a>, usize)] {
        self.edges.get(location).map_or(&[], Vec::as_slice)
    }

    /// The locations in groups that lead to one another; a group comes before those that lead to it (Tarjan 1972).
    fn groups(&self) -> Vec<Vec<usize>> {
        let count = self.edges.len();
        let (mut order, mut low, mut open) = (vec![0_usize; count], vec![0_usize; count], vec![false; count]);
        let (mut next, mut stack, mut groups) = (1_usize, Vec::new(), Vec::new());
        // The location, and how many of its edges were followed.
        let mut path = vec![(0_usize, 0_usize)];
        while let Some((at, followed)) = path.last().copied() {
            if followed == 0 {
                set(&mut order, at, next);
                set(&mut low, at, next);
                set(&mut open, at, true);
                stack.push(at);
                next += 1;
            }
            if let Some((_, to)) = self.from(at).get(followed) {
                if let Some(last) = path.last_mut() {
                    last.1 += 1;
                }
                if get(&order, *to) == 0 {
                    path.push((*to, 0));
                } else if get(&open, *to) {
                    let least = get(&low, at).min(get(&order, *to));
                    set(&mut low, at, least);
                }
                continue;
            }
            path.pop();
            if let Some((before, _)) = path.last().copied() {
                let least = get(&low, before).min(get(&low, at));
                set(&mut low, before, least);
            }
            if get(&low, at) == get(&order, at) {
                let begins = stack.iter().rposition(|one| *one == at).unwrap_or(0);
                let group = stack.split_off(begins);
                for one in &group {
                    set(&mut open, *one, false);
                }
                groups.push(group);
            }
        }
        groups
    }
}

fn get<T: Copy + Default>(of: &[T], place: usize) -> T {
    of.get(place).copied().unwrap_or_default()
}

fn set<T>(of: &mut [T], place: usize, value: T) {
    if let Some(slot) = of.get_mut(place) {
        *slot = value;
    }
}

fn too_wide() -> String {
    format!("invalid schema: its references stand for more than {MAX_SCHEMA_PARTS} parts; expected a smaller one")
}

/// What one part costs by itself: long lists of words are gone through for each value.
fn own(part: &Value) -> Look {
    let length = |name: &str| {
        part.get(name)
            .map_or(0, |value| value.as_array().map_or_else(|| value.as_object().map_or(0, Map::len), Vec::len))
    };
    let words = length("enum") + length("required") + length("properties");
    let of_keys = part.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let patterns: Vec<&str> = of_keys.map(String::as_str).chain(part.get("pattern").and_then(Value::as_str)).collect();
    let count = |patterns: usize| u64::try_from(patterns).unwrap_or(u64::MAX);
    Look {
        visits: 1 + u64::try_from(words / 16).unwrap_or(u64::MAX),
        patterns: count(patterns.len()),
        searching: count(patterns.iter().filter(|pattern| may_search(pattern)).count()),
        mistakes: count(part.as_object().map_or(0, Map::len) + length("required")),
    }
}

/// Whether a pattern may look around or back, so that it is tried again and again; one that only looks as if it did counts as well.
fn may_search(pattern: &str) -> bool {
    let looks_around =
        ["(?=", "(?!", "(?<", "(?>", "(?P", "(?(", "++", "*+", "?+", "}+"].iter().any(|sign| pattern.contains(sign));
    // `\1`, `\k<name>`, `\g1`, `\K`, `\G`; a backslash before another backslash is that letter.
    let mut letters = pattern.chars();
    let mut looks_back = false;
    while let Some(letter) = letters.next() {
        looks_back |=
            letter == '\\' && letters.next().is_some_and(|next| next.is_ascii_digit() || "kgKG".contains(next));
    }
    looks_around || looks_back
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "cost_count_tests.rs"]
mod count_tests;
