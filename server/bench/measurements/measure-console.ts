import type { BenchContext } from '../bench-context.ts';
import { atMost, ms, type PartReport } from '../report.ts';
import { median, quantile } from '../statistics.ts';

const P50_MAX_MS = 150;

/** The module of the console that drives a browser. It is JavaScript, and its packages are those of the console. */
interface FirstSoundModule {
  measureFirstSound(options: {
    readonly url: string;
    readonly key: string;
    readonly runs: number;
  }): Promise<number[] | undefined>;
}

/** Time from the click on Speak to the first sound in a real browser on the web console. */
export async function measureConsole({ server, effort }: BenchContext): Promise<PartReport> {
  const path = new URL('../../../../console/first-sound.mjs', import.meta.url).href;
  const { measureFirstSound } = (await import(path)) as FirstSoundModule;
  const waitsMs = await measureFirstSound({
    url: server.url,
    key: server.apiKey,
    runs: effort.firstAudioRuns,
  });
  const what = 'click to first sound in the browser';
  if (waitsMs === undefined) return { rows: [{ what, value: 'no browser' }], data: {} };
  const p50 = median(waitsMs);
  return {
    rows: [
      {
        what: `${what}, p50`,
        value: ms(p50),
        target: atMost(p50, P50_MAX_MS, ' ms'),
      },
      { what: `${what}, p95`, value: ms(quantile(waitsMs, 0.95)) },
    ],
    data: { waitsMs },
  };
}
