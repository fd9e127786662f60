import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeWavFile } from '../../src/audio/encode/wav.ts';
import { type BenchContext, serverCpuSeconds } from '../bench-context.ts';
import { streamSpeechSamples } from '../clients/http-client.ts';
import { transcribe } from '../clients/transcribe.ts';
import { describeMachine } from '../machine.ts';
import { type PeerResult, PeerUnavailableError } from '../processes/peers/peer.ts';
import { PythonPeer } from '../processes/peers/python-peer.ts';
import { Reference, ReferenceUnavailableError } from '../processes/reference.ts';
import { ms, type PartReport, percent, type Row } from '../report.ts';
import { median, sum } from '../statistics.ts';
import { PEER_PASSAGES, PEER_SENTENCES } from '../texts.ts';

const VITS_MODEL = 'piper-libritts-r-medium';
/** The speaker that the server calls Clara. */
const VITS_SPEAKER = 587;
/** The configuration that Piper publishes with this voice. */
const VITS_CONFIG = {
  audio: { sample_rate: 22_050 },
  espeak: { voice: 'en-us' },
  phoneme_type: 'espeak',
  num_speakers: 904,
  inference: { noise_scale: 0.333, length_scale: 1, noise_w: 0.333 },
};
const TRANSCRIPTION_MODEL = 'transcribe-1';
/** kokoro-js takes fifty times as long: it speaks every fifth text, in the first round. */
const SLOW_PEER_STEP = 5;
const TEXTS = [...PEER_SENTENCES, ...PEER_PASSAGES];
const WARM_UP_TEXTS = TEXTS.slice(0, 6);

/** A project that is compared. */
interface Peer {
  readonly name: string;
  readonly isSlow?: boolean;
  speak(text: string): Promise<PeerResult>;
  stop(): Promise<void>;
}

/** Results of one peer by round and text. */
type Rounds = Omit<PeerResult, 'audio'>[][];

interface Summary {
  readonly name: string;
  readonly texts: number;
  /** CPU seconds per audio second, by round. */
  readonly costs: readonly number[];
  readonly firstMs: { readonly sentences: number; readonly passages: number };
  readonly wordErrors: { readonly errors: number; readonly words: number };
}

/** The server beside other projects that run on a CPU: the same texts, text by text in turn. */
export async function measurePeers(context: BenchContext): Promise<PartReport> {
  const { peers, missing } = await startPeers(context);
  try {
    for (const peer of peers) {
      for (const text of peer.isSlow ? WARM_UP_TEXTS.slice(0, 1) : WARM_UP_TEXTS) await peer.speak(text);
    }
    const rounds = new Map<Peer, Rounds>(peers.map((peer) => [peer, []]));
    const speech = new Map<Peer, Map<string, PeerResult['audio']>>(peers.map((peer) => [peer, new Map()]));
    for (let round = 0; round < context.effort.peerRounds; round++) {
      for (const results of rounds.values()) results.push([]);
      for (const [index, text] of TEXTS.entries()) {
        // The order is reversed in every other round.
        for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
          if (peer.isSlow && (round > 0 || index % SLOW_PEER_STEP !== 0)) continue;
          const { audio, ...cost } = await peer.speak(text);
          rounds.get(peer)![round]!.push(cost);
          if (round === 0) speech.get(peer)!.set(text, audio);
        }
      }
    }
    const summaries: Summary[] = [];
    for (const peer of peers)
      summaries.push(await summarize(peer, rounds.get(peer)!, speech.get(peer)!, context));
    const file = join(context.cacheFolder, 'peers.md');
    await writeFile(file, markdownOf(summaries, context.effort.peerRounds));
    process.stderr.write(`Table written to ${file}.\n`);
    return { rows: [...summaries.flatMap(rowsOf), ...missing], data: summaries };
  } finally {
    for (const peer of peers) await peer.stop();
  }
}

async function startPeers(
  context: BenchContext,
): Promise<{ readonly peers: Peer[]; readonly missing: Row[] }> {
  const { cacheFolder, children, server } = context;
  const peers: Peer[] = [
    { name: 'Mynah `s1`, PCM over HTTP', speak: (text) => speakOverHttp(server, text), stop: async () => {} },
  ];
  const missing: Row[] = [];
  const starts: readonly [string, () => Promise<Omit<Peer, 'name'>>][] = [
    [
      'hibari-tts 0.2.1 with scipy',
      () =>
        PythonPeer.start({
          packages: ['hibari-tts==0.2.1', 'scipy'],
          folder: join(cacheFolder, 'hibari-tts'),
          load: { library: 'hibari' },
          children,
        }),
    ],
    ['piper-tts 1.8.0, en_US-libritts_r-medium', () => startPiper(context)],
    ['kokoro-js 1.2.1, q8', () => startKokoroJs(context)],
  ];
  for (const [name, start] of starts) {
    try {
      const peer = await start();
      peers.push({
        name,
        ...(peer.isSlow && { isSlow: true }),
        speak: (text) => peer.speak(text),
        stop: () => peer.stop(),
      });
    } catch (error) {
      if (!(error instanceof PeerUnavailableError || error instanceof ReferenceUnavailableError)) throw error;
      missing.push({ what: name, value: error.message });
    }
  }
  return { peers, missing };
}

