import type { RequestExample } from './openapi-examples.ts';

/** What the reference page says about a route that is not in the OpenAPI document, and the request it fills in. */
export interface OtherRouteText extends RequestExample {
  readonly tag: 'live' | 'openai' | 'elevenlabs';
  readonly summary: string;
  readonly description: string;
  readonly socket?: SocketExample;
}

/** A conversation on a WebSocket. The text `AUDIO` in a message stands for 16-bit PCM of a recording. */
interface SocketExample {
  readonly encoding: 'msgpack' | 'json';
  readonly messages: readonly object[];
  /** Sample rate of `AUDIO`, in Hz. */
  readonly sampleRate?: number;
  /** Fields and values of the message after which the conversation is complete. */
  readonly last: Readonly<Record<string, unknown>>;
  /** How browsers send the key. */
  readonly key: 'subprotocol' | 'api_key';
}

const ELEVENLABS_GUIDE = 'Base URL of ElevenLabs’ clients: `/compat/elevenlabs`.';
const MSGPACK_FRAMES = 'Every frame is binary and holds one MessagePack map with the key `event`.';
const TEXT = { text: 'Hello! This is Mynah.' };
const VOICE = { voice_id: 'af_heart' };
const START = { event: 'start', request: { text: '', format: 'mp3' } };
const SPEAK = [START, { event: 'text', text: 'Hello! This is Mynah. ' }, { event: 'stop' }];
const ELEVENLABS = '/compat/elevenlabs/v1';

const LIVE: Readonly<Record<string, OtherRouteText>> = {
  'ws /v1/tts/live': {
    tag: 'live',
    summary: 'Speech from text as it is written',
    description: `Text goes in as it is generated, audio comes out as it is synthesised. ${MSGPACK_FRAMES}`,
    socket: {
      encoding: 'msgpack',
      messages: SPEAK,
      last: { event: 'finish', reason: 'stop' },
      key: 'subprotocol',
    },
  },
  'ws /v1/tts/live/with-timestamp': {
    tag: 'live',
    summary: 'Speech from text as it is written, with word timestamps',
    description: 'As above; audio frames carry `alignment`.',
    socket: {
      encoding: 'msgpack',
      messages: SPEAK,
      last: { event: 'finish', reason: 'stop' },
      key: 'subprotocol',
    },
  },
  'ws /v1/asr/live': {
    tag: 'live',
    summary: 'Transcription of audio as it is spoken',
    description: `Audio goes in, partial and final text comes out. ${MSGPACK_FRAMES}`,
    socket: {
      encoding: 'msgpack',
      messages: [
        { event: 'start', request: { encoding: 'pcm', sample_rate: 16_000 } },
        { event: 'audio', audio: 'AUDIO' },
        { event: 'stop' },
      ],
      sampleRate: 16_000,
      last: { event: 'finish' },
      key: 'subprotocol',
    },
  },
};

const OPENAI: Readonly<Record<string, OtherRouteText>> = {
  'post /v1/audio/speech': {
    tag: 'openai',
    summary: 'Create speech',
    description: 'OpenAI’s `audio.speech.create`. Base URL of OpenAI’s clients: `/v1`.',
    body: { model: 'tts-1', voice: 'af_heart', input: TEXT.text, response_format: 'mp3' },
  },
  'post /v1/audio/transcriptions': {
    tag: 'openai',
    summary: 'Create a transcription',
    description: 'OpenAI’s `audio.transcriptions.create`. The recording is the field `file`.',
    body: { file: '@recording.wav', model: 'whisper-1', response_format: 'verbose_json' },
  },
  'post /v1/audio/translations': {
    tag: 'openai',
    summary: 'Create a translation into English',
    description:
      'OpenAI’s `audio.translations.create`, by `whisper-small`. The recording is the field `file`.',
    body: { file: '@recording.wav', model: 'whisper-1' },
  },
  'post /v1/chat/completions': {
    tag: 'openai',
    summary: 'Speak or transcribe the last message',
    description: 'For clients that support nothing else. There is no language model.',
    body: {
      model: 'tts-1',
      modalities: ['text', 'audio'],
      audio: { voice: 'af_heart', format: 'mp3' },
      messages: [{ role: 'user', content: TEXT.text }],
    },
  },
  'get /v1/models': { tag: 'openai', summary: 'List model names', description: '' },
  'get /v1/models/:model': {
    tag: 'openai',
    summary: 'Get a model name',
    description: '',
    parameters: { model: 'tts-1' },
  },
  'get /v1/audio/models': { tag: 'openai', summary: 'List model names for Open WebUI', description: '' },
  'get /v1/audio/voices': { tag: 'openai', summary: 'List voices for Open WebUI', description: '' },
  'ws /v1/realtime': {
    tag: 'openai',
    summary: 'Realtime session',
    description: 'Speaks the texts of a conversation and transcribes committed audio. Messages are JSON.',
    socket: {
      encoding: 'json',
      messages: [
        {
          type: 'conversation.item.create',
          item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: TEXT.text }] },
        },
        { type: 'response.create' },
      ],
      last: { type: 'response.done' },
      key: 'api_key',
    },
  },
};

