//! The figures of the papers that this library follows, by the library's own means; `papers/` says which is which.
//! Those of the slides on array programs are in `papers_array_language.rs`, of the thesis on the interpreter's programs in
//! `thesis_programs.rs`.

/// "Deriving Automatic Differentiation, Forwards and in Reverse", Figure 1: x·(x + 1)·(x + x) at 5.
mod talk {
    use catadiff::prelude::*;
    use generic_array::typenum::U8;

    fn figure_1<R: Real>(x: &[R]) -> R {
        x[0] * (x[0] + 1.0) * (x[0] + x[0])
    }

    #[test]
    fn figure_1_under_every_strategy() {
        macro_rules! under {
            ($($Strategy:ty),+) => {$(
                assert_eq!(<$Strategy>::value_and_grad(|x| figure_1(x), &[5.0]), Ok((300.0, vec![170.0])));
            )+};
        }
        under!(Symbolic, Forward, VectorForward<U8>, SparseForward, Downward, CayleyReverse, MutableReverse, Reverse);
    }

    /// The derivative of xⁿ has n² nodes as a tree and n as a term.
    #[test]
    fn expression_swell_is_gone() {
        use catadiff::term::Arena;
        let size = |n: usize| {
            let arena = Arena::<&str>::lawless();
            let x = arena.variable("x");
            (1..n).fold(x, |power, _| power * x).derivative(&"x").size()
        };
        let (short, long) = (size(500), size(1000));
        assert!(long < 4 * 1000 && long - short <= 4 * 500, "{short} nodes, and {long} for twice as many factors");
    }
}

/// "Automatic Differentiation", the lecture in Julia.
mod lecture {
    use catadiff::prelude::*;

    fn babysqrt<R: Real>(x: R) -> R {
        (0..10).fold((x + 1.0) / 2.0, |t, _| (t + x / t) / 2.0)
    }

    /// The figures that the lecture prints, to the last digit.
    #[test]
    fn babylonian_square_root() {
        assert_eq!(diff(|x| babysqrt(x), 2.0), Ok(0.353_553_390_593_273_73));
        assert_eq!(1.0 / (2.0 * babysqrt(2.0)), 0.353_553_390_593_273_8);
    }

    /// Three results of one variable: one pass forwards, three in reverse.
    #[test]
    fn a_curve() {
        fn curve<R: Real>(x: &[R]) -> Vec<R> {
            vec![x[0] + 1.0, x[0] * 5.0, R::constant(5.0) / x[0]]
        }
        let expected = Ok(vec![vec![1.0], vec![5.0], vec![-1.25]]);
        assert_eq!(jacfwd(|x| curve(x), &[2.0]), expected);
        assert_eq!(jacrev(|x| curve(x), &[2.0]), expected);
        assert_eq!(jvp(|x| curve(x), &[2.0], &[1.0]).unwrap().1, [1.0, 5.0, -1.25]);
    }

    /// z = x·y + sin x, for which the lecture multiplies Jacobians by hand: (y + cos x, x).
    #[test]
    fn the_worked_example() {
        let [x, y] = [0.75, 2.0];
        let expected = Ok(vec![y + f64::cos(x), x]);
        assert_eq!(grad(|v| v[0] * v[1] + v[0].sin(), &[x, y]), expected);
        assert_eq!(Forward::grad(|v| v[0] * v[1] + v[0].sin(), &[x, y]), expected);
    }
}

/// "Not-Quite-Supersonic AD", the thesis on the interpreter of Futhark: its examples on numbers.
mod interpreter {
    use catadiff::prelude::*;

    /// Example 1: f(x, y) = (if x > 2 then x + 2 else −x, product of [x, y, x]).
    fn example_1<R: Decide>(x: &[R]) -> Vec<R> {
        let first = if x[0] > 2.0 { x[0] + 2.0 } else { -x[0] };
        vec![first, [x[0], x[1], x[0]].into_iter().product()]
    }

    #[test]
    fn example_1_forwards_and_in_reverse() {
        let at = [3.0, 2.0];
        assert_eq!(jvp(|x| example_1(x), &at, &[1.0, 0.0]), Ok((vec![5.0, 18.0], vec![1.0, 12.0])));
        assert_eq!(jvp(|x| example_1(x), &at, &[0.0, 1.0]), Ok((vec![5.0, 18.0], vec![0.0, 9.0])));
        let (values, pullback) = vjp(|x| example_1(x), &at).unwrap();
        assert_eq!(values, [5.0, 18.0]);
        assert_eq!(pullback.call(&[1.0, 0.0]), Ok(vec![1.0, 0.0]));
        assert_eq!(pullback.call(&[0.0, 1.0]), Ok(vec![12.0, 9.0]));
        // The other branch.
        assert_eq!(jacobian(|x| example_1(x), &[1.0, 2.0]), Ok(vec![vec![-1.0, 0.0], vec![4.0, 1.0]]));
    }

