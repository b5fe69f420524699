//! Tokens become a question. Grammar:
//!
//! ```text
//! question   = source { "|" stage }
//! stage      = "where" expression
//!            | "extend" named { "," named }
//!            | "summarize" named { "," named } [ "by" named { "," named } ]
//!            | "sort" name [ "asc" | "desc" ] { "," … }
//!            | "take" number
//!            | "select" name { "," name }
//! named      = [ name "=" ] expression
//! expression = "not", "-", calls and names, and by strength: or · and · comparisons, "in (…)", contains, startswith · + - · * /
//! ```

use crate::QueryError;
use crate::error::{Checked, Problem, nearest};
use crate::lexer::{Placed, Token, tokens};
use crate::limits::{MAX_DEPTH, MAX_STAGES};
use crate::syntax::{Arithmetic, Comparison, Direction, Expression, Kind, Name, Named, Operator, Query, Stage};
use crate::value::Value;

const STAGES: [&str; 6] = ["where", "extend", "summarize", "sort", "take", "select"];

impl Query {
    /// Reads a question.
    ///
    /// # Errors
    /// The first place where it is not what the grammar wants, and what would be.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let read = || {
            let mut parser = Parser { tokens: tokens(text)?, next: 0, end: text.len(), depth: 0 };
            let source = parser.name("the name of a source, such as appointments")?;
            let mut stages = Vec::new();
            while !parser.is_over() {
                parser.sign("|")?;
                if stages.len() == MAX_STAGES {
                    return Err(Problem::new(parser.position(), format!("a question has at most {MAX_STAGES} stages")));
                }
                stages.push(parser.stage()?);
            }
            Ok(Self { text: text.to_owned(), source, stages })
        };
        read().map_err(|problem: Problem| problem.placed(text))
    }
}

struct Parser {
    tokens: Vec<Placed>,
    next: usize,
    end: usize,
    depth: usize,
}

impl Parser {
    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn is_over(&self) -> bool {
        self.next >= self.tokens.len()
    }

    fn expected(&self, what: &str) -> Problem {
        let got = match self.peek() {
            None => "the question ends".to_owned(),
            Some(Token::Word(word)) => format!("`{word}` stands"),
            Some(Token::Sign(sign)) => format!("`{sign}` stands"),
            Some(Token::Text(_)) => "a text stands".to_owned(),
            Some(Token::Whole(_) | Token::Fraction(_) | Token::Date(_) | Token::Duration(_)) => {
                "a number stands".to_owned()
            }
        };
        Problem::new(self.position(), format!("{got} where {what} is wanted"))
    }

