/** Shorter messages are parsed as a whole. */
const SPLIT_BYTES_MIN = 64 * 1024;
/** The audio begins in this part of a message. */
const HEAD_BYTES = 4096;
const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0)) as [number, number];

/** A message whose audio was replaced by an empty string, and the audio. */
export interface SplitAudioMessage {
  readonly message: Buffer;
  readonly audio: Buffer;
}

/**
 * Takes the base64 string of this key out of a long JSON message: parsing it as JSON takes most of the time of a message and a
 * second copy. Undefined for a short message, and where the string cannot be found easily: parse the message as a whole then.
 */
export function splitAudioMessage(data: Buffer, key: string): SplitAudioMessage | undefined {
  if (data.length < SPLIT_BYTES_MIN) return undefined;
  const head = data.toString('latin1', 0, HEAD_BYTES);
  const [found, before] = new RegExp(`^([^]*?"${key}"\\s*:\\s*")`).exec(head) ?? [];
  if (found === undefined || before === undefined) return undefined;
  const start = before.length;
  const end = data.indexOf(QUOTE, start);
  if (end < 0 || data.subarray(start, end).includes(BACKSLASH)) return undefined;
  return {
    message: Buffer.concat([data.subarray(0, start), data.subarray(end)]),
    audio: Buffer.from(data.toString('latin1', start, end), 'base64'),
  };
}
