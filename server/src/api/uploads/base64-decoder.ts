const DATA_URL = /^data:[^,]*,/;
const DATA_URL_MAX = 256;

/** Base64, plain or for URLs, with or without the beginning of a `data:` URL, as bytes while it arrives. */
export async function* decodedBase64(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let rest = '';
  let isBegun = false;
  for await (const text of texts) {
    rest += text;
    if (!isBegun) {
      if (rest.startsWith('data:'.slice(0, rest.length)) && !rest.includes(',') && rest.length < DATA_URL_MAX)
        continue;
      rest = rest.replace(DATA_URL, '');
      isBegun = true;
    }
    // What is no digit of it, such as line ends and the padding, is left out.
    const digits = rest.replaceAll(/[^A-Za-z0-9+/_-]/g, '');
    const length = digits.length - (digits.length % 4);
    if (length > 0) yield Buffer.from(digits.slice(0, length), 'base64');
    rest = digits.slice(length);
  }
  if (rest !== '') yield Buffer.from(rest, 'base64');
}
