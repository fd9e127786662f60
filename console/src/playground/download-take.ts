import { SAMPLE_RATE_HZ } from '../audio/pcm-player.ts';
import type { Take } from '../audio/take.ts';
import { download, encodeWav } from '../audio/wav.ts';
import { mynah } from '../lib/api.ts';

/** Formats of a downloaded file. The browser writes WAV; the server makes the others in a further request. */
export const FILE_FORMATS = ['wav', 'mp3', 'opus', 'flac'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export async function downloadTake({ info, player }: Take, format: FileFormat): Promise<void> {
  const name = `${info.voiceTitle}-${info.id.slice(0, 6)}.${format === 'opus' ? 'ogg' : format}`;
  if (format === 'wav') return download(encodeWav(player.samples(), SAMPLE_RATE_HZ), name);
  const audio = await mynah.textToSpeech.convert({
    text: info.text,
    model: info.model,
    format,
    prosody: { speed: info.speed, volume: info.volume },
    ...(info.voiceId && { reference_id: info.voiceId }),
  });
  download(new Blob([await audio.arrayBuffer()]), name);
}
