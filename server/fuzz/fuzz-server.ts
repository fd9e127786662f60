import { SERVER_V8_FLAGS, supportedV8Flags } from '../src/concurrency/v8-flags.ts';
import { type RealServer, startRealServer } from '../test/support/servers/real-server.ts';

/** A real server with prepaid billing, one account with credit and one without. */
export interface FuzzServer {
  readonly server: RealServer;
  readonly keys: { readonly admin: string; readonly paying: string; readonly penniless: string };
}

const CREDIT_USD = '1000';

export async function startFuzzServer(): Promise<FuzzServer> {
  const server = await startRealServer({
    // As `npm start` runs it: without them the heap grows for minutes.
    nodeFlags: await supportedV8Flags(SERVER_V8_FLAGS),
    env: {
      MYNAH_BILLING: 'prepaid',
      MYNAH_CONCURRENCY_TIERS: '{"0":64}',
      MYNAH_TRANSCRIPTION_AT_START: 'true',
      // Jobs of damaged recordings must not fill the queue.
      MYNAH_ASR_JOBS_MAX: '1000',
      MYNAH_LIVE_SOCKETS_MAX: '64',
      // Short time limits, so that every response is due before the time limit of a case.
      MYNAH_VOICE_CREATION_MAX_SECONDS: '20',
      MYNAH_VOICE_TRAINING_MAX_SECONDS: '20',
      MYNAH_ASR_MAX_SECONDS: '120',
      MYNAH_ASR_MAX_CPU_SECONDS: '20',
      // Queued transcriptions wait for each other, up to the number of cases in flight.
      MYNAH_ASR_QUEUE_MAX: '4',
    },
  });
  const post = async (path: string, body: object) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const createKey = async (name: string) => {
    const { id } = await post('/v1/admin/accounts', { name });
    const { key } = await post('/v1/admin/keys', { account_id: id, name });
    return { id, key: key! };
  };
  const paying = await createKey('paying');
  await post(`/v1/admin/accounts/${paying.id}/credit`, { kind: 'top_up', usd: CREDIT_USD });
  const penniless = await createKey('penniless');
  return { server, keys: { admin: server.key, paying: paying.key, penniless: penniless.key } };
}
