//! The derivatives that the benchmark asks for against difference quotients, where its own inputs do not lead.

mod inputs;

use catadiff_gradbench::function;
use inputs::data;
use serde_json::{Value as Json, json};

fn output(module: &str, name: &str, input: &Json) -> Json {
    let function = function(module, name).expect("a function of the benchmark");
    (function.task)(input).and_then(|task| task.interpret()).unwrap_or_else(|e| panic!("{module} {name}: {e}"))
}

fn numbers(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(numbers).collect(),
        Json::Object(fields) => fields.values().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("outputs are of numbers")],
    }
}

/// How the outputs of an objective change with the number at a place of its input.
fn slopes(module: &str, input: &Json, place: &str) -> Vec<f64> {
    const STEP: f64 = 1e-6;
    let [after, before] = [STEP, -STEP].map(|step| {
        let mut moved = input.clone();
        let number = moved.pointer_mut(place).unwrap_or_else(|| panic!("nothing at {place}"));
        *number = json!(number.as_f64().expect("a number") + step);
        numbers(&output(module, "objective", &moved))
    });
    after.iter().zip(before).map(|(after, before)| (after - before) / (2.0 * STEP)).collect()
}

fn close(place: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{place}: {found:?} is not {expected:?}");
    }
}

/// `m` is 0 in the benchmark's inputs.
fn mixture() -> Json {
    json!({
        "d": 2, "k": 2, "n": 3, "m": 3, "gamma": 0.7,
        "alpha": [0.3, -0.4], "mu": [[0.1, -0.2], [0.5, 1.0]], "q": [[-0.3, 0.2], [0.4, -0.1]], "l": [[0.6], [-0.8]],
        "x": [[0.2, 0.9], [-1.0, 0.4], [1.5, -0.3]],
    })
}

#[test]
fn gmm_with_a_prior_of_more_degrees() {
    let input = mixture();
    let gradient = output("gmm", "jacobian", &input);
    for place in ["/alpha/1", "/mu/0/1", "/mu/1/0", "/q/0/0", "/q/1/1", "/l/0/0", "/l/1/0"] {
        let found = gradient.pointer(place).expect("as the parameters are").as_f64().expect("a number");
        close(place, &[found], &slopes("gmm", &input, place));
    }
}

/// A mixture of one component in one dimension is a normal distribution, whose prior has a closed form.
#[test]
fn gmm_of_one_component() {
    let (alpha, mu, q, x, gamma, m) = (0.7, 0.25, -0.4_f64, [1.0, -0.5, 2.0], 1.3_f64, 2.0);
    let input = json!({
        "d": 1, "k": 1, "n": 3, "m": 2, "gamma": gamma, "alpha": [alpha], "mu": [[mu]], "q": [[q]], "l": [[]],
        "x": x.map(|x| [x]),
    });
    let normal = |x: f64| q - 0.5 * (q.exp() * (x - mu)).powi(2) - 0.5 * (2.0 * std::f64::consts::PI).ln();
    // Γ(2) is 1, for n' = 4 degrees.
    let constant = 4.0 * (gamma.ln() - 0.5 * 2.0_f64.ln());
    let prior = constant - gamma * gamma / 2.0 * (2.0 * q).exp() + m * q;
    let expected = x.into_iter().map(normal).sum::<f64>() + prior;
    close("one", &numbers(&output("gmm", "objective", &input)), &[expected]);
}

/// One camera, one point, one observation: all entries of the Jacobian are within the thirty that are printed.
fn observation(camera: [f64; 11]) -> Json {
    json!({ "n": 1, "m": 1, "p": 1, "cam": camera, "x": [0.3, -0.8, 4.0], "w": 0.6, "feat": [0.1, 0.2] })
}

#[test]
fn ba_of_cameras_that_are_turned_and_that_are_not() {
    for rotation in [[0.3, -0.2, 0.5], [0.0; 3], [1e-5, 0.0, -2e-5]] {
        let [r0, r1, r2] = rotation;
        let input = observation([r0, r1, r2, 0.1, 0.2, -0.3, 1.7, 0.4, -0.1, 0.05, -0.02]);
        let rows = numbers(&output("ba", "jacobian", &input)["vals"]);
        let camera = (0..11).map(|k| format!("/cam/{k}"));
        let places = camera.chain((0..3).map(|k| format!("/x/{k}"))).chain(["/w".to_owned()]);
        for (column, place) in places.enumerate() {
            // The errors of the observation, and how often it is there; the error of the weight, and how often.
            let [w, u, v] = {
                let s = slopes("ba", &input, &place);
                [s[3], s[0], s[1]]
            };
            close(&place, &[rows[column], rows[15 + column]], &[u, v]);
            close(&place, &[w], &[if place == "/w" { rows[30] } else { 0.0 }]);
        }
    }
}

