//! Nests of parameters: what goes in, is differentiated by, and comes out, has one shape.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64};
use catadiff::interpret::{FromValues, ToValues, Value};
use catadiff::{Elementary, Error, Mistake, Result};

type Layers<M, V> = Vec<(M, V)>;
type Numbers = Layers<Vec<Vec<f64>>, Vec<f64>>;

fn layers() -> Numbers {
    vec![
        (vec![vec![0.5, -1.0], vec![1.5, 0.25], vec![-0.5, 2.0]], vec![0.1, 0.2, 0.3]),
        (vec![vec![1.0, 2.0, -1.0]], vec![-0.5]),
    ]
}

fn network() -> Result<Program> {
    let apply = |layers: Layers<Arr<Arr<F64>>, Arr<F64>>, x: Arr<F64>| {
        layers.into_iter().fold(x, |x, (w, b)| (w.matvec(x) + b).map(F64::tanh)).sum()
    };
    Program::trace_like(&["layers", "x"], (layers(), [1.0, 2.0]), apply)
}

/// Made of its values again, a nest is what it was.
#[track_caller]
fn comes_back<N: ToValues + FromValues + PartialEq + core::fmt::Debug>(nest: &N, count: usize) {
    let values = nest.to_values().unwrap();
    assert_eq!(values.len(), count);
    assert_eq!(&nest.like_values(values.clone()).unwrap(), nest);
    // One value more or less is not what was asked for.
    let wrong = |values: Vec<Value<f64>>| match nest.like_values(values) {
        Err(Error::Length { what: "the list of results asked for", .. }) => {}
        other => panic!("{other:?}"),
    };
    wrong([&values[..], &[0.0.into()]].concat());
    if !values.is_empty() {
        wrong(values[..values.len() - 1].to_vec());
    }
}

#[test]
fn nests_are_their_values_in_order() {
    comes_back(&1.0, 1);
    comes_back(&vec![[1.0, 2.0], [3.0, 4.0]], 1);
    comes_back(&(1.0, (vec![2_i64], [true])), 3);
    comes_back(&layers(), 4);
    comes_back(&[(1.0, 2.0), (3.0, 4.0)], 4);
    comes_back(&vec![vec![(1.0, vec![2.0])], vec![], vec![(3.0, vec![]), (4.0, vec![5.0, 6.0])]], 6);
    comes_back(&Vec::<(f64, f64)>::new(), 0);
    comes_back(&((1.0, 2.0), 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, (13.0, [14.0])), 14);
    let nest = (vec![(1.0, 2.0)], 3.0);
    assert_eq!(
        <(f64, Vec<(f64, f64)>)>::from_values((3.0, nest.0).to_values().unwrap()).unwrap(),
        (3.0, vec![(1.0, 2.0)])
    );
}

#[test]
fn parameters_are_called_by_their_way() {
    assert_eq!(network().unwrap().names(), ["layers.0.0", "layers.0.1", "layers.1.0", "layers.1.1", "x"]);
    let mixed = Program::trace_named(&["a", "b"], |a: [(F64, Arr<(F64, I64)>); 2], b: ((F64,), F64)| {
        a[0].0 + a[1].1.map(|(x, n)| x * n.to_f64()).sum() + b.0.0 * b.1
    });
    let names = ["a.0.0", "a.0.1.0", "a.0.1.1", "a.1.0", "a.1.1.0", "a.1.1.1", "b.0.0", "b.1"];
    let mixed = mixed.unwrap();
    assert_eq!(mixed.names(), names);
    let list = |x: f64| (x, (vec![x, 2.0], vec![3_i64, 4]));
    let value: f64 = mixed.at(([list(1.0), list(5.0)], ((6.0,), 7.0))).unwrap();
    assert_eq!(value, 1.0 + 15.0 + 8.0 + 42.0);
    assert_eq!(Program::parse(&mixed.to_string()).unwrap().names(), names);
}

