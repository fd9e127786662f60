import assert from 'node:assert/strict';
import { test } from 'node:test';
import { form, RECORDING } from '../../support/calls/voice-forms.ts';
import { startTestServer } from '../../support/servers/http-server.ts';
import { until } from '../../support/servers/real-server.ts';
import { mountTmpfs } from '../../support/servers/tmpfs.ts';
import { RecordingCloner } from '../../support/workers/recording-cloner.ts';

const DISK_BYTES = 8 * 1024 * 1024;

test('a full disk: 503 and a degraded state, and recovery without a restart', async (context) => {
  const disk = mountTmpfs(DISK_BYTES);
  if (disk === undefined) return context.skip('A file system cannot be mounted here.');
  const log: { level: string; msg: string }[] = [];
  const server = await startTestServer({
    dataFolder: disk.folder,
    voices: { cloner: new RecordingCloner() },
    log: { write: (line) => void log.push(JSON.parse(line)) },
  });
  try {
    const upload = async () => {
      const body = form({ title: 'x', voices: RECORDING });
      const response = await server.call('/model', { method: 'POST', body });
      await response.arrayBuffer();
      return { status: response.status, code: response.headers.get('x-fish-error-code') };
    };
    const speak = async () => {
      const response = await server.speak(
        { text: 'Hello there.' },
        { 'idempotency-key': crypto.randomUUID() },
      );
      await response.arrayBuffer().catch(() => {});
      return { status: response.status, code: response.headers.get('x-fish-error-code') };
    };
    const health = async () => {
      const body = (await (await server.call('/v1/health')).json()) as { status: string; ready: boolean };
      return `${body.status} ${body.ready}`;
    };
    assert.equal((await upload()).status, 201);
    assert.equal(await health(), 'ok true');

    disk.fill();
    assert.deepEqual(await upload(), { status: 503, code: 'storage_unavailable' });
    await until('the database finds the disk full', async () => {
      return (await speak()).code === 'database_unavailable';
    });
    assert.equal(await health(), 'degraded false');
    const errors = log.filter(({ level }) => level === 'error').map(({ msg }) => msg);
    assert.ok(errors.some((message) => /disk is full \(ENOSPC\)\.$/.test(message)));
    assert.equal(
      errors.filter((message) => /SQLITE_FULL/.test(message)).length,
      1,
      'an outage is logged once',
    );

    disk.free();
    await until('the server has recovered', async () => (await health()) === 'ok true');
    assert.equal((await speak()).status, 200);
    assert.equal((await upload()).status, 201);
  } finally {
    await server.close();
    disk.remove();
  }
});
