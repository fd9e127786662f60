// Responses: audio is played, images are shown, everything else is text.

import { element } from './dom.js';

const SHOWN_CHARS_MAX = 20_000;
/** Longer strings in JSON are audio in base64. */
const STRING_CHARS_MAX = 6000;

/** Shows a response under its form, and returns the parsed body of a JSON response. */
export async function showResponse(response, target) {
  const type = response.headers.get('content-type') ?? '';
  const status = element(
    'p',
    { class: response.ok ? 'ok' : 'failed', 'data-status': response.status },
    [response.status, type.split(';')[0], `trace ${response.headers.get('x-fish-trace-id')}`]
      .filter(Boolean)
      .join(' · '),
  );
  if (/^(audio|image)\//.test(type)) {
    const src = URL.createObjectURL(await response.blob());
    const shown = type.startsWith('audio/')
      ? element('audio', { controls: '', src })
      : element('img', { alt: 'Response', src });
    target.replaceChildren(status, shown);
    return undefined;
  }
  const text = await response.text();
  const json = /^application\/json(;|$)/.test(type) ? JSON.parse(text) : undefined;
  const shown = json === undefined ? text : JSON.stringify(json, shortenString, 2);
  target.replaceChildren(status, element('pre', { tabindex: '0' }, shorten(shown)));
  return json;
}

function shortenString(_, value) {
  return typeof value === 'string' && value.length > STRING_CHARS_MAX
    ? `${value.slice(0, 40)}… (${value.length} characters)`
    : value;
}

function shorten(text) {
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}\n…` : text;
}
