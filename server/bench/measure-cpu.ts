import type { BareEngine } from './bare-engine.ts';
import { type BenchContext, serverCpuSeconds, withBareEngine } from './bench-context.ts';
import { download, ENGINE_RATE_HZ, listen } from './listener.ts';
import { atMost, cost, type PartReport, type Row, times } from './report.ts';
import { median, sum } from './statistics.ts';

const COST_MAX = 0.14;
const SERVER_TO_BARE_MAX = 1.1;
const DEFAULT_RATE_HZ = 44_100;
/** Until then, what is measured is mostly the compiler of JavaScript. */
const WARM_UP_ROUNDS = 2;

/** CPU seconds for one text, spoken in different ways one right after the other. */
interface Trial {
  bare: number;
  pcm24: number;
  pcm44: number;
  mp3: number;
  /** Length of the text as the server speaks it, and as the bare engine does. */
  audioSeconds: number;
  bareAudioSeconds: number;
}

/** What the server costs, next to the bare engine on the same texts. */
export async function measureCpu(context: BenchContext): Promise<PartReport> {
  const { effort } = context;
  const trials: Trial[] = [];
  await withBareEngine(context, 'kokoro-fast', async (bare) => {
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      for (const text of effort.cpuTexts) await tryText(text, { context, bare, isReversed: false });
    }
    for (let round = 0; round < effort.cpuRounds; round++) {
      for (const text of effort.cpuTexts) {
        trials.push(await tryText(text, { context, bare, isReversed: round % 2 === 1 }));
      }
    }
  });
  return report(trials);
}

async function tryText(
  text: string,
  how: { readonly context: BenchContext; readonly bare: BareEngine; readonly isReversed: boolean },
): Promise<Trial> {
  const { server } = how.context;
  const trial: Trial = { bare: 0, pcm24: 0, pcm44: 0, mp3: 0, audioSeconds: 0, bareAudioSeconds: 0 };
  const steps = [
    async () => {
      const { cpuSeconds, audioSeconds } = await how.bare.speak(text);
      trial.bare = cpuSeconds;
      trial.bareAudioSeconds = audioSeconds;
    },
    async () => {
      trial.pcm24 = await serverCpuSeconds(server, async () => {
        trial.audioSeconds = (await listen(server, text, ENGINE_RATE_HZ)).audioSeconds;
      });
    },
    async () => {
      trial.pcm44 = await serverCpuSeconds(server, () => listen(server, text, DEFAULT_RATE_HZ));
    },
    async () => {
      trial.mp3 = await serverCpuSeconds(server, () => download(server, text, 'mp3'));
    },
  ];
  // Every other time backwards, so that a machine that becomes slower or faster favours nobody.
  for (const step of how.isReversed ? steps.reverse() : steps) await step();
  return trial;
}

function report(trials: readonly Trial[]): PartReport {
  const total = (key: keyof Trial) => sum(trials.map((trial) => trial[key]));
  const pcmRows = (label: string, key: 'pcm24' | 'pcm44'): Row[] => {
    const perSecond = total(key) / total('audioSeconds');
    // For the same texts, not for a second of audio: the server trims silence and adds pauses. The median, because
    // now and then the machine is taken away in the middle of a trial.
    const ratio = median(trials.map((trial) => trial[key] / trial.bare));
    return [
      { what: `server, pcm ${label}`, value: cost(perSecond), target: atMost(perSecond, COST_MAX) },
      {
        what: `server to bare engine, pcm ${label}`,
        value: times(ratio),
        target: atMost(ratio, SERVER_TO_BARE_MAX, ' ×'),
      },
    ];
  };
  const rows: Row[] = [
    { what: 'bare engine', value: cost(total('bare') / total('bareAudioSeconds')) },
    ...pcmRows('24 kHz', 'pcm24'),
    ...pcmRows('44.1 kHz', 'pcm44'),
    { what: 'server, mp3', value: cost(total('mp3') / total('audioSeconds')) },
  ];
  return { rows, data: trials };
}