const ELEVENLABS_SPEECH: OtherRouteText = {
  tag: 'elevenlabs',
  summary: 'Create speech',
  description: ELEVENLABS_GUIDE,
  parameters: VOICE,
  body: { ...TEXT, model_id: 'eleven_multilingual_v2' },
};
const DIALOGUE: OtherRouteText = {
  tag: 'elevenlabs',
  summary: 'Create a dialogue',
  description: 'Several voices in one recording.',
  body: {
    inputs: [
      { text: 'Who is there?', voice_id: 'af_heart' },
      { text: 'A mynah.', voice_id: 'am_michael' },
    ],
  },
};
const VOICE_PREVIEWS: OtherRouteText = {
  tag: 'elevenlabs',
  summary: 'Design voices from a description',
  description: 'Three previews.',
  body: { voice_description: 'A calm old man' },
};
const SPEECH_TO_SPEECH: OtherRouteText = {
  tag: 'elevenlabs',
  summary: 'Speak a recording with another voice',
  description: 'The recording is the field `audio`.',
  parameters: VOICE,
  body: { audio: '@recording.wav' },
};
const LIST = { tag: 'elevenlabs', description: '' } as const;
const DICTIONARY = { dictionary_id: 'ID' };
const RULES = {
  rules: [{ type: 'phoneme', string_to_replace: 'nginx', phoneme: 'ˈɛndʒɪn ˈɛks', alphabet: 'ipa' }],
};
const ELEVENLABS_DICTIONARIES: Readonly<Record<string, OtherRouteText>> = {
  [`get ${ELEVENLABS}/pronunciation-dictionaries`]: { ...LIST, summary: 'List dictionaries' },
  [`post ${ELEVENLABS}/pronunciation-dictionaries/add-from-rules`]: {
    tag: 'elevenlabs',
    summary: 'Create a dictionary from rules',
    description: 'Rules have phonemes; aliases are refused.',
    body: { name: 'Terms', ...RULES },
  },
  [`post ${ELEVENLABS}/pronunciation-dictionaries/add-from-file`]: {
    tag: 'elevenlabs',
    summary: 'Create a dictionary from a lexicon',
    description: 'The pronunciation lexicon (PLS) is the field `file`.',
    body: { name: 'Terms', file: '@lexicon.pls' },
  },
  [`get ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id`]: {
    ...LIST,
    summary: 'Get a dictionary with its rules',
    parameters: DICTIONARY,
  },
  [`patch ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id`]: {
    ...LIST,
    summary: 'Rename or archive a dictionary',
    parameters: DICTIONARY,
    body: { name: 'Names' },
  },
  [`post ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id/set-rules`]: {
    ...LIST,
    summary: 'Replace the rules of a dictionary',
    parameters: DICTIONARY,
    body: RULES,
  },
  [`post ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id/add-rules`]: {
    ...LIST,
    summary: 'Add rules to a dictionary',
    parameters: DICTIONARY,
    body: RULES,
  },
  [`post ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id/remove-rules`]: {
    ...LIST,
    summary: 'Remove rules from a dictionary',
    parameters: DICTIONARY,
    body: { rule_strings: ['nginx'] },
  },
  [`get ${ELEVENLABS}/pronunciation-dictionaries/:dictionary_id/:version_id/download`]: {
    ...LIST,
    summary: 'Download a version as a lexicon',
    parameters: { ...DICTIONARY, version_id: 'ID' },
  },
};

