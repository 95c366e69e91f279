//! Patterns behind `error:`: regular expressions, found anywhere in a message.
//!
//! Law: time is at most the product of the lengths of pattern and text; a pattern that is none is a mistake that is named.
//!
//! The pattern is read into states, all of which are followed at once (Thompson, *Regular Expression Search Algorithm*, 1968).
//! There are `.`, `*`, `+`, `?`, `|`, `( )`, `[ ]`, `^`, `$`, and `\` before anything else.

/// A step of a pattern.
#[derive(Debug, Clone)]
enum Step {
    /// One of these characters, or none of them.
    One(Vec<(char, char)>, bool),
    /// The beginning of the text.
    Start,
    /// Its end.
    End,
    /// Here or there.
    Split(usize, usize),
    /// There.
    Jump(usize),
    /// It was found.
    Found,
}

/// Whether a text has the pattern in it.
pub(crate) fn matches(pattern: &str, text: &str) -> Result<bool, String> {
    let mut reader = Reader { pattern: pattern.chars().collect(), at: 0, steps: Vec::new() };
    reader.choice()?;
    if reader.at < reader.pattern.len() {
        return Err(format!("`{pattern}` is no pattern: `)` closes nothing"));
    }
    reader.steps.push(Step::Found);
    let steps = reader.steps;
    let text: Vec<char> = text.chars().collect();
    let mut now = Vec::new();
    for at in 0..=text.len() {
        let mut seen = vec![false; steps.len()];
        let mut next = Vec::new();
        let mut open: Vec<usize> = std::mem::take(&mut now);
        open.push(0);
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut seen[step], true) {
                continue;
            }
            match &steps[step] {
                Step::Found => return Ok(true),
                Step::Split(a, b) => open.extend([*a, *b]),
                Step::Jump(a) => open.push(*a),
                Step::Start if at == 0 => open.push(step + 1),
                Step::End if at == text.len() => open.push(step + 1),
                Step::Start | Step::End => {}
                Step::One(ranges, wanted) => {
                    let here = |c: &char| ranges.iter().any(|(low, high)| (low..=high).contains(&c)) == *wanted;
                    if text.get(at).is_some_and(here) {
                        next.push(step + 1);
                    }
                }
            }
        }
        now = next;
    }
    Ok(false)
}

struct Reader {
    pattern: Vec<char>,
    at: usize,
    steps: Vec<Step>,
}

impl Reader {
    fn fail<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("`{}` is no pattern: {what}", self.pattern.iter().collect::<String>()))
    }

    fn peek(&self) -> Option<char> {
        self.pattern.get(self.at).copied()
    }

    /// `a|b`.
    fn choice(&mut self) -> Result<(), String> {
        let start = self.steps.len();
        self.sequence()?;
        if self.peek() == Some('|') {
            self.at += 1;
            self.insert(start, Step::Split(start + 1, self.steps.len() + 2));
            let jump = self.steps.len();
            self.steps.push(Step::Jump(0));
            self.choice()?;
            self.steps[jump] = Step::Jump(self.steps.len());
        }
        Ok(())
    }

    fn sequence(&mut self) -> Result<(), String> {
        while let Some(c) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            let start = self.steps.len();
            self.at += 1;
            match c {
                '(' => {
                    self.choice()?;
                    if self.peek() != Some(')') {
                        return self.fail("`(` is not closed");
                    }
                    self.at += 1;
                }
                '[' => self.set()?,
                '.' => self.steps.push(Step::One(Vec::new(), false)),
                '^' => self.steps.push(Step::Start),
                '$' => self.steps.push(Step::End),
                '*' | '+' | '?' => return self.fail(&format!("nothing stands before `{c}`")),
                '\\' => {
                    let Some(c) = self.peek() else { return self.fail("nothing stands behind `\\`") };
                    self.at += 1;
                    self.steps.push(Step::One(vec![(c, c)], true));
                }
                c => self.steps.push(Step::One(vec![(c, c)], true)),
            }
            while let Some(c) = self.peek().filter(|c| matches!(c, '*' | '+' | '?')) {
                self.at += 1;
                let end = self.steps.len();
                match c {
                    '*' => {
                        self.insert(start, Step::Split(start + 1, end + 2));
                        self.steps.push(Step::Jump(start));
                    }
                    '+' => self.steps.push(Step::Split(start, end + 1)),
                    _ => self.insert(start, Step::Split(start + 1, end + 1)),
                }
            }
        }
        Ok(())
    }

    /// `[a-z]`, behind its bracket.
    fn set(&mut self) -> Result<(), String> {
        let wanted = self.peek() != Some('^');
        self.at += usize::from(!wanted);
        let mut ranges = Vec::new();
        loop {
            let Some(c) = self.peek() else { return self.fail("`[` is not closed") };
            self.at += 1;
            let low = match c {
                ']' if !ranges.is_empty() => break,
                '\\' => {
                    let Some(c) = self.peek() else { return self.fail("`[` is not closed") };
                    self.at += 1;
                    c
                }
                c => c,
            };
            let range = self.peek() == Some('-') && self.pattern.get(self.at + 1).is_some_and(|c| *c != ']');
            let high = if range { self.pattern[self.at + 1] } else { low };
            self.at += if range { 2 } else { 0 };
            ranges.push((low, high));
        }
        self.steps.push(Step::One(ranges, wanted));
        Ok(())
    }

    /// Puts a step before others, whose targets move with them.
    fn insert(&mut self, at: usize, step: Step) {
        for step in &mut self.steps[at..] {
            match step {
                Step::Split(a, b) => {
                    *a += usize::from(*a >= at);
                    *b += usize::from(*b >= at);
                }
                Step::Jump(a) => *a += usize::from(*a >= at),
                Step::One(..) | Step::Start | Step::End | Step::Found => {}
            }
        }
        self.steps.insert(at, step);
    }
}
