import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VoiceDesignResponse } from '../../../src/api/schemas/voices/voice-design.ts';
import { runWatermarkCommand } from '../../../src/cli/commands/watermark.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { form } from '../../support/calls/voice-forms.ts';
import { until } from '../../support/servers/real-server.ts';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const TEXT =
  'The harbour was quiet when the last boat came in. Nobody on the pier had expected it before the morning, and so the ' +
  'lamps were out. It took the crew an hour to unload what they had caught, and another one to find the way home.';

const server = useRealServer();

async function admin(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}/v1/admin/${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Speech of an account as a file. */
async function spoken(key: string, file: string, wish: Record<string, unknown>): Promise<string> {
  const response = await server.speak(
    { text: TEXT, ...wish },
    { headers: { authorization: `Bearer ${key}` } },
  );
  assert.equal(response.status, 200);
  const path = join(server.dataFolder, file);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return path;
}

async function detect(...args: string[]) {
  let out = '';
  let err = '';
  const { config } = loadConfig({ MYNAH_DATA: server.dataFolder, MYNAH_LOG_LEVEL: 'silent' });
  const code = await runWatermarkCommand(args, {
    config,
    env: {},
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  });
  return { code, out, err };
}

test('the speech of an account that wants it is marked, and the detector names the account', async () => {
  const account = await admin('POST', 'accounts', { name: 'Ada', watermark: true });
  assert.equal(account.watermark, true);
  const id = String(account.id);
  await admin('POST', `accounts/${id}/credit`, { kind: 'top_up', usd: '1' });
  const key = String((await admin('POST', 'keys', { account_id: id, name: 'phone' })).key);

  const wav = await spoken(key, 'marked.wav', {
    format: 'wav',
    sample_rate: 16_000,
    reference_id: 'am_michael',
  });
  const other = await spoken(server.key, 'other.wav', { format: 'wav' });
  const { code, out, err } = await detect('detect', wav, other, '--json');
  assert.equal(code, 0, err);
  const verdicts = JSON.parse(out) as { marked: boolean; accounts: { id: string }[] }[];
  assert.deepEqual(
    verdicts.map(({ marked, accounts }) => [marked, accounts.map((owner) => owner.id)]),
    [
      [true, [id]],
      [false, []],
    ],
  );

  const mp3 = await spoken(key, 'marked.mp3', { format: 'mp3', mp3_bitrate: 128 });
  await admin('PATCH', `accounts/${id}`, { watermark: false });
  const off = await spoken(key, 'off.wav', { format: 'wav' });
  const told = await detect('detect', mp3, off);
  assert.match(told.out, new RegExp(`watermark of ${id} \\(Ada\\)[^\\n]*\\n.*no watermark of this server`));
});

test('candidates of voice design and samples of voices carry the watermark of their account', async () => {
  const id = String((await admin('POST', 'accounts', { name: 'Eve', watermark: true })).id);
  const key = String((await admin('POST', 'keys', { account_id: id, name: 'studio' })).key);
  const authorization = `Bearer ${key}`;
  const designed = await fetch(`${server.url}/v1/voice-design`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ instruction: 'A calm man', n: 1, seed: 7, reference_text: TEXT }),
  });
  assert.equal(designed.status, 200, await designed.clone().text());
  const [candidate] = ((await designed.json()) as VoiceDesignResponse).candidates;
  const wav = Buffer.from(candidate?.audio_base64 ?? '', 'base64');
  const created = await fetch(`${server.url}/model`, {
    method: 'POST',
    headers: { authorization },
    body: form({
      title: 'Eve',
      voices: wav,
      voice_design_signatures: candidate?.signature ?? '',
      generate_sample: 'true',
    }),
  });
  assert.equal(created.status, 201, await created.clone().text());
  const { _id } = (await created.json()) as { _id: string };
  const sampleOf = () => fetch(`${server.url}/model/${_id}/samples/1`, { headers: { authorization } });
  await until('the sample is stored', async () => (await sampleOf()).status === 200);
  const files = { 'candidate.wav': wav, 'sample.mp3': Buffer.from(await (await sampleOf()).arrayBuffer()) };
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(server.dataFolder, name);
    await writeFile(path, bytes);
    const { out, err } = await detect('detect', path, '--json');
    const [verdict] = JSON.parse(out) as { marked: boolean; accounts: { id: string }[] }[];
    assert.equal(verdict?.marked, true, `${name} ${err}`);
    // The sample is too short for a reliable account.
    if (name === 'sample.mp3') continue;
    assert.deepEqual(
      verdict.accounts.map((owner) => owner.id),
      [id],
      out,
    );
  }
});

test('wrong use and files that are no sound are told', async () => {
  const text = join(server.dataFolder, 'text.wav');
  await writeFile(text, 'no sound at all');
  for (const [args, code] of [
    [['--help'], 0],
    [[], 2],
    [['find', text], 2],
    [['detect'], 2],
    [['detect', text], 1],
    [['detect', `${text}.gone`], 1],
  ] as const) {
    assert.equal((await detect(...args)).code, code, args.join(' '));
  }
});
