//! Words to parts, by how tightly operators bind.

use balcao_tool::limits::MAX_PATTERN_MEMORY;
use serde_json::Value;

use super::{
    ErrorKind, ExpressionError, Function, MAX_DEPTH, MAX_PARTS, Node, Operator, Pattern,
    lex::{self, Word},
};

type Parsed<T> = Result<T, ExpressionError>;

pub(super) fn parse(text: &str) -> Parsed<Node> {
    let words = lex::words(text)?;
    let mut parser = Parser { words: &words, next: 0, depth: 0, parts: 0 };
    let root = parser.binary(0)?;
    match parser.peek() {
        (Word::End, _) => Ok(root),
        _more => Err(parser.expected("an operator or the end")),
    }
}

struct Parser<'a> {
    words: &'a [(Word, usize)],
    next: usize,
    depth: usize,
    parts: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a (Word, usize) {
        const END: &(Word, usize) = &(Word::End, 1);
        self.words.get(self.next).or(self.words.last()).unwrap_or(END)
    }

    fn expected(&self, expected: &'static str) -> ExpressionError {
        let (word, at) = self.peek();
        ExpressionError { at: *at, kind: ErrorKind::Expected { expected, found: word.words() } }
    }

    fn take(&mut self, mark: char) -> bool {
        let there = self.peek().0 == Word::Mark(mark);
        self.next += usize::from(there);
        there
    }

    fn must(&mut self, mark: char, expected: &'static str) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Counts one more part.
    fn part(&mut self, node: Node) -> Parsed<Node> {
        self.parts += 1;
        self.within(self.parts, MAX_PARTS, "parts")?;
        Ok(node)
    }

    fn within(&self, count: usize, most: usize, what: &'static str) -> Parsed<()> {
        if count > most {
            return Err(ExpressionError { at: self.peek().1, kind: ErrorKind::TooLarge { what, most } });
        }
        Ok(())
    }

    /// One level further in.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        self.within(self.depth, MAX_DEPTH, "levels")?;
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    /// Operators of `rank` and tighter ones; equal ranks associate to the left. A chain of operators is a tree as deep as it is long:
    /// the limit of parts bounds it.
    fn binary(&mut self, rank: u8) -> Parsed<Node> {
        let mut left = self.unary()?;
        loop {
            let (Word::Operator(operator), at) = *self.peek() else { return Ok(left) };
            if operator.rank() <= rank {
                return Ok(left);
            }
            self.next += 1;
            let right = self.deeper(|parser| parser.binary(operator.rank()))?;
            left = self.part(Node::Binary { operator, left: Box::new(left), right: Box::new(right), at })?;
        }
    }

    fn unary(&mut self) -> Parsed<Node> {
        let (word, at) = self.peek();
        let at = *at;
        match word {
            Word::Not => {
                self.next += 1;
                let of = self.deeper(Self::unary)?;
                self.part(Node::Not(Box::new(of)))
            }
            Word::Operator(Operator::Subtract) => {
                self.next += 1;
                let of = self.deeper(Self::unary)?;
                self.part(Node::Negative { of: Box::new(of), at })
            }
            Word::Name(_) | Word::Text(_) | Word::Number(_) | Word::Operator(_) | Word::Mark(_) | Word::End => {
                let start = self.primary()?;
                self.steps(start)
            }
        }
    }

    /// `.name`, `[index]`, `[*]` behind `of`.
    fn steps(&mut self, mut of: Node) -> Parsed<Node> {
        loop {
            if self.take('.') {
                let name = self.name("the name of a field")?;
                of = self.part(Node::Field { of: Box::new(of), name })?;
            } else if self.take('[') {
                let at = self.peek().1;
                if self.peek().0 == Word::Operator(Operator::Multiply) {
                    self.next += 1;
                    self.must(']', "`]`")?;
                    let then = self.deeper(|parser| parser.steps(Node::Element))?;
                    return self.part(Node::Each { of: Box::new(of), then: Box::new(then) });
                }
                let index = self.deeper(|parser| parser.binary(0))?;
                self.must(']', "`]`")?;
                of = self.part(Node::Index { of: Box::new(of), index: Box::new(index), at })?;
            } else {
                return Ok(of);
            }
        }
    }

    fn name(&mut self, expected: &'static str) -> Parsed<String> {
        let Word::Name(name) = &self.peek().0 else { return Err(self.expected(expected)) };
        self.next += 1;
        Ok(name.clone())
    }

    fn primary(&mut self) -> Parsed<Node> {
        let (word, at) = self.peek();
        let node = match word {
            Word::Text(text) => Node::Literal(Value::from(text.clone())),
            Word::Number(number) => Node::Literal(Value::Number(number.clone())),
            Word::Mark('$') => Node::Root,
            Word::Mark('(') => {
                self.next += 1;
                let inner = self.deeper(|parser| parser.binary(0))?;
                self.must(')', "`)`")?;
                return Ok(inner);
            }
            Word::Mark('[') => {
                self.next += 1;
                return self.list();
            }
            Word::Mark('{') => {
                self.next += 1;
                return self.object();
            }
            Word::Name(name) => {
                self.next += 1;
                return self.named(name, *at);
            }
            Word::Not | Word::Operator(_) | Word::Mark(_) | Word::End => return Err(self.expected("a value")),
        };
        self.next += 1;
        self.part(node)
    }

    fn named(&mut self, name: &str, at: usize) -> Parsed<Node> {
        let node = match name {
            "true" => Node::Literal(Value::Bool(true)),
            "false" => Node::Literal(Value::Bool(false)),
            "null" | "undefined" => Node::Literal(Value::Null),
            _field if self.take('(') => return self.call(name, at),
            field => Node::Name(field.to_owned()),
        };
        self.part(node)
    }

    fn call(&mut self, name: &str, at: usize) -> Parsed<Node> {
        let arguments = self.items(')', "`,` or `)`")?;
        if name == "matches" {
            let mut arguments = arguments.into_iter();
            let (Some(text), Some(Node::Literal(Value::String(pattern))), None) =
                (arguments.next(), arguments.next(), arguments.next())
            else {
                let kind = ErrorKind::Expected {
                    expected: "a value and a pattern in quotes",
                    found: "something else".to_owned(),
                };
                return Err(ExpressionError { at, kind });
            };
            let compiled = regex::RegexBuilder::new(&pattern).size_limit(MAX_PATTERN_MEMORY).build();
            let Ok(compiled) = compiled else { return Err(ExpressionError { at, kind: ErrorKind::Pattern(pattern) }) };
            return self.part(Node::Matches { text: Box::new(text), pattern: Pattern(compiled), at });
        }
        let Some(function) = Function::ALL.into_iter().find(|function| function.name() == name) else {
            return Err(ExpressionError { at, kind: ErrorKind::Function { name: name.to_owned() } });
        };
        if arguments.len() != function.takes() {
            let kind = ErrorKind::Arguments { name: function.name(), takes: function.takes() };
            return Err(ExpressionError { at, kind });
        }
        self.part(Node::Call { function, arguments, at })
    }

    fn list(&mut self) -> Parsed<Node> {
        let items = self.items(']', "`,` or `]`")?;
        self.part(Node::List(items))
    }

    fn items(&mut self, end: char, expected: &'static str) -> Parsed<Vec<Node>> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(self.deeper(|parser| parser.binary(0))?);
            if self.take(end) {
                return Ok(items);
            }
            self.must(',', expected)?;
        }
    }

    fn object(&mut self) -> Parsed<Node> {
        let mut fields = Vec::new();
        if self.take('}') {
            return self.part(Node::Object(fields));
        }
        loop {
            let name = match &self.peek().0 {
                Word::Text(text) => {
                    self.next += 1;
                    text.clone()
                }
                Word::Name(_) | Word::Number(_) | Word::Operator(_) | Word::Not | Word::Mark(_) | Word::End => {
                    self.name("the name of a field")?
                }
            };
            self.must(':', "`:`")?;
            fields.push((name, self.deeper(|parser| parser.binary(0))?));
            if self.take('}') {
                return self.part(Node::Object(fields));
            }
            self.must(',', "`,` or `}`")?;
        }
    }
}
