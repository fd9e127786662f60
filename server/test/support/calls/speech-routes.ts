import { pack } from 'msgpackr';
import { exchangeMessages, type Target } from '../billing/paid-sockets.ts';

/** What to speak. */
export interface SpeechCall {
  readonly text: string;
  /** Entries of an inline pronunciation dictionary. */
  readonly entries?: readonly { readonly key: string; readonly value: string }[];
  /** Additional headers of an HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** One way to buy speech. */
export interface SpeechRoute {
  readonly name: string;
  readonly isLive?: true;
  /** Resolves when the complete response was received; rejects for an error and when the signal aborts. */
  readonly speak: (target: Target, call: SpeechCall) => Promise<void>;
}

const RATE = { format: 'pcm', sample_rate: 8000 } as const;

async function post({ url, key }: Target, path: string, body: unknown, call: SpeechCall, isMsgpack = false) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'xi-api-key': key,
      'content-type': isMsgpack ? 'application/msgpack' : 'application/json',
      ...call.headers,
    },
    body: isMsgpack ? Buffer.from(pack(body)) : JSON.stringify(body),
    signal: call.signal,
  });
  const bytes = await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.status} ${response.headers.get('x-fish-error-code')}`);
  if (bytes.byteLength === 0) throw new Error('The response is empty.');
}

function dictionaryOf({ entries }: SpeechCall): { pronunciation_dictionary?: object[] } {
  return entries === undefined ? {} : { pronunciation_dictionary: [{ items: entries }] };
}

/** The dictionary as a native field of a compatibility route. */
function withNativeHeaders(call: SpeechCall): SpeechCall {
  const { pronunciation_dictionary: dictionary } = dictionaryOf(call);
  if (dictionary === undefined) return call;
  const header = { 'x-fish-pronunciation-dictionary': JSON.stringify(dictionary) };
  return { ...call, headers: { ...call.headers, ...header } };
}

function fish(path: string, isMsgpack: boolean): SpeechRoute {
  return {
    name: `${path} (${isMsgpack ? 'MessagePack' : 'JSON'})`,
    speak: (target, call) =>
      post(target, path, { ...RATE, text: call.text, ...dictionaryOf(call) }, call, isMsgpack),
  };
}

function openAi(prefix: string): SpeechRoute {
  const path = `${prefix}/audio/speech`;
  return {
    name: path,
    speak: (target, call) => {
      const body = { model: 'tts-1', input: call.text, voice: 'af_heart', response_format: 'pcm' };
      return post(target, path, body, withNativeHeaders(call));
    },
  };
}

function chat(stream: boolean): SpeechRoute {
  const path = '/compat/v1/chat/completions';
  return {
    name: `${path} (${stream ? 'events' : 'JSON'})`,
    speak: (target, call) => {
      const audio = { voice: 'af_heart', format: 'pcm16' };
      const messages = [{ role: 'user', content: call.text }];
      const body = { model: 'fish-audio/s1', modalities: ['text', 'audio'], audio, messages, stream };
      return post(target, path, body, withNativeHeaders(call));
    },
  };
}

function elevenLabs(variant: string): SpeechRoute {
  const path = `/compat/elevenlabs/v1/text-to-speech/af_heart${variant}`;
  return {
    name: path,
    speak: (target, call) =>
      post(target, `${path}?output_format=pcm_16000`, { text: call.text }, withNativeHeaders(call)),
  };
}

function live(path: string): SpeechRoute {
  return {
    name: path,
    isLive: true,
    speak: async (target, call) => {
      const start = { event: 'start', request: { ...RATE, text: '', ...dictionaryOf(call) } };
      const frames = [start, { event: 'text', text: call.text }, { event: 'stop' }];
      const last = await exchangeMessages(target, {
        path,
        messages: frames.map((frame) => Buffer.from(pack(frame))),
        isLast: ({ event }) => event === 'finish',
        signal: call.signal,
        headers: { model: 's1' },
      });
      if (last.reason !== 'stop') throw new Error(String(last.message));
    },
  };
}

const ELEVENLABS_LIVE: SpeechRoute = {
  name: '/compat/elevenlabs/v1/text-to-speech/…/stream-input',
  isLive: true,
  speak: async (target, call) => {
    const { headers = {} } = withNativeHeaders(call);
    const messages = [{ text: ' ' }, { text: call.text, flush: true }, { text: '' }];
    const last = await exchangeMessages(target, {
      path: '/compat/elevenlabs/v1/text-to-speech/af_heart/stream-input?output_format=pcm_16000',
      messages: messages.map((message) => JSON.stringify(message)),
      isLast: (message) => message.isFinal === true || message.error !== undefined,
      signal: call.signal,
      headers,
    });
    if (last.error !== undefined) throw new Error(String(last.error));
  },
};

const REALTIME: SpeechRoute = {
  name: '/compat/v1/realtime',
  isLive: true,
  speak: async (target, call) => {
    const { headers = {} } = withNativeHeaders(call);
    const content = [{ type: 'input_text', text: call.text }];
    const item = { type: 'message', role: 'user', content };
    const events = [{ type: 'conversation.item.create', item }, { type: 'response.create' }];
    const last = await exchangeMessages(target, {
      path: '/compat/v1/realtime?model=fish-audio/s1',
      messages: events.map((event) => JSON.stringify(event)),
      isLast: ({ type }) => type === 'response.done' || type === 'error',
      signal: call.signal,
      headers,
    });
    const { status } = (last.response ?? {}) as { status?: string };
    if (status !== 'completed') throw new Error(JSON.stringify(last));
  },
};

/** Every route and encoding that sells speech. */
export const SPEECH_ROUTES: readonly SpeechRoute[] = [
  fish('/v1/tts', false),
  fish('/v1/tts', true),
  fish('/v1/tts/stream/with-timestamp', false),
  fish('/v1/tts/stream/with-timestamp', true),
  openAi('/v1'),
  openAi('/compat/v1'),
  chat(false),
  chat(true),
  elevenLabs(''),
  elevenLabs('/stream'),
  elevenLabs('/with-timestamps'),
  elevenLabs('/stream/with-timestamps'),
  live('/v1/tts/live'),
  live('/v1/tts/live/with-timestamp'),
  ELEVENLABS_LIVE,
  REALTIME,
];
