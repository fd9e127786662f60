import { spawnSync } from 'node:child_process';

/** Whether FFmpeg is installed, for additional checks of encoded files. */
export const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;

/** Decodes a file with FFmpeg to mono float samples at the sample rate of the file. Throws on any FFmpeg error. */
export function decodeFileWithFfmpeg(file: Uint8Array, inputOptions: readonly string[] = []): Float32Array {
  const run = spawnSync(
    'ffmpeg',
    ['-v', 'error', ...inputOptions, '-i', 'pipe:0', '-f', 'f32le', '-ac', '1', 'pipe:1'],
    { input: file, maxBuffer: 2 ** 28 },
  );
  const errors = run.stderr.toString().trim();
  if (run.status !== 0 || errors !== '') throw new Error(`ffmpeg: ${errors}`);
  return new Float32Array(new Uint8Array(run.stdout).buffer);
}

/** The integrated loudness measured by FFmpeg's ebur128 filter. */
export function ffmpegLoudness(samples: Float32Array, sampleRateHz: number): number {
  const run = spawnSync(
    'ffmpeg',
    ['-nostats', '-f', 'f32le', '-ar', `${sampleRateHz}`, '-ac', '1', '-i', 'pipe:0'].concat([
      '-af',
      'ebur128',
      '-f',
      'null',
      '-',
    ]),
    { input: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), maxBuffer: 2 ** 28 },
  );
  const summary = run.stderr.toString().split('Integrated loudness:').at(-1) ?? '';
  return Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]);
}
