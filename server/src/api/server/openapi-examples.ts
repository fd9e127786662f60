/** A request that the reference page fills in. A value that starts with `@` is a file, as in curl's `-F`. */
export interface RequestExample {
  /** By name, for the path, the query and headers. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

const SPEECH: RequestExample = {
  parameters: { model: 's1' },
  body: { text: 'Hello! This is Mynah.', reference_id: 'af_heart', format: 'mp3' },
};
const JSON_ANSWER: RequestExample = { parameters: { format: 'json' } };
const OWN_ACCOUNT: RequestExample = { parameters: { user_id: 'self' } };
const MONTH = '2026-11';

/** Examples by operation id. Operations without a body and without required parameters need none. */
export const EXAMPLES: Readonly<Record<string, RequestExample>> = {
  createSpeech: SPEECH,
  createTimedSpeech: SPEECH,
  createAudiobook: { body: { text: 'Chapter 1\n\nThe ships leave the harbour every morning.' } },
  convertSpeech: { body: { audio: '@recording.wav', reference_id: 'bf_emma' } },
  dubCaptions: { body: { captions: '1\n00:00:01,000 --> 00:00:03,000\nThe ships leave the harbour.\n' } },
  createTranscript: { body: { audio: '@recording.wav', language: 'en' } },
  createPronunciationDictionary: { body: { name: 'Product names' } },
  updatePronunciationDictionary: { body: { description: 'Names of our products' } },
  publishPronunciationDictionaryVersion: { body: { rules: [{ key: 'Mynah', value: 'M AY1 N AH0' }] } },
  listModels: { parameters: { page_size: '10' } },
  createModel: {
    body: { title: 'Ada', voices: '@recording.wav', consent: 'My own voice.', generate_sample: 'true' },
  },
  getModel: { parameters: { id: 'af_heart' } },
  updateModel: { body: { description: 'Recorded in a quiet room' } },
  getModelSample: { parameters: { index: '0' } },
  designVoice: { body: { instruction: 'A deep, calm old man', n: 1, seed: 7 } },
  listReferences: JSON_ANSWER,
  addReference: { ...JSON_ANSWER, body: { id: 'ada', audio: '@recording.wav', text: 'What is said in it.' } },
  renameReference: { ...JSON_ANSWER, body: { old_reference_id: 'ada', new_reference_id: 'grace' } },
  deleteReference: { ...JSON_ANSWER, body: { reference_id: 'grace' } },
  getApiCredit: OWN_ACCOUNT,
  getPackage: OWN_ACCOUNT,
  getStatement: { parameters: { month: MONTH } },
  adminGetStatement: { parameters: { id: 'acc_first', month: MONTH } },
  adminCreateAccount: { body: { name: 'Analytical Engines' } },
  adminChangeAccount: { body: { concurrency_max: 4 } },
  adminBookCredit: { body: { kind: 'top_up', usd: '12.50', memo: 'Invoice 1' } },
  adminCreateKey: { body: { account_id: 'acc_first', name: 'phone-bot', scopes: ['tts'] } },
  adminChangeKey: { body: { requests_per_minute: 60 } },
  adminRotateKey: { body: { grace_seconds: 60 } },
  openSession: { body: { key: '$KEY' } },
};

interface Media {
  example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; example?: unknown }[];
  readonly requestBody?: { readonly content: Record<string, Media> };
}

/** Adds the example of an operation to its parameters and to the body type in which it is shown. */
export function addExample(operation: Operation): void {
  const example = EXAMPLES[operation.operationId];
  for (const parameter of operation.parameters ?? []) {
    const value = example?.parameters?.[parameter.name];
    if (value !== undefined) parameter.example = value;
  }
  const media = example?.body && operation.requestBody?.content[exampleType(example.body)];
  if (media) media.example = example.body;
}

function exampleType(body: Readonly<Record<string, unknown>>): string {
  const hasFile = Object.values(body).some((value) => typeof value === 'string' && value.startsWith('@'));
  return hasFile ? 'multipart/form-data' : 'application/json';
}
