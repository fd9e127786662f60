import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAGES, VIEWPORTS } from './pages.mjs';
import {
  COLOUR_RULES,
  findViolations,
  holdRequests,
  logIn,
  needsBrowser,
  openPage,
  useConsole,
} from './support.mjs';

const HEADINGS = { de: 'Spielplatz', es: 'Área de pruebas', zh: '试用' };

/** Resolves when the page is drawn with its new size and colours, and no transition runs. Runs in the page. */
async function untilDrawn() {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await nextFrame();
  await nextFrame();
  const finite = document
    .getAnimations()
    .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
  await Promise.all(finite.map(({ finished }) => finished.catch(() => {})));
}

/** Number of pixels by which the page is wider than the window when its text runs in this direction. Runs in the page. */
function measureExcessWidth(direction) {
  document.documentElement.dir = direction;
  return document.documentElement.scrollWidth - innerWidth;
}

describe('every page', needsBrowser, () => {
  const shared = useConsole();

  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    test(`has no accessibility violation, overflow or error, light, dark and right to left: ${name}`, async () => {
      const { page, problems } = await openPage(shared.browser, { viewport, reducedMotion: 'reduce' });
      const check = async (path) => {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.evaluate(untilDrawn);
        assert.deepEqual(await findViolations(page), [], path);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.evaluate(untilDrawn);
        assert.deepEqual(await findViolations(page, COLOUR_RULES), [], `${path}, dark`);
        for (const direction of ['ltr', 'rtl']) {
          const excess = await page.evaluate(measureExcessWidth, direction);
          assert.ok(excess <= 0, `${path}, ${direction} is ${excess} pixels too wide`);
        }
      };
      await page.goto(`${shared.server.url}/login`);
      await page.getByLabel('API key').waitFor();
      await check('/login');
      await logIn(page, shared.server);
      for (const path of PAGES) {
        await page.goto(shared.server.url + path);
        await page.waitForLoadState('networkidle');
        await page.getByRole('heading', { level: 1 }).waitFor();
        await check(path);
      }
      assert.deepEqual(problems, []);
    });
  }

  for (const [locale, heading] of Object.entries(HEADINGS)) {
    test(`speaks the language of the browser: ${locale}`, async () => {
      const { page, problems } = await openPage(shared.browser, { locale });
      await page.goto(`${shared.server.url}/login`);
      await page.locator('input[type=password]').fill(shared.server.key);
      await page.locator('button[type=submit]').click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      assert.equal(await page.locator('html').getAttribute('lang'), locale);
      assert.deepEqual(problems, []);
    });
  }

  test('a page without a voice and a wrong address say so, and markup in the message stays text', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, shared.server);
    const markup = '<img src=x onerror=globalThis.isInjected=true>';
    await page.goto(`${shared.server.url}/voices/${encodeURIComponent(markup)}`);
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.equal(await page.evaluate(() => globalThis.isInjected), undefined);
    await page.goto(`${shared.server.url}/admin/nowhere`);
    await page.getByText('This page does not exist').waitFor();
    await page.goto(`${shared.server.url}/nowhere/at/all`);
    await page.getByRole('heading', { level: 1, name: 'This page does not exist' }).waitFor();
    assert.deepEqual(await findViolations(page), []);
  });

  test('the first paint does not wait for the API', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, shared.server);
    const requests = await holdRequests(page, /\/(v1|model)\b/);
    await page.goto(shared.server.url);
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByLabel('Text to speak').fill('Typed before any response.');
    assert.ok(requests.count > 0, 'requests are held');
    requests.release();
    await page.getByRole('button', { name: /^Voice \w/ }).waitFor();
    assert.equal(await page.getByLabel('Text to speak').inputValue(), 'Typed before any response.');
  });
});
