import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { logIn, needsBrowser, openPage, startConsole, useConsole } from './support.mjs';

describe('the account', needsBrowser, () => {
  const shared = useConsole();
  let server;
  before(async () => {
    server = await startConsole({ env: { MYNAH_BILLING: 'prepaid' } });
  });
  after(() => server?.close());

  test('a new key is shown once and works, and a revoked one does not', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, server, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('From the console');
    await page.getByLabel('Expires').fill('2099-12-31');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = (await page.getByTestId('new-key').textContent()).trim();
    await page.getByRole('button', { name: 'Done' }).click();
    const call = () => fetch(`${server.url}/model`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await call()).status, 200);
    assert.equal(await page.getByText(key).count(), 0);
    const row = page.getByRole('row', { name: /From the console/ });
    await row.getByText('until Dec 31, 2099').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke the key From the console?' });
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    assert.equal((await call()).status, 401);
    assert.deepEqual(problems, []);
  });

  test('an account manages its own keys with the scope for it', async () => {
    const { page, problems } = await openPage(shared.browser);
    const response = await fetch(`${server.url}/v1/admin/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        account_id: 'acc_first',
        name: 'Own keys',
        scopes: ['tts', 'voices:read', 'keys:write'],
      }),
    });
    const { key } = await response.json();
    await logIn(page, { ...server, key }, '/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    assert.equal(await page.getByRole('checkbox', { name: 'admin' }).count(), 0);
    await page.getByLabel('Name').fill('Made by the account');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByTestId('new-key').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /Made by the account/ }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('the administrator verifies a model and sees the queue', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, server, '/admin/models');
    const row = page.getByRole('row', { name: /silero-vad/ });
    await row.getByRole('button', { name: 'Verify' }).click();
    await row.getByText('All files are intact').waitFor();
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByText('Queue', { exact: true }).waitFor();
    await page.goBack();
    await row.waitFor();
    assert.deepEqual(problems, []);
  });

  test('a top-up by the administrator can be spent, and the usage shows it', async () => {
    const { page, problems } = await openPage(shared.browser);
    await logIn(page, server, '/admin/accounts');
    await page
      .getByRole('row', { name: /acc_first/ })
      .getByRole('button', { name: 'Credit' })
      .click();
    await page.getByLabel('Amount in USD').fill('5');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await page.getByRole('row', { name: /acc_first.*\$5\.00/ }).waitFor();
    await page.goto(server.url);
    await page.getByLabel('Text to speak').fill('This costs a little.');
    await page
      .getByText(/\$0\.000/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    await page.getByText(/First audio after/).waitFor();
    await page.getByRole('button', { name: 'Download WAV' }).and(page.locator(':enabled')).waitFor();
    await page.goto(`${server.url}/usage`);
    await page.getByRole('row', { name: /tts/ }).first().waitFor();
    assert.deepEqual(problems, []);
  });

  test('a session that is ended elsewhere leads to the login page, which says why', async () => {
    const [first, second] = [await openPage(shared.browser), await openPage(shared.browser)];
    await logIn(first.page, server);
    await logIn(second.page, server, '/sessions');
    const other = second.page
      .getByRole('row')
      .filter({ has: second.page.getByRole('button', { name: 'End' }) });
    await other.first().waitFor();
    while ((await other.count()) > 0) {
      const before = await other.count();
      await other.first().getByRole('button', { name: 'End' }).click();
      await second.page.waitForFunction(
        (count) =>
          [...document.querySelectorAll('tbody button')].filter((b) => b.textContent === 'End').length <
          count,
        before,
      );
    }
    await first.page.evaluate(() => document.querySelector('a[href="/usage"]').click());
    await first.page.getByText('Your session has ended').waitFor();
    await second.page.getByRole('button', { name: 'Account and settings' }).first().click();
    await second.page.getByRole('menuitem', { name: 'Log out' }).click();
    await second.page.getByRole('heading', { name: 'Log in to Mynah' }).waitFor();
    await second.page.goto(server.url);
    await second.page.getByRole('heading', { name: 'Log in to Mynah' }).waitFor();
  });

  test('a page of another site cannot use the session', async () => {
    const { page } = await openPage(shared.browser);
    await logIn(page, server);
    const foreign = server.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${foreign}/docs`);
    const outcome = await page
      .evaluate(async (url) => {
        const body = new Blob(['{"name": "forged"}'], { type: 'text/plain' });
        await fetch(`${url}/v1/admin/accounts`, {
          method: 'POST',
          mode: 'no-cors',
          credentials: 'include',
          body,
        });
        return 'sent';
      }, server.url)
      .catch(() => 'blocked');
    assert.ok(['sent', 'blocked'].includes(outcome));
    const response = await fetch(`${server.url}/v1/admin/accounts`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    assert.ok(!(await response.text()).includes('forged'));
  });
});

describe('a restart of the server', needsBrowser, () => {
  const shared = useConsole();

  test('loses no text and no session', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'mynah-console-'));
    const port = String(20_000 + Math.floor(Math.random() * 10_000));
    const options = { dataFolder, env: { PORT: port } };
    let server = await startConsole(options);
    try {
      const { page } = await openPage(shared.browser);
      await logIn(page, server);
      await page.getByLabel('Text to speak').fill('Typed before the restart.');
      await server.close();
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await page.getByRole('alert').waitFor();
      server = await startConsole(options);
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await page.getByText(/First audio after/).waitFor();
      assert.equal(await page.getByLabel('Text to speak').inputValue(), 'Typed before the restart.');
      assert.equal((await readFile(join(dataFolder, 'first-key'), 'utf8')).trim(), server.key);
    } finally {
      await server.close();
      await rm(dataFolder, { recursive: true, force: true });
    }
  });
});
