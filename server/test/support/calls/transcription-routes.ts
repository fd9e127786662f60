import { pack } from 'msgpackr';
import { exchangeMessages, type Target } from '../billing/paid-sockets.ts';

/** What to transcribe, for routes that take a file. */
export interface TranscriptionCall {
  /** A recording for `ScriptedTranscription`: one segment per line, half a second per word. */
  readonly recording: string;
  /** Fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** One way to buy the transcript of a file. */
export interface TranscriptionRoute {
  readonly name: string;
  /** `events` sends segments while the work goes on; `document` sends the transcript at the end. */
  readonly kind: 'document' | 'events';
  /** Whether the fields of `POST /v1/asr` are accepted. */
  readonly isFish?: true;
  /** Resolves with the response body; rejects for an error and when the signal aborts. */
  readonly transcribe: (target: Target, call: TranscriptionCall) => Promise<string>;
}

interface Body {
  readonly contentType?: string;
  readonly body: Buffer | FormData | string;
}

export async function postRecording(
  { url, key }: Target,
  path: string,
  { contentType, body }: Body,
  call: Pick<TranscriptionCall, 'headers' | 'signal'>,
): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'xi-api-key': key,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...call.headers,
    },
    body,
    signal: call.signal,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${response.headers.get('x-fish-error-code')}`);
  if (/^event: error$/m.test(text)) throw new Error(text.slice(text.indexOf('event: error')));
  return text;
}

/** A recording as a multipart form. */
export function multipart(call: TranscriptionCall, field: string, fields: Record<string, string> = {}): Body {
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...fields, ...call.fields })) body.set(name, value);
  body.set(field, new Blob([call.recording]));
  return { body };
}

/** A recording as MessagePack. */
export function messagePack(call: TranscriptionCall): Body {
  const body = Buffer.from(pack({ ...call.fields, audio: Buffer.from(call.recording) }));
  return { contentType: 'application/msgpack', body };
}

function fish(kind: TranscriptionRoute['kind'], isMsgpack: boolean): TranscriptionRoute {
  const accept = kind === 'events' ? { accept: 'text/event-stream' } : {};
  return {
    name: `/v1/asr (${isMsgpack ? 'MessagePack' : 'multipart'}, ${kind})`,
    kind,
    isFish: true,
    transcribe: (target, call) =>
      postRecording(target, '/v1/asr', isMsgpack ? messagePack(call) : multipart(call, 'audio'), {
        ...call,
        headers: { ...accept, ...call.headers },
      }),
  };
}

function openAi(prefix: string): TranscriptionRoute {
  const path = `${prefix}/audio/transcriptions`;
  return {
    name: path,
    kind: 'document',
    transcribe: (target, call) =>
      postRecording(target, path, multipart(call, 'file', { model: 'whisper-1' }), call),
  };
}

function chat(stream: boolean): TranscriptionRoute {
  const path = '/compat/v1/chat/completions';
  return {
    name: `${path} (${stream ? 'events' : 'JSON'})`,
    kind: 'document',
    transcribe: (target, call) => {
      const data = Buffer.from(call.recording).toString('base64');
      const content = [{ type: 'input_audio', input_audio: { data, format: 'wav' } }];
      const body = { model: 'whisper-1', messages: [{ role: 'user', content }], stream };
      return postRecording(
        target,
        path,
        { contentType: 'application/json', body: JSON.stringify(body) },
        call,
      );
    },
  };
}

const ELEVENLABS: TranscriptionRoute = {
  name: '/compat/elevenlabs/v1/speech-to-text',
  kind: 'document',
  transcribe: (target, call) =>
    postRecording(
      target,
      '/compat/elevenlabs/v1/speech-to-text',
      multipart(call, 'file', { model_id: 'scribe_v1' }),
      call,
    ),
};

/** Every route and encoding that sells the transcript of a file. */
export const TRANSCRIPTION_ROUTES: readonly TranscriptionRoute[] = [
  fish('document', false),
  fish('document', true),
  fish('events', false),
  fish('events', true),
  openAi('/v1'),
  openAi('/compat/v1'),
  chat(false),
  chat(true),
  ELEVENLABS,
];

/** What to transcribe live. */
export interface LiveTranscriptionCall {
  /** Silence to send. */
  readonly seconds: number;
  /** Disconnect at the first text instead of sending the end of the audio. */
  readonly leavesAtText?: true;
  readonly signal: AbortSignal;
}

/** One way to buy live transcription. */
export interface LiveTranscriptionRoute {
  readonly name: string;
  /** Whether text is sent before the end of the audio. */
  readonly hasPartials: boolean;
  readonly transcribe: (target: Target, call: LiveTranscriptionCall) => Promise<void>;
}

const RATE_HZ = 16_000;

/** Every live route that sells transcription. */
export const LIVE_TRANSCRIPTION_ROUTES: readonly LiveTranscriptionRoute[] = [
  {
    name: '/v1/asr/live',
    hasPartials: true,
    transcribe: async (target, { seconds, leavesAtText, signal }) => {
      const start = { event: 'start', request: { sample_rate: RATE_HZ } };
      const audio = { event: 'audio', audio: Buffer.alloc(2 * RATE_HZ * seconds) };
      const frames = [start, audio, ...(leavesAtText ? [] : [{ event: 'stop' }])];
      const last = await exchangeMessages(target, {
        path: '/v1/asr/live',
        messages: frames.map((frame) => Buffer.from(pack(frame))),
        isLast: ({ event, end }) =>
          event === 'finish' || (leavesAtText === true && event === 'partial' && end === seconds),
        signal,
      });
      if (last.reason === 'error') throw new Error(String(last.message));
    },
  },
  {
    name: '/compat/elevenlabs/v1/speech-to-text/realtime',
    hasPartials: true,
    transcribe: async (target, { seconds, leavesAtText, signal }) => {
      const chunk = {
        message_type: 'input_audio_chunk',
        audio_base_64: Buffer.alloc(2 * RATE_HZ * seconds).toString('base64'),
        commit: leavesAtText !== true,
        sample_rate: RATE_HZ,
      };
      const expected = leavesAtText ? `${seconds * 1000} ms` : undefined;
      const last = await exchangeMessages(target, {
        path: '/compat/elevenlabs/v1/speech-to-text/realtime',
        messages: [JSON.stringify(chunk)],
        isLast: ({ message_type: type, text }) =>
          expected === undefined
            ? type === 'committed_transcript' || /error|exceeded/.test(String(type))
            : type === 'partial_transcript' && text === expected,
        signal,
      });
      if (expected === undefined && last.message_type !== 'committed_transcript') {
        throw new Error(JSON.stringify(last));
      }
    },
  },
  {
    name: '/compat/v1/realtime',
    hasPartials: false,
    transcribe: async (target, { seconds, signal }) => {
      // The default input rate of the protocol.
      const audio = Buffer.alloc(2 * 24_000 * seconds).toString('base64');
      const events = [{ type: 'input_audio_buffer.append', audio }, { type: 'input_audio_buffer.commit' }];
      const prefix = 'conversation.item.input_audio_transcription';
      const last = await exchangeMessages(target, {
        path: '/compat/v1/realtime?model=whisper-1',
        messages: events.map((event) => JSON.stringify(event)),
        isLast: ({ type }) =>
          type === `${prefix}.completed` || type === `${prefix}.failed` || type === 'error',
        signal,
      });
      if (last.type !== `${prefix}.completed`) throw new Error(JSON.stringify(last));
    },
  },
];