const ELEVENLABS_ROUTES: Readonly<Record<string, OtherRouteText>> = {
  [`post ${ELEVENLABS}/text-to-speech/:voice_id`]: ELEVENLABS_SPEECH,
  [`post ${ELEVENLABS}/text-to-speech/:voice_id/stream`]: { ...ELEVENLABS_SPEECH, summary: 'Stream speech' },
  [`post ${ELEVENLABS}/text-to-speech/:voice_id/with-timestamps`]: {
    ...ELEVENLABS_SPEECH,
    summary: 'Create speech with character times',
  },
  [`post ${ELEVENLABS}/text-to-speech/:voice_id/stream/with-timestamps`]: {
    ...ELEVENLABS_SPEECH,
    summary: 'Stream speech with character times',
  },
  [`post ${ELEVENLABS}/text-to-dialogue`]: DIALOGUE,
  [`post ${ELEVENLABS}/text-to-dialogue/stream`]: { ...DIALOGUE, summary: 'Stream a dialogue' },
  [`post ${ELEVENLABS}/speech-to-text`]: {
    tag: 'elevenlabs',
    summary: 'Create a transcript',
    description: 'The recording is the field `file`.',
    body: { file: '@recording.wav', model_id: 'scribe_v1' },
  },
  [`post ${ELEVENLABS}/forced-alignment`]: {
    tag: 'elevenlabs',
    summary: 'Find the times of the words of a text',
    description: 'The recording is the field `file`.',
    body: { file: '@recording.wav', text: TEXT.text },
  },
  [`post ${ELEVENLABS}/text-to-voice/design`]: VOICE_PREVIEWS,
  [`post ${ELEVENLABS}/text-to-voice/create-previews`]: VOICE_PREVIEWS,
  [`post ${ELEVENLABS}/text-to-voice`]: {
    tag: 'elevenlabs',
    summary: 'Store a designed voice',
    description: '`generated_voice_id` is that of a preview.',
    body: { voice_name: 'Captain', generated_voice_id: 'ID' },
  },
  [`get ${ELEVENLABS}/history`]: { ...LIST, summary: 'An empty history: nothing is kept' },
  [`post ${ELEVENLABS}/speech-to-speech/:voice_id`]: SPEECH_TO_SPEECH,
  [`post ${ELEVENLABS}/speech-to-speech/:voice_id/stream`]: SPEECH_TO_SPEECH,
  [`ws ${ELEVENLABS}/text-to-speech/:voice_id/stream-input`]: {
    tag: 'elevenlabs',
    summary: 'Speech from text as it is written',
    description: 'Messages are JSON; an empty text ends the session.',
    parameters: VOICE,
    socket: {
      encoding: 'json',
      messages: [{ text: ' ' }, { text: `${TEXT.text} ` }, { text: '' }],
      last: { isFinal: true },
      key: 'api_key',
    },
  },
  [`ws ${ELEVENLABS}/text-to-speech/:voice_id/multi-stream-input`]: {
    tag: 'elevenlabs',
    summary: 'Several texts on one connection',
    description: 'Messages are JSON; each text belongs to a `context_id`.',
    parameters: VOICE,
    socket: {
      encoding: 'json',
      messages: [
        { text: ' ', context_id: 'first' },
        { text: `${TEXT.text} `, context_id: 'first', flush: true },
        { context_id: 'first', close_context: true },
      ],
      last: { isFinal: true },
      key: 'api_key',
    },
  },
  [`ws ${ELEVENLABS}/speech-to-text/realtime`]: {
    tag: 'elevenlabs',
    summary: 'Transcription of audio as it is spoken',
    description: 'Each `commit` is answered with the transcript since the last one.',
    parameters: { audio_format: 'pcm_16000' },
    socket: {
      encoding: 'json',
      messages: [{ message_type: 'input_audio_chunk', audio_base_64: 'AUDIO', commit: true }],
      sampleRate: 16_000,
      last: { message_type: 'committed_transcript' },
      key: 'api_key',
    },
  },
  [`get ${ELEVENLABS}/voices`]: { ...LIST, summary: 'List voices' },
  'get /compat/elevenlabs/v2/voices': { ...LIST, summary: 'List voices by page' },
  [`get ${ELEVENLABS}/voices/:voice_id`]: { ...LIST, summary: 'Get a voice', parameters: VOICE },
  [`get ${ELEVENLABS}/voices/settings/default`]: { ...LIST, summary: 'Default settings of a voice' },
  [`get ${ELEVENLABS}/voices/:voice_id/settings`]: {
    ...LIST,
    summary: 'Settings of a voice',
    parameters: VOICE,
  },
  [`post ${ELEVENLABS}/voices/add`]: {
    tag: 'elevenlabs',
    summary: 'Clone a voice',
    description: 'The recordings are the fields `files`.',
    body: { name: 'Ada', files: '@recording.wav' },
  },
  [`delete ${ELEVENLABS}/voices/:voice_id`]: { ...LIST, summary: 'Delete a voice' },
  [`get ${ELEVENLABS}/models`]: { ...LIST, summary: 'List models' },
  [`get ${ELEVENLABS}/user`]: { ...LIST, summary: 'The account' },
  [`get ${ELEVENLABS}/user/subscription`]: { ...LIST, summary: 'Plan of the account' },
};

/** By `method path`, as the routes are registered; `ws` is the method of a WebSocket. */
export const OTHER_ROUTE_TEXTS: Readonly<Record<string, OtherRouteText>> = {
  ...LIVE,
  ...OPENAI,
  ...ELEVENLABS_ROUTES,
  ...ELEVENLABS_DICTIONARIES,
};
