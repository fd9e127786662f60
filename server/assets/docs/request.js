// A request as the page shows it (curl) and sends it (fetch). Both are made from the same description.

/**
 * Describes a request. `parameters` maps names to values; `body` is a JSON text, or an object of form fields in which
 * files are `File`s or `@name`.
 */
export function describeRequest(operation, { parameters, body }) {
  const given = operation.parameters.filter(({ name }) => (parameters[name] ?? '') !== '');
  const placed = (place) =>
    given.filter((parameter) => parameter.in === place).map(({ name }) => [name, parameters[name]]);
  const path = placed('path').reduce(
    (url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  );
  const query = new URLSearchParams(placed('query')).toString();
  return {
    method: operation.method.toUpperCase(),
    url: query ? `${path}?${query}` : path,
    headers: placed('header'),
    isOpen: operation.isOpen,
    body,
  };
}

const quote = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;

/** The request as a command. The key is `$KEY`. */
export function toCurl({ method, url, headers, isOpen, body }, { isAudio }) {
  const isForm = typeof body === 'object';
  const hasDefaultMethod = method === (body === undefined ? 'GET' : 'POST');
  const lines = [
    `curl --fail-with-body${hasDefaultMethod ? '' : ` -X ${method}`} ${quote(location.origin + url)}`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(isForm
      ? Object.entries(body).map(([name, value]) => `-F ${quote(`${name}=${fileName(value)}`)}`)
      : []),
    ...(typeof body === 'string' ? ["-H 'Content-Type: application/json'", `-d ${bodyQuote(body)}`] : []),
    ...(isAudio ? ['--output speech.mp3'] : []),
  ];
  return lines.join(' \\\n  ');
}

const fileName = (value) => (value instanceof File ? `@${value.name}` : value);
/** A body that holds the key is in double quotes, so that the shell inserts it. */
const bodyQuote = (body) =>
  body.includes('$KEY') ? `"${body.replaceAll(/(["\\`])/g, '\\$1')}"` : quote(body);

/** Sends the request with the key. */
export function send({ method, url, headers, isOpen, body }, key) {
  const form = typeof body === 'object' ? new FormData() : undefined;
  for (const [name, value] of Object.entries(form ? body : {})) form.append(name, value);
  return fetch(url, {
    method,
    headers: [
      ...headers,
      ...(isOpen ? [] : [['authorization', `Bearer ${key}`]]),
      ...(typeof body === 'string' ? [['content-type', 'application/json']] : []),
    ],
    body: form ?? body?.replaceAll('$KEY', key),
  });
}
