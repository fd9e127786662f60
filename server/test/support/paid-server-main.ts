import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '../../src/config/secret.ts';
import type { SpeechService } from '../../src/domain/speech/speech-service.ts';
import { startTestServer } from './http-server.ts';
import { ToneSpeech } from './tone-speech.ts';

/** Short enough that what a killed server held is given back while the test still runs. */
const HOLD_SECONDS = 3;

/** The tone, at a pace that leaves time to be killed midway. */
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

// A process is started before it is needed, and opens nothing until it is told to: killing and starting servers
// in turn would otherwise spend most of its time on loading code.
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
