import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const PREFIX = 'virtual:catalogue/';
const LOCALES = ['de', 'es', 'zh'];

/** Options for Vite. The console has no configuration file, because those need a default export. */
export function viteOptions() {
  return {
    root: ROOT,
    configFile: false,
    plugins: [react(), tailwindcss(), catalogues()],
    build: {
      target: 'es2022',
      outDir: 'dist',
      // Inlined assets would be `data:` URLs, which the content security policy forbids.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
    server: { proxy: { '/v1': 'http://127.0.0.1:8080', '/model': 'http://127.0.0.1:8080' } },
  };
}

/** Compiles the message catalogues, so that no message parser is shipped. A message is its English text. */
function catalogues() {
  return {
    name: 'mynah-catalogues',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const locale = id.slice(PREFIX.length + 1);
      const keys = Object.keys(readCatalogue(this, LOCALES[0]));
      if (locale === 'en') return englishCatalogue(keys);
      const messages = readCatalogue(this, locale);
      const missing = keys.filter((key) => !messages[key]);
      if (missing.length > 0) this.error(`The catalogue ${locale} lacks: ${missing.join(' | ')}`);
      const compiled = keys.map((key) => [key, compileMessage(messages[key])]);
      return `export const messages = ${JSON.stringify(Object.fromEntries(compiled))};`;
    },
  };
}

/** An English message is its own translation, so only those with placeholders are shipped. */
function englishCatalogue(keys) {
  const compiled = keys.filter((key) => key.includes('{')).map((key) => [key, compileMessage(key)]);
  return `const compiled = ${JSON.stringify(Object.fromEntries(compiled))};
export const messages = new Proxy(compiled, { get: (own, key) => own[key] ?? [key] });`;
}

function readCatalogue(context, locale) {
  const path = `${ROOT}src/locales/${locale}.json`;
  context.addWatchFile(path);
  return JSON.parse(readFileSync(path, 'utf8'));
}
