//! The steps of random programs that have bodies: branches, loops and maps.
//!
//! Law: what a body makes has the type and the sizes of what it stands for (tests/laws/programs.rs).

use catadiff::array::{Body, Builder, Form, Loop, Map, Op, Policy, ScalarOp, Type, index};

use super::{INTEGER, Item, KINDS, Room, Step, TRUTH, alike, grow, is_array, pick};

impl Step {
    /// A body of the steps inside, whose result is like the item: the latest such thing there is.
    fn body(&self, b: &mut Builder, pool: &[Item], more: &[Item], like: &Item, part: usize, room: Room) -> Body {
        let mut pool = [pool, more].concat();
        // The two branches of an `if` take the steps in turn.
        let steps: Vec<Step> = self.inside.iter().skip(part).step_by(1 + part.min(1)).cloned().collect();
        b.body(|b| {
            grow(b, &mut pool, &steps, room);
            vec![pick(&pool, 0, |i| alike(i, like)).map_or(like.atom, |item| item.atom)]
        })
    }

    pub(super) fn branch(&self, b: &mut Builder, pool: &[Item], room: Room) -> Option<Vec<Item>> {
        let condition = pick(pool, self.picks[0], |i| i.of == TRUTH)?;
        let like = pick(pool, self.picks[1], |_| true)?;
        let (yes, no) = (self.body(b, pool, &[], &like, 0, room), self.body(b, pool, &[], &like, 1, room));
        Some(vec![Item { atom: b.one(Op::If(condition.atom, Box::new(yes), Box::new(no))), ..like }])
    }

    pub(super) fn repeat(&self, b: &mut Builder, pool: &[Item], room: Room) -> Option<Vec<Item>> {
        let like = pick(pool, self.picks[0], |_| true)?;
        let times = index((self.picks[1] % 4).into());
        let (i, param) = (b.fresh(INTEGER), b.fresh(like.of));
        let counter = Item { atom: i.into(), of: INTEGER, sizes: Vec::new(), heavy: false };
        let inside = [counter, Item { atom: param.into(), ..like.clone() }];
        let mut body = self.body(b, pool, &inside, &inside[1], 0, room);
        let mut params = vec![(param, like.atom)];
        let policy = [Policy::KeepAll, Policy::StripMine(2), Policy::Binomial(2)][self.picks[2] as usize % 3];
        let form = if self.kind % KINDS == 17 {
            Form::For(i, times)
        } else {
            // The loop counts for itself.
            params.insert(0, (i, index(0)));
            let condition = b.body(|b| vec![b.scalar(ScalarOp::Less, &[i.into(), times])]);
            b.open_body();
            let next = b.scalar(ScalarOp::Add, &[i.into(), index(1)]);
            body.stms.extend(b.close_body(Vec::new()).stms);
            body.results.insert(0, next);
            Form::While { condition, bound: self.picks[2].is_multiple_of(2).then_some(times) }
        };
        let results = b.emit(Op::Loop(Box::new(Loop { params, form, body, policy })));
        Some(vec![Item { atom: (*results.last()?).into(), ..like }])
    }

    pub(super) fn map(&self, b: &mut Builder, pool: &[Item], room: Room) -> Option<Vec<Item>> {
        let first = pick(pool, self.picks[0], is_array)?;
        let second = pick(pool, self.picks[1], |i| is_array(i) && i.sizes[0] == first.sizes[0])?;
        let arrays = if self.picks[2].is_multiple_of(2) { vec![first] } else { vec![first, second] };
        let types: Vec<Type> = arrays.iter().map(|a| a.of.element()).collect();
        let (mut made, length) = (Vec::new(), arrays[0].sizes[0]);
        let function = b.lambda(&types, |b, params| {
            let elements = params.iter().zip(&arrays).map(|(p, a)| Item {
                atom: (*p).into(),
                of: a.of.element(),
                sizes: a.sizes[1..].to_vec(),
                heavy: false,
            });
            let mut pool: Vec<Item> = pool.iter().cloned().chain(elements).collect();
            let before = pool.len() - 1;
            grow(b, &mut pool, &self.inside, room.inside(length));
            // What was made last, or else the last element.
            made = pool[before.max(pool.len() - 2)..].to_vec();
            made.iter().map(|item| item.atom).collect()
        });
        let arrays = arrays.into_iter().map(|a| a.atom).collect();
        let results = b.emit(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })));
        let items = results.into_iter().zip(made).map(|(var, item)| Item {
            atom: var.into(),
            of: item.of.arrayed(),
            sizes: [&[length], item.sizes.as_slice()].concat(),
            heavy: false,
        });
        Some(items.collect())
    }
}
