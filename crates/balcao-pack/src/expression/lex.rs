//! Characters to words.

use super::{ErrorKind, ExpressionError, MAX_BYTES, Operator};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word {
    Name(String),
    Text(String),
    Number(serde_json::Number),
    Operator(Operator),
    Not,
    /// `.`, `?.`, `(`, `)`, `[`, `]`, `{`, `}`, `,`, `:`, `$`
    Mark(char),
    End,
}

impl Word {
    pub(super) fn words(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Text(text) => format!("the text '{text}'"),
            Self::Number(number) => format!("`{number}`"),
            Self::Operator(operator) => format!("`{}`", operator.symbol()),
            Self::Not => "`!`".to_owned(),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// The words with the character where each begins, from 1; the last is [`Word::End`].
pub(super) fn words(text: &str) -> Result<Vec<(Word, usize)>, ExpressionError> {
    if text.len() > MAX_BYTES {
        return Err(ExpressionError { at: 1, kind: ErrorKind::TooLarge { what: "bytes", most: MAX_BYTES } });
    }
    let characters: Vec<char> = text.chars().collect();
    let mut reader = Reader { characters: &characters, next: 0 };
    let mut words = Vec::new();
    loop {
        reader.skip(char::is_whitespace);
        let at = reader.next + 1;
        let word = reader.word(at)?;
        let end = word == Word::End;
        words.push((word, at));
        if end {
            return Ok(words);
        }
    }
}

struct Reader<'a> {
    characters: &'a [char],
    next: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.next).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        self.next += usize::from(there);
        there
    }

    fn skip(&mut self, which: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(character) = self.peek().filter(|character| which(*character)) {
            taken.push(character);
            self.next += 1;
        }
        taken
    }

    fn word(&mut self, at: usize) -> Result<Word, ExpressionError> {
        let Some(first) = self.peek() else { return Ok(Word::End) };
        if first.is_alphabetic() || first == '_' {
            return Ok(Word::Name(self.skip(|character| character.is_alphanumeric() || character == '_')));
        }
        if first.is_ascii_digit() {
            return self.number(at);
        }
        self.next += 1;
        let operator = match first {
            '\'' | '"' => return self.text(first, at),
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' | '$' | '.' => return Ok(Word::Mark(first)),
            '!' if !self.take('=') => return Ok(Word::Not),
            '?' if self.take('.') => return Ok(Word::Mark('.')),
            '?' if self.take('?') => Operator::Coalesce,
            '|' if self.take('|') => Operator::Or,
            '&' if self.take('&') => Operator::And,
            '!' => {
                self.take('=');
                Operator::Unequal
            }
            '=' if self.take('=') => {
                self.take('=');
                Operator::Equal
            }
            '<' if self.take('=') => Operator::LessEqual,
            '<' => Operator::Less,
            '>' if self.take('=') => Operator::GreaterEqual,
            '>' => Operator::Greater,
            '+' => Operator::Add,
            '-' => Operator::Subtract,
            '*' => Operator::Multiply,
            '/' => Operator::Divide,
            other => return Err(ExpressionError { at, kind: ErrorKind::Character(other) }),
        };
        Ok(Word::Operator(operator))
    }

    fn number(&mut self, at: usize) -> Result<Word, ExpressionError> {
        let mut digits = self.skip(|character| character.is_ascii_digit());
        let fraction = self.peek() == Some('.') && self.characters.get(self.next + 1).is_some_and(char::is_ascii_digit);
        if fraction {
            self.next += 1;
            digits.push('.');
            digits.push_str(&self.skip(|character| character.is_ascii_digit()));
        }
        serde_json::from_str(&digits)
            .map(Word::Number)
            .map_err(|_not_json| ExpressionError { at, kind: ErrorKind::Number(digits.clone()) })
    }

    fn text(&mut self, quote: char, at: usize) -> Result<Word, ExpressionError> {
        let mut text = String::new();
        while let Some(character) = self.peek() {
            self.next += 1;
            match character {
                '\\' => match self.peek() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    // A pattern's `\d` keeps its backslash; a quote and a backslash lose it.
                    Some(escaped @ ('\'' | '"' | '\\')) => text.push(escaped),
                    Some(other) => text.extend(['\\', other]),
                    None => break,
                },
                end if end == quote => return Ok(Word::Text(text)),
                other => {
                    text.push(other);
                    continue;
                }
            }
            self.next += 1;
        }
        Err(ExpressionError { at, kind: ErrorKind::OpenText })
    }
}
