// Makes the screenshots of the documentation: a real server, a real browser, every page in two sizes.
//
//   node console/screenshots.mjs            the pages shown in docs/images
//   node console/screenshots.mjs FOLDER     every page in both sizes and themes, into this folder
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGES, VIEWPORTS } from './test/pages.mjs';
import { logIn, openPage, startBrowser, startConsole } from './test/support.mjs';

const DOCUMENTED = ['/', '/voices', '/clone', '/transcribe'];

const folder = process.argv[2];
const out = folder ?? fileURLToPath(new URL('../docs/images', import.meta.url));
mkdirSync(out, { recursive: true });
const server = await startConsole();
const browser = await startBrowser();
try {
  const themes = folder === undefined ? ['light'] : ['light', 'dark'];
  const sizes = folder === undefined ? ['desktop'] : ['desktop', 'phone'];
  for (const colorScheme of themes) {
    for (const size of sizes) await shoot(size, colorScheme);
  }
} finally {
  await browser.close();
  await server.close();
}

async function shoot(size, colorScheme) {
  const { page } = await openPage(browser, { colorScheme, viewport: VIEWPORTS[size] });
  await logIn(page, server);
  for (const path of folder === undefined ? DOCUMENTED : PAGES) {
    await page.goto(server.url + path);
    await page.waitForLoadState('networkidle');
    if (path === '/') {
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await page.locator('[data-spoken]').nth(0).waitFor();
      await page.getByRole('button', { name: 'Download WAV' }).and(page.locator(':enabled')).waitFor();
    }
    const name = path === '/' ? 'playground' : path.slice(1).replaceAll('/', '-');
    const suffix = folder === undefined ? '' : `-${size}-${colorScheme}`;
    await page.screenshot({ path: join(out, `console-${name}${suffix}.png`) });
  }
}
