// Renders /openapi.json. Text from the document is only ever set as text, never as markup.

const contract = await fetch('/openapi.json').then((response) => response.json());
const keyField = document.getElementById('key');
keyField.value = sessionStorage.getItem('key') ?? '';
keyField.addEventListener('input', () => sessionStorage.setItem('key', keyField.value.trim()));

/** Builds an element: `element('p', { class: 'soft' }, 'text', child)`. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith('on')) made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Text in which `code` between backticks is shown as code. */
function prose(text = '') {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

function resolve(schema) {
  const name = schema?.$ref?.split('/').pop();
  return name ? contract.components.schemas[name] : (schema ?? {});
}

/** One line for a type: `string or null`, `array of ModelEntity`, `mp3 | wav`. */
function typeText(schema = {}) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.enum) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeText).join(' or ');
  if (schema.type === 'array') return `array of ${typeText(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

function rangeText(schema = {}) {
  const { minimum, maximum } = (schema.anyOf ?? [schema]).find((option) => option.type !== 'null') ?? {};
  const isUnlimited = maximum === undefined || Math.abs(maximum) >= Number.MAX_SAFE_INTEGER;
  return minimum === undefined || isUnlimited ? '' : `, ${minimum} to ${maximum}`;
}

function fieldTable(fields) {
  const rows = fields.map(({ name, schema, isRequired, description }) =>
    element(
      'tr',
      {},
      element(
        'td',
        {},
        element('code', {}, name),
        isRequired ? element('div', { class: 'required' }, 'required') : '',
      ),
      element('td', {}, typeText(schema) + rangeText(schema)),
      element(
        'td',
        {},
        schema.default === undefined ? '' : element('code', {}, JSON.stringify(schema.default)),
      ),
      element('td', {}, ...prose(description ?? schema.description)),
    ),
  );
  const head = ['Name', 'Type', 'Default', 'Meaning'].map((title) => element('th', {}, title));
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  );
}

function schemaFields(schema) {
  const { properties = {}, required = [] } = resolve(schema);
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }));
}

const SAMPLES = {
  createSpeech: {
    body: { text: 'Hello! This is Mynah.', reference_id: 'af_heart', format: 'mp3' },
    output: 'hello.mp3',
  },
};

function curlText(operation) {
  const { method, path, isOpen, sample } = operation;
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${location.origin}${path}`,
    ...(isOpen ? [] : ["-H 'Authorization: Bearer YOUR_KEY'"]),
    ...(sample ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(sample.body)}'`] : []),
    ...(sample?.output ? [`--output ${sample.output}`] : []),
  ].join(' \\\n  ');
}

async function showAnswer(response, target) {
  const type = response.headers.get('content-type') ?? '';
  const status = element(
    'p',
    {},
    `${response.status} · ${type} · trace ${response.headers.get('x-fish-trace-id')}`,
  );
  if (type.startsWith('audio/')) {
    const audio = URL.createObjectURL(await response.blob());
    target.replaceChildren(status, element('audio', { controls: '', src: audio }));
    return;
  }
  const text = await response.text();
  const shown = type.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text;
  target.replaceChildren(status, element('pre', {}, shown.slice(0, 20_000)));
}

/** A small form that calls the operation from this page. */
function tryIt({ method, path, isOpen, sample, parameters }) {
  const answer = element('div', { 'aria-live': 'polite' });
  const inputs = parameters.map(({ name, in: place }) => ({
    name,
    place,
    input: element('input', { 'aria-label': name }),
  }));
  const body = sample && element('textarea', { 'aria-label': 'Body', spellcheck: 'false' });
  if (body) body.value = JSON.stringify(sample.body, null, 2);

  async function send(event) {
    event.preventDefault();
    const given = inputs
      .filter(({ input }) => input.value !== '')
      .map((each) => ({ ...each, value: each.input.value }));
    const filled = given
      .filter(({ place }) => place === 'path')
      .reduce((url, { name, value }) => url.replace(`{${name}}`, encodeURIComponent(value)), path);
    const query = given.filter(({ place }) => place === 'query').map(({ name, value }) => [name, value]);
    const headers = given.filter(({ place }) => place === 'header').map(({ name, value }) => [name, value]);
    if (!isOpen) headers.push(['authorization', `Bearer ${keyField.value.trim()}`]);
    if (body) headers.push(['content-type', 'application/json']);
    answer.replaceChildren('Waiting…');
    try {
      const url = query.length > 0 ? `${filled}?${new URLSearchParams(query)}` : filled;
      await showAnswer(await fetch(url, { method, headers, body: body?.value }), answer);
    } catch (error) {
      answer.replaceChildren(`The request failed: ${error.message}`);
    }
  }

  const labelled = inputs.map(({ name, input }) => element('label', {}, element('small', {}, name), input));
  return element(
    'details',
    {},
    element('summary', {}, 'Try it'),
    element('form', { onsubmit: send }, ...labelled, body, element('button', {}, 'Send'), answer),
  );
}

function answerTable(responses) {
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
  return element('table', {}, element('tbody', {}, ...rows));
}

function operationArticle(operation) {
  const { id, method, path, details, parameters } = operation;
  const { summary, description, requestBody, responses } = details;
  const bodySchema = Object.values(requestBody?.content ?? {})[0]?.schema;
  const named = parameters.map(({ name, schema, required, description: text }) => ({
    name,
    schema,
    isRequired: required,
    description: text ?? schema.description,
  }));
  return element(
    'article',
    { id },
    element('h2', {}, summary ?? id),
    element(
      'p',
      {},
      element('span', { class: 'verb' }, method.toUpperCase()),
      element('span', { class: 'path' }, path),
    ),
    element('p', {}, ...prose(description)),
    ...(named.length > 0 ? [element('h3', {}, 'Parameters'), fieldTable(named)] : []),
    ...(bodySchema
      ? [
          element('h3', {}, 'Body'),
          element('p', { class: 'soft' }, Object.keys(requestBody.content).join(' or ')),
          fieldTable(schemaFields(bodySchema)),
        ]
      : []),
    element('h3', {}, 'Answers'),
    answerTable(responses),
    element('h3', {}, 'Example'),
    element('pre', {}, curlText(operation)),
    tryIt(operation),
  );
}

const operations = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, details]) => ({
    id: details.operationId,
    method,
    path,
    details,
    parameters: details.parameters ?? [],
    isOpen: details.security?.length === 0,
    sample: SAMPLES[details.operationId],
  })),
);

document.getElementById('title').textContent = `${contract.info.title} ${contract.info.version}`;
document
  .getElementById('about')
  .replaceChildren(contract.info.description, ' ', element('a', { href: '/openapi.json' }, 'openapi.json'));
document
  .getElementById('nav')
  .replaceChildren(
    ...contract.tags.flatMap(({ name }) => [
      element('h2', {}, name),
      ...operations
        .filter(({ details }) => details.tags?.includes(name))
        .map(({ id, details }) => element('a', { href: `#${id}` }, details.summary ?? id)),
    ]),
    element('h2', {}, 'schemas'),
    ...Object.keys(contract.components.schemas).map((name) =>
      element('a', { href: `#schema-${name}` }, name),
    ),
  );
document.getElementById('operations').replaceChildren(...operations.map(operationArticle));
document
  .getElementById('schemas')
  .replaceChildren(
    ...Object.entries(contract.components.schemas).map(([name, schema]) =>
      element(
        'div',
        { class: 'schema', id: `schema-${name}` },
        element('h2', {}, name),
        element('p', {}, ...prose(schema.description)),
        fieldTable(schemaFields(schema)),
      ),
    ),
  );
