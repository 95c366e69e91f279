//! Tokens: words, numbers, operators and signs, as the lexer finds them.
//!
//! Law: a token is a piece of the text; tokens do not overlap and come in order (tests/language/syntax.rs).

use crate::futhark::source::Span;

/// A piece of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// What it is.
    pub(super) kind: Kind,
    /// Its first byte.
    pub(super) start: u32,
    /// The byte after its last.
    pub(super) end: u32,
    /// How far it stands from the beginning of its line, if nothing but space stands before it there.
    pub(super) indent: Option<u32>,
    /// Whether it touches the token before it.
    pub(super) touches: bool,
}

impl Token {
    pub(super) fn span(self, file: u32) -> Span {
        Span { file, start: self.start, end: self.end }
    }
}

macro_rules! kinds {
    ($(#[$about:meta] $kind:ident = $shown:literal,)* keywords: $($keyword:ident = $word:literal,)*) => {
        /// What a token can be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $(#[$about] $kind,)*
            $(#[doc = concat!("`", $word, "`.")] $keyword,)*
        }

        impl Kind {
            /// How it is called in messages.
            pub(super) fn describe(self) -> &'static str {
                match self {
                    $(Kind::$kind => $shown,)*
                    $(Kind::$keyword => concat!("`", $word, "`"),)*
                }
            }

            /// Whether it is a word that cannot be a name.
            pub(super) fn is_keyword(self) -> bool {
                matches!(self, $(Kind::$keyword)|*)
            }

            /// The kind of a word.
            pub(super) fn of_word(word: &str) -> Kind {
                match word {
                    $($word => Kind::$keyword,)*
                    _ => Kind::Name,
                }
            }
        }
    };
}

kinds! {
    /// A word that is no keyword.
    Name = "a name",
    /// `#word`.
    Constructor = "a constructor",
    /// A run of the characters of operators, of which none of the other kinds is made.
    Operator = "an operator",
    /// A number with its suffix.
    Number = "a number",
    /// `'c'`.
    Character = "a character",
    /// `"text"`.
    Text = "a text",
    /// `(`.
    Open = "`(`",
    /// `)`.
    Close = "`)`",
    /// `[`.
    OpenBracket = "`[`",
    /// `]`.
    CloseBracket = "`]`",
    /// `{`.
    OpenBrace = "`{`",
    /// `}`.
    CloseBrace = "`}`",
    /// `#[`.
    OpenAttribute = "`#[`",
    /// `,`.
    Comma = "`,`",
    /// `:`.
    Colon = "`:`",
    /// `:>`.
    Coerce = "`:>`",
    /// `=`.
    Equals = "`=`",
    /// `->`.
    Arrow = "`->`",
    /// A backslash.
    Backslash = "`\\`",
    /// A backtick.
    Backtick = "a backtick",
    /// `.`.
    Dot = "`.`",
    /// `..`.
    TwoDots = "`..`",
    /// `...`.
    ThreeDots = "`...`",
    /// `..<`.
    Upto = "`..<`",
    /// `..>`.
    Downto = "`..>`",
    /// `?`.
    Question = "`?`",
    /// `???`.
    Hole = "`???`",
    /// `~`.
    Tilde = "`~`",
    /// `'`.
    Tick = "`'`",
    /// `'~`.
    TickTilde = "`'~`",
    /// `'^`.
    TickHat = "`'^`",
    /// After the last token.
    End = "the end of the text",
    keywords:
    If = "if",
    Then = "then",
    Else = "else",
    Def = "def",
    Let = "let",
    In = "in",
    Loop = "loop",
    For = "for",
    While = "while",
    Do = "do",
    With = "with",
    Match = "match",
    Case = "case",
    Assert = "assert",
    True = "true",
    False = "false",
    Entry = "entry",
    Type = "type",
    Module = "module",
    OpenModule = "open",
    Local = "local",
    Import = "import",
    Include = "include",
    Val = "val",
}
