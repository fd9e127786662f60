import { RATE_GRACE_MS } from '../api/bodies/read-body.ts';
import { DEPTH_MAX, VALUES_MAX } from '../api/bodies/value-limits.ts';
import { OPEN_BODY_MAX_BYTES } from '../api/plugins/body-parsers.ts';
import { RESPONSE_MIN_BYTES_PER_SECOND } from '../api/plugins/response-deadline.ts';
import { FIELD_MAX_BYTES, FIELDS_MAX, FILES_MAX } from '../api/uploads/form-builder.ts';
import { BOUNDARY_MAX_LENGTH } from '../api/uploads/multipart-reader.ts';
import { DETAIL_MAX } from '../api/wire/validation.ts';
import { describeSettings } from '../config/settings-reference.ts';
import { ITEMS_MAX, KEY_LENGTH_MAX, VALUE_LENGTH_MAX } from '../domain/dictionaries/validate-items.ts';

/** Names of settings that limit what a client can use. */
const LIMIT = /_(MAX|MIN|TIMEOUT|STALL|IDLE|SILENCE|PER_MINUTE|MEMORY|READER|QUEUE|WAIT|TIERS|PER_BYTE)(_|$)/;
/** Settings that match but are no limits for clients. */
const OTHER = ['MYNAH_DISK_FREE_MIN_MB', 'MYNAH_STOCK_DECODER_MAX_RTF'];

/** Limits that are no settings. */
const CONSTANTS: readonly (readonly [string, number])[] = [
  [
    'Body of a POST request without a key, in bytes; other requests without a key have none',
    OPEN_BODY_MAX_BYTES,
  ],
  ['Time in which a client need not reach the minimum rate of a body, in seconds', RATE_GRACE_MS / 1000],
  [
    'Minimum rate at which a client reads a response that is no stream, in bytes per second, after `MYNAH_STREAM_STALL_SECONDS`',
    RESPONSE_MIN_BYTES_PER_SECOND,
  ],
  ['Values in a JSON or MessagePack body: numbers, strings, lists, maps and keys', VALUES_MAX],
  ['Nesting depth of a body', DEPTH_MAX],
  ['Fields of a form', FIELDS_MAX],
  ['Size of a field of a form that is no file, in bytes', FIELD_MAX_BYTES],
  ['Files of a form', FILES_MAX],
  ['Length of a multipart boundary', BOUNDARY_MAX_LENGTH],
  ['Invalid fields that an error response lists', DETAIL_MAX],
  ['Entries of a version of a pronunciation dictionary', ITEMS_MAX],
  ['Characters of the key of an entry', KEY_LENGTH_MAX],
  ['Characters of the value of an entry', VALUE_LENGTH_MAX],
];

/** The tables of limits in SECURITY.md. */
export function limitsTable(): string {
  const settings = describeSettings().filter(({ env }) => LIMIT.test(env) && !OTHER.includes(env));
  return [
    '| setting | default | limit |',
    '| --- | --- | --- |',
    ...settings.map(
      ({ env, defaultValue, description }) =>
        `| \`${env}\` | ${formatDefault(env, defaultValue)} | ${description} |`,
    ),
    '',
    'Limits that are no settings:',
    '',
    '| limit | value |',
    '| --- | --- |',
    ...CONSTANTS.map(([limit, value]) => `| ${limit} | ${value} |`),
  ].join('\n');
}

function formatDefault(env: string, value: string): string {
  const megabytes = Number(value) / 2 ** 20;
  return env.includes('BYTES') && megabytes >= 1 ? `${megabytes} MiB` : `\`${value}\``;
}
