// Measures the time from the click on Speak to the first sound in the browser. `npm run bench -- --only console` calls it.
import { hasBrowser, logIn, openPage, startBrowser } from './test/support.mjs';

const TEXTS = [
  'Good morning.',
  'The weather is lovely today.',
  'We should walk along the river before lunch.',
];
/** The first runs open the audio output and load the voice. */
const WARM_UP_RUNS = 3;
/** Time between two runs, in which the server and the audio output become idle. */
const PAUSE_MS = 500;

/**
 * Clicks Speak `runs` times in a real browser. Each number is the time from the click to the first non-zero sample that
 * the AudioContext renders, in milliseconds. The latency of the output device behind the AudioContext is not part of it.
 * Undefined where no browser is installed.
 */
export async function measureFirstSound({ url, key, runs }) {
  if (!hasBrowser) return undefined;
  const browser = await startBrowser();
  try {
    // The measurement adds an AudioWorklet, which the policy of the page would refuse.
    const { page } = await openPage(browser, { bypassCSP: true });
    await page.addInitScript(watchFirstSound);
    await logIn(page, { url, key });
    const times = [];
    for (let run = -WARM_UP_RUNS; run < runs; run++) {
      const text = `${TEXTS[(run + WARM_UP_RUNS) % TEXTS.length]} ${run + WARM_UP_RUNS}`;
      const ms = await speakOnce(page, text);
      if (run >= 0) times.push(ms);
    }
    return times;
  } finally {
    await browser.close();
  }
}

async function speakOnce(page, text) {
  const speak = page.getByRole('button', { name: 'Speak', exact: true });
  await page.getByLabel('Text to speak').fill(text);
  await page.waitForTimeout(PAUSE_MS);
  await page.evaluate(() => globalThis.firstSound.arm());
  await speak.click();
  const ms = await page.waitForFunction(() => globalThis.firstSound.ms());
  await speak.waitFor();
  // Until the speech has been played, so that it is not taken for the sound of the next run.
  await page.getByTestId('take').getByRole('button', { name: 'Play', exact: true }).waitFor();
  return ms.jsonValue();
}

/** Notes when the button is clicked, and when the AudioContext renders its first non-zero sample. Runs in the page. */
function watchFirstSound() {
  let clickedAtMs;
  let soundedAtMs;
  let isArmed = false;
  globalThis.firstSound = {
    arm() {
      clickedAtMs = undefined;
      soundedAtMs = undefined;
      isArmed = true;
    },
    ms: () => (clickedAtMs === undefined ? undefined : soundedAtMs - clickedAtMs || undefined),
  };
  const onClick = () => {
    if (isArmed) clickedAtMs ??= Date.now();
  };
  addEventListener('click', onClick, true);

  const processor = `registerProcessor('first-sound', class extends AudioWorkletProcessor {
    process([[samples = []]]) {
      if (samples.some((value) => value !== 0)) this.port.postMessage(Date.now());
      return true;
    }
  });`;
  const source = URL.createObjectURL(new Blob([processor], { type: 'text/javascript' }));
  const watchers = new WeakMap();
  const { AudioContext, AudioNode, AudioWorkletNode } = globalThis;
  globalThis.AudioContext = class extends AudioContext {
    constructor(options) {
      super(options);
      this.audioWorklet.addModule(source).then(() => {
        const watcher = new AudioWorkletNode(this, 'first-sound', { numberOfOutputs: 0 });
        watcher.port.onmessage = ({ data }) => {
          if (isArmed && clickedAtMs !== undefined) soundedAtMs ??= data;
        };
        watchers.set(this, watcher);
      });
    }
  };
  const { connect } = AudioNode.prototype;
  AudioNode.prototype.connect = function connectAndWatch(target, ...rest) {
    const watcher = watchers.get(this.context);
    if (watcher !== undefined && target === this.context.destination) connect.call(this, watcher);
    return connect.call(this, target, ...rest);
  };
}
