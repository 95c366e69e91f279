// Draws steps of Newton's method while they run: on WebGPU where there is one, then on the processor, from the same points.

const element = (id) => document.getElementById(id);
const canvas = element("canvas");
const context = canvas.getContext("2d");
const MOST_STEPS = 100;

function colours(count) {
  return Array.from({ length: count }, (_, k) => {
    const [hue, light] = [(k * 137.508) % 360, 0.6];
    const channel = (n) => {
      const place = (n + hue / 30) % 12;
      return Math.round(255 * (light - 0.35 * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
    };
    return [channel(0), channel(8), channel(4)];
  });
}

// The points as pixels, and above them the ways that the centres have gone.
function draw(run, ways) {
  const [points, nearest, centres] = [run.points(), run.nearest(), run.centres()];
  const of = colours(centres.length / 2);
  const { width, height } = canvas;
  const image = context.createImageData(width, height);
  new Uint32Array(image.data.buffer).fill(0xff0e0c0b);
  for (let k = 0; k < nearest.length; k++) {
    const x = Math.min(width - 1, Math.floor(points[2 * k] * width));
    const y = Math.min(height - 1, Math.floor(points[2 * k + 1] * height));
    image.data.set(of[nearest[k]], 4 * (y * width + x));
  }
  context.putImageData(image, 0, 0);
  ways.push(centres);
  for (let k = 0; k < of.length; k++) {
    context.beginPath();
    for (const way of ways) context.lineTo(way[2 * k] * width, way[2 * k + 1] * height);
    context.strokeStyle = "#ffffffb0";
    context.stroke();
    context.beginPath();
    context.arc(centres[2 * k] * width, centres[2 * k + 1] * height, 6, 0, 2 * Math.PI);
    context.fillStyle = `rgb(${of[k]})`;
    context.fill();
    context.strokeStyle = "#fff";
    context.stroke();
  }
}

const frame = () => new Promise((next) => requestAnimationFrame(next));

function median(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

// Steps until the cost falls no more, with a line of the table that grows with them.
async function cluster(name, count, clusters, seed, device) {
  const row = element("times").insertRow();
  row.id = name;
  const cells = [name, "", "", "", ""].map((text) => {
    const cell = row.insertCell();
    cell.textContent = text;
    return cell;
  });
  const run = new wasm_bindgen.Run(count, clusters, seed, device);
  const [times, ways] = [[], []];
  let least = Infinity;
  while (times.length < MOST_STEPS) {
    const start = performance.now();
    const cost = await run.step();
    times.push(performance.now() - start);
    draw(run, ways);
    const ms = (time) => `${time.toFixed(1)} ms`;
    [times.length, cost.toPrecision(6), ms(times[0]), ms(median(times))].forEach((text, k) => {
      cells[k + 1].textContent = text;
    });
    await frame();
    if (!(cost < least)) break;
    least = cost;
  }
  run.free();
}

async function runAll() {
  const [count, clusters, seed] = ["points", "clusters", "seed"].map((id) => element(id).valueAsNumber);
  element("times").replaceChildren();
  document.body.dataset.state = "running";
  const say = (text) => { element("said").textContent = text; };
  say("");
  let device;
  try {
    device = await wasm_bindgen.Device.open();
  } catch (error) {
    say(`Without WebGPU: ${error.message}.`);
  }
  try {
    if (device) await cluster("WebGPU", count, clusters, seed, device);
    await cluster("processor", count, clusters, seed, undefined);
  } catch (error) {
    say(`It went wrong: ${error.message}.`);
  }
  document.body.dataset.state = "done";
}

element("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = event.submitter ?? element("form").querySelector("button");
  button.disabled = true;
  await runAll();
  button.disabled = false;
});

const bytes = Uint8Array.from(atob(CODE), (letter) => letter.charCodeAt(0));
wasm_bindgen({ module_or_path: bytes }).then(() => element("form").requestSubmit());
