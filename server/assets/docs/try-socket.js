// The form of a WebSocket: messages to send, one JSON object on each line, and the messages of the server.

import { codeBlock, element } from './dom.js';
import { decode, encode } from './msgpack.js';
import { recordingField, toPcm } from './recording.js';

const BYTES_SHOWN = /"(audio|audio_base_64|audioOutput|delta)":"[^"]{80,}"/g;
/** Base64 characters of a message in the log. */
const TEXT_SHOWN_MAX = 400;

/** The form of a socket operation. `readKey` returns the API key of the page. */
export function socketForm(operation, readKey) {
  const { socket: example } = operation;
  const messages = element('textarea', { 'aria-label': 'Messages', spellcheck: 'false', rows: '6' });
  messages.value = example.messages.map((message) => JSON.stringify(message)).join('\n');
  const recording = example.sampleRate ? recordingField('recording', readKey) : undefined;
  const log = element('div', { 'aria-live': 'polite', class: 'response' });
  const form = element(
    'form',
    {},
    codeBlock(socketCode(operation)).block,
    element('label', {}, element('small', {}, 'Messages, one on each line'), messages),
    recording?.node,
    element('button', {}, 'Connect and send'),
    log,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    log.replaceChildren('Connecting…');
    try {
      const lines = messages.value.split('\n').filter((line) => line.trim() !== '');
      const file = recording?.file();
      const audio = file && (await toPcm(file, example.sampleRate));
      const sent = lines.map((line) => withAudio(JSON.parse(line), audio, example.encoding));
      converse(operation, { sent, key: readKey(), log });
    } catch (error) {
      log.replaceChildren(error.message);
    }
  });
  return form;
}

function exampleUrl({ path, parameters }) {
  const given = parameters.filter(({ example }) => example !== undefined);
  const filled = given.reduce((url, { name, example }) => url.replace(`{${name}}`, example), path);
  const query = given.filter((parameter) => parameter.in === 'query');
  return { filled, query: query.map(({ name, example }) => [name, example]) };
}

function socketCode(operation) {
  const { filled, query } = exampleUrl(operation);
  const origin = location.origin.replace(/^http/, 'ws');
  const isInUrl = operation.socket.key === 'api_key';
  const search = new URLSearchParams(query).toString();
  const address = [origin + filled, [search, isInUrl ? `api_key=${'$'}{key}` : ''].filter(Boolean).join('&')];
  const url = address.filter(Boolean).join('?');
  return isInUrl
    ? `new WebSocket(\`${url}\`)`
    : `new WebSocket('${url}', ['mynah', \`mynah.key.${'$'}{key}\`])`;
}

/** Puts audio in place of `AUDIO`: bytes in MessagePack, base64 in JSON. */
function withAudio(message, audio, encoding) {
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => {
      if (value !== 'AUDIO') return [name, value];
      if (audio === undefined) throw new Error('Choose a recording first.');
      return [name, encoding === 'msgpack' ? audio : toBase64(audio)];
    }),
  );
}

function toBase64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

function converse(operation, { sent, key, log }) {
  const { encoding, last, key: place } = operation.socket;
  const { filled, query } = exampleUrl(operation);
  const isInUrl = place === 'api_key';
  const url = new URL(filled, location.origin.replace(/^http/, 'ws'));
  for (const [name, value] of query) url.searchParams.set(name, value);
  if (isInUrl) url.searchParams.set('api_key', key);
  const socket = isInUrl ? new WebSocket(url) : new WebSocket(url, ['mynah', `mynah.key.${key}`]);
  socket.binaryType = 'arraybuffer';
  const audio = [];
  const list = element('ol', { class: 'messages' });
  let isComplete = false;
  socket.onopen = () => {
    log.replaceChildren(list);
    for (const message of sent)
      socket.send(encoding === 'msgpack' ? encode(message) : JSON.stringify(message));
  };
  socket.onmessage = ({ data }) => {
    const message = encoding === 'msgpack' ? decode(data) : JSON.parse(data);
    if (message.audio instanceof Uint8Array) audio.push(message.audio.slice());
    list.append(element('li', {}, element('code', {}, summarise(message))));
    if (!Object.entries(last).every(([name, value]) => message[name] === value)) return;
    isComplete = true;
    socket.close(1000);
  };
  socket.onclose = ({ code, reason }) => {
    const status = [`Closed with ${code}`, reason].filter(Boolean).join(' · ');
    log.append(
      element('p', { class: isComplete ? 'ok' : 'failed', 'data-status': isComplete ? '101' : code }, status),
    );
    if (audio.length === 0) return;
    const src = URL.createObjectURL(new Blob(audio, { type: 'audio/mpeg' }));
    log.append(element('audio', { controls: '', src }));
  };
}

function summarise(message) {
  const text = JSON.stringify(message, (_, value) =>
    value instanceof Uint8Array ? `${value.length} bytes` : value,
  );
  return text.replaceAll(BYTES_SHOWN, '"$1":"…"').slice(0, TEXT_SHOWN_MAX);
}
