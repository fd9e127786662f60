import { spawnSync } from 'node:child_process';

/** Whether a second opinion on our files can be had. Tests hold without it, too. */
export const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0;

/** Decodes a file with FFmpeg to mono float samples at the file's own rate. Throws what FFmpeg complains about. */
export function decodeWithFfmpeg(file: Uint8Array, inputOptions: readonly string[] = []): Float32Array {
  const run = spawnSync(
    'ffmpeg',
    ['-v', 'error', ...inputOptions, '-i', 'pipe:0', '-f', 'f32le', '-ac', '1', 'pipe:1'],
    { input: file, maxBuffer: 2 ** 28 },
  );
  const complaints = run.stderr.toString().trim();
  if (run.status !== 0 || complaints !== '') throw new Error(`ffmpeg: ${complaints}`);
  return new Float32Array(new Uint8Array(run.stdout).buffer);
}

/** Integrated loudness as FFmpeg's ebur128 filter has it. */
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
