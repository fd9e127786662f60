import { Packr } from 'msgpackr';
import type { FuzzRequest } from './http-call.ts';
import { sampleSchema } from './json-schema-sample.ts';
import { hostileText, hostileValue, mutateBytes, mutateValue } from './mutate.ts';
import type { Api, Operation } from './operations.ts';
import type { Random } from './random.ts';

/** What the cases of a run have in common. */
export interface CaseContext {
  readonly api: Api;
  readonly keys: { readonly admin: string; readonly paying: string; readonly penniless: string };
  /** Valid recordings, by format. */
  readonly recordings: ReadonlyMap<string, Uint8Array>;
}

export type HttpCase = (random: Random, context: CaseContext) => FuzzRequest;

const packr = new Packr({ useRecords: false });
const WRONG_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/xml',
  '',
];

/** JSON bodies: valid structure with mutated values, or damaged text. */
export const jsonCase: HttpCase = (random, context) => {
  const operation = pickOperation(random, operationsWith(context, 'application/json'));
  const value = mutateValue(random, sampleBody(random, context, operation, 'application/json'));
  const body = random.chance(0.85) ? Buffer.from(JSON.stringify(value) ?? '') : damagedJson(random, value);
  return toRequest(random, context, operation, 'application/json', body);
};

function damagedJson(random: Random, value: unknown): Buffer {
  const text = JSON.stringify(value) ?? '';
  switch (random.int(6)) {
    case 0:
      return mutateBytes(random, Buffer.from(text));
    case 1:
      return Buffer.from('['.repeat(random.pick([10, 1000, 100_000])));
    case 2:
      return Buffer.from(`{"text":"a","text":${text},"a":1e400}`);
    case 3:
      return Buffer.from(
        `{${Array.from({ length: random.pick([100, 50_000]) }, (_, i) => `"k${i}":0`).join()}}`,
      );
    case 4:
      return Buffer.from(`{"text":"${'\\ud800'.repeat(random.pick([1, 5000]))}"}`);
    default:
      return Buffer.concat([Buffer.from('{"text":"'), random.bytes(64), Buffer.from('"}')]);
  }
}

/** MessagePack bodies, including types without a counterpart in JSON and declared lengths that are wrong. */
export const msgpackCase: HttpCase = (random, context) => {
  const operation = pickOperation(random, operationsWith(context, 'application/msgpack'));
  const sampled = sampleBody(random, context, operation, 'application/msgpack');
  const value = mutateValue(random, random.chance(0.3) ? withRecording(random, context, sampled) : sampled);
  const packed = packr.pack(value);
  const body = random.chance(0.6) ? packed : damagedMsgpack(random, packed);
  return toRequest(random, context, operation, 'application/msgpack', body);
};

const TEXT_KEY = Buffer.concat([Buffer.of(0x81, 0xa4), Buffer.from('text')]);
const after = (...hex: readonly string[]) => Buffer.concat([TEXT_KEY, Buffer.from(hex.join(''), 'hex')]);

export function damagedMsgpack(random: Random, packed: Buffer): Buffer {
  switch (random.int(8)) {
    case 0:
      return mutateBytes(random, packed);
    case 1:
      return Buffer.alloc(random.pick([100, 10_000, 1_000_000]), 0x91);
    case 2:
      return Buffer.alloc(random.pick([100, 10_000]), Buffer.from('81a161', 'hex'));
    case 3:
      // Declared lengths of 4 GB: string, binary, array, map, extension.
      return after(random.pick(['dbffffffff', 'c6ffffffff', 'ddffffffff', 'dfffffffff', 'c9ffffffff01']));
    case 4:
      // BigInt, NaN, infinity, a timestamp, an unknown extension, the reserved byte.
      return after(
        random.pick([
          'cfffffffffffffffff',
          'd38000000000000000',
          'cb7ff8000000000000',
          'ca7f800000',
          'd6ff00000000',
          'c70c7f',
          'c1',
        ]),
      );
    case 5:
      return packed.subarray(0, random.int(packed.length));
    case 6:
      // A map with keys that are no strings.
      return Buffer.from('84c0c001a1613f c3a16292a2c1'.replaceAll(' ', ''), 'hex');
    default:
      return Buffer.concat([packed, packed]);
  }
}

function withRecording(random: Random, { recordings }: CaseContext, value: unknown): unknown {
  const audio = random.pick([...recordings.values()]);
  const fields = typeof value === 'object' && value !== null ? value : {};
  return { ...fields, audio, voices: [audio], references: [{ audio, text: 'Hi.' }] };
}

