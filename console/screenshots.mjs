// Makes the screenshots of the documentation: a real server, a real browser, every page in two sizes.
//
//   node console/screenshots.mjs            the pages shown in docs/images
//   node console/screenshots.mjs FOLDER     every page in both sizes and themes, into this folder; with `light` or
//                                           `dark` after it, in one theme
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGES, VIEWPORTS } from './test/pages.mjs';
import { logIn, openPage, startBrowser, startConsole } from './test/support.mjs';

const DOCUMENTED = ['/', '/voices', '/clone', '/transcribe', '/talk', '/admin/health'];
const SPOKEN = 'Good morning. The first train leaves at seven, and the museum opens at nine.';

/** What is done on a page before it is drawn. */
const PREPARATIONS = {
  async '/'(page) {
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    await page.locator('[data-spoken]').nth(0).waitFor();
    await page.getByRole('button', { name: 'Download WAV' }).and(page.locator(':enabled')).waitFor();
  },
  async '/transcribe'(page, { recording }) {
    const file = { name: 'train.wav', mimeType: 'audio/wav', buffer: recording };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Transcribe' }).click();
    await page.getByTestId('transcript').waitFor();
  },
  async '/talk'(page) {
    await page.getByLabel('Message').fill('Is the museum open today?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('End of speech to first audio').waitFor();
  },
};

const [folder, theme] = process.argv.slice(2);
const out = folder ?? fileURLToPath(new URL('../docs/images', import.meta.url));
mkdirSync(out, { recursive: true });
const server = await startConsole();
const browser = await startBrowser();
try {
  const content = await createContent();
  const pages = folder === undefined ? DOCUMENTED : [...PAGES, '/voices/af_heart', content.dictionaryPath];
  const themes = folder === undefined ? ['light'] : theme === undefined ? ['light', 'dark'] : [theme];
  const sizes = folder === undefined ? ['desktop'] : ['desktop', 'phone'];
  for (const colorScheme of themes) {
    for (const size of sizes) await shoot({ size, colorScheme, pages, content });
  }
} finally {
  await browser.close();
  await server.close();
}

/** Gives the pages something to show. */
async function createContent() {
  const call = async (path, body) => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  await call('/v1/admin/accounts', { name: 'Studio North' });
  const { id } = await (await call('/v1/pronunciation-dictionaries', { name: 'Names' })).json();
  await call(`/v1/pronunciation-dictionaries/${id}/versions`, {
    rules: [
      { key: 'Nguyen', value: '/wɪn/' },
      { key: 'Worcester', value: '/wˈʊstɚ/' },
    ],
  });
  const speech = await call('/v1/tts', { text: SPOKEN, format: 'wav' });
  return {
    recording: Buffer.from(await speech.arrayBuffer()),
    dictionaryPath: `/dictionaries/${id}`,
  };
}

async function shoot({ size, colorScheme, pages, content }) {
  const { page } = await openPage(browser, { colorScheme, viewport: VIEWPORTS[size] });
  const suffix = folder === undefined ? '' : `-${size}-${colorScheme}`;
  if (folder !== undefined) {
    await page.goto(`${server.url}/login`);
    await page.getByLabel('API key').waitFor();
    await page.screenshot({ path: join(out, `console-login${suffix}.png`) });
  }
  await logIn(page, server);
  for (const path of pages) {
    await page.goto(server.url + path);
    await page.waitForLoadState('networkidle');
    await PREPARATIONS[path]?.(page, content);
    await page.screenshot({ path: join(out, `console-${nameOf(path, content)}${suffix}.png`) });
  }
}

function nameOf(path, { dictionaryPath }) {
  if (path === '/') return 'playground';
  return path === dictionaryPath ? 'dictionary' : path.slice(1).replaceAll('/', '-');
}
