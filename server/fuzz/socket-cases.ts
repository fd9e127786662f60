import { Packr } from 'msgpackr';
import { WebSocket } from 'ws';
import { type CaseContext, damagedMsgpack } from './http-cases.ts';
import { hostileText, mutateBytes, mutateValue } from './mutate.ts';
import type { Random } from './random.ts';

/** A session: where it connects, and the frames that it sends. */
export interface SocketCase {
  readonly protocol: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly (Buffer | string)[];
}

export type SocketOutcome =
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }
  | { readonly kind: 'rejected'; readonly message: string }
  /** The closing handshake did not end within the time limit. */
  | { readonly kind: 'timeout' };

type Message = Record<string, unknown>;

interface Protocol {
  readonly name: string;
  readonly path: (random: Random) => string;
  readonly isMsgpack: boolean;
  /** The messages of a valid session. */
  readonly session: (random: Random, audio: Buffer) => readonly Message[];
}

const query = (random: Random, entries: readonly string[]) =>
  `?${entries.filter(() => random.chance(0.5)).join('&')}`;
const spokenText = (random: Random) => (random.chance(0.4) ? hostileText(random) : 'Hello there. ');
const base64 = (audio: Buffer) => audio.toString('base64');

const PROTOCOLS: readonly Protocol[] = [
  {
    name: 'live speech',
    path: () => '/v1/tts/live',
    isMsgpack: true,
    session: (random) => [
      { event: 'start', request: { text: '', format: 'pcm', latency: 'balanced' } },
      { event: 'text', text: spokenText(random) },
      { event: 'text', text: spokenText(random) },
      { event: 'flush' },
      { event: 'stop' },
    ],
  },
  {
    name: 'live transcription',
    path: () => '/v1/asr/live',
    isMsgpack: true,
    session: (random, audio) => [
      {
        event: 'start',
        request: { sample_rate: random.pick([8000, 16_000, 16_021, 48_000]), channels: 1, language: 'en' },
      },
      { event: 'audio', audio },
      { event: 'flush' },
      { event: 'audio', audio },
      { event: 'stop' },
    ],
  },
  {
    name: 'OpenAI realtime',
    path: (random) =>
      `/compat/v1/realtime${query(random, ['model=gpt-realtime', 'intent=transcription', 'x=%00'])}`,
    isMsgpack: false,
    session: (random, audio) => [
      {
        type: 'session.update',
        session: { type: 'realtime', audio: { output: { voice: 'alloy', format: { type: 'audio/pcm' } } } },
      },
      {
        type: 'conversation.item.create',
        item: {
          id: 'one',
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: spokenText(random) }],
        },
      },
      { type: 'input_audio_buffer.append', audio: base64(audio) },
      { type: 'input_audio_buffer.commit' },
      { type: 'response.create' },
      { type: 'conversation.item.delete', item_id: 'one' },
      { type: 'conversation.item.truncate', item_id: 'one', content_index: 0, audio_end_ms: 10 },
      { type: 'input_audio_buffer.clear' },
      { type: 'response.cancel' },
    ],
  },
  {
    name: 'ElevenLabs stream-input',
    path: (random) =>
      `/compat/elevenlabs/v1/text-to-speech/${random.pick(['af_heart', 'nobody', '%00'])}/stream-input${query(random, ['output_format=pcm_16000', 'seed=4', 'sync_alignment=true', 'inactivity_timeout=1e9'])}`,
    isMsgpack: false,
    session: (random) => [
      {
        text: ' ',
        voice_settings: { stability: 0.3, speed: 1.2 },
        generation_config: { chunk_length_schedule: [50] },
      },
      { text: spokenText(random) },
      { text: spokenText(random), flush: true },
      { text: 'Bye. ', try_trigger_generation: true },
      { text: '' },
    ],
  },
  {
    name: 'ElevenLabs multi-stream-input',
    path: (random) =>
      `/compat/elevenlabs/v1/text-to-speech/${random.pick(['af_heart', 'nobody', '%00'])}/multi-stream-input${query(random, ['output_format=pcm_16000', 'sync_alignment=true', 'inactivity_timeout=1e9'])}`,
    isMsgpack: false,
    session: (random) => {
      const context = () => random.pick(['a', 'b', 'c'.repeat(128), '__proto__', '']);
      return [
        { text: ' ', context_id: context(), voice_settings: { speed: 1.2 } },
        { text: spokenText(random), context_id: context() },
        { text: spokenText(random), context_id: context(), flush: true },
        { context_id: context(), close_context: true },
        { text: '', context_id: `${random.int(1e6)}` },
        { text: 'Bye. ' },
        { close_socket: true },
      ];
    },
  },
  {
    name: 'ElevenLabs realtime transcription',
    path: (random) =>
      `/compat/elevenlabs/v1/speech-to-text/realtime${query(random, ['model_id=scribe_v2', 'audio_format=pcm_16000', 'language_code=en'])}`,
    isMsgpack: false,
    session: (_random, audio) => [
      { message_type: 'input_audio_chunk', audio_base_64: base64(audio), commit: false },
      { message_type: 'input_audio_chunk', audio_base_64: base64(audio), commit: true },
      { message_type: 'input_audio_chunk', audio_base_64: '', commit: true },
    ],
  },
];