/// The left hand, which is the right one mirrored, and a hand that is not turned as a whole.
#[test]
fn ht_of_hands_that_are_mirrored_or_not_turned() {
    let mut right = data("ht/complicated_small_hand1_t26_c100.json.gz");
    // Ten of its points are enough.
    for list in ["/us", "/data/correspondences", "/data/points"] {
        right.pointer_mut(list).and_then(Json::as_array_mut).expect("a list").truncate(10);
    }
    let (mut left, mut straight) = (right.clone(), right);
    left["data"]["model"]["is_mirrored"] = json!(true);
    (0..3).for_each(|k| straight["theta"][k] = json!(0.0));
    for input in [left, straight] {
        let rows = output("ht", "jacobian", &input);
        for column in [0, 2, 4, 6, 7, 13, 21, 25] {
            let found: Vec<f64> = (0..30).map(|row| rows[row][2 + column].as_f64().expect("a number")).collect();
            let place = format!("/theta/{column}");
            close(&place, &found, &slopes("ht", &input, &place));
        }
        let found: Vec<f64> = (0..3).flat_map(|row| [0, 1].map(|k| rows[row][k].as_f64().expect("a number"))).collect();
        let [by_first, by_second] = ["/us/0/0", "/us/0/1"].map(|place| slopes("ht", &input, place));
        let expected: Vec<f64> = (0..3).flat_map(|row| [by_first[row], by_second[row]]).collect();
        close("us", &found, &expected);
    }
}

#[test]
fn lstm_of_three_layers() {
    let spread = |rows: usize, columns: usize, from: usize| -> Vec<Vec<f64>> {
        let number = |k: usize| (((k + from) * 37) % 101) as f64 / 50.0 - 1.0;
        (0..rows).map(|row| (0..columns).map(|column| number(row * columns + column)).collect()).collect()
    };
    let input = json!({
        "main_params": spread(6, 8, 0), "extra_params": spread(3, 2, 7), "state": spread(6, 2, 19),
        "sequence": spread(5, 2, 43),
    });
    let gradient = numbers(&output("lstm", "jacobian", &input));
    assert_eq!(gradient.len(), 6 * 8 + 3 * 2);
    let main = [(0, 3), (1, 7), (2, 0), (3, 4), (5, 6)].map(|(i, j)| (i * 8 + j, format!("/main_params/{i}/{j}")));
    let extra = [(0, 1), (1, 0), (2, 1)].map(|(i, j)| (48 + i * 2 + j, format!("/extra_params/{i}/{j}")));
    for (k, place) in main.into_iter().chain(extra) {
        close(&place, &[gradient[k]], &slopes("lstm", &input, &place));
    }
}

#[test]
fn what_is_no_input_is_an_error() {
    let error = |module: &str, input: Json| {
        let function = function(module, "jacobian").expect("a function of the benchmark");
        (function.task)(&input).and_then(|task| task.interpret()).expect_err("no input").to_string()
    };
    let mut none = observation([0.1; 11]);
    none["n"] = json!(0);
    let no_camera = error("ba", none);
    assert!(no_camera.contains("a number of things from 1 to"), "{no_camera}");
    assert!(error("ba", observation_without_weight()).contains("number"));
    let mut short = mixture();
    short["l"] = json!([[0.6]]);
    assert!(error("gmm", short).contains("must agree, and are 2 and 1"));
    let zeros = |rows: usize, columns: usize| vec![vec![0.0; columns]; rows];
    let network = json!({
        "main_params": zeros(2, 8), "extra_params": zeros(3, 2), "state": zeros(2, 2), "sequence": [],
    });
    assert!(error("lstm", network).contains("size"));
    let mut hand = data("ht/simple_small_hand1_t26_c100.json.gz");
    hand["data"]["correspondences"][0] = json!(1_000_000);
    assert!(error("ht", hand).contains("1000000"));
}

fn observation_without_weight() -> Json {
    let mut input = observation([0.1; 11]);
    input["w"] = Json::Null;
    input
}