    /// Examples 3 and 4: y·x·x + (2 + 2) is 22 and has the derivatives 12 and 9.
    #[test]
    fn examples_3_and_4() {
        fn f<R: Real>(x: &[R]) -> R {
            x[1] * x[0] * x[0] + (R::constant(2.0) + R::constant(2.0))
        }
        assert_eq!(jvp(|x| vec![f(x)], &[3.0, 2.0], &[1.0, 0.0]), Ok((vec![22.0], vec![12.0])));
        assert_eq!(value_and_grad(|x| f(x), &[3.0, 2.0]), Ok((22.0, vec![12.0, 9.0])));
    }

    /// Example 5: the derivative of x + y by y is 1 whatever x carries, so that of the derivative by x is 0.
    #[test]
    fn example_5_no_confusion_in_any_mix() {
        macro_rules! nested {
            ($($Outer:ty, $Inner:ty;)+) => {$(
                let outer = <$Outer>::value_and_grad(|x| {
                    let three = <$Outer as Numbers<'_, f64>>::lift(3.0);
                    <$Inner>::grad(|y| <$Inner as Numbers<'_, _>>::lift(x[0]) + y[0], &[three]).unwrap()[0]
                }, &[2.0]);
                assert_eq!(outer, Ok((1.0, vec![0.0])));
            )+};
        }
        nested! { Forward, Forward; Forward, Reverse; Reverse, Forward; Reverse, Reverse; }
    }

    /// Where the thesis stops: its reverse mode visits a shared node once per use, 2⁶⁰ times here; ours once.
    #[test]
    fn shared_nodes_are_visited_once() {
        macro_rules! under {
            ($($Strategy:ty),+) => {$(
                let squares = <$Strategy>::grad(|x| (0..60).fold(x[0], |y, _| y * y), &[1.0]);
                assert_eq!(squares, Ok(vec![2.0_f64.powi(60)]));
            )+};
        }
        under!(Reverse, MutableReverse, CayleyReverse, Downward);
    }
}

/// "Maintaining parallelism in reverse-mode automatic differentiation", section 2.1: when a trace is right.
mod tracing {
    use catadiff::prelude::*;

    /// A program with a branch and a loop whose length depends on the data.
    fn collatz<R: Decide>(x: &[R]) -> Vec<R> {
        let mut y = x[0] * x[1];
        while y > 1.0 {
            y = if y > 4.0 { y * 0.5 + x[1].sin() } else { y - 0.75 };
        }
        vec![y, y * x[0]]
    }

    /// Equation 8: what a trace evaluates to is what the program does, for all inputs that take the same branches.
    #[test]
    fn a_trace_computes_what_the_program_does() {
        let trace = record(|x| collatz(x), &[3.0, 7.0]).unwrap();
        assert!(trace.decisions() > 6, "the loop was decided on again and again");
        for at in [[3.0, 7.0], [3.01, 7.0], [2.99, 7.02]] {
            assert_eq!(trace.run(&at), Ok(collatz(&at)));
            // A replay adds up adjoints in another order.
            let (replayed, fresh) = (trace.jacobian::<Reverse>(&at).unwrap(), jacobian(|x| collatz(x), &at).unwrap());
            let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 4.0 * f64::EPSILON * y.abs();
            assert!(replayed.concat().iter().zip(&fresh.concat()).all(near), "{replayed:?} {fresh:?}");
        }
    }

    /// For all others the thesis leaves open what a trace means. Here it is an error, and never a wrong number.
    #[test]
    fn a_trace_refuses_other_branches() {
        let trace = record(|x| collatz(x), &[3.0, 7.0]).unwrap();
        let refused = trace.run(&[30.0, 7.0]);
        assert!(matches!(refused, Err(catadiff::Error::BranchChanged { .. })), "{refused:?}");
    }

