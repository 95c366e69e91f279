//! What the page calls.

use catadiff::execute::gpu::Gpu;
use js_sys::{Float32Array, Uint8Array};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::clustering::{Clustering, Step};
use crate::points::points;

type Found<T> = Result<T, JsError>;

/// The GPU that the browser offers.
#[wasm_bindgen]
pub struct Device(Gpu);

#[wasm_bindgen]
impl Device {
    /// Opens it, and sees that it computes as it should.
    pub async fn open() -> Found<Device> {
        Ok(Device(Gpu::new_async().await?))
    }
}

/// Points and centres on the way.
#[wasm_bindgen]
pub struct Run {
    clustering: Clustering,
    points: Vec<f32>,
    last: Step,
}

#[wasm_bindgen]
impl Run {
    /// As many points of the seed, on the device, or on the processor if there is none.
    #[wasm_bindgen(constructor)]
    pub fn new(count: usize, clusters: usize, seed: u32, device: Option<Device>) -> Found<Run> {
        let points = points(count.max(1), clusters.max(1), seed.into());
        let clustering = match device {
            Some(Device(gpu)) => Clustering::on_gpu(&gpu, &points)?,
            None => Clustering::on_processor(&points)?,
        };
        let last = Step { centres: points.centres, cost: f32::INFINITY, nearest: vec![0; count] };
        Ok(Run { clustering, points: points.points, last })
    }

    /// One step, after which the cost before it is there.
    pub async fn step(&mut self) -> Found<f32> {
        self.last = self.clustering.step().await?;
        Ok(self.last.cost)
    }

    /// Where the points are, two numbers each.
    pub fn points(&self) -> Float32Array {
        self.points.as_slice().into()
    }

    /// Where the centres are, two numbers each.
    pub fn centres(&self) -> Float32Array {
        self.last.centres.as_slice().into()
    }

    /// The number of the centre next to each point.
    pub fn nearest(&self) -> Uint8Array {
        self.last.nearest.iter().map(|k| *k as u8).collect::<Vec<u8>>().as_slice().into()
    }
}
