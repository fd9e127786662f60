const DATA_URL_PREFIX = /^data:[^,]*,/;
const DATA_URL_PREFIX_MAX_LENGTH = 256;

/** Decodes base64 or base64url as a stream, with or without the prefix of a `data:` URL. */
export async function* decodeBase64(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let rest = '';
  let isPrefixRead = false;
  for await (const text of texts) {
    rest += text;
    if (!isPrefixRead) {
      const mayBePrefix = rest.startsWith('data:'.slice(0, rest.length)) && !rest.includes(',');
      if (mayBePrefix && rest.length < DATA_URL_PREFIX_MAX_LENGTH) continue;
      rest = rest.replace(DATA_URL_PREFIX, '');
      isPrefixRead = true;
    }
    // Other characters, such as line ends and padding, are ignored.
    const digits = rest.replaceAll(/[^A-Za-z0-9+/_-]+/g, '');
    const length = digits.length - (digits.length % 4);
    if (length > 0) yield Buffer.from(digits.slice(0, length), 'base64');
    rest = digits.slice(length);
  }
  if (rest !== '') yield Buffer.from(rest, 'base64');
}
