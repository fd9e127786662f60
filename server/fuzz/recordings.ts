import { encodeWavFile } from '../src/audio/encode/wav.ts';
import { aiffFile, encodedFile, vorbisFile, webmFile } from '../test/support/audio/encoded-files.ts';
import { synthesizeTalk } from '../test/support/voices/synthetic-talk.ts';

const SECONDS = 2;

/** One short recording in every input format. */
export async function createRecordings(): Promise<ReadonlyMap<string, Uint8Array>> {
  const talk = (sampleRateHz: number) => synthesizeTalk({ seconds: SECONDS, sampleRateHz });
  const pcm = Buffer.from(Int16Array.from(talk(16_000), (sample) => sample * 32_767).buffer);
  const bigEndian = Buffer.from(pcm).swap16();
  return new Map<string, Uint8Array>([
    ['pcm', pcm],
    ['wav', encodeWavFile({ samples: talk(16_000), sampleRateHz: 16_000 })],
    ['aiff', aiffFile({ bitsPerSample: 16, channels: 1, sampleRateHz: 16_000, data: bigEndian })],
    ['mp3', await encodedFile('mp3', talk(44_100), 44_100)],
    ['flac', await encodedFile('flac', talk(24_000), 24_000)],
    ['opus', await encodedFile('opus', talk(48_000), 48_000)],
    ['ogg', await vorbisFile(talk(44_100), 44_100, 1)],
    ['webm', await webmFile(talk(48_000))],
  ]);
}
