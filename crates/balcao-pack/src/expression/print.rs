//! Parts back to text, with every parenthesis written.

use std::fmt::{self, Formatter};

use serde_json::Value;

use super::Node;

pub(super) fn node(node: &Node, f: &mut Formatter<'_>) -> fmt::Result {
    match node {
        Node::Root => f.write_str("$"),
        Node::Element => Ok(()),
        Node::Literal(value) => literal(value, f),
        Node::Name(name) => f.write_str(name),
        Node::Field { of, name } => {
            self::node(of, f)?;
            write!(f, ".{name}")
        }
        Node::Index { of, index, .. } => {
            self::node(of, f)?;
            f.write_str("[")?;
            self::node(index, f)?;
            f.write_str("]")
        }
        Node::Each { of, then } => {
            self::node(of, f)?;
            f.write_str("[*]")?;
            self::node(then, f)
        }
        Node::Not(of) => {
            f.write_str("(!")?;
            self::node(of, f)?;
            f.write_str(")")
        }
        Node::Negative { of, .. } => {
            f.write_str("(-")?;
            self::node(of, f)?;
            f.write_str(")")
        }
        Node::Binary { operator, left, right, .. } => {
            f.write_str("(")?;
            self::node(left, f)?;
            write!(f, " {} ", operator.symbol())?;
            self::node(right, f)?;
            f.write_str(")")
        }
        Node::Call { function, arguments, .. } => {
            write!(f, "{}(", function.name())?;
            list(arguments, f)?;
            f.write_str(")")
        }
        Node::Matches { text, pattern, .. } => {
            f.write_str("matches(")?;
            self::node(text, f)?;
            f.write_str(", ")?;
            quoted(pattern.0.as_str(), f)?;
            f.write_str(")")
        }
        Node::List(items) => {
            f.write_str("[")?;
            list(items, f)?;
            f.write_str("]")
        }
        Node::Object(fields) => {
            f.write_str("{")?;
            for (place, (name, value)) in fields.iter().enumerate() {
                if place > 0 {
                    f.write_str(", ")?;
                }
                quoted(name, f)?;
                f.write_str(": ")?;
                self::node(value, f)?;
            }
            f.write_str("}")
        }
    }
}

fn list(items: &[Node], f: &mut Formatter<'_>) -> fmt::Result {
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            f.write_str(", ")?;
        }
        node(item, f)?;
    }
    Ok(())
}

fn literal(value: &Value, f: &mut Formatter<'_>) -> fmt::Result {
    match value.as_str() {
        Some(text) => quoted(text, f),
        None => write!(f, "{value}"),
    }
}

fn quoted(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