/** Multipart bodies: delimiters, names, boundaries and the number of parts. */
export const multipartCase: HttpCase = (random, context) => {
  const operation = pickOperation(random, operationsWith(context, 'multipart/form-data'));
  const boundary = random.pick([
    'XbX',
    'XbX',
    'XbX',
    'a',
    '-',
    '--',
    "'()+_,-./:=?",
    'b'.repeat(70),
    'b'.repeat(300),
    '',
    'é',
  ]);
  const fields = sampleBody(random, context, operation, 'multipart/form-data');
  const parts = Object.entries(typeof fields === 'object' && fields !== null ? fields : {}).map(
    ([name, value]) =>
      part(
        random,
        boundary,
        name,
        Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
      ),
  );
  const [format, bytes] = random.pick([...context.recordings]);
  const file = random.chance(0.5) ? bytes.subarray(0, 5000) : Buffer.from('not audio');
  for (const name of ['audio', 'file', 'files', 'voices']) {
    if (random.chance(0.5))
      parts.push(part(random, boundary, name, Buffer.from(file), `recording.${format}`));
  }
  if (random.chance(0.1)) {
    const count = random.pick([50, 2000]);
    parts.push(...Array.from({ length: count }, (_, i) => part(random, boundary, `p${i}`, Buffer.from('x'))));
  }
  const end = random.pick([
    `--${boundary}--\r\n`,
    `--${boundary}--`,
    `--${boundary}x`,
    `--${boundary}`,
    '',
    `\r\n--${boundary}--`,
  ]);
  const whole = Buffer.concat([...parts, Buffer.from(end)]);
  const body = random.chance(0.2) ? mutateBytes(random, whole) : whole;
  const type = `multipart/form-data; boundary=${random.chance(0.2) ? `"${boundary}"` : boundary}`;
  return toRequest(random, context, operation, type, body);
};

function part(random: Random, boundary: string, name: string, content: Buffer, file?: string): Buffer {
  const disposition = random.pick([
    ...Array.from(
      { length: 8 },
      () => `form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`,
    ),
    'form-data',
    `form-data; name=${name}`,
    `form-data; name="${'n'.repeat(5000)}"`,
    `form-data; name="${name}"; filename*=utf-8''%e2%82`,
    `attachment; name="__proto__"`,
    `form-data; name=""; filename=""`,
  ]);
  const extra = random.pick([
    '',
    '',
    '',
    'content-type: audio/wav\r\n',
    'content-transfer-encoding: base64\r\n',
    `x: ${'y'.repeat(20_000)}\r\n`,
  ]);
  const stray = random.chance(0.1) ? Buffer.from(`\r\n--${boundary}x\r\n`) : Buffer.alloc(0);
  return Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: ${disposition}\r\n${extra}\r\n`),
    content,
    stray,
    Buffer.from('\r\n'),
  ]);
}

/** Paths, queries, methods and headers. */
export const addressCase: HttpCase = (random, context) => {
  const operation = pickOperation(random, context.api.operations);
  const method = random.chance(0.8)
    ? operation.method
    : random.pick(['GET', 'PUT', 'QUERY', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);
  const query = operation.queryNames
    .filter(() => random.chance(0.6))
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(stringFor(random)).slice(0, 4000)}`)
    .join('&');
  const path = fillPath(random, operation.path) + (query === '' ? '' : `?${query}`);
  const headers: Record<string, string> = { ...authorization(random, context, operation) };
  if (random.chance(0.3)) headers['idempotency-key'] = random.pick(['a', 'b'.repeat(300), 'é', ' ']);
  if (random.chance(0.2)) headers.model = random.pick(['s1', 's2-pro', 'x'.repeat(1000), '__proto__', '']);
  if (random.chance(0.2))
    headers.accept = random.pick(['*/*', 'text/csv', 'application/msgpack', ',;q=', 'a'.repeat(2000)]);
  if (random.chance(0.1)) headers.range = random.pick(['bytes=0-', 'bytes=9-1', `bytes=${'9'.repeat(50)}-`]);
  if (random.chance(0.1)) headers.traceparent = random.pick(['00-0-0-0', 'x'.repeat(500)]);
  return { method, path, headers };
};

function stringFor(random: Random): string {
  const value = hostileValue(random);
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(/\p{Cs}/gu, '?');
}

