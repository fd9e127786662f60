import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchContext } from '../bench-context.ts';
import { type Address, download, type RequestedVoice, timeToFirstAudioMs } from '../clients/http-client.ts';
import { atMost, ms, type PartReport } from '../report.ts';
import { median } from '../statistics.ts';
import { longTextFor, TEXTS } from '../texts.ts';

const TO_FIRST_AUDIO_MAX_MS = 8000;
const REFERENCE_ADDS_MAX_MS = 20;
/** As in the part first-audio. */
const PAUSE_MS = 400;
const WAV_HEADER_BYTES = 44;
const CLIP_SECONDS = 20;

/** Time from a recording to first audio with its voice, and latency added by cached inline references. */
export async function measureCloning({ server, effort }: BenchContext): Promise<PartReport> {
  const clip = firstSeconds(await download(server, longTextFor(0), 'wav'), CLIP_SECONDS);
  const newVoiceMs: number[] = [];
  let voiceId = '';
  for (let run = 0; run < effort.clones; run++) {
    const startedAtMs = performance.now();
    voiceId = await createVoice(server, clip);
    await timeToFirstAudioMs(server, TEXTS[60], { reference_id: voiceId });
    newVoiceMs.push(performance.now() - startedAtMs);
    await sleep(PAUSE_MS);
  }

  const stored: RequestedVoice = { reference_id: voiceId };
  const inline: RequestedVoice = {
    reference_id: null,
    references: [{ audio: clip.toString('base64'), text: longTextFor(0) }],
  };
  await timeToFirstAudioMs(server, TEXTS[60], inline);
  const waitsMs = { stored: [] as number[], inline: [] as number[] };
  for (let pair = 0; pair < effort.clonePairs; pair++) {
    for (const [kind, voice] of [
      ['stored', stored],
      ['inline', inline],
    ] as const) {
      await sleep(PAUSE_MS);
      waitsMs[kind].push(await timeToFirstAudioMs(server, TEXTS[60], voice));
    }
  }
  const slowestMs = Math.max(...newVoiceMs);
  const addedMs = median(waitsMs.inline) - median(waitsMs.stored);
  return {
    rows: [
      {
        what: `from ${CLIP_SECONDS} s of speech to first audio of its voice, median / longest`,
        value: `${ms(median(newVoiceMs))} / ${ms(slowestMs)}`,
        target: atMost(slowestMs, TO_FIRST_AUDIO_MAX_MS, ' ms'),
      },
      {
        what: 'latency added by a cached inline reference',
        value: ms(addedMs),
        target: atMost(addedMs, REFERENCE_ADDS_MAX_MS, ' ms'),
      },
    ],
    data: { newVoiceMs, waitsMs },
  };
}

async function createVoice({ url, apiKey }: Address, clip: Uint8Array<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.set('title', 'Bench');
  form.set('type', 'tts');
  form.set('train_mode', 'fast');
  form.set('visibility', 'private');
  form.set('texts', longTextFor(0));
  form.set('voices', new Blob([clip]), 'clip.wav');
  const response = await fetch(`${url}/model`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: form,
  });
  if (!response.ok) throw new Error(`The server responded with ${response.status}: ${await response.text()}`);
  const { _id } = (await response.json()) as { readonly _id: string };
  return _id;
}

/** The start of a mono 16-bit WAV file. The length in its header is not updated. */
function firstSeconds(wav: Buffer, seconds: number): Buffer<ArrayBuffer> {
  const bytesPerSecond = wav.readUInt32LE(28);
  return Buffer.from(wav.subarray(0, WAV_HEADER_BYTES + seconds * bytesPerSecond));
}
