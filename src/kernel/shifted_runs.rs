//! Runs of loops over lanes that can be one loop though they load each other's elements some lanes away: which loops, and how.
//!
//! Lane `l` of a loop is in iteration `l − offset` of the loop of all.
//!
//! Law: in the iterations that are planned each loop has its lane, and so do the loops that it loads from, as far back as that goes; of
//! all other lanes those run that somebody loads from (tests/execute/shifted.rs, laws: executors::suite).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Buffer, BufferInfo, Lanes, Operand, Place, Stm, Value};
use super::parts::{Access, each};

/// The most lanes that lie between what is stored and what is loaded: no vector has fewer.
const MAX_DISTANCE: i64 = 4;

/// The lanes of one vector, or of several that are as long.
const WHOLE: i64 = 8;

/// With fewer lanes in common loops stay what they are, and with more that are not.
const MIN_LANES: i64 = 64;
const MAX_ENDS: i64 = 64;

/// With more loops, or more statements in them, values do not stay in registers.
const MAX_LOOPS: usize = 32;
const MAX_STATEMENTS: usize = 256;

/// What it costs to run a few lanes in a loop of their own, in elements that a vector of lanes loads or stores.
const COST_OF_ENDS: i64 = 8;

/// What a lane of a loop loads: what a lane so much further of a loop before it has stored.
struct Link {
    buffer: Buffer,
    from: usize,
    further: i64,
}

struct Member {
    count: i64,
    /// The lane that is in the first iteration, if the loop is in no hurry: the one that has the first element.
    offset: i64,
    links: Vec<Link>,
}

/// Where a loop of a run stores: which loop, and the element of its first lane if that is known.
type Storing = (usize, Option<i64>);

/// Loops, and statements between them that may come before most of their lanes.
pub(super) struct Run {
    loops: Vec<Member>,
    statements: usize,
    stored: FxHashMap<Buffer, Storing>,
    /// What loops load and store.
    touched: FxHashSet<Buffer>,
    /// What loops use that is computed outside of them.
    used: FxHashSet<Value>,
    /// What is exchanged after all of them.
    swapped: FxHashSet<Buffer>,
    /// Lanes of loops whose elements statements between them read.
    read: Vec<(usize, i64)>,
    /// How often a buffer is read.
    reads: FxHashMap<Buffer, usize>,
}

/// What becomes of a loop.
pub(super) struct Part {
    pub(super) count: i64,
    /// How many of its first and of its last lanes run in loops of their own.
    pub(super) first: i64,
    pub(super) last: i64,
    /// Its lane in the first iteration of the loop of all.
    pub(super) shift: i64,
}

/// How loops become one.
pub(super) struct Plan {
    /// How many statements there are from the first loop to the last.
    pub(super) statements: usize,
    pub(super) parts: Vec<Part>,
    /// How many iterations they have in common.
    pub(super) count: i64,
    /// The buffers that nothing else reads.
    pub(super) unread: FxHashSet<Buffer>,
    /// How many vectors are loaded and stored less.
    pub(super) gain: i64,
}

/// The element of the first lane, where lanes have neighbouring elements.
fn row(place: &Place) -> Option<Option<i64>> {
    let is_row = place.lane == Some(Operand::int(1)) && place.varying.is_none();
    is_row.then(|| place.base.as_int().filter(|_| place.step.is_none()))
}

/// The one element of a place.
fn element(place: &Place) -> Option<i64> {
    let is_one = place.step.is_none() && place.lane.is_none() && place.varying.is_none();
    place.base.as_int().filter(|_| is_one)
}

/// A loop over enough lanes, and the number of them, which is known.
pub(super) fn long(stm: &Stm) -> Option<(&Lanes, i64)> {
    let Stm::Lanes(lanes) = stm else { return None };
    lanes.count.as_int().filter(|count| *count >= MIN_LANES).map(|count| (&**lanes, count))
}

/// Whether each lane does something by itself, in memory that all share.
fn is_simple(lanes: &Lanes, buffers: &[BufferInfo]) -> bool {
    let own = |place: &Place| buffers[place.buffer.0 as usize].private;
    let is_simple = |stm: &Stm| match stm {
        Stm::Let(..) => true,
        Stm::Load(_, place) | Stm::Store { place, mask: None, .. } => !own(place),
        _ => false,
    };
    lanes.folds.is_empty() && lanes.adds.is_empty() && lanes.scatters.is_empty() && lanes.body.iter().all(is_simple)
}

fn used(operands: &[Operand]) -> impl Iterator<Item = Value> {
    operands.iter().filter_map(|x| x.value())
}