const packr = new Packr({ useRecords: false });

/** A valid session with mutated, reordered, repeated, oversized or truncated frames. */
export function createSocketCase(random: Random, { keys, recordings }: CaseContext): SocketCase {
  const protocol = random.pick(PROTOCOLS);
  const audio = Buffer.from(recordings.get('pcm') ?? new Uint8Array(8000)).subarray(
    0,
    random.pick([0, 1, 3200, 16_000, 64_000]),
  );
  let messages: unknown[] = [...protocol.session(random, audio)];
  for (let times = random.int(4); times > 0; times--) messages = mutateOrder(random, messages);
  const frames = messages.flatMap((message) => {
    const value = random.chance(0.25) ? mutateValue(random, message) : message;
    const frame = protocol.isMsgpack ? packr.pack(value) : (JSON.stringify(value) ?? '');
    return random.chance(0.08) ? [damagedFrame(random, frame)] : [frame];
  });
  const key = random.chance(0.9) ? keys.paying : keys.penniless;
  return {
    protocol: protocol.name,
    path: protocol.path(random),
    headers: { authorization: `Bearer ${key}`, 'xi-api-key': key, model: 's1' },
    frames,
  };
}

function mutateOrder(random: Random, messages: readonly unknown[]): unknown[] {
  const copy = [...messages];
  const at = random.int(copy.length);
  switch (random.int(5)) {
    case 0:
      copy.splice(at, 1);
      return copy;
    case 1:
      copy.splice(at, 0, ...Array.from({ length: random.pick([1, 5, 200]) }, () => messages[at]));
      return copy;
    case 2: {
      const [moved] = copy.splice(at, 1);
      copy.splice(random.int(copy.length + 1), 0, moved);
      return copy;
    }
    case 3:
      return copy.slice(0, at + 1);
    default:
      return [...copy, ...copy];
  }
}

function damagedFrame(random: Random, frame: Buffer | string): Buffer | string {
  switch (random.int(5)) {
    case 0:
      return damagedMsgpack(random, Buffer.from(frame));
    case 1:
      return mutateBytes(random, Buffer.from(frame));
    case 2:
      return mutateBytes(random, Buffer.from(frame)).toString('latin1');
    case 3:
      return Buffer.alloc(random.pick([0, 1, 100_000, 4_000_000]));
    default:
      return '['.repeat(random.pick([1, 10_000]));
  }
}

/** After the last frame, the client waits this long for the server to close, and closes the socket itself. */
const LINGER_MS = 400;

export function runSocketCase(url: string, session: SocketCase, timeoutMs: number): Promise<SocketOutcome> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws') + session.path, { headers: session.headers });
    const timer = setTimeout(() => {
      socket.terminate();
      resolve({ kind: 'timeout' });
    }, timeoutMs);
    const settle = (outcome: SocketOutcome) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    socket.on('open', () => {
      for (const frame of session.frames) {
        if (socket.readyState === WebSocket.OPEN) socket.send(frame);
      }
      setTimeout(() => socket.close(), LINGER_MS);
    });
    socket.on('error', (error) => settle({ kind: 'rejected', message: error.message }));
    socket.on('close', (code, reason) => settle({ kind: 'closed', code, reason: reason.toString() }));
  });
}
