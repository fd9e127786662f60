import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { Secret } from './secret.ts';

/** An integer, as a number or as text. */
export function integer(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`;
  return z.preprocess(numberFromText, z.int(range).min(min, range).max(max, range));
}

/** A number, as a number or as text. */
export function number(min: number, max: number) {
  const range = `must be a number from ${min} to ${max}`;
  return z.preprocess(numberFromText, z.number(range).min(min, range).max(max, range));
}

function numberFromText(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

/** A boolean, as true or false, 1 or 0, yes or no, on or off. */
export function boolean() {
  const words: Record<string, boolean> = {
    true: true,
    '1': true,
    yes: true,
    on: true,
    false: false,
    '0': false,
    no: false,
    off: false,
  };
  return z.preprocess(
    (value) => (typeof value === 'string' ? (words[value.toLowerCase()] ?? value) : value),
    z.boolean('must be true or false'),
  );
}

/** A list, as an array or as comma-separated text. */
export function list<Item extends z.ZodType<string>>(item: Item, fallback: z.output<Item>[]) {
  return z
    .preprocess(
      (value) =>
        typeof value === 'string'
          ? value
              .split(',')
              .map((part) => part.trim())
              .filter((part) => part !== '')
          : value,
      z.array(item),
    )
    .default(fallback);
}

/** A JSON value, as a value or as text. */
export function json<Value extends z.ZodType>(schema: Value) {
  return z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }, schema);
}

/** The absolute path of a file. */
export function file() {
  return z
    .string()
    .overwrite((path) => resolve(path))
    .meta({ title: 'file' });
}

/** The path of a folder, resolved against the current folder. */
export function folder() {
  return z
    .string()
    .overwrite((path) => resolve(path))
    .meta({ title: 'folder' });
}

const NETWORK_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** An IP address, a subnet such as `10.0.0.0/8`, or the name of a range of private addresses. */
export function networkRange() {
  return z
    .string()
    .refine(isNetworkRange, `must be addresses, subnets such as 10.0.0.0/8, or ${NETWORK_NAMES.join(', ')}`)
    .meta({ title: 'address or subnet' });
}

function isNetworkRange(text: string): boolean {
  if (NETWORK_NAMES.includes(text)) return true;
  const [, address = '', bits = '0'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Where files are stored in an S3-compatible server. */
export interface BucketAddress {
  readonly bucket: string;
  readonly endpoint: string;
  readonly region: string;
  /** Empty, or ending with a slash. */
  readonly prefix: string;
}

/** `s3://bucket/prefix?endpoint=https://host:port&region=name`. */
export function bucketAddress() {
  return z
    .string()
    .transform((text, context): BucketAddress => {
      const address = parseBucketAddress(text);
      if (address !== undefined) return address;
      context.addIssue(
        'must be s3://BUCKET?endpoint=https://HOST, with an optional /PREFIX and &region=NAME',
      );
      return z.NEVER;
    })
    .meta({ title: 's3:// URL' });
}

function parseBucketAddress(text: string): BucketAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const endpoint = url?.searchParams.get('endpoint') ?? '';
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) return undefined;
  if (url.username !== '' || !URL.canParse(endpoint)) return undefined;
  const { protocol, origin } = new URL(endpoint);
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  if (!/^https?:$/.test(protocol) || !/^[\w./-]{0,200}$/.test(prefix)) return undefined;
  return {
    bucket: url.hostname,
    endpoint: origin,
    region: url.searchParams.get('region') ?? 'us-east-1',
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}

/** Text that must not appear in logs and messages. */
export function secret() {
  return z
    .string()
    .min(1)
    .transform((value) => new Secret(value));
}

/** One or more addresses of NATS servers, separated by commas. They may contain a password. */
export function natsAddress() {
  return z
    .string()
    .max(4096)
    .refine(isNatsAddress, 'must be nats://HOST:PORT or tls://HOST:PORT, or several of them with commas')
    .transform((value) => new Secret(value));
}

function isNatsAddress(text: string): boolean {
  const urls = text.split(',').map((part) => part.trim());
  return urls.every((url) => URL.canParse(url) && /^(nats|tls):$/.test(new URL(url).protocol));
}
