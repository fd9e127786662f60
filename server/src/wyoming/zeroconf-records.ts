import type { QueryPacket, ResponseOutgoingPacket } from 'multicast-dns';

export type DnsRecord = NonNullable<ResponseOutgoingPacket['answers']>[number];

/** A service as DNS-SD (RFC 6763) describes it. */
export interface AnnouncedService {
  /** Display name: 1 to 63 bytes, without dots. */
  readonly name: string;
  /** Ends in `.local`. */
  readonly hostName: string;
  readonly port: number;
  /** IPv4 and IPv6 addresses of the host. */
  readonly addresses: readonly string[];
}

const SERVICE_TYPE = '_wyoming._tcp.local';
const ALL_SERVICE_TYPES = '_services._dns-sd._udp.local';
/** Lifetimes of RFC 6762: records with an address or host name, and the others. */
const HOST_TTL_SECONDS = 120;
const OTHER_TTL_SECONDS = 4500;
/** Maximum lifetime in answers to clients that do not speak multicast DNS. */
const LEGACY_TTL_SECONDS = 10;

/** The domain name of a service. */
export function instanceNameOf(name: string): string {
  return `${name}.${SERVICE_TYPE}`;
}

/** All records of a service. */
export function recordsOf(service: AnnouncedService): readonly DnsRecord[] {
  const { hostName, port } = service;
  const instance = instanceNameOf(service.name);
  const shared = { type: 'PTR', ttl: OTHER_TTL_SECONDS } as const;
  return [
    { ...shared, name: SERVICE_TYPE, data: instance },
    { ...shared, name: ALL_SERVICE_TYPES, data: SERVICE_TYPE },
    {
      name: instance,
      type: 'SRV',
      ttl: HOST_TTL_SECONDS,
      flush: true,
      data: { port, target: hostName, priority: 0, weight: 0 },
    },
    { name: instance, type: 'TXT', ttl: OTHER_TTL_SECONDS, flush: true, data: [] },
    ...service.addresses.map((address): DnsRecord => {
      const type = address.includes(':') ? 'AAAA' : 'A';
      return { name: hostName, type, ttl: HOST_TTL_SECONDS, flush: true, data: address };
    }),
  ];
}

/** The records that end the announcement in the caches of other machines. */
export function goodbyeOf(service: AnnouncedService): readonly DnsRecord[] {
  return recordsOf(service)
    .filter(({ name }) => name !== ALL_SERVICE_TYPES)
    .map((record) => ({ ...record, ttl: 0 }) as DnsRecord);
}

/** The response to a query; undefined if the service is not asked for or its records are known to the client. */
export function answerTo(
  query: Pick<QueryPacket, 'id' | 'questions' | 'answers'>,
  service: AnnouncedService,
  { isLegacy }: { readonly isLegacy: boolean },
): ResponseOutgoingPacket | undefined {
  const records = recordsOf(service);
  const questions = query.questions ?? [];
  const answers = records.filter(
    (record) =>
      questions.some(
        ({ name, type }) => isSameName(name, record.name) && (type === record.type || String(type) === 'ANY'),
      ) && !isKnown(record, query.answers ?? []),
  );
  if (answers.length === 0) return undefined;
  const names = new Set(answers.flatMap(referencedNames));
  const targets = records.filter(({ name }) => names.has(name)).flatMap(referencedNames);
  for (const name of targets) names.add(name);
  const additionals = records.filter((record) => names.has(record.name) && !answers.includes(record));
  if (!isLegacy) return { answers, additionals };
  return {
    id: query.id ?? 0,
    questions,
    answers: answers.map(toLegacy),
    additionals: additionals.map(toLegacy),
  };
}

/** The domain names that a record refers to. */
function referencedNames(record: DnsRecord): string[] {
  if (record.type === 'PTR') return [record.data];
  return record.type === 'SRV' ? [record.data.target] : [];
}

/** Whether the client has the record, and for at least half of its lifetime. */
function isKnown(record: DnsRecord, known: NonNullable<QueryPacket['answers']>): boolean {
  return known.some(
    (other) =>
      other.type === 'PTR' &&
      record.type === 'PTR' &&
      isSameName(other.name, record.name) &&
      isSameName(other.data, record.data) &&
      (other.ttl ?? 0) >= OTHER_TTL_SECONDS / 2,
  );
}

function toLegacy(record: DnsRecord): DnsRecord {
  return { ...record, ttl: LEGACY_TTL_SECONDS, ...('flush' in record && { flush: false }) } as DnsRecord;
}

export function isSameName(name: string, other: string): boolean {
  return name.toLowerCase() === other.toLowerCase();
}
