// The page in headless Chromium, whose software GPU stands in for one, and the compiler of shaders there.
//
// CHROMIUM is the browser; PAGE the page, KERNELS a folder of kernels, as `.ci/browser` makes them.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const { CHROMIUM = "/usr/bin/chromium", PAGE = "../target/k_means.html", KERNELS = "../../../target/tmp/wgsl" } = process.env;
const QUIET = ["--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

const browsers = {};
before(async () => {
  browsers.with = await chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...WEBGPU] });
  browsers.without = await chromium.launch({ executablePath: CHROMIUM, args: QUIET });
});
after(async () => {
  for (const browser of Object.values(browsers)) await browser.close();
});

// The rows of the table when the page has done all, and what it says.
async function done(browser, { picture, ...inputs } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(pathToFileURL(PAGE).href);
  const isDone = () => page.waitForFunction(() => document.body.dataset.state === "done", null, { timeout: 120_000 });
  await isDone();
  if (Object.keys(inputs).length > 0) {
    for (const [id, value] of Object.entries(inputs)) await page.fill(`#${id}`, String(value));
    await page.click("button");
    await page.waitForFunction(() => document.querySelector("button").disabled);
    await isDone();
  }
  if (picture) await page.screenshot({ path: picture });
  const rows = await page.$$eval("#times tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const said = await page.textContent("#said");
  const coloured = await page.$eval("canvas", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) count += Math.max(data[k], data[k + 1], data[k + 2]) > 64;
    return count;
  });
  await page.close();
  assert.deepEqual(errors, []);
  return { rows, said, coloured };
}

const close = (x, y) => Math.abs(x - y) <= 1e-4 * Math.abs(y);

test("WebGPU and the processor come to the same clusters", async () => {
  const { rows, said, coloured } = await done(browsers.with, { picture: process.env.PICTURE });
  assert.equal(said, "");
  assert.deepEqual(rows.map((row) => row[0]), ["WebGPU", "processor"]);
  const [[, steps, cost], [, expectedSteps, expected]] = rows.map((row) => row.map(Number.parseFloat));
  assert.ok(close(cost, expected), `${cost} ${expected}`);
  // In single precision a sum may stop falling a few steps sooner.
  assert.ok(steps > 5 && Math.abs(steps - expectedSteps) <= 5, `${steps} ${expectedSteps}`);
  assert.ok(coloured > 10_000, `${coloured} pixels have a colour`);
});

test("other points are clustered on a click", async () => {
  for (const inputs of [{ points: 1, clusters: 5 }, { points: 300, clusters: 64, seed: 1 }]) {
    const { rows, said } = await done(browsers.with, inputs);
    assert.equal(said, "");
    const [gpu, processor] = rows.map((row) => Number.parseFloat(row[2]));
    assert.ok(close(gpu, processor), `${gpu} ${processor}`);
  }
});

test("without WebGPU the processor does it, and the page says so", async () => {
  const { rows, said } = await done(browsers.without);
  assert.match(said, /^Without WebGPU: .*no GPU/);
  assert.deepEqual(rows.map((row) => row[0]), ["processor"]);
});

// Of all messages of the compiler the errors, by the name of the kernel.
async function refused(kernels) {
  const page = await browsers.with.newPage();
  await page.goto(pathToFileURL(PAGE).href);
  const errors = [];
  for (let k = 0; k < kernels.length; k += 100) {
    errors.push(...await page.evaluate(async (kernels) => {
      globalThis.device ??= await (await navigator.gpu.requestAdapter()).requestDevice();
      const errors = [];
      for (const [name, code] of kernels) {
        const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
        const error = messages.find(({ type }) => type === "error");
        if (error) errors.push(`${name}, line ${error.lineNum}: ${error.message}`);
      }
      return errors;
    }, kernels.slice(k, k + 100)));
  }
  await page.close();
  return errors;
}

test("the browser's compiler takes the kernels of a corpus", async () => {
  const names = readdirSync(KERNELS);
  const texts = new Map(names.map((name) => [readFileSync(`${KERNELS}/${name}`, "utf8"), name]));
  const kernels = [...texts].map(([text, name]) => [name, text]);
  assert.ok(kernels.length > 5000, `${kernels.length} kernels`);
  assert.deepEqual(await refused(kernels), []);
});

test("it refuses a kernel in which not all threads come to a barrier", async () => {
  const code = `@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) k: u32) {
    if (k > 3u) { return; }
    workgroupBarrier();
  }`;
  const [error] = await refused([["early", code]]);
  assert.match(error, /workgroupBarrier.*uniform/);
});
