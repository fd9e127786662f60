import { type BenchContext, serverCpuSeconds } from '../bench-context.ts';
import { streamSpeech } from '../clients/http-client.ts';
import { Reference, type ReferenceCost, ReferenceUnavailableError } from '../processes/reference.ts';
import { atLeast, cost, ms, type PartReport, type Row, times } from '../report.ts';
import { median, sum } from '../statistics.ts';
import { sentenceFor, TEXTS } from '../texts.ts';

const FIRST_AUDIO_RATIO_MIN = 10;
const TEXT = TEXTS[300];
const NAME = 'kokoro-js 1.2.1';

/** First audio and cost of `kokoro-js` with the same weights, compared with the server. */
export async function measureReference(context: BenchContext): Promise<PartReport> {
  let reference: Reference;
  try {
    reference = await Reference.start(context);
  } catch (error) {
    if (!(error instanceof ReferenceUnavailableError)) throw error;
    return { rows: [{ what: NAME, value: error.message }], data: { unavailable: error.message } };
  }
  try {
    return report(await alternate(context, reference));
  } finally {
    await reference.stop();
  }
}

interface Comparison {
  readonly server: { readonly firstAudioMs: number; readonly cost: number }[];
  readonly streamed: ReferenceCost[];
  readonly generated: ReferenceCost[];
}

async function alternate({ server, effort }: BenchContext, reference: Reference): Promise<Comparison> {
  const comparison: Comparison = { server: [], streamed: [], generated: [] };
  await reference.speak('generate', sentenceFor(0));
  await streamSpeech(server, TEXT);
  for (let run = 0; run < effort.referenceRuns; run++) {
    comparison.server.push(await measureServer(server), await measureServer(server));
    comparison.streamed.push(await reference.speak('stream', TEXT));
    if (effort.measuresReferenceGenerate) comparison.generated.push(await reference.speak('generate', TEXT));
  }
  return comparison;
}

async function measureServer(server: BenchContext['server']): Promise<Comparison['server'][number]> {
  let firstAudioMs = 0;
  let audioSeconds = 0;
  const cpuSeconds = await serverCpuSeconds(server, async () => {
    const stream = await streamSpeech(server, TEXT);
    firstAudioMs = stream.audibleAtMs - stream.startedAtMs;
    audioSeconds = stream.audioSeconds;
  });
  return { firstAudioMs, cost: cpuSeconds / audioSeconds };
}

function report({ server, streamed, generated }: Comparison): PartReport {
  const serverFirstMs = median(server.map(({ firstAudioMs }) => firstAudioMs));
  const serverCost = median(server.map((run) => run.cost));
  const firstMs = (runs: readonly ReferenceCost[]) =>
    median(runs.map(({ firstSamplesMs }) => firstSamplesMs));
  const referenceFirstMs = Math.min(...[streamed, generated].filter((runs) => runs.length > 0).map(firstMs));
  const all = [...streamed, ...generated];
  const referenceCost = sum(all.map((run) => run.cpuSeconds)) / sum(all.map((run) => run.audioSeconds));
  const ratio = referenceFirstMs / serverFirstMs;
  const rows: Row[] = [
    { what: `${NAME}: first samples, 300 characters, stream()`, value: ms(firstMs(streamed)) },
    {
      what: `${NAME}: first samples, 300 characters, generate()`,
      value: generated.length === 0 ? 'skipped by --quick' : ms(firstMs(generated)),
    },
    { what: 's1 in alternation: first audio, 300 characters', value: ms(serverFirstMs) },
    {
      what: `first audio, ${NAME} to s1`,
      value: times(ratio),
      target: atLeast(ratio, FIRST_AUDIO_RATIO_MIN, ' ×'),
    },
    { what: `${NAME}: cost`, value: cost(referenceCost) },
    { what: `${NAME} to s1: cost`, value: times(referenceCost / serverCost) },
  ];
  const withoutAudio = ({ audio: _, ...run }: ReferenceCost) => run;
  const [streams, generations] = [streamed, generated].map((runs) => runs.map(withoutAudio));
  return {
    rows,
    data: { server, streamed: streams, generated: generations, ratio, costRatio: referenceCost / serverCost },
  };
}
