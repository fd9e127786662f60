// Measures the time from the click on Speak to the first audible sample in the browser, on an idle machine.
//
//   node console/first-sound.mjs [RUNS]     default: 20
import { logIn, openPage, startBrowser, startConsole } from './test/support.mjs';

const RUNS = Number(process.argv[2] ?? 20);
const TEXTS = [
  'Good morning.',
  'The weather is lovely today.',
  'We should walk along the river before lunch.',
];
/** Quieter samples are not audible: about -60 dB. */
const AUDIBLE = 0.001;

const server = await startConsole();
const browser = await startBrowser();
try {
  const { page } = await openPage(browser);
  await page.addInitScript(watchFirstSound, AUDIBLE);
  await logIn(page, server);
  const times = [];
  // The first two runs open the audio output and load the voice.
  for (let run = -2; run < RUNS; run++) {
    await page.getByLabel('Text to speak').fill(`${TEXTS[(run + 2) % TEXTS.length]} ${run + 3}`);
    await page.evaluate(() => {
      globalThis.firstSoundAtMs = undefined;
    });
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    const ms = await page.waitForFunction(
      () => globalThis.firstSoundAtMs - globalThis.clickedAtMs || undefined,
    );
    if (run >= 0) times.push(await ms.jsonValue());
    await page.getByRole('button', { name: 'Speak', exact: true }).waitFor();
  }
  times.sort((a, b) => a - b);
  const at = (part) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))]);
  console.log(
    `click to first sound over ${RUNS} runs: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`,
  );
} finally {
  await browser.close();
  await server.close();
}

/** Notes the time of each click, and when the first audible sample after it leaves the page. Runs in the page. */
function watchFirstSound(audible) {
  addEventListener(
    'click',
    () => {
      globalThis.clickedAtMs = performance.now();
    },
    true,
  );
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function startAndMeasure(...given) {
    const samples = this.buffer.getChannelData(0);
    const first = samples.findIndex((value) => Math.abs(value) >= audible);
    if (first >= 0 && globalThis.firstSoundAtMs === undefined) {
      const { currentTime, baseLatency } = this.context;
      const waitSeconds =
        Math.max(0, (given[0] ?? 0) - currentTime) + first / this.buffer.sampleRate + baseLatency;
      globalThis.firstSoundAtMs = performance.now() + waitSeconds * 1000;
    }
    return start.apply(this, given);
  };
}
