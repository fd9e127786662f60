import { type BenchContext, serverCpuSeconds, withBareEngine } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import type { BareEngine, Cost } from '../processes/bare-engine.ts';
import { atLeast, cost, type PartReport, type Row, times } from '../report.ts';
import { median } from '../statistics.ts';
import { TEXTS } from '../texts.ts';

const STOCK_TO_S1_MIN = 15;
const TEXT = TEXTS[60];
const VITS_MODEL = 'piper-libritts-r-medium';

/** Cost of `s1`, of Kokoro with the stock decoder and of VITS on the same short text. */
export async function measureDecoders(context: BenchContext): Promise<PartReport> {
  const s1 = await serverCost(context);
  const stock = await bareCost(context, 'kokoro-stock');
  const hasVits = (await context.store.find(VITS_MODEL)) !== undefined;
  const vits = hasVits ? await bareCost(context, 'vits') : undefined;

  const ratio = stock / s1;
  const rows: Row[] = [
    { what: 's1 over HTTP, short text', value: cost(s1) },
    { what: 'bare Kokoro with the stock decoder, same text', value: cost(stock) },
    {
      what: 'stock Kokoro to s1',
      value: times(ratio),
      target: atLeast(ratio, STOCK_TO_S1_MIN, ' ×'),
    },
    {
      what: 'bare VITS, same text',
      value: vits === undefined ? `${VITS_MODEL} is not installed` : cost(vits),
    },
  ];
  return { rows, data: { s1, stock, vits, ratio } };
}

/** CPU seconds per second of audio, including text front end and PCM output. */
async function serverCost({ server, effort }: BenchContext): Promise<number> {
  await streamSpeech(server, TEXT);
  let audioSeconds = 0;
  // The resolution of the CPU clock is too low for one short text.
  const runs = effort.decoderRuns * 4;
  const cpuSeconds = await serverCpuSeconds(server, async () => {
    for (let run = 0; run < runs; run++) audioSeconds += (await streamSpeech(server, TEXT)).audioSeconds;
  });
  return cpuSeconds / audioSeconds;
}

function bareCost(context: BenchContext, engine: string): Promise<number> {
  return withBareEngine(context, engine, async (bare: BareEngine) => {
    await bare.speak(TEXT);
    const costs: Cost[] = [];
    for (let run = 0; run < context.effort.decoderRuns; run++) costs.push(await bare.speak(TEXT));
    return median(costs.map(({ cpuSeconds, audioSeconds }) => cpuSeconds / audioSeconds));
  });
}
