import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const PROGRAM = `import { play } from 'mynah';
async function* audio() {
  yield Buffer.from('heard ');
  if (process.argv[2] === 'breaks') throw new Error('the line broke');
  yield Buffer.from('to the end');
}
try {
  await play(audio());
  console.log('done');
} catch (error) {
  console.log(error.message);
}`;

test('play feeds the player it finds, ends it when the audio breaks off, and fails without a sound device', async (t) => {
  // Inside the package, so that `mynah` is found as a user's program finds it.
  const folder = await mkdtemp(fileURLToPath(new URL('play-', import.meta.url)));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'program.mjs'), PROGRAM);
  const heard = join(folder, 'heard');
  await writeFile(join(folder, 'mpv'), `#!/bin/sh\nexec /bin/cat > '${heard}'\n`, { mode: 0o755 });
  const play = async (PATH: string, ...args: string[]) => {
    const options = { env: { PATH }, timeout: 60_000 };
    return (await run(process.execPath, [join(folder, 'program.mjs'), ...args], options)).stdout;
  };
  assert.equal(await play(folder), 'done\n');
  assert.equal(await readFile(heard, 'utf8'), 'heard to the end');
  assert.equal(await play(folder, 'breaks'), 'the line broke\n');
  assert.match(await play('/nonexistent'), /^No player found/);

  const withoutDevice = "#!/bin/sh\n/bin/cat > /dev/null\necho 'audio open failed' >&2\n";
  await writeFile(join(folder, 'mpv'), withoutDevice, { mode: 0o755 });
  assert.match(await play(folder), /loudspeaker/);
});