#[test]
fn gradients_have_the_shape_of_what_they_are_by() {
    let (network, at) = (network().unwrap(), (layers(), [1.0, 2.0]));
    let gradient = network.grad("layers").unwrap().at_like(&at.0, &at).unwrap();
    let compiled = network.grad("layers").unwrap().compile().unwrap().at_like(&at.0, &at).unwrap();
    for ((w, bias), (of_w, of_bias)) in gradient.iter().zip(&compiled) {
        let pairs = w.concat().into_iter().chain(bias.clone()).zip(of_w.iter().flatten().chain(of_bias));
        pairs.for_each(|(x, y)| assert!((x - y).abs() < 1e-12, "{x} {y}"));
    }
    let second: (Vec<Vec<f64>>, Vec<f64>) = network.grad("layers.1").unwrap().at(&at).unwrap();
    assert_eq!(second, gradient[1]);
    let bias: Vec<f64> = network.grad("layers.0.1").unwrap().at(&at).unwrap();
    assert_eq!(bias, gradient[0].1);
    // As far as a difference quotient says.
    let moved = |by: f64| {
        let mut layers = layers();
        layers[0].0[2][1] += by;
        network.at::<f64>((&layers, [1.0, 2.0])).unwrap()
    };
    let quotient = (moved(1e-6) - moved(-1e-6)) / 2e-6;
    assert!((quotient - gradient[0].0[2][1]).abs() < 1e-9, "{quotient} {}", gradient[0].0[2][1]);
}

#[test]
fn names_of_parts_are_whole() {
    let f = Program::trace_named(&["net", "net2"], |net: (F64, F64), net2: F64| net.0 * net.1 * net2).unwrap();
    assert_eq!(f.grad("net").unwrap(), f.grad([0, 1]).unwrap());
    assert_eq!(f.grad("net.1").unwrap(), f.grad(1).unwrap());
    let reason = |name: &str| f.grad(name).unwrap_err().to_string();
    assert_eq!(
        reason("ne"),
        "cannot differentiate with respect to `ne`: no such parameter; the parameters are net.0, net.1, net2"
    );
    assert!(reason("net.").contains("no such parameter"));
    let named = f.grad(["net", "net.1"]).unwrap_err().to_string();
    assert_eq!(named, "cannot differentiate with respect to `net.1`: it is named twice");
    let counted = Program::trace_named(&["p"], |p: (F64, I64)| p.0 * p.1.to_f64()).unwrap();
    let of_count = counted.grad("p").unwrap_err().to_string();
    assert!(of_count.starts_with("cannot differentiate with respect to `p.1`: it is of type i64"), "{of_count}");
}

#[test]
fn what_is_wrong_is_called_by_its_way() {
    let network = network().unwrap();
    let mut ragged = layers();
    ragged[1].0.push(vec![1.0]);
    assert_eq!(
        network.at::<f64>((&ragged, [1.0, 2.0])).unwrap_err().to_string(),
        "the argument `layers.1.0` is rows of the lengths 3 and 1 where an array, whose rows are of one length, is needed"
    );
    let flat = vec![(vec![1.0], vec![1.0]), (vec![1.0], vec![1.0])];
    assert_eq!(
        network.at::<f64>((&flat, [1.0, 2.0])).unwrap_err().to_string(),
        "the argument `layers.0.0` is []f64 where [][]f64 is needed"
    );
    let short = network.at::<f64>((&layers()[..1], [1.0, 2.0])).unwrap_err();
    assert!(matches!(short, Error::Length { what: "the list of arguments", expected: 5, found: 3 }), "{short}");
}

