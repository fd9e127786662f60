// Turns the table of layers (scripts/layers.mjs) into rules of dependency-cruiser: what the table does not allow is an error.
import { COMMON_PACKAGES, LAYERS } from './scripts/layers.mjs';

const SOURCE = 'server/src';
const TESTS = '\\.(test|engine-test)\\.ts$';

const escapePattern = (text) => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
const layerPath = (name) =>
  name.endsWith('.ts') ? `^${SOURCE}/${escapePattern(name)}$` : `^${SOURCE}/${name}/`;
const packagePath = (name) => `node_modules/${escapePattern(name).replaceAll('*', '[^/]+')}(/|$)`;

const layerRules = LAYERS.map(({ name, mayImport }) => ({
  name: `layer: ${name}`,
  severity: 'error',
  comment: 'The table in scripts/layers.mjs does not allow this import.',
  from: { path: layerPath(name), pathNot: TESTS },
  to: { path: `^${SOURCE}/`, pathNot: [name, ...mayImport].map(layerPath) },
}));

const packageRules = LAYERS.map(({ name, packages = [] }) => ({
  name: `packages: ${name}`,
  severity: 'error',
  comment: 'The package belongs to another layer, or to none yet: name it in scripts/layers.mjs.',
  from: { path: layerPath(name), pathNot: TESTS },
  to: { path: 'node_modules/', pathNot: [...packages, ...COMMON_PACKAGES, '@types/*'].map(packagePath) },
}));

const config = {
  forbidden: [
    ...layerRules,
    ...packageRules,
    {
      name: 'every file is in a layer',
      severity: 'error',
      comment: 'Add the folder to scripts/layers.mjs.',
      from: { path: `^${SOURCE}/`, pathNot: LAYERS.map(({ name }) => layerPath(name)) },
      to: {},
    },
    {
      name: 'no test code in the server',
      severity: 'error',
      from: { path: `^${SOURCE}/`, pathNot: TESTS },
      to: { path: ['^server/(test|bench|fuzz)/', TESTS] },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no cycles between folders',
      scope: 'folder',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^server/(test|bench|fuzz)/'] },
    exclude: { path: ['/dist/', TESTS] },
  },
};

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads the default export
export default config;
