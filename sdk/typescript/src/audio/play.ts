import { MynahError } from '../errors.ts';
import { importNode } from '../net/import-node.ts';
import { playInBrowser } from './play-in-browser.ts';

/** Players that read standard input, in order of preference, with their arguments. */
const PLAYERS: readonly (readonly [string, readonly string[]])[] = [
  ['mpv', ['--no-terminal', '--no-video', '--', '-']],
  ['ffplay', ['-autoexit', '-nodisp', '-loglevel', 'error', '-i', '-']],
];

/** What `ffplay` writes without a sound device; it ends with status 0 then. */
const NO_SOUND_DEVICE = /audio open failed/;
/** Exit statuses of players that could not play. Others say that the user or a signal has ended them. */
const FAILED_STATUSES: readonly (number | null)[] = [1, 2];
const PLAYER_OUTPUT_CHARS_MAX = 4096;

/**
 * Plays audio while it arrives, and resolves at the end of playback. In Node with `mpv`, `ffplay` or (as a complete
 * file) `afplay`, whichever is installed; in browsers with MediaSource or Web Audio.
 */
export async function play(
  audio: AsyncIterable<Uint8Array> & { readonly facts?: { readonly contentType: string } },
): Promise<void> {
  if (typeof document === 'undefined') await playInNode(audio);
  else await playInBrowser(audio, audio.facts?.contentType ?? 'audio/mpeg');
}

async function playInNode(audio: AsyncIterable<Uint8Array>): Promise<void> {
  const { spawn } = await importNode<typeof import('node:child_process')>('node:child_process');
  for (const [command, args] of PLAYERS) {
    const player = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] });
    const isThere = await new Promise<boolean>((resolve) => {
      player.once('spawn', () => resolve(true));
      player.once('error', () => resolve(false));
    });
    if (!isThere) continue;
    let output = '';
    player.stderr.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-PLAYER_OUTPUT_CHARS_MAX);
    });
    const ended = new Promise<number | null>((resolve) => player.once('close', resolve));
    // Closing the player ends playback without an error.
    player.stdin.on('error', () => {});
    try {
      for await (const chunk of audio) {
        if (player.exitCode !== null) break;
        if (!player.stdin.write(chunk)) {
          await Promise.race([new Promise((resolve) => player.stdin.once('drain', resolve)), ended]);
        }
      }
    } catch (error) {
      player.kill();
      throw error;
    }
    player.stdin.end();
    if (FAILED_STATUSES.includes(await ended) || NO_SOUND_DEVICE.test(output)) {
      throw new MynahError(
        `${command} cannot play: is there a loudspeaker? Write the audio to a file instead.`,
      );
    }
    return;
  }
  await playWithAfplay(audio);
}

/** The player of macOS reads files only. */
async function playWithAfplay(audio: AsyncIterable<Uint8Array>): Promise<void> {
  if (process.platform !== 'darwin') {
    throw new MynahError('No player found: install mpv or ffmpeg, or write the audio to a file.');
  }
  const { execFile } = await importNode<typeof import('node:child_process')>('node:child_process');
  const { mkdtemp, rm, writeFile } = await importNode<typeof import('node:fs/promises')>('node:fs/promises');
  const { tmpdir } = await importNode<typeof import('node:os')>('node:os');
  const folder = await mkdtemp(`${tmpdir()}/mynah-`);
  try {
    await writeFile(`${folder}/audio`, audio);
    await new Promise<void>((resolve, reject) =>
      execFile('afplay', [`${folder}/audio`], (error) => (error ? reject(error) : resolve())),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
