import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '../../src/config/secret.ts';
import type { SpeechService } from '../../src/domain/speech/speech-service.ts';
import { startTestServer } from './http-server.ts';
import { ToneSpeech } from './tone-speech.ts';

/** Short enough that the holds of a killed server expire during the test. */
const HOLD_SECONDS = 3;

/** `ToneSpeech` with 2 ms between chunks, so that a server can be killed during a response. */
function pacedSpeech(): Pick<SpeechService, 'speak'> {
  const tone = new ToneSpeech();
  return {
    async speak(request, signal) {
      const speech = await tone.speak(request, signal);
      async function* paced(): AsyncGenerator<Uint8Array> {
        for await (const chunk of speech.body) {
          await sleep(2);
          yield chunk;
        }
      }
      return { ...speech, body: paced() };
    },
  };
}

// The process is started in advance and opens the database only after a line on stdin: a test that kills and
// starts servers in turn would otherwise spend most of its time on loading code.
const [line] = (await once(createInterface(process.stdin), 'line')) as [string];
const { dataFolder, databaseUrl } = JSON.parse(line) as { dataFolder: string; databaseUrl?: string };
const { url, key } = await startTestServer({
  dataFolder,
  speech: pacedSpeech(),
  config: {
    billing: 'prepaid',
    holdSeconds: HOLD_SECONDS,
    concurrencyTiers: { 0: 100 },
    ...(databaseUrl !== undefined && { databaseUrl: new Secret(databaseUrl) }),
  },
});
process.stdout.write(`${JSON.stringify({ url, key })}\n`);