    /// Equation 9: a trace is its own trace.
    #[test]
    fn a_trace_of_a_trace_is_the_trace() {
        let at = [3.0, 7.0];
        let trace = record(|x| collatz(x), &at).unwrap();
        let again = record(|x| trace.run_in(x, <Symbolic as Numbers<'_, _>>::lift).unwrap(), &at).unwrap();
        let arena = catadiff::term::Arena::exact();
        let shown =
            |program: &catadiff::Recording| program.terms(&arena).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&trace), shown(&again));
        assert_eq!(trace.decisions(), again.decisions());
    }
}

/// The same thesis on array programs: its worked examples, traced both ways and reversed.
mod traced_arrays {
    use catadiff::array::Program;
    use catadiff::interpret::Value;
    use catadiff::tracing::Keep;
    use catadiff_laws::tracing as laws;

    fn traced(program: &Program, at: &[Value<f64>], keep: Keep) -> String {
        program.run(at).unwrap();
        laws::computes_the_same(program, at).unwrap();
        laws::is_its_own_trace(program, at).unwrap();
        laws::is_straight(program, at).unwrap();
        laws::reverse_modes_agree(program, at).unwrap();
        program.traced(at, keep).unwrap().program().to_string()
    }

    fn reversed(program: &Program, at: &[Value<f64>]) -> Vec<f64> {
        let [scalars, kept] = [Keep::Scalars, Keep::Arrays].map(|keep| {
            let (_, adjoints) = program.traced(at, keep).unwrap().reverse(at, &[1.0.into()]).unwrap();
            adjoints.iter().flat_map(|adjoint| adjoint.to_f64().unwrap()).collect()
        });
        assert_eq!(scalars, kept);
        scalars
    }

    /// Listing 16, figures 1 and 2, equations 10 to 13: f(5, 3) is 20, and its adjoints are 1 + 3 and 5.
    #[test]
    fn figure_1() {
        let f = "program (x1: f64, x2: f64) { let r1 = mul(x1, x2) let r2 = add(x1, r1) return r2 }";
        let (f, at) = (Program::parse(f).unwrap(), [5.0.into(), 3.0.into()]);
        let expected = "\
program (x1: f64, x2: f64) {
  let v2: f64 = mul(x1, x2)
  let v3: f64 = add(x1, v2)
  return v3
}
";
        assert_eq!(traced(&f, &at, Keep::Scalars), expected);
        assert_eq!(f.run(&at).unwrap(), [20.0.into()]);
        assert_eq!(reversed(&f, &at), [4.0, 5.0]);
    }

    /// Listings 1 and 2: y = (x1 + x2)·x2 at (15, 7), forwards by x1 and in reverse.
    #[test]
    fn listings_1_and_2() {
        let f = "program (x1: f64, x2: f64) { let r1 = add(x1, x2) let y = mul(r1, x2) return y }";
        let (f, at) = (Program::parse(f).unwrap(), [15.0.into(), 7.0.into()]);
        assert_eq!(f.run(&at).unwrap(), [154.0.into()]);
        assert_eq!(reversed(&f, &at), [7.0, 29.0]);
        let forward = f.jvp().unwrap().run(&[15.0.into(), 7.0.into(), 1.0.into(), 0.0.into()]);
        assert_eq!(forward.unwrap(), [154.0.into(), 7.0.into()]);
    }