/// A number of lanes that fills vectors.
fn whole(lanes: i64) -> i64 {
    (lanes + WHOLE - 1) / WHOLE * WHOLE
}

impl Run {
    /// A run that begins with this statement.
    pub(super) fn from(stm: &Stm, buffers: &[BufferInfo]) -> Option<Self> {
        let mut run = Run {
            loops: Vec::new(),
            statements: 0,
            stored: FxHashMap::default(),
            touched: FxHashSet::default(),
            used: FxHashSet::default(),
            swapped: FxHashSet::default(),
            read: Vec::new(),
            reads: FxHashMap::default(),
        };
        (long(stm).is_some() && run.admits(stm, buffers)).then_some(run)
    }

    /// Takes a statement into the run, if that can be.
    pub(super) fn admits(&mut self, stm: &Stm, buffers: &[BufferInfo]) -> bool {
        let mut is_swapped = false;
        each(core::slice::from_ref(stm), &mut |stm| {
            is_swapped |= stm.touches().iter().any(|(buffer, ..)| self.swapped.contains(buffer));
        });
        if is_swapped {
            return false;
        }
        if let Some((lanes, count)) = long(stm) {
            return is_simple(lanes, buffers) && self.admits_loop(lanes, count);
        }
        match stm {
            Stm::Lanes(lanes) => is_simple(lanes, buffers) && self.admits_few(lanes),
            Stm::Swap(a, b) => {
                self.swapped.extend([*a, *b]);
                true
            }
            stm => self.admits_between(stm),
        }
    }

    fn admits_loop(&mut self, lanes: &Lanes, count: i64) -> bool {
        self.statements += lanes.body.len();
        if self.loops.len() == MAX_LOOPS || self.statements > MAX_STATEMENTS {
            return false;
        }
        let number = self.loops.len();
        let (mut links, mut stored) = (Vec::new(), FxHashMap::default());
        // The elements of the first lane that are stored and loaded first.
        let (mut first_stored, mut first_loaded) = (None, None);
        let (mut set, mut outside) = (FxHashSet::from_iter([lanes.index]), FxHashSet::default());
        let mut loaded: Vec<Buffer> = Vec::new();
        for stm in &lanes.body {
            outside.extend(used(&stm.operands()).filter(|value| !set.contains(value)));
            match stm {
                Stm::Let(..) => {}
                Stm::Load(_, place) => {
                    loaded.push(place.buffer);
                    if let Some((from, base)) = self.stored.get(&place.buffer) {
                        let Some((base, Some(at))) = (*base).zip(row(place)) else { return false };
                        links.push(Link { buffer: place.buffer, from: *from, further: at - base });
                    }
                    first_loaded = first_loaded.or(row(place).flatten());
                }
                Stm::Store { place, .. } => {
                    let Some(base) = row(place) else { return false };
                    first_stored = first_stored.or(base);
                    if self.touched.contains(&place.buffer) || stored.insert(place.buffer, (number, base)).is_some() {
                        return false;
                    }
                }
                _ => unreachable!("lanes of simple loops load, compute and store"),
            }
            if stm.sets().into_iter().any(|value| !set.insert(value)) {
                return false;
            }
        }
        // What is set in a loop is a cell if it is used before, and what it stores may not be what it has loaded.
        if !outside.is_disjoint(&set) || loaded.iter().any(|buffer| stored.contains_key(buffer)) {
            return false;
        }
        let first = first_stored.or(first_loaded).unwrap_or(0);
        for (_, part, start) in &lanes.writes {
            outside.extend(used(&[*part, *start]));
        }
        self.touched.extend(loaded.iter().chain(stored.keys()));
        self.stored.extend(stored);
        self.used.extend(outside);
        loaded.into_iter().for_each(|buffer| *self.reads.entry(buffer).or_default() += 1);
        self.loops.push(Member { count, offset: -first, links });
        true
    }

    fn admits_between(&mut self, stm: &Stm) -> bool {
        let is_simple = match stm {
            Stm::Let(..) | Stm::Load(..) | Stm::Alloc(..) | Stm::Check { .. } | Stm::Bounds { .. } => true,
            Stm::Store { mask, .. } => mask.is_none(),
            _ => false,
        };
        self.statements += 1;
        if !is_simple || self.statements > MAX_STATEMENTS || stm.sets().iter().any(|value| self.used.contains(value)) {
            return false;
        }
        stm.touches().into_iter().all(|(buffer, access, place)| {
            let elements = place.and_then(element).map(|at| [at, at + 1]);
            self.admits_access(buffer, access, elements)
        })
    }

