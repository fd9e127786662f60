/** Variables that FFmpeg needs to start. The others may contain secrets of the server. */
const FFMPEG_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'SystemRoot',
  'SYSTEMROOT',
];

/** The environment of an FFmpeg process. */
export function ffmpegEnvironment(): Record<string, string> {
  return Object.fromEntries(
    FFMPEG_VARIABLES.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