    /// Listing 5: of a conditional the branch that is taken is traced, and truth values are traced away.
    #[test]
    fn conditionals() {
        let f = "program (x: f64) {
          let c = eq(x, 2.0f64)
          let y = if c { let y = add(x, 1.0f64) return y } else { let y = mul(x, x) return y }
          return y
        }";
        let (f, at) = (Program::parse(f).unwrap(), [3.0.into()]);
        let expected = "program (x: f64) {\n  let v1: f64 = mul(x, x)\n  return v1\n}\n";
        for keep in [Keep::Scalars, Keep::Arrays] {
            assert_eq!(traced(&f, &at, keep), expected);
            assert!(f.traced(&at, keep).unwrap().run(&[2.0.into()]).is_err());
        }
    }

    /// Listings 9 to 12: arrays traced away explode into their items, and arrays kept do not; of no items the sum is 0.
    #[test]
    fn sums() {
        let sum = "program (xs: []f64) {
          let s = reduce (xs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
          return s
        }";
        let sum = Program::parse(sum).unwrap();
        let at = [Value::new([1.0, 2.0, 4.0]).unwrap()];
        let expected = "\
program (xs: []f64) {
  let v1: f64 = xs[0i64]
  let v2: f64 = xs[1i64]
  let v3: f64 = xs[2i64]
  let v4: f64 = add(0.0f64, v1)
  let v5: f64 = add(v4, v2)
  let v6: f64 = add(v5, v3)
  return v6
}
";
        assert_eq!(traced(&sum, &at, Keep::Scalars), expected);
        assert_eq!(traced(&sum, &at, Keep::Arrays), sum.renumbered().to_string());
        assert_eq!(reversed(&sum, &at), [1.0, 1.0, 1.0]);
        let nothing = [Value::new([0.0; 0]).unwrap()];
        assert_eq!(traced(&sum, &nothing, Keep::Scalars), "program (xs: []f64) {\n  return 0.0f64\n}\n");
    }

    /// Listings 9, 13 and 15: `generate` is a map over an iota. Kept, it is one step for all items, with a branch in its
    /// function or without; traced away, each item has the steps of its own branch, and the indices are constants.
    #[test]
    fn generate_and_map() {
        let generate = "program (x: f64) {
          let is = iota(4i64)
          let ys = map (is) |i: i64| {
            let r = mod(i, 2i64)
            let even = eq(r, 0i64)
            let t = f64(i)
            let y = if even { let y = mul(x, t) return y } else { let y = add(x, t) return y }
            return y
          }
          return ys
        }";
        let (generate, at) = (Program::parse(generate).unwrap(), [5.0.into()]);
        let expected = "\
program (x: f64) {
  let v1: f64 = mul(x, 0.0f64)
  let v2: f64 = add(x, 1.0f64)
  let v3: f64 = mul(x, 2.0f64)
  let v4: f64 = add(x, 3.0f64)
  let v5: []f64 = [v1, v2, v3, v4]
  return v5
}
";
        let scalars = traced(&generate, &at, Keep::Scalars);
        // Conversions of constants to reals are steps.
        let steps: Vec<&str> = scalars.lines().filter(|line| line.contains("mul(") || line.contains("add(")).collect();
        assert_eq!(steps.len(), expected.matches("(x, ").count(), "{scalars}");
        assert_eq!(traced(&generate, &at, Keep::Arrays), generate.renumbered().to_string());
        assert_eq!(generate.run(&at).unwrap()[0].to_string(), "[0, 6, 10, 8]");
    }

    /// Figure 3: a variable that a mapped function mentions is an ancestor of the map too, with a part from each item.
    #[test]
    fn figure_3() {
        let scaled = "program (a: f64, bs: []f64) {
          let cs = map (bs) |b: f64| { let c = mul(a, b) return c }
          let s = reduce (cs) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
          return s
        }";
        let scaled = Program::parse(scaled).unwrap();
        let at = [2.0.into(), Value::new([1.0, 10.0, 100.0]).unwrap()];
        traced(&scaled, &at, Keep::Arrays);
        assert_eq!(reversed(&scaled, &at), [111.0, 2.0, 2.0, 2.0]);
    }

    /// Section 2.1: a truth value that is a result cannot be traced away. Here all scalars are kept, so it need not be.
    #[test]
    fn results_that_are_truth_values() {
        let f = Program::parse("program (x: f64) { let c = lt(x, 1.0f64) return c }").unwrap();
        assert!(traced(&f, &[3.0.into()], Keep::Scalars).contains("lt(x, 1.0f64)"));
        assert_eq!(f.traced(&[3.0.into()], Keep::Scalars).unwrap().run(&[0.0.into()]).unwrap(), [true.into()]);
    }
}

/// What the pages name is there.
mod pages {
    use std::fs;
    use std::path::Path;

    /// The targets of links in a page.
    fn links(text: &str) -> impl Iterator<Item = &str> {
        text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next())
    }

    #[test]
    fn files_that_are_named_exist() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
        let mut found = 0;
        for page in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if page.extension().is_none_or(|of| of != "md") {
                continue;
            }
            let text = fs::read_to_string(&page).unwrap();
            for link in links(&text).filter(|link| !link.contains("://")) {
                assert!(folder.join(link).exists(), "{} names {link}", page.display());
                found += 1;
            }
        }
        assert!(found > 100, "{found} links");
    }

    #[test]
    fn pages_are_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers");
        let list = fs::read_to_string(folder.join("README.md")).unwrap();
        for page in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
            let is_page = page.ends_with(".md") && page != "README.md";
            assert!(!is_page || links(&list).any(|link| link == page), "papers/README.md does not list {page}");
        }
    }
}
