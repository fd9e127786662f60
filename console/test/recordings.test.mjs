import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { logIn, needsBrowser, openPage, SPOKEN, useConsole, wordsOf } from './support.mjs';

const RECORD_MS = 12_000;

describe('recordings', needsBrowser, () => {
  const shared = useConsole();

  test('a voice is cloned from the microphone and speaks', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server, '/clone');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    // The clock of the page decides, because the fake microphone plays in real time.
    await page.waitForFunction(
      (ms) => {
        const text = [...document.querySelectorAll('button')].find((b) =>
          /Stop recording/.test(b.textContent),
        );
        const [, minutes, seconds] = /(\d+):(\d+\.\d)/.exec(text?.textContent ?? '') ?? [];
        return Number(minutes) * 60 + Number(seconds) >= ms / 1000;
      },
      RECORD_MS,
      { timeout: 240_000 },
    );
    await page.getByRole('button', { name: /Stop recording/ }).click();
    await page.getByRole('list', { name: 'Recordings' }).getByText('Recording 1.wav').waitFor();
    const make = page.getByRole('button', { name: 'Make the voice' });
    await page.getByLabel('Name').fill('<b>Michael</b>');
    assert.ok(await make.isDisabled(), 'consent is needed');
    await page.getByRole('checkbox').check();
    await make.click();
    await page.getByRole('heading', { name: '<b>Michael</b> is ready' }).waitFor({ timeout: 180_000 });
    await page.getByText('Used', { exact: true }).waitFor();
    await page.getByText(/First audio after/).waitFor({ timeout: 120_000 });
    await page.goto(`${shared.server.url}/voices`);
    await page.getByRole('link', { name: '<b>Michael</b>' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${shared.server.url}/voices`);
    assert.deepEqual(problems, []);
  });

  test('a recording is transcribed, corrected and exported as captions', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server, '/transcribe');
    await page.locator('input[type=file]').setInputFiles({
      name: '<img src=x onerror=alert(1)>.wav',
      mimeType: 'audio/wav',
      buffer: await readFile(shared.microphone),
    });
    await page.getByRole('button', { name: 'Transcribe' }).click();
    const transcript = page.getByTestId('transcript');
    await transcript.waitFor({ timeout: 180_000 });
    const heard = wordsOf(await transcript.textContent());
    const missing = wordsOf(SPOKEN).filter((word) => !heard.includes(word));
    assert.ok(missing.length <= 6, `not heard: ${missing.join(' ')}`);
    await transcript.getByRole('button', { name: 'Edit' }).click();
    await transcript.getByRole('textbox').first().fill('A corrected line.');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      transcript.getByRole('button', { name: 'SRT' }).click(),
    ]);
    const captions = await readFile(await saved.path(), 'utf8');
    assert.match(captions, /^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\nA corrected line\.\n/);
    assert.deepEqual(problems, []);
  });

  test('in a conversation the server hears the microphone and repeats it', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, shared.server, '/talk');
    await page.getByLabel('Message').fill('Good morning.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('[data-who=server]', { hasText: 'Good morning.' }).waitFor();
    await page
      .getByText(/first audio after \d+ ms/)
      .first()
      .waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Speak to it' }).click();
    await page.locator('[data-who=user]').nth(1).waitFor({ timeout: 120_000 });
    await page.getByRole('button', { name: 'Stop listening' }).click();
    assert.ok(wordsOf(await page.locator('[data-who=user]').nth(1).textContent()).length > 2);
  });
});
