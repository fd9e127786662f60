import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { logIn, needsBrowser, openPage, SPOKEN, tabTo, useConsole, wordsOf } from './support.mjs';

const RECORD_MS = 12_000;

/** A chat server for any page. It streams `answer` word by word, and refuses a message that contains "fail". */
async function startChatServer(answer) {
  const requests = [];
  const server = createServer(async (request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    if (request.method === 'OPTIONS') return response.end();
    const body = await json(request);
    requests.push(body);
    if (body.messages.at(-1).content.includes('fail'))
      return response.writeHead(500).end(JSON.stringify({ error: { message: `Refused: ${answer}` } }));
    response.setHeader('content-type', 'text/event-stream');
    for (const content of answer.split(/(?<= )/)) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    }
    return response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/v1`, requests, close };
}

describe('recordings', needsBrowser, () => {
  const shared = useConsole();

  test('a voice is cloned from the microphone, by keyboard alone, and speaks', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server, '/clone');
    await tabTo(page, page.getByRole('button', { name: 'Record', exact: true }));
    await page.keyboard.press('Enter');
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
    await tabTo(page, page.getByRole('button', { name: /Stop recording/ }));
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Recordings' }).getByText('Recording 1.wav').waitFor();
    const make = page.getByRole('button', { name: 'Make the voice' });
    await tabTo(page, page.getByLabel('Name'));
    await page.keyboard.type('<b>Michael</b>');
    assert.ok(await make.isDisabled(), 'consent is needed');
    await tabTo(page, page.getByRole('checkbox'));
    await page.keyboard.press('Space');
    await tabTo(page, make);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '<b>Michael</b> is ready' }).waitFor({ timeout: 180_000 });
    await page.getByText('Used', { exact: true }).waitFor();
    await page.getByText(/First audio after/).waitFor({ timeout: 120_000 });
    const compare = page.getByRole('region', { name: 'Compare' });
    await compare.getByRole('button', { name: 'Recording 1.wav' }).click();
    await compare.getByRole('button', { name: 'Stop' }).waitFor();
    await page
      .getByRole('region', { name: 'Similarity to the recording' })
      .getByText(/\d+ ?%/)
      .waitFor();
    await page.goto(`${shared.server.url}/voices`);
    await page.getByRole('link', { name: '<b>Michael</b>' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${shared.server.url}/voices`);
    assert.deepEqual(problems, []);
  });

  test('a mix offers only voices that can be mixed', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server, '/voices');
    await page.getByRole('button', { name: 'Mix' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mix two voices' });
    await dialog.getByRole('button', { name: /^First voice/ }).click();
    await dialog.getByRole('option').first().waitFor();
    await dialog.getByLabel('Search voices').fill('af_heart');
    await dialog.getByText('No voice matches.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Name').fill('Between');
    await dialog.getByRole('button', { name: 'Mix', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Between' }).waitFor();
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
    await Promise.all([
      page.waitForEvent('dialog').then((dialog) => dialog.dismiss()),
      page.getByRole('link', { name: 'Voices' }).first().click(),
    ]);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      transcript.getByRole('button', { name: 'SRT' }).click(),
    ]);
    const captions = await readFile(await saved.path(), 'utf8');
    assert.match(captions, /^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\nA corrected line\.\n/);
    assert.deepEqual(problems, []);
  });

  test('in a conversation the server hears the microphone, repeats it, and can be interrupted', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server, '/talk');
    await page.getByLabel('Message').fill('Good morning.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('[data-who=server]', { hasText: 'Good morning.' }).waitFor();
    await page
      .getByText(/first audio after \d+ ms/)
      .first()
      .waitFor({ timeout: 60_000 });
    await page.getByTestId('latency-trace').getByText('First audio', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Speak to it' }).click();
    await page.locator('[data-who=user]').nth(1).waitFor({ timeout: 120_000 });
    // The fake microphone goes on speaking, so it interrupts an answer.
    await page.getByText('interrupted').first().waitFor();
    await page.getByRole('button', { name: 'Stop listening' }).click();
    assert.ok(wordsOf(await page.locator('[data-who=user]').nth(1).textContent()).length > 2);
    assert.deepEqual(problems, []);
  });

  test('a chat server with the API of OpenAI answers, and markup in its answers and errors stays text', async () => {
    const { page, problems } = await openPage(shared.browser);
    const chat = await startChatServer('Hello <img src=x onerror="globalThis.isInjected=true"> there.');
    try {
      await logIn(page, shared.server, '/talk');
      await page.locator('summary', { hasText: 'Chat server' }).click();
      await page.getByLabel('Address').fill(chat.url);
      await page.getByLabel('Message').fill('Who are you?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('[data-who=server]', { hasText: 'there.' }).waitFor();
      await page.getByText(/first audio after \d+ ms/).waitFor();
      assert.equal(chat.requests.at(-1).messages.at(-1).content, 'Who are you?');
      assert.deepEqual(problems, []);
      await page.getByLabel('Message').fill('Please fail.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('alert').filter({ hasText: 'onerror=' }).waitFor();
      assert.equal(await page.evaluate(() => globalThis.isInjected), undefined);
    } finally {
      await chat.close();
    }
  });
});
