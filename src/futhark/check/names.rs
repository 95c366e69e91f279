//! A persistent map from names, in which the few names of an inner scope cost no copy of the many around it.
//!
//! Law: it is a map: a name stands for what it was last put in for, and a copy made before sees nothing of it
//! (tests/language/check.rs).

use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use crate::futhark::source::Name;

/// A persistent map from names.
pub(super) type Map<V> = im_rc::HashMap<Name, V, FxBuildHasher>;

/// The most names that stand in front of the map. Insertion into a map that is shared copies the nodes on its way, dozens of
/// entries; here that is done once for this many names, and never for a scope that has fewer.
const MOST: usize = 24;

/// A map from names that can be copied at no cost.
#[derive(Debug, Clone)]
pub(super) struct Names<V> {
    /// The latest names.
    recent: Option<Rc<Recent<V>>>,
    /// The others. A node of the map has room for dozens of entries, so that these had better be small.
    map: Map<Rc<V>>,
}

/// A name, and those before it.
#[derive(Debug)]
struct Recent<V> {
    name: Name,
    value: Rc<V>,
    before: Option<Rc<Recent<V>>>,
    /// How many names there are, with this one.
    count: usize,
}

impl<V> Default for Names<V> {
    fn default() -> Self {
        Names { recent: None, map: Map::default() }
    }
}

impl<V: Clone> Names<V> {
    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<&V> {
        let recent = self.recent().find(|recent| *recent.name == *name).map(|recent| &recent.value);
        recent.or_else(|| self.map.get(name)).map(|value| &**value)
    }

    /// Whether a name stands for anything.
    pub(super) fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Has a name stand for this in an inner scope.
    pub(super) fn insert(&mut self, name: Name, value: impl Into<Rc<V>>) {
        if self.recent.as_ref().is_some_and(|recent| recent.count == MOST) {
            self.settle();
        }
        let before = self.recent.take();
        let count = before.as_ref().map_or(0, |recent| recent.count) + 1;
        self.recent = Some(Rc::new(Recent { name, value: value.into(), before, count }));
    }

    /// Has a name stand for this at the top level, around scopes that are to find all of it in the map.
    pub(super) fn define(&mut self, name: Name, value: impl Into<Rc<V>>) {
        self.settle();
        self.map.insert(name, value.into());
    }

    /// Puts all of another map in front.
    pub(super) fn extend(&mut self, other: &Self) {
        let mut other = other.clone();
        other.settle();
        self.settle();
        // `union` keeps what the larger map has.
        self.map.extend(other.map);
    }

    /// The names, some of them perhaps twice.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Name> {
        self.recent().map(|recent| &recent.name).chain(self.map.keys())
    }

    /// The latest first.
    fn recent(&self) -> impl Iterator<Item = &Recent<V>> {
        std::iter::successors(self.recent.as_deref(), |recent| recent.before.as_deref())
    }

    /// Puts the latest names into the map.
    fn settle(&mut self) {
        if self.recent.is_none() {
            return;
        }
        let mut recent: Vec<(Name, Rc<V>)> = self.recent().map(|r| (r.name.clone(), r.value.clone())).collect();
        recent.reverse();
        self.map.extend(recent);
        self.recent = None;
    }
}
