import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  capturePlayback,
  holdRequests,
  logIn,
  needsBrowser,
  openPage,
  tabTo,
  toWav,
  transcribe,
  useConsole,
  wordsOf,
} from './support.mjs';

const TEXT = 'The weather is lovely today. We should walk along the river before lunch.';
/** Long enough to be seen while it plays, on a slow machine too. */
const TYPED =
  'Only keys were pressed here, from the first letter to the last one, and nothing else was used.';
const SAMPLE_RATE_HZ = 24_000;
/** Programs in this folder find the TypeScript library by its name. */
const MODULES = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const RUNNERS = {
  curl: (code, options) => run('sh', ['-c', code], options),
  TypeScript: (code, options) => run(process.execPath, ['--input-type=module', '--eval', code], options),
  Python: (code, options) => run('python3', ['-c', code], options),
};

describe('the playground', needsBrowser, () => {
  const shared = useConsole();

  test('the printed link logs in once, and what is spoken is what was written', async () => {
    const { page, problems } = await openPage(shared.browser);
    await page.addInitScript(capturePlayback);
    await page.goto(shared.server.loginLink);
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    assert.ok(!page.url().includes('link='), 'the token stays in no address');
    await page.getByLabel('Text to speak').fill(TEXT);
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    await page.getByText(/First audio after/).waitFor();
    await page.getByRole('button', { name: 'Download WAV' }).and(page.locator(':enabled')).waitFor();
    const played = await page.evaluate(() => globalThis.played);
    const heard = wordsOf(await transcribe(shared.server, toWav(played, SAMPLE_RATE_HZ)));
    const missing = wordsOf(TEXT).filter((word) => !heard.includes(word));
    assert.ok(missing.length <= 2, `not heard: ${missing.join(' ')}; heard: ${heard.join(' ')}`);
    assert.deepEqual(problems, []);

    const { page: second } = await openPage(shared.browser);
    await second.goto(shared.server.loginLink);
    await second.getByRole('alert').waitFor();
    assert.match(second.url(), /\/login$/);
  });

  test('words are highlighted in order at their times, and a click on a word plays from there', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, shared.server);
    await page.getByLabel('Text to speak').fill(TEXT);
    await page.keyboard.press('Control+Enter');
    const take = page.getByTestId('take');
    await take.waitFor();
    const seen = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const list = [];
          const watch = () => {
            const word = document.querySelector('[data-testid=take] [data-spoken]');
            const position = Number(document.querySelector('[data-testid=take] [role=slider]')?.ariaValueNow);
            if (word && word.textContent !== list.at(-1)?.text)
              list.push({ text: word.textContent, start: Number(word.dataset.start), position });
            const isOver = list.length > 0 && document.querySelector('[data-testid=take] [aria-label=Play]');
            if (isOver) resolve(list);
            else requestAnimationFrame(watch);
          };
          watch();
        }),
    );
    assert.ok(seen.length >= wordsOf(TEXT).length / 2, `${seen.length} words were highlighted`);
    const starts = seen.map(({ start }) => start);
    assert.deepEqual(
      starts,
      [...starts].sort((a, b) => a - b),
    );
    for (const { text, start, position } of seen) {
      assert.ok(position >= start - 0.15, `${text} starts at ${start} and was highlighted at ${position}`);
    }
    const word = take.getByRole('button', { name: 'river', exact: true });
    const start = Number(await word.getAttribute('data-start'));
    await word.click();
    const slider = take.getByRole('slider', { name: 'Position' });
    await page.waitForFunction(
      ({ start }) => {
        const value = Number(document.querySelector('[data-testid=take] [role=slider]')?.ariaValueNow);
        return value >= start - 0.1;
      },
      { start },
    );
    assert.ok(Number(await slider.getAttribute('aria-valuenow')) >= start - 0.1);
  });

  test('it works by keyboard alone, keeps the draft, and replays from the history after a reload', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server);
    await tabTo(page, page.getByLabel('Text to speak'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(TYPED);
    await tabTo(page, page.getByRole('button', { name: 'Speak', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText(/First audio after/).waitFor();
    await page.getByRole('button', { name: 'Download WAV' }).and(page.locator(':enabled')).waitFor();
    await tabTo(page, page.getByTestId('take').getByRole('slider', { name: 'Position' }));
    await page.keyboard.press('Home');
    await tabTo(page, page.getByTestId('take').getByRole('button', { name: 'keys', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByTestId('take').getByRole('button', { name: 'Pause' }).waitFor();
    const entry = page.getByRole('listitem').filter({ hasText: 'Only keys were pressed' });
    const openHistory = async () => {
      await tabTo(page, page.getByRole('tab', { name: 'Cues' }));
      // The focus moves shortly after the key.
      for (const name of ['SSML', 'History']) {
        await page.keyboard.press('ArrowRight');
        await page.getByRole('tab', { name, selected: true }).waitFor();
      }
      await entry.waitFor();
    };
    // The browser stores a take after it is complete.
    await openHistory();
    await page.reload();
    assert.equal(await page.getByLabel('Text to speak').inputValue(), TYPED);
    await openHistory();
    await tabTo(page, entry.getByRole('button', { name: /Only keys were pressed/ }));
    await page.keyboard.press('Enter');
    await page.getByTestId('take').getByRole('button', { name: 'Pause' }).waitFor();
    await tabTo(page, entry.getByRole('button', { name: 'Delete' }));
    await page.keyboard.press('Enter');
    await entry.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await entry.waitFor();
    assert.deepEqual(problems, []);
  });

  test('a voice is chosen by typing part of its name before the voices are loaded, and a cue is inserted', async () => {
    const { page } = await openPage(shared.browser);
    const voices = await holdRequests(page, /\/model\b/);
    await logIn(page, shared.server);
    await page.getByRole('button', { name: /^Voice / }).click();
    await page.getByLabel('Search voices').fill('emma');
    await page.keyboard.press('Enter');
    voices.release();
    await page.getByRole('button', { name: /^Voice Emma/ }).waitFor();
    await page.getByLabel('Text to speak').fill('');
    await page.getByRole('button', { name: 'whispering', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Tones' }).click();
    await page.getByRole('button', { name: 'whispering', exact: true }).click();
    assert.equal(await page.getByLabel('Text to speak').inputValue(), '(whispering) ');
  });

  test('the code samples run as they are copied', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, shared.server);
    await page.getByLabel('Text to speak').fill('It\'s 5 o\'clock; "quoted", $HOME.');
    await page.getByRole('tab', { name: 'Code' }).click();
    const folder = await mkdtemp(join(MODULES, '.code-samples-'));
    try {
      for (const [name, run] of Object.entries(RUNNERS)) {
        await page.getByRole('tab', { name, exact: true }).click();
        const code = await page.getByRole('region', { name, exact: true }).locator('pre').textContent();
        await run(code, { cwd: folder, env: { ...process.env, MYNAH_API_KEY: shared.server.key } });
        const file = join(folder, 'speech.mp3');
        assert.ok((await stat(file)).size > 1000, name);
        await rm(file);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    assert.deepEqual(problems, []);
  });

  test('markup in a text and in an error message stays text', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, shared.server);
    const speak = page.getByRole('button', { name: 'Speak', exact: true });
    await page.getByLabel('Text to speak').fill('<speak>Hello <audio src="x">there</audio></speak>');
    await speak.click();
    const alert = page.getByRole('alert').filter({ hasText: '<audio>' });
    await alert.waitFor();
    assert.equal(await alert.locator('audio').count(), 0);
    await page
      .getByLabel('Text to speak')
      .fill('Hello <img src=x onerror="globalThis.isInjected=true"> there');
    await speak.click();
    await alert.waitFor({ state: 'detached' });
    await page.getByTestId('take').waitFor();
    assert.equal(await page.evaluate(() => globalThis.isInjected), undefined);
    assert.equal(await page.locator('[data-testid=take] img').count(), 0);
  });
});
