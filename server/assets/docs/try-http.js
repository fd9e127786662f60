// The form of an HTTP operation: fields for parameters and body, the command that it makes, the response.

import { codeBlock, element } from './dom.js';
import { addIdField, learnIds } from './known-ids.js';
import { lexiconField, pictureField, recordingField } from './recording.js';
import { describeRequest, send, toCurl } from './request.js';
import { showResponse } from './response.js';

const isFile = (value) => typeof value === 'string' && value.startsWith('@');

/** The form with its command. `readKey` returns the API key of the page. */
export function httpForm(operation, readKey) {
  const parameters = parameterFields(operation);
  const body = bodyFields(operation, readKey);
  const response = element('div', { 'aria-live': 'polite', class: 'response' });
  const { code, block } = codeBlock('');
  const describe = (isShown) =>
    describeRequest(operation, { parameters: parameters.values(), body: body?.value(isShown) });
  const refresh = () => {
    code.textContent = toCurl(describe(true), operation);
  };
  const form = element(
    'form',
    { oninput: refresh },
    block,
    parameters.node,
    body?.node,
    element('button', {}, 'Send'),
    response,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    response.replaceChildren('Waiting…');
    try {
      const answer = await send(describe(false), readKey());
      learnIds(operation, await showResponse(answer, response));
    } catch (error) {
      response.replaceChildren(`The request failed: ${error.message}`);
    }
  });
  refresh();
  return form;
}

function parameterFields({ parameters, path }) {
  const inputs = parameters.map(({ name, in: place, example, required }) => {
    const input = element('input', {
      name,
      'aria-label': name,
      value: example ?? '',
      placeholder: required ? 'required' : '',
    });
    if (place === 'path') addIdField(path.slice(0, path.indexOf(`/{${name}}`)), input);
    return { name, place, input };
  });
  const labelled = inputs.map(({ name, place, input }) =>
    element('label', {}, element('small', {}, `${name} (${place})`), input),
  );
  return {
    values: () => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value])),
    node: element('div', { class: 'parameters' }, ...labelled),
  };
}

/** A JSON text, or a field for each part of a form. Undefined without a body. */
function bodyFields({ example, formFields }, readKey) {
  if (example === undefined) return undefined;
  if (!Object.values(example).some(isFile)) {
    const area = element('textarea', { 'aria-label': 'Body', spellcheck: 'false', rows: '6' });
    area.value = JSON.stringify(example, null, 2);
    return { value: () => area.value, node: area };
  }
  const names = [...new Set([...Object.keys(example), ...formFields])];
  const fields = names.map((name) => formField(name, example[name], readKey));
  return {
    value: (isShown) =>
      Object.fromEntries(
        fields
          .map(({ name, read }) => [name, read(isShown)])
          .filter(([, value]) => value !== '' && value !== undefined),
      ),
    node: element('div', { class: 'parameters' }, ...fields.map(({ node }) => node)),
  };
}

const PICTURES = new Set(['cover_image']);

function sampleField(name, example, readKey) {
  if (PICTURES.has(name)) return pictureField(name);
  return String(example).endsWith('.pls') ? lexiconField(name) : recordingField(name, readKey);
}

function formField(name, example, readKey) {
  if (isFile(example) || PICTURES.has(name)) {
    const { file, node } = sampleField(name, example, readKey);
    const missing = (isShown) => (isShown ? example : undefined);
    return {
      name,
      read: (isShown) => file() ?? missing(isShown),
      node: element('label', {}, element('small', {}, `${name} (file)`), node),
    };
  }
  const input = element('input', { name, 'aria-label': name, value: example ?? '' });
  return { name, read: () => input.value, node: element('label', {}, element('small', {}, name), input) };
}