    /// A loop over few lanes between the others.
    fn admits_few(&mut self, lanes: &Lanes) -> bool {
        self.statements += lanes.body.len();
        let Some(count) = lanes.count.as_int().filter(|_| self.statements <= MAX_STATEMENTS) else { return false };
        lanes.body.iter().flat_map(Stm::touches).all(|(buffer, access, place)| {
            let elements = place.and_then(row).flatten().map(|at| [at, at + count]);
            self.admits_access(buffer, access, elements)
        })
    }

    /// What a statement between the loops does with a buffer, with the elements from one to another if it is known which.
    fn admits_access(&mut self, buffer: Buffer, access: Access, elements: Option<[i64; 2]>) -> bool {
        let Some((from, base)) = self.stored.get(&buffer) else {
            return !access.changes() || !self.touched.contains(&buffer);
        };
        let Some((base, [first, end])) = (*base).zip(elements) else { return false };
        let count = self.loops[*from].count;
        let stored = (first - base).max(0)..(end - base).min(count);
        match access {
            Access::Reads => {
                self.read.extend(stored.map(|lane| (*from, lane)));
                *self.reads.entry(buffer).or_default() += 1;
                true
            }
            Access::Writes => stored.is_empty(),
            _ => false,
        }
    }

    /// How the loops become one, if they can: the statements from the first to the last are counted, and so is how often each buffer is read.
    pub(super) fn plan(&self, statements: usize, reads: &FxHashMap<Buffer, usize>) -> Option<Plan> {
        // For each loop its offset, and the iterations in which it has its lane and those that it loads from.
        let mut places: Vec<(i64, i64, i64)> = Vec::new();
        let mut distances: FxHashSet<(Buffer, i64)> = FxHashSet::default();
        for member in &self.loops {
            let latest = member.links.iter().map(|link| places[link.from].0 - link.further).min();
            let offset = latest.map_or(member.offset, |latest| latest.min(member.offset));
            let (mut from, mut to) = (-offset, member.count - offset);
            for link in &member.links {
                let (other, other_from, other_to) = places[link.from];
                let distance = other - offset - link.further;
                if distance > MAX_DISTANCE {
                    return None;
                }
                from = from.max(other_from + distance);
                to = to.min(other_to + distance);
                if distance > 0 {
                    distances.insert((link.buffer, distance));
                }
            }
            places.push((offset, from, to));
        }
        let mut from = places.iter().map(|(_, from, _)| *from).max()?;
        let to = places.iter().map(|(.., to)| *to).min()?;
        from += (to - from).rem_euclid(WHOLE);
        let count = to - from;
        if count < MIN_LANES {
            return None;
        }
        let parts = self.parts(&places, [from, to])?;
        let is_unread = |(buffer, _): &(&Buffer, &Storing)| {
            self.reads.get(buffer).copied().unwrap_or(0) == reads.get(buffer).copied().unwrap_or(0)
        };
        let unread: FxHashSet<Buffer> = self.stored.iter().filter(is_unread).map(|(buffer, _)| *buffer).collect();
        let links: usize = self.loops.iter().map(|member| member.links.len()).sum();
        let ends = parts.iter().flat_map(|part| [part.first, part.last]).filter(|lanes| *lanes > 0).count() as i64;
        let less = (links + unread.len()) as i64 - distances.len() as i64;
        Some(Plan { statements, parts, count, unread, gain: less * (count / WHOLE) - COST_OF_ENDS * ends })
    }

    /// The lanes that run in loops of their own: those of no iteration, and those that they or statements between need.
    fn parts(&self, places: &[(i64, i64, i64)], [from, to]: [i64; 2]) -> Option<Vec<Part>> {
        let place = |(member, (offset, ..)): (&Member, &(i64, i64, i64))| Part {
            count: member.count,
            first: from + offset,
            last: member.count - to - offset,
            shift: from + offset,
        };
        let mut parts: Vec<Part> = self.loops.iter().zip(places).map(place).collect();
        for (from, lane) in &self.read {
            let part = &mut parts[*from];
            if *lane < part.count / 2 {
                part.first = part.first.max(lane + 1);
            } else {
                part.last = part.last.max(part.count - lane);
            }
        }
        for (k, member) in self.loops.iter().enumerate().rev() {
            let part = &mut parts[k];
            (part.first, part.last) = (whole(part.first), whole(part.last));
            if part.first.max(part.last) > MAX_ENDS.min(part.count) {
                return None;
            }
            let [first, last] = [part.first, part.count - part.last];
            for link in &member.links {
                let other = &mut parts[link.from];
                if first > 0 {
                    other.first = other.first.max(first + link.further);
                }
                if last < member.count {
                    other.last = other.last.max(other.count - last - link.further);
                }
            }
        }
        Some(parts)
    }
}