async function startPiper({ store, cacheFolder, children }: BenchContext): Promise<PythonPeer> {
  const model = await store.find(VITS_MODEL);
  if (model === undefined) throw new PeerUnavailableError(`${VITS_MODEL} is not installed.`);
  const tokens = (await readFile(model.file('tokens.txt'), 'utf8')).split('\n').filter((line) => line !== '');
  // A line is a symbol, which may be a space, a space and its number.
  const ids = tokens.map((line) => /^(.*) (\d+)$/su.exec(line)!);
  const config = join(cacheFolder, 'piper-config.json');
  await mkdir(cacheFolder, { recursive: true });
  const phoneme_id_map = Object.fromEntries(ids.map(([, symbol, id]) => [symbol, [Number(id)]]));
  await writeFile(config, JSON.stringify({ ...VITS_CONFIG, num_symbols: ids.length, phoneme_id_map }));
  return PythonPeer.start({
    packages: ['piper-tts==1.8.0'],
    folder: join(cacheFolder, 'piper-tts'),
    load: { library: 'piper', model: model.file('model.onnx'), config, speaker: VITS_SPEAKER },
    children,
  });
}

async function startKokoroJs(context: BenchContext): Promise<Omit<Peer, 'name'>> {
  const reference = await Reference.start(context);
  return {
    isSlow: true,
    speak: (text) => reference.speak('stream', text),
    stop: () => reference.stop(),
  };
}

async function speakOverHttp(server: BenchContext['server'], text: string): Promise<PeerResult> {
  let result: Awaited<ReturnType<typeof streamSpeechSamples>> | undefined;
  const cpuSeconds = await serverCpuSeconds(server, async () => {
    result = await streamSpeechSamples(server, text);
  });
  const { firstAudioMs, audio } = result!;
  const audioSeconds = audio.samples.length / audio.sampleRateHz;
  return { firstSamplesMs: firstAudioMs, cpuSeconds, audioSeconds, audio };
}

async function summarize(
  { name }: Peer,
  rounds: Rounds,
  speech: ReadonlyMap<string, PeerResult['audio']>,
  { server, countWordErrors }: BenchContext,
): Promise<Summary> {
  let [errors, words] = [0, 0];
  for (const [text, audio] of speech) {
    const transcript = await transcribe(server, encodeWavFile(audio), TRANSCRIPTION_MODEL);
    const counted = countWordErrors(text, transcript.text);
    errors += counted.errors;
    words += counted.words;
  }
  const measured = rounds.filter((results) => results.length > 0);
  const costs = measured.map(
    (results) => sum(results.map((each) => each.cpuSeconds)) / sum(results.map((each) => each.audioSeconds)),
  );
  const spoken = [...speech.keys()];
  const firstMs = (texts: readonly string[]) =>
    median(
      measured.flatMap((results) =>
        results.filter((_, index) => texts.includes(spoken[index]!)).map((each) => each.firstSamplesMs),
      ),
    );
  return {
    ...{ name, texts: spoken.length, costs },
    firstMs: { sentences: firstMs(PEER_SENTENCES), passages: firstMs(PEER_PASSAGES) },
    wordErrors: { errors, words },
  };
}

function rowsOf({ name, costs, firstMs, wordErrors }: Summary): Row[] {
  return [
    { what: `${name}: CPU per audio second`, value: `${median(costs).toFixed(4)} CPU s/s` },
    {
      what: `${name}: first audio, sentence and passage`,
      value: `${ms(firstMs.sentences)}, ${ms(firstMs.passages)}`,
    },
    {
      what: `${name}: word errors of ${wordErrors.words}`,
      value: percent(wordErrors.errors / wordErrors.words),
    },
  ];
}

/** The table of the documentation. */
function markdownOf(summaries: readonly Summary[], rounds: number): string {
  const { cpu, cores, node, date } = describeMachine();
  const own = median(summaries[0]!.costs);
  const rows = summaries.map(({ name, texts, costs, firstMs, wordErrors }) => {
    const cost = median(costs);
    return [
      `| ${name}`,
      texts,
      cost.toFixed(4),
      (cost / own).toFixed(2),
      `${Math.min(...costs).toFixed(4)} to ${Math.max(...costs).toFixed(4)}`,
      ms(firstMs.sentences),
      ms(firstMs.passages),
      `${percent(wordErrors.errors / wordErrors.words)} of ${wordErrors.words} |`,
    ].join(' | ');
  });
  return `${cores} cores, ${cpu}, Node ${node}, ${date.slice(0, 10)}; ${rounds} rounds.

| | texts | CPU s per audio s, median | relative | of the rounds | first audio, sentence | passage | word errors |
| --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
