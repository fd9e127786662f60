import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '../../../src/config/secret.ts';
import type { SpeechService } from '../../../src/domain/speech/speech-service.ts';
import type { S3Location } from '../../../src/infrastructure/files/s3-bucket.ts';
import { RandomVoiceMaker } from '../workers/random-voice-maker.ts';
import { RecordingCloner } from '../workers/recording-cloner.ts';
import { ScriptedTranscription } from '../workers/scripted-transcription.ts';
import { ToneSpeech } from '../workers/tone-speech.ts';
import { PacedTranscription, paceSpeech, WorkerPace } from '../workers/worker-pace.ts';
import { startTestServer } from './http-server.ts';

/** Default lifetime of a hold: short enough that the holds of a killed server expire during the test. */
const HOLD_SECONDS = 3;

/** The settings that a test writes to stdin, as a line of JSON. */
export interface PrepaidServerSettings {
  readonly dataFolder: string;
  readonly databaseUrl?: string | undefined;
  /** Time between two chunks of speech. Default: 2 ms, so that a server can be killed during a response. */
  readonly chunkMs?: number;
  /** Processing time per line of a transcription. */
  readonly lineMs?: number;
  readonly jobLeaseSeconds?: number;
  /** Lifetime of a hold without renewal. */
  readonly holdSeconds?: number;
  /** How long a request may wait for admission. */
  readonly queueSeconds?: number;
  /** Files are in this bucket. */
  readonly bucket?: S3Location | undefined;
  /**
   * Streams run at the pace of a worker process, which the test may kill. Its process id is written to stdout as a line
   * of JSON. Voices can be designed and cloned.
   */
  readonly hasWorker?: boolean;
}

function pacedSpeech(chunkMs: number): Pick<SpeechService, 'speak'> {
  const tone = new ToneSpeech();
  return {
    async speak(request, signal) {
      const speech = await tone.speak(request, signal);
      async function* paced(): AsyncGenerator<Uint8Array> {
        for await (const chunk of speech.body) {
          await sleep(chunkMs);
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
const settings = JSON.parse(line) as PrepaidServerSettings;
const { dataFolder, databaseUrl, jobLeaseSeconds, bucket } = settings;
const chunkMs = settings.chunkMs ?? 2;
const writeLine = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
const pace = settings.hasWorker
  ? new WorkerPace({ everyMs: chunkMs, onWorker: (worker) => writeLine({ worker }) })
  : undefined;
const transcription = pace === undefined ? new ScriptedTranscription() : new PacedTranscription(pace);
transcription.msPerLine = settings.lineMs ?? 0;
transcription.channelCount = 2;
const cloning = {
  voices: {
    cloner: new RecordingCloner(),
    transcriber: { transcribe: async () => ({ text: 'What is said.', language: 'en' }) },
  },
  maker: new RandomVoiceMaker(),
};
const { url, key } = await startTestServer({
  dataFolder,
  speech: pace === undefined ? pacedSpeech(chunkMs) : paceSpeech(new ToneSpeech(), pace),
  ...(settings.hasWorker && cloning),
  transcription,
  config: {
    billing: 'prepaid',
    holdSeconds: settings.holdSeconds ?? HOLD_SECONDS,
    concurrencyTiers: { 0: 100 },
    booksMax: 10_000,
    booksPerAccountMax: 10_000,
    ...(jobLeaseSeconds !== undefined && { asrJobLeaseSeconds: jobLeaseSeconds }),
    ...(settings.queueSeconds !== undefined && { queueSeconds: settings.queueSeconds }),
    ...(bucket !== undefined && {
      filesUrl: bucket,
      filesAccessKey: new Secret(bucket.accessKey),
      filesSecretKey: new Secret(bucket.secretKey),
    }),
    ...(databaseUrl !== undefined && { databaseUrl: new Secret(databaseUrl) }),
  },
});
writeLine({ url, key });
