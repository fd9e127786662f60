import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mynah } from 'mynah';
import { apiOperations } from '../support/calls/api-operations.ts';

/** A call of every kind the library can make. */
function callsOf(mynah: Mynah): readonly (Promise<unknown> | AsyncGenerator<unknown>)[] {
  const { textToSpeech, audiobooks, speechToText, voices, account, dictionaries, admin } = mynah;
  const audio = new Uint8Array(8);
  return [
    mynah.getHealth(),
    textToSpeech.convert({ text: 'x' }),
    textToSpeech.convertWithTimestamps({ text: 'x' }),
    textToSpeech.dub({ captions: 'x' }),
    textToSpeech.convertSpeech({ audio: new Uint8Array(1) }),
    audiobooks.create({ text: 'x' }),
    audiobooks.create({ file: audio, file_name: 'x.epub' }),
    audiobooks.list(),
    audiobooks.get('1'),
    audiobooks.pause('1'),
    audiobooks.resume('1'),
    audiobooks.delete('1'),
    audiobooks.audio('1'),
    audiobooks.captions('1'),
    speechToText.convert({ audio }),
    speechToText.getJob('1'),
    speechToText.cancelJob('1'),
    voices.list(),
    voices.get('1'),
    voices.create({ title: 'x', voices: [audio] }),
    voices.design({ instruction: 'x' }),
    voices.update('1', {}),
    voices.delete('1'),
    voices.sample('1', 0),
    voices.cover('1'),
    account.getCredit(),
    account.getPackage(),
    account.getUsage(),
    account.getStatement('2026-11'),
    dictionaries.list(),
    dictionaries.get('1'),
    dictionaries.create({ name: 'x' }),
    dictionaries.update('1', {}),
    dictionaries.delete('1'),
    dictionaries.publish('1', { rules: [] }),
    dictionaries.versions('1'),
    dictionaries.getVersion('1', '2'),
    dictionaries.deleteVersion('1', '2'),
    admin.listAccounts(),
    admin.getAccount('1'),
    admin.createAccount({ name: 'x' }),
    admin.updateAccount('1', {}),
    admin.deleteAccount('1'),
    admin.bookCredit('1', { kind: 'top_up', usd: '1' }),
    admin.getStatement('1', '2026-11'),
    admin.listKeys(),
    admin.createKey({ account_id: '1', name: 'x' }),
    admin.updateKey('1', {}),
    admin.rotateKey('1'),
    admin.revokeKey('1'),
    admin.getUsage(),
    admin.verifyLedger(),
    admin.getAudit(),
    admin.getStatus(),
    admin.listModels(),
    admin.pullModel('1'),
    admin.verifyModel('1'),
    account.listKeys(),
    account.createKey({ name: 'x' }),
    account.rotateKey('1'),
    account.revokeKey('1'),
    mynah.console.login({ key: 'x' }),
    mynah.console.getState(),
    mynah.console.logout(),
    mynah.console.listSessions(),
    mynah.console.revokeSession('1'),
  ];
}

test('every operation of the server can be called through the TypeScript library', async () => {
  const sent: { method: string; path: string }[] = [];
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const path = new URL(String(input)).pathname;
    sent.push({ method: init?.method ?? 'GET', path });
    const isEvents = path.endsWith('with-timestamp');
    return new Response(isEvents ? '' : '{"items":[],"candidates":[],"total":0,"next_cursor":null}');
  };
  for (const call of callsOf(new Mynah({ apiKey: 'key', baseUrl: 'http://server', fetch: answer }))) {
    if (call instanceof Promise) await call;
    else await call.next();
  }
  const operations = await apiOperations();
  const reached = sent.map(({ method, path }) => {
    const found = operations.find(
      (operation) => operation.method === method && new RegExp(operation.pattern).test(path),
    );
    assert.ok(found, `${method} ${path} is no operation of the server`);
    return found.id;
  });
  const missing = operations.filter(({ id, isInLibraries }) => isInLibraries && !reached.includes(id));
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  );
});
