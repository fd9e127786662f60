// The API reference: renders /openapi.json, then the WebSockets and the routes of other services.

import { element, prose, section } from './dom.js';
import { exampleOf, fieldTable, schemaFields, typeText } from './schema.js';
import { httpForm } from './try-http.js';
import { socketForm } from './try-socket.js';

/** Tags of the routes that are not in the OpenAPI document. */
const OTHER_TAGS = [
  { name: 'live', description: 'WebSockets' },
  { name: 'openai', description: 'For clients of OpenAI' },
  { name: 'elevenlabs', description: 'For clients of ElevenLabs' },
];

const [contract, otherRoutes] = await Promise.all(
  ['/openapi.json', '/docs/other-routes.json'].map((url) => fetch(url).then((response) => response.json())),
);
const { schemas } = contract.components;
const keyField = document.getElementById('key');
keyField.value = sessionStorage.getItem('key') ?? '';
keyField.addEventListener('input', () => sessionStorage.setItem('key', keyField.value.trim()));
const readKey = () => keyField.value.trim();

const FORM_TYPES = ['multipart/form-data', 'application/json'];

function toOperation(path, method, details) {
  const content = details.requestBody?.content ?? {};
  const type = Object.keys(content).find((name) => content[name].example) ?? Object.keys(content)[0];
  const success = Object.entries(details.responses).find(([status]) => status.startsWith('2'))?.[1];
  const fields = schemaFields(content[type]?.schema, schemas);
  return {
    ...details,
    id: details.operationId,
    tag: details.tags[0],
    method,
    path,
    parameters: details.parameters ?? [],
    isOpen: details.security?.length === 0,
    isAudio: Object.keys(success?.content ?? {}).some((name) => name.startsWith('audio/')),
    bodyTypes: Object.keys(content),
    bodyFields: fields,
    example: content[type] && (content[type].example ?? exampleOf(content[type].schema, schemas)),
    formFields: FORM_TYPES.includes(type) ? fields.map(({ name }) => name) : [],
  };
}

function toOtherOperation(route) {
  const fields = route.bodySchema ? schemaFields(route.bodySchema, route.bodySchema.$defs) : [];
  return {
    ...route,
    id: `${route.method}${route.path.replaceAll(/[^a-z0-9]+/gi, '-')}`,
    bodyTypes: route.bodySchema
      ? [route.body?.file || route.body?.files ? FORM_TYPES[0] : FORM_TYPES[1]]
      : [],
    // Recordings arrive in the field of the form that the example names.
    bodyFields: fields.filter(({ name }) => name !== 'audio' || route.body?.file === undefined),
    example: route.body,
    formFields: [],
    isAudio:
      route.tag !== 'live' && /(speech|stream|dialogue|\{voice_id\})$/.test(route.path) && !!route.body,
  };
}

const operations = [
  ...Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, details]) => toOperation(path, method, details)),
  ),
  ...otherRoutes.map(toOtherOperation),
];
const tags = [...contract.tags, ...OTHER_TAGS];

function responseTable(responses = {}) {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(([type, { schema }]) => `${type}: ${typeText(schema)}`);
    const lines = (description ?? '').split('\n\n').map((line) => element('div', {}, ...prose(line)));
    return element(
      'tr',
      {},
      element('td', {}, element('code', {}, status)),
      element('td', {}, ...lines, element('small', {}, types.join(' · '))),
    );
  });
  return rows.length > 0 ? element('table', {}, element('tbody', {}, ...rows)) : undefined;
}

function operationArticle(operation) {
  const { id, method, path, summary, description, parameters, bodyTypes, bodyFields, responses } = operation;
  const named = parameters.map(({ name, schema, required, in: place, description: text }) => ({
    name: `${name}`,
    schema,
    isRequired: required,
    description: [text ?? schema.description, `In the ${place}.`].filter(Boolean).join(' '),
  }));
  const types = bodyTypes.length > 0 ? element('p', { class: 'soft' }, bodyTypes.join(' or ')) : undefined;
  return element(
    'article',
    { id },
    element('h2', {}, summary),
    element(
      'p',
      { class: 'address' },
      element('span', { class: `verb ${method}` }, method.toUpperCase()),
      element('span', { class: 'path' }, path),
    ),
    description ? element('p', {}, ...prose(description)) : undefined,
    section('Try it', operation.socket ? socketForm(operation, readKey) : httpForm(operation, readKey)),
    section('Parameters', fieldTable(named)),
    types && section('Body', types, fieldTable(bodyFields)),
    section('Responses', responseTable(responses)),
  );
}

function schemaArticle([name, schema]) {
  return element(
    'article',
    { class: 'schema', id: `schema-${name}` },
    element('h2', {}, name),
    element('p', {}, ...prose(schema.description)),
    fieldTable(schemaFields(schema, schemas)),
  );
}

function navigation() {
  const link = (id, text) => element('a', { href: `#${id}`, 'data-target': id }, text);
  const groups = tags.map(({ name, description }) =>
    element(
      'div',
      { class: 'group' },
      element('h2', {}, description),
      ...operations.filter(({ tag }) => tag === name).map(({ id, summary }) => link(id, summary)),
    ),
  );
  const names = Object.keys(schemas).map((name) => link(`schema-${name}`, name));
  return [...groups, element('div', { class: 'group' }, element('h2', {}, 'Schemas'), ...names)];
}

/** Hides what does not contain all words of the search. */
function addSearch() {
  const input = document.getElementById('search');
  const texts = new Map(
    operations.map(({ id, ...about }) => [
      id,
      [id, about.summary, about.description, about.path, about.method, ...about.bodyFields.map((f) => f.name)]
        .join(' ')
        .toLowerCase(),
    ]),
  );
  for (const name of Object.keys(schemas)) texts.set(`schema-${name}`, name.toLowerCase());
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [id, text] of texts) {
      const isHidden = !words.every((word) => text.includes(word));
      document.getElementById(id).hidden = isHidden;
      document.querySelector(`[data-target="${id}"]`).hidden = isHidden;
    }
    for (const group of document.querySelectorAll('.group'))
      group.hidden = !group.querySelector('a:not([hidden])');
    if (words.length > 0) document.getElementById('menu').open = true;
  });
}

document.getElementById('title').textContent = `${contract.info.title} ${contract.info.version}`;
document
  .getElementById('about')
  .replaceChildren(contract.info.description, ' ', element('a', { href: '/openapi.json' }, 'openapi.json'));
document.getElementById('nav').replaceChildren(...navigation());
document
  .getElementById('operations')
  .replaceChildren(
    ...tags.flatMap(({ name, description }) => [
      element('h1', { class: 'tag' }, description),
      ...operations.filter(({ tag }) => tag === name).map(operationArticle),
    ]),
  );
document.getElementById('schemas').replaceChildren(...Object.entries(schemas).map(schemaArticle));
addSearch();
const menu = document.getElementById('menu');
const isNarrow = matchMedia('(max-width: 48rem)');
menu.open = !isNarrow.matches;
document.getElementById('nav').addEventListener('click', ({ target }) => {
  if (isNarrow.matches && target.matches('a')) menu.open = false;
});
if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
document.body.dataset.ready = 'true';