#[test]
fn lists_whose_length_is_not_known_are_refused() {
    let sum = |parts: Vec<(F64, F64)>| parts.into_iter().fold(F64::from(0.0), |sum, (x, y)| sum + x * y);
    let Err(Error::Trace { mistakes }) = Program::trace_named(&["parts"], sum) else {
        panic!("the length is not known")
    };
    let [Mistake::IllTyped { reason, at }] = &mistakes[..] else { panic!("{mistakes:?}") };
    assert_eq!(
        reason,
        "how long the list `parts` is cannot be seen from its type: `Program::trace_like` takes it from arguments"
    );
    assert_eq!(at.file(), file!());
    let known = Program::trace_like(&[], vec![(1.0, 2.0); 3], sum).unwrap();
    assert_eq!(known.at::<f64>(vec![(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]).unwrap(), 44.0);
    let none = Program::trace_like(&[], Vec::<(f64, f64)>::new(), sum).unwrap();
    assert_eq!(none.at::<f64>(Vec::<(f64, f64)>::new()).unwrap(), 0.0);
    let more = Program::trace_like(&[], (vec![(1.0, 2.0)], vec![(1.0, 2.0)]), sum).unwrap_err();
    assert!(matches!(more, Error::Length { what: "the list of how long lists are", expected: 1, found: 2 }), "{more}");
}

#[cfg(feature = "derive")]
mod derived {
    use catadiff::Elementary;
    use catadiff::array::Program;
    use catadiff::array::trace::{Arr, F64, Handle, I64, Nest, if_, loop_for};

    use super::{comes_back, layers};

    #[derive(Debug, Clone, PartialEq, Nest)]
    struct Layer<M, V> {
        w: M,
        bias: V,
    }

    #[derive(Debug, Clone, PartialEq, Nest)]
    struct Net<M, V, S> {
        layers: Vec<Layer<M, V>>,
        pair: [(S, S); 2],
        r#type: S,
    }

    type Traced = Net<Arr<Arr<F64>>, Arr<F64>, F64>;

    fn net() -> Net<Vec<Vec<f64>>, Vec<f64>, f64> {
        let layers = layers().into_iter().map(|(w, bias)| Layer { w, bias }).collect();
        Net { layers, pair: [(1.0, 2.0), (3.0, 4.0)], r#type: 5.0 }
    }

    fn loss(net: Traced, x: Arr<F64>) -> F64 {
        let last = net.layers.iter().fold(x, |x, layer| (layer.w.matvec(x) + layer.bias).map(F64::tanh));
        let [(a, b), (c, d)] = net.pair;
        last.sum() * a * b + c * d * net.r#type
    }

    #[test]
    fn structures_are_their_fields() {
        comes_back(&net(), 9);
        let loss = Program::trace_like(&["net", "x"], (net(), [1.0, 2.0]), loss).unwrap();
        assert_eq!(
            loss.names(),
            [
                "net.layers.0.w",
                "net.layers.0.bias",
                "net.layers.1.w",
                "net.layers.1.bias",
                "net.pair.0.0",
                "net.pair.0.1",
                "net.pair.1.0",
                "net.pair.1.1",
                "net.type",
                "x"
            ]
        );
        let gradient = loss.grad("net").unwrap().at_like(&net(), (net(), [1.0, 2.0])).unwrap();
        assert_eq!((gradient.r#type, gradient.pair[1]), (12.0, (20.0, 15.0)));
        let layers: Vec<Layer<Vec<Vec<f64>>, Vec<f64>>> =
            loss.grad("net.layers").unwrap().at((net(), [1.0, 2.0])).unwrap();
        assert_eq!(layers, gradient.layers);
    }

    #[test]
    fn a_step_returns_what_it_takes() {
        let descend = |net: Traced, slope: Traced| {
            let layers = net.layers.into_iter().zip(slope.layers);
            let layers = layers.map(|(a, b)| Layer { w: a.w - b.w * 0.1, bias: a.bias - b.bias * 0.1 }).collect();
            (1.0, Net { layers, ..net })
        };
        let step = Program::trace_like(&[], (net(), net()), descend).unwrap();
        let (one, next) = step.at_like(&(0.0, net()), (net(), net())).unwrap();
        assert_eq!((one, &next.pair, next.layers[1].bias[0]), (1.0, &net().pair, -0.5 * 0.9));
    }

    #[derive(Debug, Clone, Copy, Handle)]
    struct Ball(F64, F64, I64);

    #[derive(Debug, Clone, PartialEq, Nest)]
    #[nest(values)]
    struct Balls {
        heights: Vec<f64>,
        speeds: Vec<f64>,
        bounces: Vec<i64>,
    }

    #[test]
    fn handles_are_in_arrays_and_loops() {
        let fall = |balls: Arr<Ball>, steps: I64| {
            balls.map(|ball| {
                loop_for(steps, ball, |_, Ball(height, speed, n)| {
                    let below = (height + speed).lt(0.0);
                    if_(below, || Ball(-(height + speed), -speed, n + 1), || Ball(height + speed, speed - 1.0, n))
                })
            })
        };
        let fall = Program::trace_named(&["balls"], fall).unwrap();
        assert_eq!(fall.names(), ["balls.0", "balls.1", "balls.2", "x1"]);
        let balls = Balls { heights: vec![3.0, 0.5], speeds: vec![0.0, -1.0], bounces: vec![0, 7] };
        let after: Balls = fall.at((&balls, 3_i64)).unwrap();
        let expected = Balls { heights: vec![0.0, 1.5], speeds: vec![-3.0, -1.0], bounces: vec![0, 8] };
        assert_eq!(after, expected);
    }
}
