// Writes subtitles for a film or a recording:
//
//   node subtitles.ts film.mp4        writes film.srt
import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Mynah } from 'mynah';

const HOUR_MS = 3_600_000;
const film = process.argv[2];
if (film === undefined) throw new Error('Usage: node subtitles.ts FILM');

const folder = await mkdtemp(join(tmpdir(), 'subtitles-'));
try {
  const audio = await openAsBlob(await extractSound(film));
  const captions = await new Mynah().speechToText.captions({ audio, format: 'srt' }, { timeoutMs: HOUR_MS });
  const target = film.replace(/\.[^./]*$/, '.srt');
  await writeFile(target, captions);
  console.log(target);
} finally {
  await rm(folder, { recursive: true });
}

/** The sound alone is far smaller than the film. Without ffmpeg the film itself is sent. */
async function extractSound(path: string): Promise<string> {
  const sound = join(folder, 'sound.flac');
  try {
    await promisify(execFile)('ffmpeg', [
      '-v',
      'error',
      '-i',
      path,
      '-vn',
      '-ac',
      '1',
      '-ar',
      '16000',
      sound,
    ]);
    return sound;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return path;
  }
}
