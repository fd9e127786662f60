import { type BenchContext, serverCpuSeconds, withBareEngine } from '../bench-context.ts';
import { download, ENGINE_RATE_HZ, streamSpeech } from '../clients/http-client.ts';
import type { BareEngine } from '../processes/bare-engine.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import { atMost, cost, type PartReport, type Row, times } from '../report.ts';
import { median } from '../statistics.ts';
import { TEXTS } from '../texts.ts';

const COST_MAX = 0.14;
const SERVER_TO_BARE_MAX = 1.1;
const DEFAULT_RATE_HZ = 44_100;
const SHORT_WARM_UPS = 40;
const LONG_WARM_UPS = 4;
/** With the same `isLatencyCritical` per piece as in the server, which leaves the cost of the server itself. */
const SERVER_WINDOWS = 'pcm 24 kHz, same windows';

/** Kinds of requests, each measured together with the bare engine. */
const VARIANTS = ['pcm 24 kHz', 'pcm 44.1 kHz', 'mp3', SERVER_WINDOWS] as const;
type Variant = (typeof VARIANTS)[number];

/** CPU seconds for one text, synthesized by the server and the bare engine concurrently. */
interface Sample {
  readonly variant: Variant;
  readonly server: number;
  readonly bare: number;
  /** Audio duration of the bare engine; the server trims silence and adds pauses. */
  readonly audioSeconds: number;
}

/** Cost of the server relative to the bare engine on the same texts. */
export async function measureCpu(context: BenchContext): Promise<PartReport> {
  const { effort, server } = context;
  const trials: Sample[] = [];
  await withBareEngine(context, 'kokoro-fast', async (bare) => {
    await warmUp(server, bare);
    for (let round = 0; round < effort.cpuRounds; round++) {
      for (const text of effort.cpuTexts) {
        for (const variant of VARIANTS) trials.push(await measureText(text, variant, { server, bare }));
      }
    }
  });
  return report(trials);
}

/** Repeats requests until the JIT compiler has optimized the code. */
async function warmUp(server: ServerProcess, bare: BareEngine): Promise<void> {
  for (const [text, requests] of [
    [TEXTS[60], SHORT_WARM_UPS],
    [TEXTS[1500], LONG_WARM_UPS],
  ] as const) {
    for (let request = 0; request < requests; request++) {
      for (const variant of VARIANTS) await runRequest(server, text, variant);
      await bare.speak(text);
    }
  }
}

/** Runs both concurrently, since the speed of a machine varies by half within seconds and this affects both equally. */
async function measureText(
  text: string,
  variant: Variant,
  { server, bare }: { readonly server: ServerProcess; readonly bare: BareEngine },
): Promise<Sample> {
  const [cost, cpuSeconds] = await Promise.all([
    bare.speak(text, { usesServerWindows: variant === SERVER_WINDOWS }),
    serverCpuSeconds(server, () => runRequest(server, text, variant)),
  ]);
  return { variant, server: cpuSeconds, bare: cost.cpuSeconds, audioSeconds: cost.audioSeconds };
}

async function runRequest(server: ServerProcess, text: string, variant: Variant): Promise<void> {
  if (variant === 'mp3') await download(server, text, 'mp3');
  else await streamSpeech(server, text, variant === 'pcm 44.1 kHz' ? DEFAULT_RATE_HZ : ENGINE_RATE_HZ);
}

function report(trials: readonly Sample[]): PartReport {
  const perSecond = (key: 'server' | 'bare', of: readonly Sample[]) =>
    median(of.map((trial) => trial[key] / trial.audioSeconds));
  const rows = VARIANTS.flatMap((variant): Row[] => {
    const of = trials.filter((trial) => trial.variant === variant);
    const costs = perSecond('server', of);
    const ratio = median(of.map(({ server, bare }) => server / bare));
    const ratioRow = { what: `server to bare engine, ${variant}`, value: times(ratio) };
    if (variant === SERVER_WINDOWS) return [ratioRow];
    const costRow = { what: `server, ${variant}`, value: cost(costs) };
    if (variant === 'mp3') return [costRow, ratioRow];
    return [
      { ...costRow, target: atMost(costs, COST_MAX) },
      { ...ratioRow, target: atMost(ratio, SERVER_TO_BARE_MAX, ' ×') },
    ];
  });
  const defaults = trials.filter(({ variant }) => variant !== SERVER_WINDOWS);
  return {
    rows: [{ what: 'bare engine', value: cost(perSecond('bare', defaults)) }, ...rows],
    data: trials,
  };
}
