import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeFile } from '../../../test/support/audio/encoded-files.ts';

const isWindows = process.platform === 'win32';

test('FFmpeg gets no variables of the server but those it needs', { skip: isWindows }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mynah-ffmpeg-'));
  process.env.MYNAH_DATABASE_URL = 'postgres://user:password@host/name';
  try {
    const ffmpegPath = join(folder, 'ffmpeg');
    await writeFile(ffmpegPath, `#!/bin/sh\nenv > '${folder}/environment'\n`);
    await chmod(ffmpegPath, 0o700);
    const m4a = Buffer.concat([Buffer.from('\0\0\0\x18ftypM4A '), Buffer.alloc(100)]);
    await assert.rejects(decodeFile(m4a, { ffmpegPath }), { code: 'invalid_audio' });
    const environment = await readFile(join(folder, 'environment'), 'utf8');
    assert.match(environment, /^PATH=/m);
    assert.doesNotMatch(environment, /MYNAH|password/);
  } finally {
    delete process.env.MYNAH_DATABASE_URL;
    await rm(folder, { recursive: true });
  }
});
