//! Where a field stands in arguments: `name`, `due.date`, `custom_fields[*].id`, or a JSON pointer.

use serde_json::Value;

/// A field's place, read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldPath {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Each,
}

/// A place of one value, as numbers of the elements that `[*]` went through.
pub(crate) type Elements = Vec<usize>;

impl FieldPath {
    /// Reads a path; `None` if it is empty or has an empty step.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut steps = Vec::new();
        if let Some(pointer) = text.strip_prefix('/') {
            steps.extend(pointer.split('/').map(|key| Step::Key(key.replace("~1", "/").replace("~0", "~"))));
        } else {
            for piece in text.split('.') {
                let (name, lists) = piece.split_once("[*]").map_or((piece, None), |(name, rest)| (name, Some(rest)));
                steps.push(Step::Key(name.to_owned()));
                if let Some(rest) = lists {
                    let more = rest.split("[*]").count();
                    if !rest.replace("[*]", "").is_empty() {
                        return None;
                    }
                    steps.extend(std::iter::repeat_n(Step::Each, more));
                }
            }
        }
        let empty = steps.iter().any(|step| matches!(step, Step::Key(key) if key.is_empty()));
        (!empty).then_some(Self { steps })
    }

    /// Shows every value at this place to `see`: with `None` where the last field is missing. Of a list, every element.
    pub(crate) fn each<'v>(&self, value: &'v Value, see: &mut dyn FnMut(&Elements, Option<&'v Value>)) {
        walk(&self.steps, value, &mut Vec::new(), see);
    }

    /// The first value, if there is one that is not null.
    pub(crate) fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let mut found = None;
        self.each(value, &mut |_elements, value| {
            if found.is_none() {
                found = value.filter(|value| !value.is_null());
            }
        });
        found
    }

    /// The JSON pointer of one of its places.
    pub(crate) fn pointer(&self, elements: &[usize]) -> String {
        let mut elements = elements.iter();
        let mut pointer = String::new();
        for step in &self.steps {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&balcao_yaml::escape(key)),
                Step::Each => match elements.next() {
                    Some(place) => pointer.push_str(&place.to_string()),
                    None => pointer.push('*'),
                },
            }
        }
        pointer
    }

    /// Sets the field, where everything around it is there; `None` removes it. Whether anything was done.
    pub(crate) fn set(&self, root: &mut Value, value: Option<Value>) -> bool {
        let Some((Step::Key(last), before)) = self.steps.split_last() else { return false };
        let mut at = root;
        for step in before {
            let Step::Key(key) = step else { return false };
            let Some(next) = at.get_mut(key) else { return false };
            at = next;
        }
        let Some(object) = at.as_object_mut() else { return false };
        match value {
            Some(value) => object.insert(last.clone(), value).is_none_or(|_old| true),
            None => object.shift_remove(last).is_some(),
        }
    }
}

fn walk<'v>(
    steps: &[Step],
    value: &'v Value,
    elements: &mut Elements,
    see: &mut dyn FnMut(&Elements, Option<&'v Value>),
) {
    match steps.split_first() {
        None => see(elements, Some(value)),
        Some((Step::Key(key), rest)) => match value.get(key) {
            Some(next) => walk(rest, next, elements, see),
            // A missing list has no elements; what is below a missing thing is as missing as that.
            None if rest.contains(&Step::Each) => {}
            None => see(elements, None),
        },
        Some((Step::Each, rest)) => {
            for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                elements.push(place);
                walk(rest, item, elements, see);
                elements.pop();
            }
        }
    }
}
