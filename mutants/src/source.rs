//! Files with mutants in them, each behind a switch.
//!
//! Law: with all switches off a file does what it did. A mutant is of the original text, so that no two are on at once; where
//! each came to stand is kept, so that an error of the compiler finds its mutant.

use std::ops::Range;

use crate::operators::{Form, Mutant};

/// The module that says which mutant is on, and notes which are reached.
pub const SWITCH: &str = include_str!("switch.rs");

/// Where in the new text a mutant is: the part that is new, and all that depends on it.
#[derive(Debug, Clone)]
pub struct Placed {
    pub number: usize,
    pub new: Range<usize>,
    pub around: Range<usize>,
}

/// The text with these mutants, which have numbers.
pub fn switched(text: &str, mutants: &[(usize, &Mutant)]) -> (String, Vec<Placed>) {
    let mut sites: Vec<Site<'_>> = Vec::new();
    let mut sorted = mutants.to_vec();
    sorted.sort_by_key(|(_, mutant)| {
        (mutant.place.start, std::cmp::Reverse(mutant.place.end), mutant.form != Form::Removed)
    });
    for (number, mutant) in sorted {
        let together = |site: &&mut Site<'_>| {
            site.place == mutant.place && (site.mutants[0].1.form == Form::Removed) == (mutant.form == Form::Removed)
        };
        match sites.last_mut().filter(together) {
            Some(site) => site.mutants.push((number, mutant)),
            None => sites.push(Site { place: mutant.place.clone(), mutants: vec![(number, mutant)] }),
        }
    }
    let mut writer = Writer { text, out: String::new(), placed: Vec::new() };
    writer.write(0..text.len(), &sites);
    (writer.out, writer.placed)
}

/// Mutants of one place.
struct Site<'m> {
    place: Range<usize>,
    mutants: Vec<(usize, &'m Mutant)>,
}

struct Writer<'t> {
    text: &'t str,
    out: String,
    placed: Vec<Placed>,
}

impl Writer<'_> {
    /// A part of the text, with the sites that are in it.
    fn write(&mut self, part: Range<usize>, mut sites: &[Site<'_>]) {
        let mut at = part.start;
        while let Some((site, rest)) = sites.split_first() {
            let inner =
                rest.iter().take_while(|other| other.place.end <= site.place.end && other.place.start < site.place.end);
            let (inside, after) = rest.split_at(inner.count());
            self.out.push_str(&self.text[at..site.place.start]);
            self.site(site, inside);
            (at, sites) = (site.place.end, after);
        }
        self.out.push_str(&self.text[at..part.end]);
    }

    fn site(&mut self, site: &Site<'_>, inside: &[Site<'_>]) {
        let (start, first) = (self.out.len(), self.placed.len());
        let mut closed = 0;
        for (number, mutant) in &site.mutants {
            let on = format!("crate::mutants::on({number})");
            let from = self.out.len();
            match &mutant.form {
                Form::Expression(by) => self.out.push_str(&format!("(if {on} {{ {by} }} else {{ ")),
                Form::Removed => self.out.push_str(&format!("if !{on} {{ ")),
                Form::Return(value) => self.out.push_str(&format!(" if {on} {{ return {value}; }} ")),
                Form::Never => self.out.push_str(&format!(" if !{on} ")),
            }
            let new = from..self.out.len();
            self.placed.push(Placed { number: *number, around: new.clone(), new });
            closed += usize::from(matches!(mutant.form, Form::Expression(_) | Form::Removed));
        }
        let last = self.placed.len();
        if closed > 0 {
            self.write(site.place.clone(), inside);
            let close = if site.mutants[0].1.form == Form::Removed { " }" } else { " })" };
            self.out.push_str(&close.repeat(closed));
        }
        let end = self.out.len();
        self.placed[first..last].iter_mut().for_each(|placed| placed.around = start..end);
    }
}
