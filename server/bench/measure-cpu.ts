import type { BareEngine } from './bare-engine.ts';
import { type BenchContext, serverCpuSeconds, withBareEngine } from './bench-context.ts';
import { download, ENGINE_RATE_HZ, listen } from './listener.ts';
import { atMost, cost, type PartReport, type Row, times } from './report.ts';
import type { ServerProcess } from './server-process.ts';
import { median } from './statistics.ts';
import { TEXTS } from './texts.ts';

const COST_MAX = 0.14;
const SERVER_TO_BARE_MAX = 1.1;
const DEFAULT_RATE_HZ = 44_100;
const SHORT_WARM_UPS = 40;
const LONG_WARM_UPS = 4;
/** Beside an engine that is told, as the server tells it, which pieces nobody waits for: what the server itself costs. */
const TOLD_ALL = 'pcm 24 kHz, engine told the same';

/** The ways the server is asked, each beside the bare engine. */
const WAYS = ['pcm 24 kHz', 'pcm 44.1 kHz', 'mp3', TOLD_ALL] as const;
type Way = (typeof WAYS)[number];

/** CPU seconds for one text, spoken by the server and by the bare engine at the same time. */
interface Trial {
  readonly way: Way;
  readonly server: number;
  readonly bare: number;
  /** Length of the text as the bare engine speaks it; the server trims silence and adds pauses. */
  readonly audioSeconds: number;
}

/** What the server costs, next to the bare engine on the same texts. */
export async function measureCpu(context: BenchContext): Promise<PartReport> {
  const { effort, server } = context;
  const trials: Trial[] = [];
  await withBareEngine(context, 'kokoro-fast', async (bare) => {
    await warmUp(server, bare);
    for (let round = 0; round < effort.cpuRounds; round++) {
      for (const text of effort.cpuTexts) {
        for (const way of WAYS) trials.push(await tryText(text, way, { server, bare }));
      }
    }
  });
  return report(trials);
}

/** Until the code of a request has run often, what is measured is mostly the compiler of JavaScript. */
async function warmUp(server: ServerProcess, bare: BareEngine): Promise<void> {
  for (const [text, requests] of [
    [TEXTS[60], SHORT_WARM_UPS],
    [TEXTS[1500], LONG_WARM_UPS],
  ] as const) {
    for (let request = 0; request < requests; request++) {
      for (const way of WAYS) await ask(server, text, way);
      await bare.speak(text);
    }
  }
}

/**
 * Both at once, because one and the same machine is half as fast again from one second to the next: what slows
 * one of the two slows the other.
 */
async function tryText(
  text: string,
  way: Way,
  { server, bare }: { readonly server: ServerProcess; readonly bare: BareEngine },
): Promise<Trial> {
  const [cost, cpuSeconds] = await Promise.all([
    bare.speak(text, { isToldAll: way === TOLD_ALL }),
    serverCpuSeconds(server, () => ask(server, text, way)),
  ]);
  return { way, server: cpuSeconds, bare: cost.cpuSeconds, audioSeconds: cost.audioSeconds };
}

async function ask(server: ServerProcess, text: string, way: Way): Promise<void> {
  if (way === 'mp3') await download(server, text, 'mp3');
  else await listen(server, text, way === 'pcm 44.1 kHz' ? DEFAULT_RATE_HZ : ENGINE_RATE_HZ);
}

function report(trials: readonly Trial[]): PartReport {
  const perSecond = (key: 'server' | 'bare', of: readonly Trial[]) =>
    median(of.map((trial) => trial[key] / trial.audioSeconds));
  const rows = WAYS.flatMap((way): Row[] => {
    const of = trials.filter((trial) => trial.way === way);
    const costs = perSecond('server', of);
    const ratio = median(of.map(({ server, bare }) => server / bare));
    const ratioRow = { what: `server to bare engine, ${way}`, value: times(ratio) };
    if (way === TOLD_ALL) return [ratioRow];
    const costRow = { what: `server, ${way}`, value: cost(costs) };
    if (way === 'mp3') return [costRow, ratioRow];
    return [
      { ...costRow, target: atMost(costs, COST_MAX) },
      { ...ratioRow, target: atMost(ratio, SERVER_TO_BARE_MAX, ' ×') },
    ];
  });
  const untold = trials.filter(({ way }) => way !== TOLD_ALL);
  return {
    rows: [{ what: 'bare engine', value: cost(perSecond('bare', untold)) }, ...rows],
    data: trials,
  };
}