/** Hostile texts in speech requests. */
export const textCase: HttpCase = (random, context) => {
  const text = hostileText(random);
  const path = random.pick([
    '/v1/tts',
    '/v1/tts',
    '/v1/tts',
    '/v1/tts/stream/with-timestamp',
    '/compat/v1/audio/speech',
  ]);
  const body = path.startsWith('/compat')
    ? { input: text, voice: 'alloy', model: 'tts-1', response_format: 'pcm' }
    : {
        text,
        format: random.pick(['pcm', 'mp3', 'wav', 'opus', 'flac']),
        normalize: random.chance(0.8),
        ...(random.chance(0.3) && {
          reference_id: random.pick(['af_heart', 'zf_xiaoxiao', 'jf_alpha', 'hf_alpha', 'ff_siwis']),
        }),
        ...(random.chance(0.2) && { reference_id: ['af_heart', 'am_adam'] }),
        ...(random.chance(0.2) && { language: random.pick(['en-GB', 'fr', 'ja', 'zh', 'es', 'hi']) }),
        ...(random.chance(0.1) && { pronunciation_dictionary: dictionary(random) }),
      };
  return {
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${context.keys.paying}`,
      'content-type': 'application/json',
      model: random.pick(['s1', 's1', 's2-pro']),
    },
    body: Buffer.from(JSON.stringify(body)),
  };
};

/** Dictionaries with hostile entries. */
export const dictionaryCase: HttpCase = (random, context) => ({
  method: 'POST',
  path: '/v1/tts',
  headers: {
    authorization: `Bearer ${context.keys.paying}`,
    'content-type': 'application/json',
    model: 's1',
  },
  body: Buffer.from(
    JSON.stringify({
      text: random.pick(['Hi there.', 'a'.repeat(5000), 'ab '.repeat(3000)]),
      pronunciation_dictionary: dictionary(random),
    }),
  ),
});

function dictionary(random: Random): unknown {
  const word = () =>
    random.pick(['a', 'ab', 'Hi', 'a'.repeat(100), hostileText(random).slice(0, 200), '.', '[sad]', '']);
  const items = Array.from({ length: random.pick([1, 2, 50, 500]) }, () => ({
    word: word(),
    string_to_replace: word(),
    type: random.pick(['phoneme', 'alias']),
    phoneme: random.pick(['HH AH0', 'AH0 '.repeat(30), 'zz', '']),
    pronunciation: random.pick(['HH AH0', 'zz']),
    alphabet: random.pick(['arpabet', 'ipa', 'x']),
  }));
  return mutateValue(random, random.pick([items, [{ items }], { items }, [{ items }, { items }, { items }]]));
}

/** Recordings with damaged bytes. */
export const audioCase: HttpCase = (random, context) => {
  const [format, bytes] = random.pick([...context.recordings]);
  const damaged = random.chance(0.9) ? damagedRecording(random, bytes) : Buffer.from(bytes);
  const isClone = random.chance(0.15);
  const boundary = 'XbX';
  const fields: readonly (readonly [string, Buffer, string?])[] = isClone
    ? [
        ['title', Buffer.from('fuzz')],
        ['type', Buffer.from('tts')],
        ['train_mode', Buffer.from('fast')],
        ['voices', damaged, `v.${format}`],
      ]
    : [
        ['audio', damaged, `a.${random.chance(0.8) ? format : 'bin'}`],
        ['language', Buffer.from('en')],
      ];
  const body = Buffer.concat([
    ...fields.map(([name, content, file]) =>
      Buffer.concat([
        Buffer.from(
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file ? `; filename="${file}"` : ''}\r\n\r\n`,
        ),
        content,
        Buffer.from('\r\n'),
      ]),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return {
    method: 'POST',
    path: isClone
      ? '/model'
      : random.pick(['/v1/asr', '/v1/asr', '/v1/asr?format=srt', '/v1/asr?async=true']),
    headers: {
      authorization: `Bearer ${context.keys.paying}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    body,
  };
};

/** Damages the header more often than the rest: it holds lengths, rates and channels. */
function damagedRecording(random: Random, bytes: Uint8Array): Buffer {
  if (random.chance(0.5)) {
    const header = mutateBytes(random, bytes.subarray(0, 200));
    return Buffer.concat([header, bytes.subarray(200)]);
  }
  return mutateBytes(random, bytes);
}

/** Costly operations are picked rarely: their number, not their cost, finds defects. */
function pickOperation(random: Random, operations: readonly Operation[]): Operation {
  const picked = random.pick(operations);
  if (!picked.isCostly || random.chance(0.1)) return picked;
  return random.pick(operations.filter(({ isCostly }) => !isCostly));
}

function operationsWith({ api }: CaseContext, type: string): readonly Operation[] {
  return api.operations.filter(({ bodies }) => type in bodies);
}

function sampleBody(random: Random, { api }: CaseContext, { bodies }: Operation, type: string): unknown {
  return sampleSchema(random, bodies[type] ?? {}, api.components);
}

function toRequest(
  random: Random,
  context: CaseContext,
  operation: Operation,
  type: string,
  body: Buffer,
): FuzzRequest {
  const sentType = random.chance(0.95) ? type : random.pick(WRONG_TYPES);
  return {
    method: operation.method,
    path: fillPath(random, operation.path),
    headers: {
      ...authorization(random, context, operation),
      'content-type': sentType,
      ...(random.chance(0.5) && { model: 's1' }),
    },
    body,
  };
}

/** Mostly a key that may call the operation. The administrator's key is used on admin routes only. */
function authorization(
  random: Random,
  { keys }: CaseContext,
  { isAdmin }: Operation,
): Record<string, string> {
  if (random.chance(0.05))
    return random.chance(0.5) ? {} : { authorization: random.pick(['Bearer', 'Bearer x', 'Basic eDp4']) };
  const key = isAdmin ? keys.admin : random.chance(0.85) ? keys.paying : keys.penniless;
  return { authorization: `Bearer ${key}` };
}

const PATH_VALUES = [
  'x',
  '0',
  '-1',
  'acc_none',
  '%00',
  '%2e%2e',
  'a'.repeat(101),
  'a'.repeat(3000),
  '%F0%9F%92%A5',
  '__proto__',
  'self',
  '%',
  '%E0%A4',
];

function fillPath(random: Random, path: string): string {
  return path.replaceAll(/\{\w+\}/g, () => random.pick(PATH_VALUES));
}