    fn takes_sign(&mut self, wanted: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Sign(sign)) if *sign == wanted);
        self.next += usize::from(is);
        is
    }

    fn takes_word(&mut self, wanted: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(wanted));
        self.next += usize::from(is);
        is
    }

    fn sign(&mut self, wanted: &str) -> Checked<()> {
        if self.takes_sign(wanted) { Ok(()) } else { Err(self.expected(&format!("`{wanted}`"))) }
    }

    fn name(&mut self, what: &str) -> Checked<Name> {
        let at = self.position();
        let Some(Token::Word(word)) = self.peek() else { return Err(self.expected(what)) };
        let text = word.to_lowercase();
        self.next += 1;
        Ok(Name { at, text })
    }

    fn stage(&mut self) -> Checked<Stage> {
        let word = self.name("a stage, such as where")?;
        match word.text.as_str() {
            "where" => Ok(Stage::Where(self.expression()?)),
            "extend" => Ok(Stage::Extend(self.list(Self::named)?)),
            "summarize" | "summarise" => {
                let figures = self.list(Self::named)?;
                let by = if self.takes_word("by") { self.list(Self::named)? } else { Vec::new() };
                Ok(Stage::Summarize { figures, by })
            }
            "sort" | "order" => {
                self.takes_word("by");
                Ok(Stage::Sort(self.list(Self::ordered)?))
            }
            "take" | "limit" => self.take(),
            "select" | "project" => Ok(Stage::Select(self.list(|parser| parser.name("a field"))?)),
            other => Err(Problem::new(word.at, format!("there is no stage `{other}`")).suggest(nearest(other, STAGES))),
        }
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.takes_sign(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    fn take(&mut self) -> Checked<Stage> {
        let Some(Token::Whole(number)) = self.peek() else { return Err(self.expected("a number of rows")) };
        let count = usize::try_from(*number).unwrap_or(usize::MAX);
        self.next += 1;
        Ok(Stage::Take(count))
    }

    fn ordered(&mut self) -> Checked<(Name, Direction)> {
        let name = self.name("a field to sort by")?;
        let direction = if self.takes_word("desc") { Direction::Descending } else { Direction::Ascending };
        self.takes_word("asc");
        Ok((name, direction))
    }

    fn named(&mut self) -> Checked<Named> {
        let is_named = matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("="))));
        let name = match self.peek() {
            Some(Token::Word(_)) if is_named => {
                let name = self.name("a name")?;
                self.next += 1;
                Some(name)
            }
            _ => None,
        };
        Ok(Named { name, value: self.expression()? })
    }

    fn expression(&mut self) -> Checked<Expression> {
        self.stronger_than(0)
    }

    /// An expression of operators that bind closer than this (precedence climbing).
    fn stronger_than(&mut self, floor: u8) -> Checked<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Problem::new(self.position(), format!("expressions nest at most {MAX_DEPTH} deep")));
        }
        let mut left = self.operand()?;
        loop {
            let at = self.position();
            if floor < Operator::Compare(Comparison::Equal).strength()
                && let Some(negated) = self.takes_in()?
            {
                let among = self.arguments()?;
                left = Expression { at, kind: Kind::In(Box::new(left), among) };
                if negated {
                    left = Expression { at, kind: Kind::Not(Box::new(left)) };
                }
                continue;
            }
            let Some(operator) = self.operator().filter(|operator| operator.strength() > floor) else { break };
            self.next += 1;
            let right = self.stronger_than(operator.strength())?;
            left = Expression { at, kind: Kind::Both(Box::new(left), operator, Box::new(right)) };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `in (`, or `not in (`; tells which.
    fn takes_in(&mut self) -> Checked<Option<bool>> {
        let negated = self.takes_word("not");
        if !self.takes_word("in") {
            return if negated { Err(self.expected("`in`")) } else { Ok(None) };
        }
        self.sign("(")?;
        Ok(Some(negated))
    }

    fn operator(&self) -> Option<Operator> {
        match self.peek()? {
            Token::Word(word) => Operator::of_sign(&word.to_lowercase()),
            Token::Sign(sign) => Operator::of_sign(sign),
            Token::Whole(_) | Token::Fraction(_) | Token::Date(_) | Token::Duration(_) | Token::Text(_) => None,
        }
    }

    fn operand(&mut self) -> Checked<Expression> {
        let at = self.position();
        if self.takes_word("not") {
            let what = self.stronger_than(Operator::And.strength())?;
            return Ok(Expression { at, kind: Kind::Not(Box::new(what)) });
        }
        if self.takes_sign("-") {
            let what = self.stronger_than(Operator::Compute(Arithmetic::Over).strength())?;
            return Ok(Expression { at, kind: Kind::Negative(Box::new(what)) });
        }
        if self.takes_sign("(") {
            let inner = self.expression()?;
            self.sign(")")?;
            return Ok(inner);
        }
        let kind = match self.peek() {
            Some(Token::Whole(number)) => Kind::Value(Value::Integer(*number)),
            Some(Token::Fraction(number)) => Kind::Value(Value::Decimal(*number)),
            Some(Token::Date(date)) => Kind::Value(Value::Date(*date)),
            Some(Token::Text(text)) => Kind::Value(Value::text(text.as_str())),
            Some(Token::Duration(duration)) => Kind::Duration(*duration),
            Some(Token::Word(word)) => Self::from_word(word),
            Some(Token::Sign(_)) | None => return Err(self.expected("a field, a value or a function")),
        };
        self.next += 1;
        if let Kind::Name(name) = &kind
            && self.takes_sign("(")
        {
            return Ok(Expression { at, kind: Kind::Call(name.clone(), self.arguments()?) });
        }
        Ok(Expression { at, kind })
    }

    fn from_word(word: &str) -> Kind {
        match word.to_lowercase().as_str() {
            "true" => Kind::Value(Value::Boolean(true)),
            "false" => Kind::Value(Value::Boolean(false)),
            "null" => Kind::Value(Value::Null),
            name => Kind::Name(name.to_owned()),
        }
    }

    /// What stands between brackets, the first of which is behind us.
    fn arguments(&mut self) -> Checked<Vec<Expression>> {
        if self.takes_sign(")") {
            return Ok(Vec::new());
        }
        let all = self.list(Self::expression)?;
        self.sign(")")?;
        Ok(all)
    }
}
