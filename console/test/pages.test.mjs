import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PAGES, VIEWPORTS } from './pages.mjs';
import { findViolations, logIn, needsBrowser, openPage, startBrowser, startConsole } from './support.mjs';

const HEADINGS = { de: 'Spielplatz', es: 'Área de pruebas', zh: '试用' };

describe('every page', needsBrowser, () => {
  let server;
  let browser;
  before(async () => {
    server = await startConsole();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  for (const colorScheme of ['light', 'dark']) {
    for (const [name, viewport] of Object.entries(VIEWPORTS)) {
      test(`has no accessibility violation, overflow or error: ${colorScheme}, ${name}`, async () => {
        const { page, problems } = await openPage(browser, { colorScheme, viewport });
        await page.goto(`${server.url}/login`);
        await page.getByLabel('API key').waitFor();
        assert.deepEqual(await findViolations(page), [], 'the login page');
        await logIn(page, server);
        for (const path of PAGES) {
          await page.goto(server.url + path);
          await page.waitForLoadState('networkidle');
          await page.getByRole('heading', { level: 1 }).waitFor();
          assert.deepEqual(await findViolations(page), [], path);
          const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(excess <= 0, `${path} is ${excess} pixels too wide`);
        }
        assert.deepEqual(problems, []);
      });
    }
  }

  for (const [locale, heading] of Object.entries(HEADINGS)) {
    test(`speaks the language of the browser: ${locale}`, async () => {
      const { page, problems } = await openPage(browser, { locale });
      await page.addInitScript((key) => localStorage.setItem('mynah.test', key), server.key);
      await page.goto(`${server.url}/login`);
      await page.locator('input[type=password]').fill(server.key);
      await page.locator('button[type=submit]').click();
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      assert.equal(await page.locator('html').getAttribute('lang'), locale);
      assert.deepEqual(problems, []);
    });
  }

  test('the shell has at most 180 kB of JavaScript', async () => {
    const { page } = await openPage(browser);
    let bytes = 0;
    page.on('response', async (response) => {
      if (!response.url().endsWith('.js')) return;
      const { responseBodySize } = await response.request().sizes();
      bytes += responseBodySize;
    });
    await logIn(page, server);
    await page.waitForLoadState('networkidle');
    assert.ok(bytes > 50_000 && bytes < 180_000, `${bytes} bytes`);
  });
});
