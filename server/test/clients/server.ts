import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIRST_ACCOUNT_ID } from '../../src/domain/accounts/keys/first-key.ts';
import { type RealServer, startRealServer } from '../support/real-server.ts';

/** What is said in the recordings that clients send: one to be heard, and a longer one to be spoken like. */
const SENTENCE = 'The little boat came home at last, and nobody had seen it leave.';
const STORY = `${SENTENCE} The harbour was quiet, the lamps were lit, and the old man who kept the keys sat by the window and counted the waves until the morning came.`;

/** The whole server, with real voices and real money, as other people's clients meet it. */
export interface ClientsServer extends RealServer {
  /** A key of an account that owns nothing. */
  readonly poorKey: string;
  /** A key that may ask once in a minute. */
  readonly limitedKey: string;
  /** WAV files of a voice of this server: a sentence to be heard, and some seconds more to be spoken like. */
  readonly sentencePath: string;
  readonly storyPath: string;
  /** Whether any voice is speaking now. */
  readonly isSpeaking: () => Promise<boolean>;
}

export async function startClientsServer(): Promise<ClientsServer> {
  const server = await startRealServer({ env: { MYNAH_BILLING: 'prepaid', MYNAH_LOG_LEVEL: 'trace' } });
  const ask = async <Answer>(path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${server.url}/v1/admin/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  await ask(`accounts/${FIRST_ACCOUNT_ID}/credit`, { kind: 'top_up', usd: '10', memo: 'for tests' });
  const poor = await ask<{ id: string }>('accounts', { name: 'Poor' });
  const poorKey = await ask<{ key: string }>('keys', { account_id: poor.id, name: 'poor' });
  // The first key is printed at the start; this one must never be.
  const own = await ask<{ key: string }>('keys', { account_id: FIRST_ACCOUNT_ID, name: 'own' });
  const limitedKey = await ask<{ key: string }>('keys', {
    account_id: FIRST_ACCOUNT_ID,
    name: 'limited',
    requests_per_minute: 1,
  });
  const record = async (name: string, text: string) => {
    const spoken = await server.speak({ text, format: 'wav', seed: 1 });
    const path = join(server.dataFolder, name);
    await writeFile(path, Buffer.from(await spoken.arrayBuffer()));
    return path;
  };
  return {
    ...server,
    key: own.key,
    poorKey: poorKey.key,
    limitedKey: limitedKey.key,
    sentencePath: await record('sentence.wav', SENTENCE),
    storyPath: await record('story.wav', STORY),
    isSpeaking: async () => (await server.health()).workers.some(({ active }) => active > 0),
  };
}
