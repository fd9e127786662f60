import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { type RealServer, startRealServer } from '../support/servers/real-server.ts';

/** Texts of the recordings that clients send: one to transcribe, and a longer one to clone. */
const SENTENCE = 'The little boat came home at last, and nobody had seen it leave.';
const STORY = `${SENTENCE} The harbour was quiet, the lamps were lit, and the old man who kept the keys sat by the window and counted the waves until the morning came.`;

/** A server with real engines and prepaid billing for tests of third-party clients. */
export interface ClientsServer extends RealServer {
  /** A key of an account without credit. */
  readonly keyWithoutCredit: string;
  /** A key with a limit of one request per minute. */
  readonly limitedKey: string;
  /** WAV files synthesized by this server: a sentence to transcribe, and a longer recording to clone. */
  readonly sentencePath: string;
  readonly storyPath: string;
  /** Whether any worker has an active stream. */
  readonly isSynthesizing: () => Promise<boolean>;
}

export async function startClientsServer(): Promise<ClientsServer> {
  const server = await startRealServer({ env: { MYNAH_BILLING: 'prepaid', MYNAH_LOG_LEVEL: 'trace' } });
  const post = async <Body>(path: string, body: object): Promise<Body> => {
    const response = await fetch(`${server.url}/v1/admin/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  await post(`accounts/${FIRST_ACCOUNT_ID}/credit`, { kind: 'top_up', usd: '10', memo: 'for tests' });
  const account = await post<{ id: string }>('accounts', { name: 'Without credit' });
  const keyWithoutCredit = await post<{ key: string }>('keys', {
    account_id: account.id,
    name: 'without-credit',
  });
  // The first key is logged at start; this key must never be logged.
  const own = await post<{ key: string }>('keys', { account_id: FIRST_ACCOUNT_ID, name: 'own' });
  const limitedKey = await post<{ key: string }>('keys', {
    account_id: FIRST_ACCOUNT_ID,
    name: 'limited',
    requests_per_minute: 1,
  });
  const record = async (name: string, text: string) => {
    const response = await server.speak({ text, format: 'wav', seed: 1 });
    const path = join(server.dataFolder, name);
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    return path;
  };
  return {
    ...server,
    key: own.key,
    keyWithoutCredit: keyWithoutCredit.key,
    limitedKey: limitedKey.key,
    sentencePath: await record('sentence.wav', SENTENCE),
    storyPath: await record('story.wav', STORY),
    isSynthesizing: async () => (await server.health()).workers.some(({ active }) => active > 0),
  };
}
